// Goal: a check reads what stands in the conversation, says it once, closes its tab, and never has a page script that acts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginCheck, stepCheck } from '../core/check.js';
import { APPROVED, BODY, CONVERSATION, MEMBER, OLD, PERSON, compose, own, profile, theirs, thread } from './support/walk.js';
import { composeUrl, threadUrl } from '../linkedin/urls.js';

const TAB = 9;

/** One check, led by events. */
class Walk {
  constructor(more = {}) {
    this.port = 0;
    this.effects = [];
    const check = {
      check_token: 'check-1', account: 'ac-1', member_urn: MEMBER, conversation: CONVERSATION, held_ids: [],
      person: { id: 'p-1', name: 'Ada Example', slug: 'ada-example', urn: PERSON },
      wanted: [{ version: 1, body: BODY, approved_at_ms: APPROVED }], ...more,
    };
    this.take(beginCheck(check, { wall: APPROVED + 60_000, mono: 1 }));
    this.event({ type: 'tab', what: 'opened', tab: TAB }).event({ type: 'journaled' });
  }

  take({ state, effects }) {
    this.state = state;
    this.effects.push(...effects);
    return this;
  }

  event(event) { return this.take(stepCheck(this.state, { tab: TAB, stamp: { wall: APPROVED + 61_000, mono: 2 }, ...event })); }

  shows(facts) {
    this.event({ type: 'tab', what: 'loaded', url: facts.url });
    this.port += 1;
    this.event({ type: 'port', what: 'open', port: this.port });
    this.event({ type: 'page', port: this.port, message: { what: 'facts', facts } });
    return this.event({ type: 'timer', name: 'settle' });
  }

  of(what) { return this.effects.filter((effect) => effect.do === what); }
  said() { return this.of('checked').map(({ result, evidence }) => ({ result, ...evidence })); }
  tabs(what) { return this.of('tab').filter((effect) => effect.what === what); }
}

/** What came of a check that saw this page. */
function seen(facts, more = {}) {
  const [said, again] = new Walk(more).shows(facts).said();
  assert.equal(again, undefined, 'it was said twice');
  return said;
}

test('a message that stands there is found, with its id and time', () => {
  const item = own(BODY, APPROVED + 1_000);
  const walk = new Walk().shows(thread({ items: [OLD, item] }));
  assert.deepEqual(walk.said(), [{
    result: 'found', reason: null, conversation: CONVERSATION, messages: 2, oldest_at_ms: APPROVED - 86_400_000,
    looked_at_ms: APPROVED + 61_000, copies: [{ version: 1, provider_id: item.urn, sent_at_ms: APPROVED + 1_000 }],
  }]);
  assert.equal(walk.tabs('close').length, 1);
  walk.event({ type: 'tab', what: 'gone' });
  assert.equal(walk.of('end').length, 1);
});

test('each version is looked for, and each copy says which it is', () => {
  const wanted = [{ version: 2, body: 'Hello again', approved_at_ms: APPROVED }, { version: 1, body: BODY, approved_at_ms: APPROVED }];
  const said = seen(thread({ items: [OLD, own(BODY, APPROVED + 1), own('Hello again', APPROVED + 2)] }), { wanted });
  assert.deepEqual(said.copies.map(({ version }) => version), [2, 1]);
});

test('another message, an older one, another\'s copy and the person\'s own words are not it', () => {
  const held = own(BODY, APPROVED + 5);
  const items = [own(BODY, APPROVED - 600_000), own('Something else', APPROVED + 1), held, theirs(BODY, APPROVED + 2)];
  assert.equal(seen(thread({ items }), { held_ids: [held.urn] }).result, 'absent');
});

test('an absence counts only when the page reaches back beyond the approval, or shows the whole conversation', () => {
  const later = Array.from({ length: 20 }, (_, i) => theirs(`Message ${i}`, APPROVED + 1_000 + i));
  assert.deepEqual([seen(thread({ items: later })).result, seen(thread({ items: later })).reason], ['could_not_check', 'too_long']);
  assert.equal(seen(thread({ items: [OLD, ...later] })).result, 'absent');
  assert.equal(seen(thread({ items: later.slice(1) })).result, 'absent');
});

test('a page to write to the person that leads to no conversation says that there is none', () => {
  assert.equal(seen(compose(), { conversation: null }).result, 'no_conversation');
});

test('a person who is known by slug alone is looked up on the profile', () => {
  const walk = new Walk({ conversation: null, person: { id: 'p-1', name: '', slug: 'ada-example', urn: null } });
  walk.shows(profile());
  assert.equal(walk.tabs('navigate').at(-1).url, composeUrl(PERSON));
  assert.equal(walk.shows(thread({ items: [own(BODY, APPROVED + 1)] })).said()[0].result, 'found');
});

test('a conversation that was deleted is looked for by its person', () => {
  const walk = new Walk();
  walk.shows(thread({ url: 'https://www.linkedin.com/messaging/', others: [], items: [] }));
  assert.deepEqual(walk.tabs('navigate').map(({ url }) => url), [threadUrl(CONVERSATION), composeUrl(PERSON)]);
});

for (const [why, facts] of Object.entries({
  signed_out: thread({ sign_in: true }),
  wrong_member: thread({ members: [{ urn: 'urn:li:fsd_profile:ACoAAR2', slug: 'x', name: 'X' }] }),
  wrong_person: thread({ others: [{ key: 'ACoAAB1', name: 'Someone Else' }] }),
  group_thread: thread({ others: [{ key: 'ACoAAA1', name: 'Ada Example' }, { key: 'ACoAAB1', name: 'Ben' }] }),
})) {
  test(`it cannot be checked when ${why}`, () => {
    const said = seen(facts);
    assert.deepEqual([said.result, said.reason, said.copies], ['could_not_check', why, []]);
  });
}

test('a page that never shows enough ends it, and so does its tab', () => {
  const slow = new Walk().shows(thread({ items: [] })).event({ type: 'timer', name: 'page' });
  assert.deepEqual(slow.said().map(({ reason }) => reason), ['not_shown']);
  const never = new Walk().event({ type: 'timer', name: 'check' });
  assert.deepEqual(never.said().map(({ reason }) => reason), ['not_shown']);
  const closed = new Walk().event({ type: 'tab', what: 'gone' });
  assert.deepEqual(closed.said().map(({ reason }) => reason), ['stopped']);
  assert.equal(closed.of('end').length, 1);
});

test('nothing that acts is put into the page, and nothing is told to it but to watch', () => {
  const walk = new Walk().shows(thread({ items: [OLD] }));
  assert.deepEqual(walk.tabs('act'), []);
  assert.equal(walk.tabs('view').length, 1);
  assert.deepEqual(walk.of('page').map(({ message }) => message.do), ['watch']);
});
