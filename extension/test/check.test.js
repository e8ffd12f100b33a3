// Goal: a check reads what stands in the conversation, says it once, closes its tab, and never has a page script that acts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { beginCheck, stepCheck } from '../core/check.js';
import { CLOSE_TRIES_MAX, OLDER_LOADS_MAX } from '../core/limits.js';
import { APPROVED, BODY, CONVERSATION, MEMBER, OLD, PERSON, compose, own, profile, theirs, thread } from './support/walk.js';
import { VIEWER_FILES } from '../linkedin/files.js';
import { composeUrl, profileUrl, threadUrl } from '../linkedin/urls.js';

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
    return this.facts(facts);
  }

  facts(facts) { return this.event({ type: 'page', port: this.port, message: { what: 'facts', facts } }).event({ type: 'timer', name: 'settle' }); }

  told(what) { return this.of('page').filter(({ message }) => message.do === what); }
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

/** What was said after the approval, from this place on. */
const later = (from, to = 200) => Array.from({ length: to - from }, (_, i) => theirs(`Message ${from + i}`, APPROVED + 1_000 + from + i));

test('an absence counts only when the page reaches back beyond the approval, or shows the whole conversation', () => {
  assert.deepEqual(new Walk().shows(thread({ items: later(180) })).said(), []);
  assert.equal(seen(thread({ items: [OLD, ...later(180)] })).result, 'absent');
  assert.equal(seen(thread({ items: later(181) })).result, 'absent');
});

test('a page that does not reach back far enough is made to load older messages, until it does', () => {
  const item = own(BODY, APPROVED + 500);
  const walk = new Walk().shows(thread({ items: later(180) })).facts(thread({ items: later(160) }));
  assert.deepEqual([walk.told('older').length, walk.said()], [2, []]);
  walk.event({ type: 'timer', name: 'settle' }).facts(thread({ items: [item, ...later(140)] }));
  assert.equal(walk.said()[0].copies[0].provider_id, item.urn);
  assert.equal(new Walk().shows(thread({ items: later(180) })).facts(thread({ items: [OLD, ...later(160)] })).said()[0].result, 'absent');
});

test('it asks for older messages a bounded number of times, and no more when none come', () => {
  const walk = new Walk();
  let at = 180;
  for (walk.shows(thread({ items: later(at) })); walk.said().length === 0 && at > 0;) walk.facts(thread({ items: later(at -= 10) }));
  assert.deepEqual([walk.told('older').length, walk.said()[0].reason], [OLDER_LOADS_MAX, 'too_long']);
  const still = new Walk().shows(thread({ items: later(180) })).facts(thread({ items: later(180, 201) }));
  assert.deepEqual([still.told('older').length, still.said()], [1, []]);
  assert.equal(still.event({ type: 'timer', name: 'page' }).said()[0].reason, 'too_long');
  const slow = new Walk().shows(thread({ items: later(180) })).event({ type: 'timer', name: 'check' });
  assert.deepEqual([slow.said().length, slow.said()[0].reason], [1, 'too_long']);
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

test('a remembered conversation is opened only once the person\'s URN is known, by their profile', () => {
  const walk = new Walk({ person: { id: 'p-1', name: '', slug: 'ada-example', urn: null } });
  walk.shows(profile());
  assert.deepEqual(walk.tabs('navigate').map(({ url }) => url), [profileUrl('ada-example'), threadUrl(CONVERSATION)]);
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

test('a tab that does not close is told a few times, and the person is told; then the check ends', () => {
  const walk = new Walk().shows(thread({ items: [OLD] }));
  for (let tries = 1; tries < CLOSE_TRIES_MAX; tries += 1) walk.event({ type: 'timer', name: 'close' });
  assert.deepEqual([walk.tabs('close').length, walk.of('end').length], [CLOSE_TRIES_MAX, 0]);
  assert.match(walk.of('status').at(-1).text, /close it by hand/);
  assert.equal(walk.event({ type: 'timer', name: 'close' }).of('end').length, 1);
});

test('nothing that acts is put into the page, and what reads a page can neither type nor click', () => {
  const walk = new Walk().shows(thread({ items: [OLD] }));
  assert.deepEqual(walk.tabs('act'), []);
  assert.equal(walk.tabs('view').length, 1);
  assert.deepEqual(walk.of('page').map(({ message }) => message.do), ['watch']);
  for (const file of VIEWER_FILES) {
    const script = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    assert.doesNotMatch(script, /click\(|submit\(|focus\(|execCommand|Selection\(|\b(?:Mouse|Pointer|Keyboard|Input|Clipboard)Event|\.(?:value|disabled) =[^=]|fetch\(/);
  }
});
