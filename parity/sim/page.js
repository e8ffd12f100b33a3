// What a page of LinkedIn gives the page scripts, over the simulation's `host`: viewer.js, gate.js and driver.js run on it
// unchanged. In place of walker.js and reader.js, which read a real page, the simulation says what the page shows.
(() => {
  const hops = new Map();
  let hopped = 0;
  let heard = () => {};
  let ended = () => {};
  let mutated = () => {};

  globalThis.simulatedPage = {
    hop(id) {
      const run = hops.get(id);
      hops.delete(id);
      run();
    },
    message: (text) => heard(JSON.parse(text)),
    disconnected: () => ended(),
    mutated: () => mutated(),
  };

  globalThis.performance = { now: () => host.mono() };
  globalThis.window = globalThis;
  globalThis.top = globalThis;
  globalThis.location = { pathname: host.path() };
  globalThis.getSelection = () => ({ selectAllChildren() {} });
  globalThis.MessageChannel = class {
    constructor() {
      this.port1 = { onmessage: null, close() {} };
      this.port2 = {
        postMessage: () => {
          hopped += 1;
          hops.set(hopped, this.port1.onmessage);
          host.hop(hopped);
        },
      };
    }
  };
  globalThis.MutationObserver = class {
    constructor(run) { this.run = run; }
    observe() { mutated = this.run; }
    disconnect() { mutated = () => {}; }
  };
  globalThis.chrome = {
    runtime: {
      connect() {
        host.connect();
        return {
          postMessage: (data) => host.say(JSON.stringify(data)),
          onMessage: { addListener: (listener) => { heard = listener; } },
          onDisconnect: { addListener: (listener) => { ended = listener; } },
        };
      },
    },
  };

  const box = { focus() {} };
  const button = { get disabled() { return !host.canSend(); }, click: () => host.click() };
  globalThis.document = {
    execCommand: (command, _, text) => host.edit(command, text ?? ''),
    querySelectorAll: () => [],
  };
  globalThis.SendoncePage = {
    selectors: Object.freeze({ itemId: 'data-event-urn', list: 'list', aside: 'aside' }),
    members: () => JSON.parse(host.facts(1)).members,
    asksToSignIn: () => JSON.parse(host.facts(1)).sign_in,
    composers: () => (host.hasBox() ? [box] : []),
    textOf: () => host.box(),
    sendButton: () => button,
    read: (itemsMax) => JSON.parse(host.facts(itemsMax)),
  };
})();
