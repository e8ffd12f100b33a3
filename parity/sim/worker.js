// What Chrome gives the extension's worker, over the simulation's `host`. The extension's own files run on it unchanged.
(() => {
  const events = {};
  /** An event of Chrome's: `fire` is called by the simulation. */
  function chromeEvent(name) {
    const listeners = new Set();
    events[name] = (...args) => { for (const listener of listeners) listener(...args); };
    return { addListener: (listener) => listeners.add(listener), removeListener: (listener) => listeners.delete(listener) };
  }

  const waiting = new Map();
  let asked = 0;
  /** Asks the host for what takes time; it answers with `settle`. */
  function ask(name, ...args) {
    asked += 1;
    const id = asked;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      host[name](id, ...args.map((arg) => JSON.stringify(arg ?? null)));
    });
  }

  const ports = new Map();
  const timers = new Map();
  const sockets = new Map();
  let counted = 0;

  globalThis.simulated = {
    fire: (name, text) => events[name](...JSON.parse(text)),
    settle(id, text, error) {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error !== '') reject(new Error(error));
      else resolve(JSON.parse(text));
    },
    timer(id) {
      const run = timers.get(id);
      timers.delete(id);
      run?.();
    },
    socketOpen(id) {
      const socket = sockets.get(id);
      socket.readyState = WebSocket.OPEN;
      socket.onopen();
    },
    socketMessage: (id, data) => sockets.get(id).onmessage({ data }),
    socketClosed(id, code, reason) {
      const socket = sockets.get(id);
      sockets.delete(id);
      socket.readyState = 3;
      socket.onclose({ code, reason });
    },
    connect(id, tab) {
      const message = chromeEvent(`message ${id}`);
      const gone = chromeEvent(`disconnect ${id}`);
      const port = {
        name: 'attempt', sender: { id: chrome.runtime.id, frameId: 0, tab: { id: tab } }, onMessage: message, onDisconnect: gone,
        postMessage: (data) => host.portSay(id, JSON.stringify(data)),
        disconnect: () => host.portClose(id),
      };
      ports.set(id, port);
      events.connect(port);
    },
    portMessage: (id, text) => events[`message ${id}`]?.(JSON.parse(text)),
    portGone: (id) => events[`disconnect ${id}`]?.(ports.get(id)),
    request(name, text, body) {
      const details = JSON.parse(text);
      if (body !== '') details.requestBody = { raw: [{ bytes: body }] };
      events[name](details);
    },
    /** A command of the popup. */
    command(text, id) {
      const sender = { id: chrome.runtime.id, origin: location.origin };
      events.command(JSON.parse(text), sender, (answer) => host.commanded(id, JSON.stringify(answer)));
    },
  };

  globalThis.performance = { now: () => host.mono() };
  Math.random = () => host.random();
  globalThis.console = { error: (text) => host.log(String(text)) };
  globalThis.location = { origin: 'chrome-extension://abcdefghijklmnopabcdefghijklmnop' };
  globalThis.crypto = {
    getRandomValues(bytes) {
      for (let i = 0; i < bytes.length; i += 1) bytes[i] = Math.floor(host.random() * 256);
      return bytes;
    },
  };
  globalThis.setTimeout = (run, ms) => {
    counted += 1;
    timers.set(counted, run);
    host.timer(counted, ms);
    return counted;
  };
  globalThis.clearTimeout = (id) => {
    if (timers.delete(id)) host.untimer(id);
  };
  globalThis.URL = class {
    static canParse() { return true; }
    constructor(text) {
      const [, protocol, hostname, port] = /^(\w+:)\/\/([^:/]+)(?::(\d+))?/.exec(text);
      Object.assign(this, { protocol, hostname, port: port ?? '', host: port ? `${hostname}:${port}` : hostname, pathname: '/', search: '', hash: '', username: '', password: '' });
    }
    get href() { return `${this.protocol}//${this.host}${this.pathname}`; }
    toString() { return this.href; }
  };
  globalThis.TextEncoder = class { encode(text) { return { length: host.bytes(text) }; } };
  globalThis.TextDecoder = class { decode(bytes) { return bytes ?? ''; } };
  globalThis.navigator = { locks: { request: (_, run) => run() } };
  globalThis.WebSocket = class {
    static OPEN = 1;
    constructor(url) {
      counted += 1;
      this.id = counted;
      this.readyState = 0;
      sockets.set(this.id, this);
      host.socketOpen(this.id, url);
    }
    send(data) { host.socketSend(this.id, data); }
    close(code) {
      this.readyState = 2;
      host.socketClose(this.id, code);
    }
  };

  globalThis.chrome = {
    storage: {
      local: {
        setAccessLevel: () => Promise.resolve(),
        get: (keys) => ask('storageGet', keys),
        set: (values) => ask('storageSet', values),
        remove: (key) => ask('storageSet', { [key]: null }),
      },
    },
    alarms: { onAlarm: chromeEvent('alarm'), create: () => host.alarm() },
    runtime: {
      id: 'abcdefghijklmnopabcdefghijklmnop',
      getManifest: () => ({ version: host.version() }),
      onUpdateAvailable: chromeEvent('update'), onStartup: chromeEvent('startup'), onConnect: chromeEvent('connect'),
      onMessage: chromeEvent('command'),
      reload: () => host.reload(),
    },
    tabs: {
      onUpdated: chromeEvent('updated'), onRemoved: chromeEvent('removed'),
      create: (options) => ask('tabCreate', options.url),
      update: (tab, change) => ask('tabUpdate', tab, change),
      remove: (tab) => ask('tabRemove', tab),
      query: () => ask('tabQuery'),
    },
    scripting: {
      executeScript: ({ target, files }) => ask('execute', target.tabId, files ?? []),
    },
    webRequest: {
      onBeforeRequest: chromeEvent('before'), onBeforeRedirect: chromeEvent('redirect'),
      onCompleted: chromeEvent('completed'), onErrorOccurred: chromeEvent('failed'),
    },
  };
})();
