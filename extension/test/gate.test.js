// Goal: Send is clicked only when everything holds in that moment; each condition alone prevents it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../linkedin/gate.js';

const { decide, sameBytes } = globalThis.SendoncePage;
const WINDOW = 90_000;

/** A moment in which everything holds. @param {any} [change] parts to change */
function moment(change = {}) {
  const go = {
    window_ms: WINDOW, elapsed_ms: 3_000, asked_wall_ms: 1_000_000, apart_max_ms: 2_000, text: 'Hello\nAda', person_id: 'ACoAAA1',
    member_urn: 'm', url: 'u', last_id: 'i-1', other_keys: ['ACoAAA1'], ...change.go,
  };
  const facts = {
    url: 'u', sign_in: false, members: [{ urn: 'm' }], others: [{ key: 'ACoAAA1' }], recipients: 0, composers: 1,
    inmail: false, send: 'enabled', items: [{ urn: 'i-0', own: false }, { urn: 'i-1', own: false }], ...change.facts,
  };
  return {
    go, facts, now: { wall: 1_003_100, mono: 600 }, poised: { wall: 1_003_000, mono: 500 }, alive: true, spent: false,
    box: 'Hello\nAda', ...change.more,
  };
}

test('everything holds: click', () => assert.deepEqual(decide(moment()), { click: true }));

test('a no-break space is a space, and nothing else is forgiven', () => {
  assert.ok(sameBytes('a\u00a0 b', 'a  b'));
  assert.ok(!sameBytes('a b ', 'a b'));
  assert.ok(!sameBytes('Jose\u0301', 'Jos\u00e9'));
});

/** @type {[string, object, string][]} */
const FAULTS = [
  ['the worker is dead', { more: { alive: false } }, 'halted'],
  ['it was clicked before', { more: { spent: true } }, 'halted'],
  ['it was never poised', { more: { poised: null } }, 'too_late'],
  ['the window is over', { go: { elapsed_ms: WINDOW } }, 'too_late'],
  ['the page froze past the window', { more: { now: { wall: 1_093_000, mono: 90_501 } } }, 'too_late'],
  ['the wall clock alone is past the window', { more: { now: { wall: 1_000_000 + WINDOW + 1, mono: 600 } } }, 'too_late'],
  ['the wall clock was set back', { more: { now: { wall: 999_999, mono: 600 } } }, 'too_late'],
  ['the machine slept while the other clock stood', { more: { now: { wall: 1_005_101, mono: 600 } } }, 'too_late'],
  ['a clock runs backwards', { go: { elapsed_ms: -200 }, more: { now: { wall: 1_000_000, mono: 600 } } }, 'too_late'],
  ['sign-in', { facts: { sign_in: true } }, 'signed_out'],
  ['no member', { facts: { members: [] } }, 'wrong_member'],
  ['another member too', { facts: { members: [{ urn: 'm' }, { urn: 'n' }] } }, 'wrong_member'],
  ['another page', { facts: { url: 'v' } }, 'wrong_person'],
  ['another person', { facts: { others: [{ key: 'ACoAAB1' }] } }, 'wrong_person'],
  ['nobody', { facts: { others: [] } }, 'wrong_person'],
  ['two people', { facts: { others: [{ key: 'ACoAAA1' }, { key: 'ACoAAB1' }] } }, 'group_thread'],
  ['two recipients', { facts: { recipients: 2 } }, 'group_thread'],
  ['no box', { facts: { composers: 0 } }, 'no_composer'],
  ['two boxes', { facts: { composers: 2 } }, 'wrong_person'],
  ['a paid InMail', { facts: { inmail: true } }, 'would_cost_inmail'],
  ['a reply in this very moment', { facts: { items: [{ urn: 'i-1', own: false }, { urn: 'i-2', own: false }] } }, 'replied'],
  ['an own message in this very moment', { facts: { items: [{ urn: 'i-2', own: true }] } }, 'halted'],
  ['another text', { more: { box: 'Hello\nAda!' } }, 'halted'],
  ['an empty box', { more: { box: '' } }, 'halted'],
  ['Send is disabled', { facts: { send: 'disabled' } }, 'halted'],
  ['no Send', { facts: { send: 'none' } }, 'enter_to_send'],
];

for (const [name, change, reason] of FAULTS) {
  test(`no click: ${name}`, () => assert.deepEqual(decide(moment(change)), { click: false, reason }));
}

test('a first message is proved by its address and its one recipient', () => {
  const facts = { recipients: 1, others: [{ key: 'ada-example' }], items: [] };
  const go = { last_id: null, other_keys: ['ada-example'] };
  assert.deepEqual(decide(moment({ facts, go })), { click: true });
  for (const others of [[{ key: 'bob' }], []]) {
    assert.deepEqual(decide(moment({ facts: { ...facts, others }, go })), { click: false, reason: 'wrong_person' });
  }
});

test('the last moment of the window still counts', () => {
  const now = { wall: 1_000_000 + WINDOW, mono: 500 + WINDOW - 3_000 };
  assert.deepEqual(decide(moment({ more: { now } })), { click: true });
});
