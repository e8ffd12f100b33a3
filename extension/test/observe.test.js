// Goal: what a browser sees by the way is told once it was reported what became of the message itself, without any text, only of
// a page that is proved, and never in the way of anything.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textDigest } from '../core/digest.js';
import { OBSERVED_MAX, OBSERVED_WAITING_MAX } from '../core/limits.js';
import { observe } from '../core/observe.js';
import { Scene, WALL } from './support/scene.js';
import { APPROVED, BODY, MEMBER, OLD, PERSON, STRANGER, Walk, own, theirs, thread } from './support/walk.js';

const OURS = own('An earlier message', APPROVED - 3_600_000);
const REPLY = theirs('Thank you', APPROVED - 1_800_000);
const BY_HAND = own('By the way', APPROVED - 1_700_000);
const replied = { kind: 'replied', provider_id: REPLY.urn, at_ms: APPROVED - 1_800_000 };
const manual = { kind: 'manual', provider_id: BY_HAND.urn, at_ms: APPROVED - 1_700_000, text_digest: textDigest('By the way') };
const seenBy = (item) => ({ ...item, seen: true });

/** What a page with these messages says. */
function observed(items, ours = [OURS.urn]) {
  const seen = observe(thread({ items }), { member_urn: MEMBER, person_urn: PERSON, ours });
  return seen === null ? null : [seen.about, seen.read, seen.messages];
}

test('replies and messages by hand after our newest message are seen, and that it was read', () => {
  assert.deepEqual(observed([OLD, OURS, REPLY, BY_HAND]), [OURS.urn, false, [replied, manual]]);
  assert.deepEqual(observed([OLD, seenBy(OURS)]), [OURS.urn, true, []]);
  assert.deepEqual(observed([OURS, seenBy(BY_HAND)]), [OURS.urn, true, [manual]], 'who saw a later one has been there');
  const later = own('A later message', APPROVED - 1_750_000);
  assert.deepEqual(observed([OURS, REPLY, later, BY_HAND], [OURS.urn, later.urn]), [later.urn, false, [manual]], 'of our newest alone');
});

test('what is no news of a message of ours is not seen', () => {
  for (const [why, items, ours] of [
    ['none of ours stands there', [OLD, REPLY, BY_HAND], []],
    ['nothing came after it', [OLD, OURS]],
    ['an earlier one was read', [seenBy(own('Long before', APPROVED - 9_000_000)), OURS]],
    ['a mark on the person\'s own words', [OURS, { ...REPLY, urn: 'urn:li:placeholder:1', seen: true }]],
    ['a placeholder says no time', [OURS, { ...BY_HAND, urn: 'urn:li:clientMessage:1' }]],
    ['a line without a text', [OURS, { ...BY_HAND, text: '' }]],
    ['marks that contradict each other', [OURS, { ...BY_HAND, sender: 'ACoAAA1' }, { ...REPLY, sender: 'ACoAAR1' }]],
    ['a third one', [OURS, { ...REPLY, sender: 'ACoAAB1' }]],
  ]) assert.equal(observed(items, ours), null, why);
});

test('of many only the newest are named, and no text of any', () => {
  const many = Array.from({ length: OBSERVED_MAX + 5 }, (_, i) => theirs(`secret ${i}`, APPROVED + i));
  const [, , messages] = observed([OURS, ...many]) ?? [];
  assert.deepEqual([messages.length, messages.at(-1).provider_id], [OBSERVED_MAX, many.at(-1).urn]);
  assert.doesNotMatch(JSON.stringify(messages), /secret/);
});

const leased = { held_ids: [OURS.urn] };
const before = thread({ items: [OLD, OURS, REPLY, BY_HAND] });
const copy = own(BODY, APPROVED + 61_000);

test('an attempt tells what its pages showed, after its report and never before', () => {
  const walk = new Walk(leased).to('reaching').settles(before).frame('proceed');
  walk.page({ what: 'poised', facts: { ...before, occupied: true, send: 'enabled' } }).to('looking');
  assert.deepEqual(walk.all('observed'), [], 'nothing stands between the server and a send');
  const answer = theirs('So soon', APPROVED + 62_000);
  walk.settles(thread({ items: [OLD, OURS, REPLY, BY_HAND, seenBy(copy), answer] }));
  const seen = walk.all('observed').map((effect) => effect.seen);
  assert.deepEqual(seen.map(({ about, read, messages }) => [about, read, messages.length]), [[OURS.urn, false, 2], [copy.urn, true, 1]]);
  assert.deepEqual(seen[0].messages, [replied, manual]);
  const order = walk.effects.map((effect) => effect.frame?.type ?? effect.do);
  assert.ok(order.indexOf('observed') > order.indexOf('report'), order.join());
  assert.doesNotMatch(JSON.stringify(walk.entry), /looked_at_ms/, 'it is not written down');
});

test('a page that is not proved to be of member and person tells nothing', () => {
  for (const facts of [
    { ...before, members: [{ urn: STRANGER, slug: 's', name: 'S' }] }, { ...before, sign_in: true },
    { ...before, others: [{ key: 'ACoAAB1', name: 'Someone Else' }] },
    { ...before, others: [{ key: 'ACoAAA1', name: 'A' }, { key: 'ACoAAB1', name: 'B' }] },
  ]) {
    const walk = new Walk(leased).to('reaching').settles(facts);
    assert.deepEqual([walk.state.phase, walk.all('observed')], ['closing', []]);
  }
});

/** Leads a check of the scene to a page that shows this. */
function looksAt(scene, token, items) {
  const of = { lease_token: token };
  scene.check(token, { held_ids: [OURS.urn] }).on({ type: 'tab', what: 'opened', tab: 5, ...of }).on({ type: 'port', what: 'open', tab: 5, port: 1 });
  scene.on({ type: 'page', tab: 5, port: 1, message: { what: 'facts', facts: thread({ items }) } });
  return scene.on({ type: 'timer', name: 'settle', ...of }).on({ type: 'tab', what: 'gone', tab: 5 });
}

test('a check tells it after its answer, again until it is noted, over lost connections', () => {
  const scene = looksAt(new Scene().connect(), 'check-1', [OLD, OURS, REPLY]);
  const said = scene.sent.map(({ type }) => type);
  assert.ok(said.indexOf('observed') > said.indexOf('checked'), said.join());
  const { id, token, about, messages } = scene.last('observed');
  assert.deepEqual([token, about, messages], ['check-1', OURS.urn, [replied]]);
  scene.pass(10_000).on({ type: 'timer', name: 'outbox' }).cut().pass(70_000).on({ type: 'wake' }).connect();
  assert.deepEqual(scene.all('observed').map((frame) => frame.id), [id, id, id]);
  scene.hear('noted', {}, 'observed').pass(70_000).on({ type: 'timer', name: 'outbox' });
  assert.equal(scene.all('observed').length, 3);
  assert.equal(scene.live().connect().all('observed').length, 0, 'a new worker knows nothing of it');
});

test('observations that nobody notes take no lease away, and are bounded', () => {
  const scene = new Scene().connect();
  for (let count = 0; count < OBSERVED_WAITING_MAX + 4; count += 1) {
    looksAt(scene, `check-${count}`, [OLD, OURS, REPLY]).hear('noted', {}, 'checked');
  }
  assert.equal(new Set(scene.all('observed').map(({ id }) => id)).size, OBSERVED_WAITING_MAX);
  assert.deepEqual(scene.last('ready').accounts, ['ac-1']);
  assert.equal(scene.lease().all('start').length, 1);
});

test('what the server refuses of it is dropped, and ends no attempt', () => {
  const scene = new Scene().connect().lease('lease-1', { held_ids: [OURS.urn] }).started();
  const of = { lease_token: 'lease-1' };
  scene.on({ type: 'tab', what: 'opened', tab: 5, ...of }).on({ type: 'port', what: 'open', tab: 5, port: 1 });
  const facts = thread({ items: [OLD, OURS, theirs('No', WALL - 1_000)] });
  scene.on({ type: 'page', tab: 5, port: 1, message: { what: 'facts', facts } }).on({ type: 'timer', name: 'settle', ...of });
  assert.equal(scene.last('report').evidence.reason, 'replied');
  scene.on({ type: 'tab', what: 'gone', tab: 5 }).hear('noted', {}, 'gone');
  scene.hear('error', { code: 'bad_lease', text: 'No.', field: null }, 'observed');
  assert.deepEqual(Object.keys(scene.install.attempts), ['lease-1'], 'its report is not recorded');
  scene.pass(70_000).on({ type: 'timer', name: 'outbox' });
  assert.deepEqual([scene.all('observed').length, scene.all('report').length], [1, 2]);
});
