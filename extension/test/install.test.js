// Goal: what the whole install promises about a lease, whatever the connection and the worker do: nothing of LinkedIn
// before "started", never a second start after a death, reports kept until recorded. The real attempt runs inside.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../core/frames.js';
import { beginInstall, stepInstall } from '../core/install.js';
import { ASKS_CROWDED, CLOSE_TRIES_MAX } from '../core/limits.js';
import { viewOf } from '../core/view.js';

const DIGEST = `sha256:${'3f'.repeat(32)}`;
const MEMBER = { urn: 'urn:li:fsd_profile:ACoAAR1', slug: 'rita-recruiter', name: 'Rita Recruiter' };
const PAIRING = { server: 'wss://sendonce.example/v1/installs/socket', install: 'in-1', refresh_secret: 'secret-1' };
const WALL = 1_795_982_400_000;

/** A server and a browser played by hand around one install; the store outlives the worker. */
class Scene {
  constructor(stored = { pairing: PAIRING, seen: { member: MEMBER, seen_ms: WALL } }) {
    this.now = { wall: WALL, mono: 0, random: 0.5, fresh_id: 'fresh-random-id-0' };
    this.store = { ...stored };
    this.count = 0;
    this.epoch = 1;
    this.live();
  }

  /** A new worker over the same store. */
  live() {
    this.sent = [];
    this.done = [];
    this.boot = `boot-${this.count}`;
    this.take(beginInstall({ boot: this.boot, version: '1.0.0', stored: structuredClone(this.store) }, this.now));
    return this;
  }

  take({ install, effects }) {
    this.install = install;
    this.done.push(...effects);
    for (const effect of effects) {
      if (effect.do === 'send') {
        assert.deepEqual(check(effect.frame, 'install'), { ok: true }, JSON.stringify(effect.frame));
        this.sent.push(effect.frame);
      }
      if (effect.do !== 'save') continue;
      if (effect.value === null) delete this.store[effect.key];
      else this.store[effect.key] = JSON.parse(JSON.stringify(effect.value));
      if (effect.then !== undefined) this.on(effect.then);
    }
    return this;
  }

  on(event) {
    this.count += 1;
    this.now = { ...this.now, fresh_id: `fresh-random-id-${this.count}` };
    return this.take(stepInstall(this.install, event, this.now));
  }

  pass(ms) {
    this.now = { ...this.now, wall: this.now.wall + ms, mono: this.now.mono + ms };
    return this;
  }

  /** The server says something; `re` is the last frame sent of the named type. */
  hear(type, fields, answerTo) {
    this.count += 1;
    const frame = { v: 1, type, id: `s-${this.count}`, ...fields };
    if (answerTo !== undefined) frame.re = this.last(answerTo).id;
    assert.deepEqual(check(frame, 'server'), { ok: true }, JSON.stringify(frame));
    return this.on({ type: 'frame', frame });
  }

  last(type) {
    const frame = this.sent.findLast((one) => one.type === type);
    assert.ok(frame, `no ${type} was sent`);
    return frame;
  }

  all(type) {
    return this.sent.filter((one) => one.type === type);
  }

  effects(what) {
    return this.done.filter((effect) => effect.do === what);
  }

  /** From nothing to welcome. */
  connect(open = []) {
    this.on({ type: 'socket', what: 'open' });
    if (this.install.session.phase === 'token') {
      this.hear('token', { access_token: 'access', expires_in_ms: 900_000, refresh_secret: `next-${this.count}` }, 'token');
    }
    return this.hear('welcome', {
      session: `se-${this.count}`, epoch: this.epoch, rules: 'current',
      settings: { ping_every_ms: 20_000, pong_within_ms: 50_000, touch_within_ms: 90_000, answer_within_ms: 60_000, look_within_ms: 60_000 },
      accounts: [{ account: 'ac-1', handle: 'rita-recruiter', member_urn: MEMBER.urn, state: 'ready' }], open,
    }, 'hello');
  }

  lease(token = 'lease-1', more = {}) {
    return this.hear('lease', {
      send: `sd-${token}`, lease_token: token, expires_in_ms: 60_000, account: 'ac-1', member_urn: MEMBER.urn,
      person: { id: 'p-1', name: 'Ada Example', slug: null, urn: 'urn:li:fsd_profile:ACoAAA1' }, conversation: null,
      body: 'Hello Ada', digest: DIGEST, approved_at_ms: WALL - 60_000, repeat_approved: false, held_ids: [], ...more,
    });
  }

  started() {
    const { attempt } = this.last('start');
    return this.hear('started', { attempt, touch_within_ms: 90_000, deadline_ms: 360_000, epoch: this.epoch, event: 7 }, 'start');
  }

  check(token = 'check-1', more = {}) {
    return this.hear('check', {
      send: 'sd-1', check_token: token, account: 'ac-1', member_urn: MEMBER.urn, conversation: '2-abc', held_ids: [],
      person: { id: 'p-1', name: 'Ada Example', slug: null, urn: 'urn:li:fsd_profile:ACoAAA1' },
      wanted: [{ version: 1, body: 'Hello Ada', approved_at_ms: WALL - 60_000 }], ...more,
    });
  }

  cut() {
    return this.on({ type: 'socket', what: 'closed', code: 1006, reason: '' });
  }

  touched() {
    return this.done.some((effect) => effect.do === 'tab' || effect.do === 'page');
  }
}

test('an account is ready when its member is signed in here', () => {
  assert.deepEqual(new Scene().connect().last('ready').accounts, ['ac-1']);
  const other = { pairing: PAIRING, seen: { member: { ...MEMBER, urn: 'urn:li:fsd_profile:ACoOther' }, seen_ms: WALL } };
  assert.deepEqual(new Scene(other).connect().last('ready').accounts, []);
});

test('a member seen long ago is looked for again before anything is ready', () => {
  const scene = new Scene({ pairing: PAIRING, seen: { member: MEMBER, seen_ms: WALL - 1_800_000 } }).connect();
  assert.deepEqual(scene.last('hello').accounts, []);
  assert.deepEqual(scene.last('ready').accounts, []);
  assert.equal(scene.effects('look_for_member').length, 1);
  scene.on({ type: 'member', member: MEMBER }).connect();
  assert.equal(scene.last('hello').accounts[0].member_urn, MEMBER.urn, 'another member means another hello');
  assert.deepEqual(scene.last('ready').accounts, ['ac-1']);
  scene.on({ type: 'wake' });
  assert.equal(scene.effects('look_for_member').length, 1, 'at most one look in 30 minutes');
});

test('the journal is written before the start is asked, and nothing is touched before started', () => {
  const scene = new Scene().connect();
  scene.done.length = 0;
  scene.lease();
  const order = scene.done.filter((effect) => effect.do === 'send' || effect.do === 'save')
    .map((effect) => effect.key ?? effect.frame.type);
  assert.ok(order.indexOf('journal') < order.indexOf('start'), order.join());
  assert.equal(scene.touched(), false);
  assert.deepEqual(scene.last('ready').accounts, [], 'one lease at a time');
  scene.started();
  assert.equal(scene.touched(), true);
});

test('the attempt is never written down while it may still ask', () => {
  const scene = new Scene().connect().lease().started();
  assert.equal(JSON.stringify(scene.store).includes(scene.last('start').attempt), false);
});

test('an unanswered start is asked again with the same id, and a lost connection does not change it', () => {
  const scene = new Scene().connect().lease();
  const first = scene.last('start');
  scene.pass(10_000).on({ type: 'timer', name: 'outbox' });
  assert.deepEqual(scene.all('start'), [first, first]);
  scene.cut();
  assert.equal(scene.all('start').length, 2);
  scene.on({ type: 'timer', name: 'reconnect' }).connect();
  assert.deepEqual(scene.all('start'), [first, first, first]);
  assert.equal(scene.last('hello').open[0].attempt, first.attempt);
  scene.started().pass(60_000).on({ type: 'timer', name: 'outbox' });
  assert.equal(scene.all('start').length, 3, 'an answered start is not asked again');
});

test('an answer that is not for this attempt, or is of an older history, permits nothing', () => {
  const frame = { attempt: 'another-attempt-1', touch_within_ms: 90_000, deadline_ms: 360_000, epoch: 1, event: 7 };
  assert.equal(new Scene().connect().lease().hear('started', frame, 'start').touched(), false);
  const scene = new Scene().connect().lease();
  const old = { ...frame, attempt: scene.last('start').attempt, epoch: 0 };
  assert.equal(scene.hear('started', old, 'start').touched(), false);
  assert.equal(scene.hear('proceed', {}, 'start').touched(), false);
  scene.hear('started', { ...frame, attempt: 'another-attempt-1' }, 'start').pass(10_000).on({ type: 'timer', name: 'outbox' });
  assert.equal(scene.all('start').length, 2, 'none of these was an answer, so it is asked again');
});

test('a refused start ends the attempt untouched, and the account is ready again', () => {
  const scene = new Scene().connect().lease();
  scene.hear('refused', { code: 'too_early', text: 'Waiting for its send window to open.' }, 'start');
  assert.equal(scene.touched(), false);
  assert.deepEqual(scene.last('ready').accounts, ['ac-1']);
  assert.deepEqual(Object.keys(scene.store.journal.open), []);
});

test('a lease frame that arrives again begins nothing, even after the work was done', () => {
  const scene = new Scene().connect().lease().lease();
  assert.equal(scene.all('start').length, 1);
  assert.equal(scene.all('release').length, 0, 'the lease that is being worked on is not given back');
  scene.hear('refused', { code: 'too_early', text: 'Not now.' }, 'start').lease();
  assert.equal(scene.all('start').length, 1);
  assert.equal(scene.live().connect().lease().all('start').length, 0, 'nor for a new worker');
});

test('a page that asks for a sign-in takes back what was believed of the member', () => {
  const scene = new Scene().connect().lease().started();
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'lease-1' });
  scene.on({ type: 'tab', what: 'loaded', tab: 5, url: 'https://www.linkedin.com/login' });
  assert.equal(scene.last('report').evidence.reason, 'signed_out');
  scene.on({ type: 'tab', what: 'gone', tab: 5, url: null });
  scene.hear('recorded', { send: 'sd-lease-1', status: 'failed', code: 'not_attempted', epoch: 1, event: 8 }, 'report');
  assert.deepEqual(Object.keys(scene.install.attempts), []);
  assert.deepEqual(scene.last('ready').accounts, []);
  assert.equal(scene.store.seen.member, null, 'a new worker does not believe it either');
  scene.on({ type: 'look_for_member' }).on({ type: 'member', member: MEMBER }).connect();
  assert.deepEqual(scene.last('ready').accounts, ['ac-1']);
});

test('tombstones are written when an attempt ends, and before its entry is left out', () => {
  const scene = new Scene().connect().lease();
  const saves = () => scene.effects('save').map((effect) => effect.key).filter((key) => key === 'ended' || key === 'journal');
  assert.deepEqual(saves(), ['journal']);
  scene.hear('refused', { code: 'too_early', text: 'Not now.' }, 'start');
  assert.deepEqual(saves(), ['journal', 'ended', 'journal']);
  assert.equal(scene.store.ended[0].lease_token, 'lease-1');
  assert.equal(scene.store.journal.ended, undefined);
});

test('the person who asks twice who is signed in opens one look', () => {
  const scene = new Scene().connect().on({ type: 'look_for_member' }).on({ type: 'look_for_member' });
  assert.equal(scene.effects('look_for_member').length, 1);
  scene.on({ type: 'member', member: null });
  assert.deepEqual(scene.last('ready').accounts, ['ac-1'], 'the old hello stands until the new one');
  assert.deepEqual(scene.connect().last('ready').accounts, []);
  assert.equal(viewOf(scene.install).accounts[0].text, 'works here when its member is signed in');
});

test('a server that floods leases is not answered without bound', () => {
  const scene = new Scene().connect().on({ type: 'pause', on: true });
  for (let n = 0; n < 300; n += 1) scene.lease(`lease-${n}`);
  assert.equal(scene.all('release').length, 128);
});

test('leases that cannot be taken are given back with the reason', () => {
  assert.equal(new Scene().connect().on({ type: 'pause', on: true }).lease().last('release').code, 'paused');
  assert.equal(new Scene().connect().lease().lease('lease-2').last('release').code, 'busy');
  assert.equal(new Scene().connect().lease('l', { member_urn: 'urn:li:fsd_profile:ACoOther' }).last('release').code, 'signed_out');
  const older = new Scene({ pairing: PAIRING, mark: { server: PAIRING.server, epoch: 2, event: 1 }, seen: { member: MEMBER, seen_ms: WALL } }).connect();
  assert.deepEqual(older.last('ready').accounts, []);
  assert.equal(older.lease().last('release').code, 'refused');
});

test('a worker that dies after it asked never asks again and never acts', () => {
  const scene = new Scene().connect().lease();
  scene.live().connect();
  assert.equal(scene.last('hello').open[0].attempt, null);
  assert.equal(scene.all('start').length, 0);
  assert.equal(scene.touched(), false, 'LinkedIn is not contacted for a start that was never recorded');
  const report = scene.last('report');
  assert.equal(report.attempt, null);
  assert.equal(report.outcome.status, 'unconfirmed');
  scene.hear('refused', { code: 'too_early', text: 'x' }, 'report');
  assert.equal(Object.keys(scene.store.journal.open).length, 1, 'only recorded answers a report');
});

test('a report is said over cuts and deaths until it is recorded, and gone until it is noted', () => {
  const scene = new Scene().connect().lease();
  scene.live().connect();
  const first = scene.last('report');
  scene.cut().on({ type: 'timer', name: 'reconnect' }).connect();
  assert.equal(scene.last('report').id, first.id);
  scene.live().connect();
  assert.deepEqual(scene.all('report').map((report) => report.id), [first.id], 'the kept one, once');
  scene.hear('recorded', { send: 'sd-lease-1', status: 'unconfirmed', code: 'sender_lost', epoch: 1, event: 9 }, 'report');
  assert.deepEqual(scene.store.mark, { server: PAIRING.server, epoch: 1, event: 9 });
  assert.equal(Object.keys(scene.store.journal.open).length, 1);
  scene.hear('noted', {}, 'gone');
  assert.deepEqual(Object.keys(scene.store.journal.open), []);
  assert.deepEqual(scene.last('ready').accounts, ['ac-1']);
  assert.deepEqual(viewOf(scene.install).looks.map((look) => look.person), ['Ada Example']);
  scene.pass(60_000).on({ type: 'timer', name: 'outbox' });
  assert.equal(scene.all('report').length, 1);
});

test('a report that the server cannot take now is said again, one that it refuses waits for the next connection', () => {
  const error = (code) => ({ code, text: 'No.', field: null });
  const scene = new Scene().connect().lease().live().connect();
  scene.hear('error', error('unavailable'), 'report').pass(20_000).on({ type: 'timer', name: 'outbox' });
  assert.equal(scene.all('report').length, 2);
  scene.hear('error', error('bad_lease'), 'report').pass(600_000).on({ type: 'timer', name: 'outbox' });
  assert.equal(scene.all('report').length, 2);
  scene.cut().on({ type: 'timer', name: 'reconnect' }).connect();
  assert.equal(scene.all('report').length, 3);
});

test('a stop before the tab is opened sends nothing', () => {
  const scene = new Scene().connect().lease().on({ type: 'stop' });
  assert.equal(scene.install.paused, true);
  scene.started();
  assert.equal(scene.effects('tab').length, 0);
  assert.equal(scene.last('report').outcome.code, 'not_attempted');
});

test('a browser whose pairing was taken away stops what it had begun', () => {
  const revoked = { code: 'install_revoked', text: 'Revoked.', field: null, re: null };
  const scene = new Scene().connect().lease().started();
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'lease-1' });
  scene.hear('error', revoked);
  assert.equal(scene.effects('tab').at(-1).what, 'close');
  assert.equal(scene.store.journal.open['lease-1'].reports[0].outcome.code, 'not_attempted');
  const asked = new Scene().connect().lease().on({ type: 'socket', what: 'closed', code: 4002, reason: 'revoked' });
  assert.equal(asked.pass(60_000).on({ type: 'timer', name: 'lease', lease_token: 'lease-1' }).touched(), false);
});

test('a browser that is paired anew stops what it had begun under the old pairing, once the new one stands', () => {
  const scene = new Scene().connect().lease().started();
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'lease-1' });
  scene.on({ type: 'pair', server: 'wss://other.example/v1/installs/socket', code: 'CODE' }).on({ type: 'socket', what: 'open' });
  assert.notEqual(scene.effects('tab').at(-1).what, 'close', 'the code may be refused');
  scene.hear('paired', { install: 'in-2', refresh_secret: 'secret-2' }, 'pair');
  assert.equal(scene.effects('tab').at(-1).what, 'close');
});

test('an update waits for the attempt and takes no further lease', () => {
  const scene = new Scene().connect().lease().on({ type: 'update' });
  assert.equal(scene.effects('reload').length, 0);
  scene.hear('refused', { code: 'too_early', text: 'Not now.' }, 'start');
  assert.deepEqual(scene.last('ready').accounts, []);
  assert.equal(scene.effects('reload').length, 1);
});

test('unpairing forgets the secret and keeps what the server was not told', () => {
  const scene = new Scene().connect().lease().live().connect().on({ type: 'unpair' });
  assert.equal(scene.store.pairing, undefined);
  assert.equal(scene.store.journal.open['lease-1'].reports.length, 1);
});

test('a check holds the account, is answered until that is noted, and frees the account', () => {
  const scene = new Scene().connect().check();
  assert.deepEqual(scene.last('ready').accounts, []);
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' });
  assert.deepEqual(scene.store.checking, { tab: 5 });
  assert.deepEqual(scene.effects('tab').map(({ what }) => what), ['open', 'navigate']);
  scene.on({ type: 'tab', what: 'gone', tab: 5 });
  assert.equal(scene.last('checked').evidence.reason, 'stopped');
  assert.equal(scene.store.checking, undefined);
  assert.deepEqual(scene.last('ready').accounts, ['ac-1']);
  const { id } = scene.last('checked');
  assert.equal(scene.cut().pass(70_000).on({ type: 'wake' }).connect().last('checked').id, id);
  scene.hear('noted', {}, 'checked').pass(70_000).on({ type: 'timer', name: 'outbox' });
  assert.equal(scene.all('checked').length, 2);
});

test('a check that arrives again, or beside work, begins nothing', () => {
  const scene = new Scene().connect().check().check();
  assert.equal(scene.effects('tab').length, 1);
  scene.check('check-2');
  assert.equal(scene.last('checked').evidence.reason, 'busy');
  const working = new Scene().connect().lease();
  working.check();
  assert.equal(working.last('checked').evidence.reason, 'busy');
  assert.equal(working.effects('tab').length, 0);
});

test('a paused browser, and one where another member is signed in, check nothing', () => {
  const paused = new Scene().connect().on({ type: 'pause', on: true }).check();
  assert.equal(paused.last('checked').evidence.reason, 'paused');
  const other = new Scene().connect().check('check-1', { member_urn: 'urn:li:fsd_profile:ACoAAR2' });
  assert.equal(other.last('checked').evidence.reason, 'signed_out');
  assert.equal(paused.effects('tab').length + other.effects('tab').length, 0);
});

test('a worker that starts again closes the tab of the check that its predecessor had begun', () => {
  const scene = new Scene().connect().check();
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' }).live();
  assert.deepEqual(scene.effects('tab').map(({ what, tab }) => [what, tab]), [['close', 5]]);
  assert.equal(scene.store.checking, undefined);
});

test('the person who presses Stop stops a check', () => {
  const scene = new Scene().connect().check();
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' }).on({ type: 'stop' });
  assert.equal(scene.last('checked').evidence.reason, 'stopped');
  assert.equal(scene.effects('tab').at(-1).what, 'close');
});

for (const [what, event] of Object.entries({
  Stop: { type: 'stop' }, unpairing: { type: 'unpair' }, 'an update': { type: 'update' },
})) {
  const opened = { type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' };

  test(`${what} ends a check, also while its tab is being opened`, () => {
    for (const events of [[opened, event], [event, opened]]) {
      const scene = new Scene().connect().check();
      for (const one of events) scene.on(one);
      // After an unpairing nobody is there to be told.
      assert.deepEqual(scene.all('checked').map(({ evidence }) => evidence.reason), what === 'unpairing' ? [] : ['stopped']);
      assert.deepEqual(scene.effects('tab').filter((effect) => effect.what === 'close').map(({ tab }) => tab), [5]);
      assert.equal(scene.effects('reload').length, 0);
      scene.on({ type: 'tab', what: 'gone', tab: 5 });
      assert.deepEqual([scene.install.check, scene.store.checking], [null, undefined]);
      assert.equal(scene.effects('reload').length, event.type === 'update' ? 1 : 0);
    }
  });

  test(`${what} is not held up by a check's tab that never opens, and one that opens later is closed`, () => {
    const scene = new Scene().connect().check().on(event).on({ type: 'timer', name: 'close', lease_token: 'check-1' });
    assert.equal(scene.install.check, null);
    scene.on(opened);
    assert.deepEqual(scene.effects('tab').map(({ what: done, tab }) => [done, tab]), [['open', null], ['close', 5]]);
  });
}

test('a check\'s tab that does not close holds up neither the account nor an update, and the popup says so meanwhile', () => {
  const scene = new Scene().connect().check();
  assert.match(viewOf(scene.install).doing[0], /Ada Example/);
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' }).on({ type: 'update' });
  for (let tries = 1; tries < CLOSE_TRIES_MAX; tries += 1) scene.on({ type: 'timer', name: 'close', lease_token: 'check-1' });
  assert.match(viewOf(scene.install).doing[0], /close it by hand/);
  assert.equal(scene.effects('reload').length, 0);
  scene.on({ type: 'timer', name: 'close', lease_token: 'check-1' });
  assert.deepEqual([viewOf(scene.install).doing, scene.effects('reload').length], [[], 1]);
});

test('a check that meets a sign-in page takes back what was believed of the member', () => {
  const scene = new Scene().connect().check();
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' }).on({ type: 'port', what: 'open', tab: 5, port: 1 });
  const facts = { url: 'https://www.linkedin.com/login', sign_in: true, members: [], items: [] };
  scene.on({ type: 'page', tab: 5, port: 1, message: { what: 'facts', facts } });
  scene.on({ type: 'timer', name: 'settle', lease_token: 'check-1' }).on({ type: 'tab', what: 'gone', tab: 5 });
  assert.equal(scene.last('checked').evidence.reason, 'signed_out');
  assert.deepEqual([scene.install.seen.member, scene.store.seen.member, scene.last('ready').accounts], [null, null, []]);
  assert.deepEqual(new Scene().connect().on({ type: 'pause', on: true }).check().install.seen.member, MEMBER);
});

test('a check whose answer could not be kept is not begun', () => {
  const scene = new Scene().connect().on({ type: 'pause', on: true });
  for (let count = 0; count < ASKS_CROWDED; count += 1) scene.check(`check-${count}`);
  scene.on({ type: 'pause', on: false }).check('one-more');
  assert.deepEqual([scene.effects('tab').length, scene.all('checked').length], [0, ASKS_CROWDED]);
});

test('a person who is known neither by URN nor by address is not looked for', () => {
  const scene = new Scene().connect().check('check-1', { person: { id: 'p-1', name: 'Ada Example', slug: null, urn: null } });
  assert.deepEqual([scene.last('checked').evidence.reason, scene.effects('tab')], ['wrong_person', []]);
});

test('a `ready` that the server did not read, because too much was said, is said again', () => {
  const scene = new Scene().connect();
  scene.hear('error', { code: 'too_many', text: 'say it again later', field: null }, 'ready');
  assert.equal(scene.all('ready').length, 1);
  scene.on(scene.effects('timer').findLast(({ name }) => name === 'ready') && { type: 'timer', name: 'ready' });
  assert.equal(scene.all('ready').length, 2);
});

test('a browser that is paused on the server takes nothing, says so, and goes on when it is resumed there', () => {
  const scene = new Scene().connect().hear('pause', { on: true });
  assert.deepEqual([scene.last('ready').accounts, viewOf(scene.install).paused_there], [[], true]);
  scene.lease().check();
  assert.deepEqual([scene.last('release').code, scene.last('checked').evidence.reason], ['paused', 'paused']);
  scene.hear('pause', { on: false });
  assert.deepEqual([scene.last('ready').accounts, viewOf(scene.install).paused_there], [['ac-1'], false]);
  scene.hear('pause', { on: true }).cut().pass(70_000).on({ type: 'wake' }).connect();
  assert.deepEqual(scene.last('ready').accounts, ['ac-1'], 'each session is told anew');
});
