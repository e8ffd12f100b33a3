// The browser around one install of the extension, as the bounded search needs it: it says events to the real reducer of
// core/install.js, writes what that saves, and hands out what it wants done. One call is one move of the search: the
// events that follow a write, and those of a page that loads, are dealt with in it. What only measures time between
// repetitions is made the same everywhere, so that two states that differ in nothing else are one.
'use strict';

globalThis.browser = (() => {
  const WALL = 1_795_982_400_000;
  const IN_TIME_MS = 1_000;
  const LATE_MS = 100_000;
  const NEVER_MS = 1e12;
  // Frames are named by a number. So many are kept for each lease, so that it is the same by whatever way it was reached.
  const FRAMES_OF_A_LEASE = 100;
  const KEPT_MAX = 512;
  const APPROVED = WALL - 60_000;
  const TAB = 7;
  // The document in which Send is clicked, and the one that is loaded to look.
  const ACT = 1;
  const LOOK = 2;
  const BODY = 'Hello Ada';
  const MEMBER = { urn: 'urn:li:fsd_profile:ACoAAR1', slug: 'rita-recruiter', name: 'Rita Recruiter' };
  // As long as LinkedIn gives them: the server pins no other.
  const PERSON_ID = 'ACoAAA100000000000000000000000000000000';
  const PERSON = { id: 'p-1', name: 'Ada Example', slug: 'ada-example', urn: `urn:li:fsd_profile:${PERSON_ID}` };
  const CONVERSATION = '2-dGhyZWFk';
  const PAIRING = { server: 'wss://sendonce.example/v1/installs/socket', install: 'in-1', refresh_secret: 'secret-1' };
  const MARK = { server: PAIRING.server, epoch: 1, event: 1 };
  const SETTINGS = {
    ping_every_ms: 20_000, pong_within_ms: 50_000, touch_within_ms: 90_000, answer_within_ms: 60_000, look_within_ms: 60_000,
  };
  const ACCOUNTS = [{ account: 'ac-1', handle: 'rita-recruiter', member_urn: MEMBER.urn, state: 'ready' }];
  // Ids as LinkedIn gives them: 13 digits of milliseconds, then a counter.
  const OLD_ID = 'urn:li:msg_message:(urn:li:fsd_profile:ACoAAR1,2-MTc5NTg5NTk0MDAwMGIwMDAwMS0xMDAmdA==)';
  const COPY_ID = 'urn:li:msg_message:(urn:li:fsd_profile:ACoAAR1,2-MTc5NTk4MjQwMTAwMGIwMDAwMi0xMDAmdA==)';
  const OLD = { urn: OLD_ID, own: false, sender: PERSON_ID, text: 'Nice to meet you' };
  const SHOWN = { status: 'unconfirmed', code: 'unconfirmed' };
  const COPY = { urn: COPY_ID, own: true, sender: 'ACoAAR1', text: BODY };

  const pageOf = (shown, more) => ({
    url: urls.threadUrl(CONVERSATION), sign_in: false, members: [MEMBER], others: [{ key: PERSON_ID, name: PERSON.name }],
    recipients: 0, message_links: [], invitable: false, name: '', composers: 1, occupied: false, send: 'disabled',
    inmail: false, items: shown ? [OLD, COPY] : [OLD], ...more,
  });

  class Life {
    constructor(store, late, id) {
      this.store = store;
      this.behind = store;
      this.said = [];
      this.go = null;
      const past = late ? LATE_MS : IN_TIME_MS;
      this.world = { wall: WALL + past, mono: past, random: 0.5, fresh_id: id };
    }

    take({ install, effects }) {
      this.install = install;
      const then = [];
      for (const effect of effects) {
        if (effect.do === 'send') this.said.push(effect.frame);
        if (effect.do === 'page' && effect.message.do === 'go') this.go = effect.message;
        if (effect.do === 'save') this.save(effect);
        if (effect.then !== undefined) then.push(effect.then);
      }
      for (const event of then) this.on(event);
    }

    save({ key, value }) {
      if (key !== 'journal' && key !== 'ended') return;
      this.behind = this.store;
      this.store = { ...this.store, [key]: JSON.parse(JSON.stringify(value)) };
    }

    on(event) { this.take(core.stepInstall(this.install, event, this.world)); }

    hear(frame) { this.on({ type: 'frame', frame: { v: 1, id: 's-1', ...frame } }); }

    last(type) { return this.said.findLast((frame) => frame.type === type); }

    get running() {
      const all = Object.entries(this.install.attempts);
      if (all.length > 1) throw new Error('one account has two attempts in one browser');
      return all.length === 0 ? null : { token: all[0][0], state: all[0][1].state };
    }

    timer(name) { this.on({ type: 'timer', name, lease_token: this.running.token }); }
    page(port, message) { this.on({ type: 'page', tab: TAB, port, message }); }

    opened() {
      this.on({ type: 'tab', what: 'opened', tab: TAB, url: null, lease_token: this.running.token });
    }

    shows(port, facts) {
      this.on({ type: 'tab', what: 'loaded', tab: TAB, url: facts.url });
      this.on({ type: 'port', what: 'open', tab: TAB, port });
      this.page(port, { what: 'facts', facts });
      if (this.running?.state.timers.includes('settle')) this.timer('settle');
    }
  }

  // A request of the page: the text and to whom, and how it was answered when it was.
  function request(life, answered) {
    const about = { type: 'request', request_id: 'r-1', tab: TAB };
    life.on({ ...about, what: 'before', text: BODY, origin_token: 'token-1', to_person: null, to_conversation: CONVERSATION });
    if (answered > 0) life.on({ ...about, what: 'completed', status: answered, retry_after_ms: null });
  }

  function look(life, { shown, shows }) {
    if (life.running.state.phase === 'watching') {
      life.timer(life.running.state.timers.includes('quiet') ? 'quiet' : 'answer');
    }
    if (life.running.state.phase === 'looking' && life.running.state.tab === 'opening') life.opened();
    if (life.running.state.phase !== 'looking') return;
    if (!shows) return life.timer('look');
    life.shows(LOOK, pageOf(shown));
    while (life.running.state.phase === 'looking' && life.running.state.timers.includes('again')) {
      life.timer('again');
      life.shows(LOOK, pageOf(shown));
    }
    if (life.running.state.phase === 'looking') life.timer('look');
  }

  const MOVES = {
    frame: (life, { frame }) => life.hear(frame),
    lease(life, { frame }) {
      // The touch window is counted from here.
      life.world = { ...life.world, wall: WALL, mono: 0 };
      life.install = { ...life.install, frames: FRAMES_OF_A_LEASE * Number(frame.lease_token.slice(-1)) };
      life.hear({
        type: 'lease', expires_in_ms: 60_000, account: 'ac-1', member_urn: MEMBER.urn, person: PERSON,
        conversation: CONVERSATION, body: BODY, approved_at_ms: APPROVED, repeat_approved: false, held_ids: [], ...frame,
      });
    },
    reach(life, { shown }) {
      life.opened();
      life.shows(ACT, pageOf(shown));
    },
    proceed(life, { frame }) {
      life.hear(frame);
      if (life.running?.state.phase !== 'typing') return;
      life.page(ACT, { what: 'typed' });
      life.page(ACT, { what: 'poised', facts: pageOf(false, { occupied: true, send: 'enabled' }) });
    },
    clicked(life, { answered }) {
      life.page(ACT, { what: 'clicked', at_ms: WALL + IN_TIME_MS, item_ids: [OLD_ID] });
      request(life, answered);
    },
    not_clicked: (life, { reason }) => life.page(ACT, { what: 'not_clicked', reason, box: 'cleared' }),
    look,
    gone: (life) => life.on({ type: 'tab', what: 'gone', tab: TAB, url: null }),
    timer(life, { name }) {
      life.timer(name);
      if (life.running?.state.phase === 'clearing') life.page(ACT, { what: 'halted', box: 'cleared' });
    },
  };

  function revive(life, { boot, statuses }) {
    const stored = { ...life.store, pairing: PAIRING, seen: { member: MEMBER, seen_ms: WALL }, mark: MARK };
    life.take(core.beginInstall({ boot, version: '1.0.0', stored: JSON.parse(JSON.stringify(stored)) }, life.world));
    life.on({ type: 'socket', what: 'open' });
    life.hear({ type: 'token', re: life.last('token').id, access_token: 'a', expires_in_ms: 900_000, refresh_secret: 'secret-1' });
    const open = life.last('hello').open.map(({ lease_token }) => (
      { lease_token, status: statuses[lease_token].status, held: statuses[lease_token].held }));
    life.hear({
      type: 'welcome', re: life.last('hello').id, session: 'se-1', epoch: 1, rules: 'current', settings: SETTINGS,
      accounts: ACCOUNTS, open,
    });
  }

  // What only measures when a frame is said again or when something was written, what a person is shown of what has ended,
  // and the words of a hello that is over, decide nothing.
  function stillOpen(open) {
    const calm = Object.entries(open).map(([token, one]) => (
      [token, { ...one, at_ms: WALL, recorded: one.recorded === null ? null : SHOWN }]));
    return Object.fromEntries(calm);
  }
  const stillEnded = (ended) => ended.map((one) => ({ ...one, ...SHOWN, at_ms: WALL }));

  function still(install) {
    const { session, outbox, journal } = install;
    return {
      ...install,
      frames: Object.keys(install.attempts).length === 0 ? 0 : install.frames,
      session: { ...session, heard: { wall: WALL, mono: 0 }, welcome: { ...session.welcome, re: '', open: [] } },
      outbox: { asks: outbox.asks.map((ask) => ({ ...ask, tries: 0, due_mono: NEVER_MS })) },
      journal: { ...journal, open: stillOpen(journal.open), ended: stillEnded(journal.ended) },
    };
  }

  function stillStore({ journal, ended }) {
    return {
      ...(journal === undefined ? {} : { journal: { ...journal, open: stillOpen(journal.open) } }),
      ...(ended === undefined ? {} : { ended: stillEnded(ended) }),
    };
  }

  function seen(life) {
    const { running, install } = life;
    const s = running?.state;
    return {
      phase: s?.phase ?? '', token: running?.token ?? '', attempt: s?.attempt ?? '', tab: s?.tab === 'open',
      timers: s?.timers ?? [], ready: (install.said_ready ?? '') !== '', asks: install.outbox.asks.map(({ frame }) => frame),
    };
  }

  // A reducer changes nothing that it is given, so that what was read once may be given again.
  const kept = new Map();
  function read(text) {
    if (kept.has(text)) return kept.get(text);
    if (kept.size === KEPT_MAX) kept.clear();
    const value = JSON.parse(text);
    kept.set(text, value);
    return value;
  }

  return {
    // `install` '': a worker begins over what is stored. Everything comes and goes as JSON.
    move(install, store, late, event) {
      const told = read(event);
      const life = new Life(read(store), late, told.fresh_id ?? '');
      if (install === '') revive(life, told);
      else {
        life.install = read(install);
        MOVES[told.do](life, told);
      }
      return JSON.stringify({
        install: still(life.install), store: stillStore(life.store), behind: stillStore(life.behind), go: life.go,
        said: life.said.filter(({ type }) => ['start', 'report', 'gone', 'release'].includes(type)), seen: seen(life),
      });
    },
    // What the page script decides, with the clocks of this moment. `asleep`: its monotonic clock stood still meanwhile.
    decide(go, late, asleep, alive) {
      const past = late ? LATE_MS : 500;
      const facts = pageOf(false, { occupied: true, send: 'enabled' });
      const poised = { wall: WALL + IN_TIME_MS, mono: IN_TIME_MS };
      const now = { wall: poised.wall + past, mono: poised.mono + (asleep ? 0 : past) };
      return JSON.stringify(SendoncePage.decide({ go: read(go), now, poised, alive, spent: false, facts, box: BODY }));
    },
  };
})();
