// Goal: the connection takes the safe turn in every scene that once went wrong for somebody. A small driver plays the
// server by hand; nothing is timed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs } from '../core/backoff.js';
import { beginSession, markSeen, stepSession } from '../core/session.js';

const PAIRING = { server: 'wss://sendonce.example/v1/installs/socket', install: 'in-1', refresh_secret: 'secret-1' };
const SETTINGS = {
  ping_every_ms: 20_000, pong_within_ms: 50_000, touch_within_ms: 90_000, answer_within_ms: 60_000, look_within_ms: 60_000,
};

function welcome(more = {}) {
  return { type: 'welcome', session: 'se-1', epoch: 1, rules: 'current', settings: SETTINGS, accounts: [], open: [], ...more };
}

/** Drives one session and remembers what it asked for last. */
class Drive {
  constructor(stored = { pairing: PAIRING }, wall = 1_000_000) {
    this.now = { wall, mono: 0, random: 0.5, version: '1.0.0', members: [], open: [] };
    this.take(beginSession(stored, this.now));
  }

  take({ session, effects }) {
    this.session = session;
    this.effects = effects;
    return this;
  }

  on(event) {
    return this.take(stepSession(this.session, event, this.now));
  }

  frame(frame) {
    return this.on({ type: 'frame', frame });
  }

  pass(ms) {
    this.now = { ...this.now, wall: this.now.wall + ms, mono: this.now.mono + ms };
    return this;
  }

  open() {
    return this.on({ type: 'socket', what: 'open' });
  }

  closed(code, reason = '') {
    return this.on({ type: 'socket', what: 'closed', code, reason });
  }

  timer(name) {
    return this.on({ type: 'timer', name });
  }

  /** From the open socket to welcome. */
  arrive(more) {
    this.open().frame({ type: 'token', access_token: 'access-1', expires_in_ms: 900_000, refresh_secret: 'secret-2' });
    return this.on({ type: 'saved', what: 'pairing' }).frame(welcome(more));
  }

  sent() {
    return this.effects.filter((effect) => effect.do === 'send').map((effect) => effect.frame);
  }

  does(what) {
    return this.effects.filter((effect) => effect.do === what);
  }

  setTimer(name) {
    return this.effects.find((effect) => effect.do === 'timer' && effect.name === name)?.ms;
  }
}

test('an install that was never paired does nothing by itself', () => {
  const drive = new Drive({});
  assert.deepEqual(drive.effects, []);
  assert.deepEqual(drive.on({ type: 'wake' }).effects, []);
});

test('pairing goes from the code to the session over one socket', () => {
  const drive = new Drive({}).on({ type: 'pair', server: PAIRING.server, code: 'K7QM' });
  assert.equal(drive.does('connect')[0].url, PAIRING.server);
  assert.deepEqual(drive.open().sent(), [{ type: 'pair', code: 'K7QM', extension_version: '1.0.0' }]);
  drive.frame({ type: 'paired', install: 'in-1', refresh_secret: 'secret-1' });
  assert.deepEqual(drive.sent(), [], 'nothing is said before the secret is on disk');
  assert.deepEqual(drive.does('save').find((effect) => effect.key === 'pairing').value, PAIRING);
  drive.on({ type: 'saved', what: 'pairing' });
  assert.deepEqual(drive.sent(), [{ type: 'token', install: 'in-1', refresh_secret: 'secret-1' }]);
});

test('a refused code leaves an unpaired install unpaired, and a paired one with its server', () => {
  const error = { type: 'error', code: 'bad_code', text: 'This code was used or has expired.', field: 'code' };
  const fresh = new Drive({}).on({ type: 'pair', server: PAIRING.server, code: 'OLD' }).open().frame(error);
  assert.equal(fresh.session.phase, 'unpaired');
  assert.match(fresh.session.trouble, /used or has expired/);
  const paired = new Drive().arrive().on({ type: 'pair', server: 'wss://other.example/v1/installs/socket', code: 'OLD' });
  paired.open().frame(error);
  assert.equal(paired.session.phase, 'offline');
  assert.equal(paired.timer('reconnect').does('connect')[0].url, PAIRING.server);
});

test('a server that cannot be reached while pairing is said, not tried for ever', () => {
  const drive = new Drive({}).on({ type: 'pair', server: PAIRING.server, code: 'K7QM' }).closed(1006);
  assert.equal(drive.session.phase, 'unpaired');
  assert.match(drive.session.trouble, /1006/);
});

test('the next secret is on disk before it is used', () => {
  const drive = new Drive().open();
  drive.frame({ type: 'token', access_token: 'access-1', expires_in_ms: 900_000, refresh_secret: 'secret-2' });
  assert.deepEqual(drive.sent(), []);
  const [saved] = drive.does('save');
  assert.equal(saved.value.refresh_secret, 'secret-2');
  drive.on(saved.then);
  assert.equal(drive.sent()[0].type, 'hello');
  assert.equal(drive.sent()[0].access_token, 'access-1');
});

test('the access token is renewed on the open socket before it runs out', () => {
  const drive = new Drive().arrive();
  assert.equal(drive.setTimer('renew'), 630_000);
  assert.deepEqual(drive.pass(630_000).timer('renew').sent(), [{ type: 'renew' }]);
  drive.frame({ type: 'renewed', access_token: 'access-2', expires_in_ms: 900_000 });
  assert.equal(drive.setTimer('renew'), 630_000);
  assert.equal(drive.session.access.token, 'access-2');
});

test('a reconnection uses an access token that still lives, and asks for one that does not', () => {
  const drive = new Drive().arrive().closed(1006);
  assert.equal(drive.timer('reconnect').open().sent()[0].type, 'hello');
  drive.closed(1006).pass(880_000).timer('reconnect').open();
  assert.deepEqual(drive.sent(), [{ type: 'token', install: 'in-1', refresh_secret: 'secret-2' }]);
});

test('a socket without pong is given up, also when a suspended machine stopped the timers', () => {
  const drive = new Drive().arrive();
  assert.equal(drive.setTimer('pong'), 50_000);
  drive.pass(20_000).timer('ping');
  assert.deepEqual(drive.sent(), [{ type: 'ping' }]);
  assert.equal(drive.frame({ type: 'pong' }).setTimer('pong'), 50_000);
  drive.pass(40_000).on({ type: 'wake' });
  assert.equal(drive.session.phase, 'welcomed');
  drive.now = { ...drive.now, wall: drive.now.wall + 20_000 };
  drive.on({ type: 'wake' });
  assert.equal(drive.session.phase, 'offline', 'only the wall clock has run');
  assert.equal(drive.does('disconnect').length, 1);
  assert.equal(new Drive().arrive().timer('pong').session.phase, 'offline');
});

test('a superseded install rests for minutes, and the rest outlives the worker', () => {
  for (const leave of [(drive) => drive.frame({ type: 'superseded' }), (drive) => drive.closed(4001)]) {
    const drive = leave(new Drive().arrive());
    assert.ok(drive.setTimer('reconnect') >= 300_000, 'no quick return');
    assert.equal(drive.on({ type: 'wake' }).does('connect').length, 0);
    const retry = drive.session.retry;
    const reborn = new Drive({ pairing: PAIRING, retry }, drive.now.wall + 30_000);
    assert.equal(reborn.does('connect').length, 0, 'a new worker does not connect either');
    assert.equal(reborn.pass(600_000).on({ type: 'wake' }).does('connect').length, 1);
  }
});

test('a rest that a wall clock set back would stretch is bounded', () => {
  const drive = new Drive({ pairing: PAIRING, retry: { tries: 0, not_before_ms: 9_000_000_000 } });
  assert.equal(drive.setTimer('reconnect'), 600_000);
});

test('a revoked install and a dead secret stop for good', () => {
  assert.equal(new Drive().arrive().closed(4002).session.phase, 'stopped');
  const error = { type: 'error', code: 'bad_secret', text: 'Unknown secret.', field: null };
  const drive = new Drive().open().frame(error);
  assert.equal(drive.session.phase, 'stopped');
  assert.equal(drive.on({ type: 'wake' }).does('connect').length, 0);
  assert.match(drive.session.trouble, /Pair it again/);
});

test('a refused access token is not used again', () => {
  const drive = new Drive().arrive().closed(4004);
  assert.equal(drive.timer('reconnect').open().sent()[0].type, 'token');
});

test('a server that remembers less than this install is not trusted', () => {
  const stored = { pairing: PAIRING, mark: { server: PAIRING.server, epoch: 3, event: 10 } };
  assert.equal(new Drive(stored).arrive({ epoch: 2 }).session.trusted, false);
  assert.match(new Drive(stored).arrive({ epoch: 2 }).session.trouble, /remembers less/);
  assert.equal(new Drive(stored).arrive({ epoch: 3 }).session.trusted, true);
  const later = new Drive(stored).arrive({ epoch: 4 });
  assert.deepEqual(later.session.mark, { server: PAIRING.server, epoch: 4, event: 0 });
  assert.deepEqual(later.closed(1006).timer('reconnect').open().sent()[0].mark, { epoch: 4, event: 0 });
});

test('what was seen of one server says nothing of another, and outlives an unpairing', () => {
  const stored = { pairing: PAIRING, mark: { server: PAIRING.server, epoch: 3, event: 10 } };
  const pairWith = (drive, server) => drive.on({ type: 'pair', server, code: 'K7QM' }).open()
    .frame({ type: 'paired', install: 'in-2', refresh_secret: 'secret-1' }).session.mark;
  assert.deepEqual(pairWith(new Drive(stored).on({ type: 'unpair' }), PAIRING.server), stored.mark);
  const other = 'wss://other.example/v1/installs/socket';
  assert.deepEqual(pairWith(new Drive(stored), other), { server: other, epoch: 0, event: 0 });
});

test('the mark only rises', () => {
  const { session } = new Drive({ pairing: PAIRING, mark: { server: PAIRING.server, epoch: 3, event: 10 } });
  for (const seen of [{ epoch: 2, event: 99 }, { epoch: 3, event: 10 }, { epoch: 3, event: 9 }]) {
    assert.deepEqual(markSeen(session, seen), { session, effects: [] });
  }
  assert.equal(markSeen(session, { epoch: 3, event: 11 }).session.mark.event, 11);
});

test('failures wait longer and longer, a welcome forgives them', () => {
  const drive = new Drive();
  const waits = [];
  for (let tries = 0; tries < 8; tries += 1) {
    waits.push(drive.closed(1006).setTimer('reconnect'));
    drive.timer('reconnect');
  }
  assert.deepEqual(waits, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
  assert.equal(drive.arrive().closed(1006).setTimer('reconnect'), 2_000);
});

test('a stopping server says when to come back, within bounds', () => {
  assert.equal(new Drive().arrive().closed(1001, 'come back in 17250 ms').setTimer('reconnect'), 17_250);
  assert.equal(new Drive().arrive().closed(1001, 'come back in 99999999 ms').setTimer('reconnect'), 60_000);
  assert.equal(new Drive().arrive().closed(1001, 'come back in a while').setTimer('reconnect'), 2_000);
  assert.equal(new Drive().arrive().closed(1006, 'come back in 17250 ms').setTimer('reconnect'), 2_000);
});

test('jitter is full: from nothing to the cap', () => {
  assert.equal(backoffMs(3, 1_000, 60_000, 0), 0);
  assert.equal(backoffMs(3, 1_000, 60_000, 0.999), 7_992);
  assert.equal(backoffMs(1_000, 1_000, 60_000, 0.5), 30_000);
});

test('a silent handshake is given up', () => {
  const drive = new Drive().open().timer('handshake');
  assert.equal(drive.session.phase, 'offline');
  assert.equal(drive.does('disconnect').length, 1);
});

test('another member means another hello', () => {
  const drive = new Drive().arrive().on({ type: 'again' });
  assert.deepEqual(drive.does('disconnect').length, 1);
  drive.now = { ...drive.now, members: [{ member_urn: 'urn:li:fsd_profile:ACo1', slug: 'rita', name: 'Rita Recruiter' }] };
  assert.equal(drive.open().sent()[0].accounts.length, 1);
});
