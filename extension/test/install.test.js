// Goal: what the whole install promises about a lease, whatever the connection and the worker do: nothing of LinkedIn
// before "started", never a second start after a death, reports kept until recorded. The real attempt runs inside.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewOf } from '../core/view.js';
import { MEMBER, PAIRING, Scene, WALL } from './support/scene.js';

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
