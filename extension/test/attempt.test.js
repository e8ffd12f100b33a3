// Goal: every end in the life of one lease is reported as what it is. Each row leads the usual life into a phase, lets
// something come between, and names the end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../core/frames.js';
import { composeUrl, threadUrl } from '../linkedin/urls.js';
import {
  APPROVED, BODY, CONVERSATION, MEMBER, OLD, PERSON, STRANGER, Walk, compose, own, profile, theirs, thread, urn,
} from './support/walk.js';

/** @typedef {import('./support/walk.js').Walk} W */

const COPY = own(BODY, APPROVED + 61_000);
const found = thread({ items: [OLD, COPY] });
const absent = thread();
const poisedFacts = (/** @type {object} */ more = {}) => thread({ occupied: true, send: 'enabled', ...more });

/** @param {W} w @param {any} facts */
const lookAt = (w, facts) => w.settles(facts).timer('again').settles(facts).timer('again').settles(facts);
/** @param {number} status @param {object} [more] */
const answered = (status, more = {}) => (/** @type {W} */ w) => (
  w.request('before').request('completed', { status, retry_after_ms: null, ...more }).timer('quiet'));

/**
 * name, phase to begin in, what happens, the end ("status code reason box" of an unacted end, "status code answer look"
 * of an acted one), changes to the lease.
 * @type {[string, string, (w: W) => any, string, object?][]}
 */
const ENDS = [
  // Before the start.
  ['the lease runs out unanswered', 'asking', (w) => w.timer('lease'), 'failed not_attempted too_late untouched'],
  ['stopped while asking, then started', 'asking', (w) => w.stop().started(), 'failed not_attempted halted untouched'],
  ['stopped while asking, never answered', 'asking', (w) => w.stop().timer('lease'), 'failed not_attempted halted untouched'],
  ['started after the touch window', 'asking', (w) => { w.clock += 90_001; w.started(); }, 'failed not_attempted too_late untouched'],
  // The tab.
  ['stopped while the tab opens', 'opening', (w) => w.stop(), 'failed not_attempted halted untouched'],
  ['no tab can be opened', 'opening', (w) => w.tab('gone', { tab: null }), 'failed not_attempted halted untouched'],
  ['the window ends while the tab opens', 'opening', (w) => w.timer('window'), 'failed not_attempted too_late untouched'],
  ['nobody is named', 'asking', (w) => w.started().tab('opened').journaled(), 'failed not_attempted wrong_person untouched',
    { person: { id: 'p', name: 'Ada', slug: null, urn: null }, conversation: null }],
  // Reaching the page.
  ['stopped while it loads', 'reaching', (w) => w.stop(), 'failed not_attempted halted untouched'],
  ['the tab is closed while it loads', 'reaching', (w) => w.tab('gone'), 'failed not_attempted halted untouched'],
  ['the page never comes', 'reaching', (w) => w.timer('page'), 'failed not_attempted no_composer untouched'],
  ['the page crashes and stays away', 'reaching', (w) => w.shows(absent).closePort().timer('page'), 'failed not_attempted no_composer untouched'],
  ['led to sign-in', 'reaching', (w) => w.tab('loaded', { url: 'https://www.linkedin.com/uas/login?x=1' }), 'failed not_attempted signed_out untouched'],
  ['a checkpoint form', 'reaching', (w) => w.settles(thread({ sign_in: true })), 'failed not_attempted signed_out untouched'],
  ['another member', 'reaching', (w) => w.settles(thread({ members: [{ urn: STRANGER, slug: 's', name: 'S' }] })), 'failed not_attempted wrong_member untouched'],
  ['no proof of the member', 'reaching', (w) => w.settles(thread({ members: [] })).timer('page'), 'failed not_attempted wrong_member untouched'],
  ['the mailbox is another member\'s', 'reaching', (w) => w.settles(thread({ items: [{ ...OLD, urn: OLD.urn.replace(MEMBER, STRANGER) }] })), 'failed not_attempted wrong_member untouched'],
  ['another person', 'reaching', (w) => w.settles(thread({ others: [{ key: 'ACoAAB1', name: 'Ada Example' }] })), 'failed not_attempted wrong_person untouched'],
  ['no proof of the person', 'reaching', (w) => w.settles(thread({ others: [] })).timer('page'), 'failed not_attempted wrong_person untouched'],
  ['a group', 'reaching', (w) => w.settles(thread({ others: [{ key: 'ACoAAA1', name: 'A' }, { key: 'ACoAAB1', name: 'B' }] })), 'failed not_attempted group_thread untouched'],
  ['a third one has spoken', 'reaching', (w) => w.settles(thread({ items: [{ ...OLD, sender: 'ACoAAB1' }] })), 'failed not_attempted group_thread untouched'],
  ['replied since the approval', 'reaching', (w) => w.settles(thread({ items: [OLD, theirs('No', APPROVED + 1)] })), 'failed not_attempted replied untouched'],
  ['already there', 'reaching', (w) => w.settles(found), 'sent already_there null untouched'],
  ['already there, five minutes before the approval', 'reaching', (w) => w.settles(thread({ items: [own(BODY, APPROVED - 299_000)] })), 'sent already_there null untouched'],
  ['the same text of long ago', 'reaching', (w) => w.settles(thread({ items: [own(BODY, APPROVED - 300_001), OLD] })), 'failed not_attempted repeat_text untouched'],
  ['the same text, held by another message', 'reaching', (w) => w.settles(found), 'failed not_attempted repeat_text untouched', { held_ids: [COPY.urn] }],
  ['an id that says no time', 'reaching', (w) => w.settles(thread({ items: [{ ...OLD, urn: 'urn:li:other:1' }] })).timer('page'), 'failed not_attempted no_composer untouched'],
  ['a conversation that shows nothing', 'reaching', (w) => w.settles(thread({ items: [] })).timer('page'), 'failed not_attempted no_composer untouched'],
  ['no box', 'reaching', (w) => w.settles(thread({ composers: 0, send: 'none' })).timer('page'), 'failed not_attempted no_composer untouched'],
  ['two boxes', 'reaching', (w) => w.settles(thread({ composers: 2 })), 'failed not_attempted wrong_person untouched'],
  ['a draft', 'reaching', (w) => w.settles(thread({ occupied: true })), 'failed not_attempted occupied_draft untouched'],
  ['no Send button', 'reaching', (w) => w.settles(thread({ send: 'none' })).timer('page'), 'failed not_attempted enter_to_send untouched'],
  ['a paid InMail', 'reaching', (w) => w.settles(compose({ inmail: true })), 'failed not_attempted would_cost_inmail untouched', { conversation: null }],
  ['a first message to two', 'reaching', (w) => w.settles(compose({ recipients: 2 })), 'failed not_attempted group_thread untouched', { conversation: null }],
  ['a first message whose card is another\'s', 'reaching', (w) => w.settles(compose({ others: [{ key: 'bob', name: 'Bob' }] })), 'failed not_attempted wrong_person untouched', { conversation: null }],
  ['a request that nobody clicked', 'reaching', (w) => w.request('before'), 'unconfirmed foreign_request null untouched'],
  ['a first message to someone whom LinkedIn does not let us write to', 'reaching', (w) => w.settles(compose({ composers: 0, send: 'none' })).timer('page'), 'failed not_attempted not_connected untouched', { conversation: null }],
  // The server's word.
  ['halted by the server', 'resolving', (w) => w.frame('halt', { code: 'replied' }), 'failed not_attempted replied untouched'],
  ['stopped while the server decides', 'resolving', (w) => w.stop(), 'failed not_attempted halted untouched'],
  ['the server never decides', 'resolving', (w) => w.timer('window'), 'failed not_attempted too_late untouched'],
  ['the tab is closed while the server decides', 'resolving', (w) => w.tab('gone'), 'failed not_attempted halted untouched'],
  ['a reply while the server decides', 'resolving', (w) => w.facts(thread({ items: [OLD, theirs('No', APPROVED + 1)] })).frame('proceed'), 'failed not_attempted replied untouched'],
  // The box.
  ['the box does not take it', 'typing', (w) => w.page({ what: 'not_typed', reason: 'no_composer', box: 'left' }), 'unconfirmed draft_left null left'],
  ['a draft appears before typing', 'typing', (w) => w.page({ what: 'not_typed', reason: 'occupied_draft', box: 'untouched' }), 'failed not_attempted occupied_draft untouched'],
  ['stopped while typing', 'typing', (w) => w.stop().page({ what: 'halted', box: 'cleared' }), 'failed not_attempted halted cleared'],
  ['halted while typing', 'typing', (w) => w.frame('halt', { code: 'replied' }).page({ what: 'halted', box: 'cleared' }), 'failed not_attempted replied cleared'],
  ['stopped, and emptied by another hand', 'typing', (w) => w.stop().page({ what: 'halted', box: 'emptied' }), 'unconfirmed foreign_request null emptied'],
  ['stopped, and the page says nothing', 'typing', (w) => w.stop().timer('box'), 'unconfirmed draft_left null left'],
  ['the tab is closed over our text', 'typing', (w) => w.tab('gone'), 'unconfirmed draft_left null gone'],
  ['the page is left over our text', 'typing', (w) => w.closePort(), 'unconfirmed draft_left null gone'],
  ['the page never says that the text is in', 'typing', (w) => w.timer('box').page({ what: 'halted', box: 'untouched' }), 'failed not_attempted no_composer untouched'],
  ['the page never enables Send, shown or not', 'typing', (w) => w.page({ what: 'typed' }).timer('box').timer('box').page({ what: 'halted', box: 'cleared' }), 'failed not_attempted no_composer cleared'],
  ['a reply while typing', 'typing', (w) => w.page({ what: 'poised', facts: poisedFacts({ items: [OLD, theirs('No', APPROVED + 1)] }) }).page({ what: 'halted', box: 'cleared' }), 'failed not_attempted replied cleared'],
  ['our text from elsewhere while typing', 'typing', (w) => w.page({ what: 'poised', facts: poisedFacts({ items: found.items }) }).page({ what: 'halted', box: 'cleared' }), 'sent already_there null cleared'],
  ['a request while typing', 'typing', (w) => w.request('before').page({ what: 'halted', box: 'emptied' }), 'unconfirmed foreign_request null emptied'],
  ['stopped before "go sent" is on disk', 'poised', (w) => w.stop().journaled().page({ what: 'halted', box: 'cleared' }), 'failed not_attempted halted cleared'],
  ['too late before "go sent" is on disk', 'poised', (w) => w.timer('window').page({ what: 'halted', box: 'cleared' }), 'failed not_attempted too_late cleared'],
  ['the tab is closed before "go sent" is on disk', 'poised', (w) => w.tab('gone').journaled(), 'unconfirmed draft_left null gone'],
  // Told to go.
  ['the page says no', 'going', (w) => w.page({ what: 'not_clicked', reason: 'too_late', box: 'cleared' }), 'failed not_attempted too_late cleared'],
  ['the page says no, but there was a request', 'going', (w) => w.request('before').page({ what: 'not_clicked', reason: 'halted', box: 'emptied' }), 'unconfirmed foreign_request null emptied'],
  ['the page says no, late', 'going', (w) => w.timer('box').page({ what: 'not_clicked', reason: 'too_late', box: 'cleared' }), 'failed not_attempted too_late cleared'],
  ['no word, nothing found', 'going', (w) => lookAt(w.timer('box').timer('answer'), absent), 'unconfirmed sender_lost lost absent'],
  ['no word, found', 'going', (w) => w.timer('box').timer('answer').settles(found), 'sent confirmed lost found'],
  ['the tab is gone, nothing to be seen', 'going', (w) => w.tab('gone').timer('quiet').timer('look'), 'unconfirmed sender_lost lost impossible'],
  ['a stop after go changes nothing', 'going', (w) => w.stop().clicked() && answered(200)(w).settles(found), 'sent confirmed status:200 found'],
  // The answer and the look.
  ['confirmed', 'looking', (w) => w.settles(found), 'sent confirmed status:200 found'],
  ['the thread lags', 'looking', (w) => w.settles(absent).timer('again').settles(found), 'sent confirmed status:200 found'],
  ['200 and nothing there', 'looking', (w) => lookAt(w, absent), 'unconfirmed no_evidence status:200 absent'],
  ['200 and no page', 'looking', (w) => w.timer('look'), 'unconfirmed no_evidence status:200 impossible'],
  ['the look is led to sign-in', 'looking', (w) => w.settles(thread({ sign_in: true })), 'unconfirmed no_evidence status:200 impossible'],
  ['the look shows another member', 'looking', (w) => w.settles(thread({ ...found, members: [{ urn: STRANGER, slug: '', name: '' }] })), 'unconfirmed no_evidence status:200 impossible'],
  ['only a placeholder', 'looking', (w) => lookAt(w, thread({ items: [OLD, { ...COPY, urn: 'urn:li:placeholder:9' }] })), 'unconfirmed no_evidence status:200 absent'],
  ['the person wrote the same', 'looking', (w) => lookAt(w, thread({ items: [OLD, { ...COPY, own: false, sender: 'ACoAAA1' }] })), 'unconfirmed no_evidence status:200 absent'],
  ['a look that does not show the end of the thread', 'looking', (w) => w.settles(thread({ items: [theirs('x', APPROVED - 9e8)] })).timer('look'), 'unconfirmed no_evidence status:200 impossible'],
  ['the tab is closed during the look', 'looking', (w) => w.tab('gone'), 'unconfirmed no_evidence status:200 impossible'],
  ['two copies of one request', 'looking', (w) => w.settles(thread({ items: [OLD, COPY, own(BODY, APPROVED + 61_500)] })), 'sent confirmed status:200 found'],
  ['429, absent', 'watching', (w) => lookAt(answered(429, { retry_after_ms: 30_000 })(w), absent), 'failed rate_limited status:429 absent'],
  ['429, and there it is', 'watching', (w) => answered(429)(w).settles(found), 'sent confirmed status:429 found'],
  ['403, absent', 'watching', (w) => lookAt(answered(403)(w), absent), 'failed account_stopped status:403 absent'],
  ['400, not to be seen', 'watching', (w) => answered(400)(w).timer('look'), 'unconfirmed refusal_unproven status:400 impossible'],
  ['422, absent', 'watching', (w) => lookAt(answered(422)(w), absent), 'failed refused_by_provider status:422 absent'],
  ['500', 'watching', (w) => lookAt(answered(500)(w), absent), 'unconfirmed server_error status:500 absent'],
  ['999, absent', 'watching', (w) => lookAt(answered(999)(w), absent), 'failed account_stopped status:999 absent'],
  ['a redirect to a checkpoint', 'watching', (w) => lookAt(w.request('before').request('redirect', { url: 'https://www.linkedin.com/checkpoint/lg/x' }).timer('quiet'), absent), 'unconfirmed no_evidence sign_in absent'],
  ['a redirect elsewhere', 'watching', (w) => lookAt(w.request('before').request('redirect', { url: 'https://www.linkedin.com/feed/' }).timer('quiet'), absent), 'unconfirmed no_evidence redirect absent'],
  ['the connection dies', 'watching', (w) => lookAt(w.request('before').request('failed').timer('quiet'), absent), 'unconfirmed no_answer none absent'],
  ['no answer', 'watching', (w) => lookAt(w.request('before').timer('answer'), absent), 'unconfirmed no_answer none absent'],
  ['no request at all', 'watching', (w) => lookAt(w.timer('answer'), absent), 'unconfirmed no_answer none absent'],
  ['the answer comes during the look', 'watching', (w) => w.request('before').timer('answer').request('completed', { status: 503 }) && lookAt(w, absent), 'unconfirmed server_error status:503 absent'],
  ['two requests, nothing found', 'watching', (w) => lookAt(answered(200)(w.request('before', { request_id: 'r-2' }).request('completed', { request_id: 'r-2', status: 200 })), absent), 'unconfirmed double_request status:200 absent'],
  ['two requests, one limited', 'watching', (w) => answered(429)(w.request('before', { request_id: 'r-2' }).request('completed', { request_id: 'r-2', status: 200 })).settles(found), 'sent confirmed status:429 found'],
  ['another text went out', 'watching', (w) => lookAt(w.request('before', { text: 'Hi' }).request('completed', { status: 200 }).timer('quiet'), absent), 'unconfirmed foreign_request none absent'],
  ['it went to someone else', 'watching', (w) => lookAt(w.request('before', { to_person: STRANGER, to_conversation: null }).request('completed', { status: 200 }).timer('quiet'), absent), 'unconfirmed foreign_request none absent'],
  ['it went to another conversation', 'watching', (w) => lookAt(w.request('before', { to_conversation: '2-b3RoZXI=' }).request('completed', { status: 200 }).timer('quiet'), absent), 'unconfirmed foreign_request none absent'],
  ['the tab is closed after the click', 'watching', (w) => w.request('before').tab('gone').request('failed').timer('quiet').tab('opened').journaled().settles(found), 'sent confirmed none found'],
];

/** @param {any} report */
function endOf({ end, evidence, outcome }) {
  if (end === 'unacted') return `${outcome.status} ${outcome.code} ${outcome.reason} ${evidence.box}`;
  const { kind, status } = evidence.answer;
  return `${outcome.status} ${outcome.code} ${status === undefined ? kind : `${kind}:${status}`} ${evidence.look}`;
}

for (const [name, phase, happens, expected, leased] of ENDS) {
  test(`${phase}: ${name}`, () => {
    const walk = new Walk(leased);
    walk.to(phase);
    happens(walk);
    assert.equal(walk.sent('report').length, 1, `reported once; stands at ${walk.state.phase}`);
    assert.equal(endOf(walk.report), expected);
    assert.deepEqual(check({ v: 1, id: 'i-1', ...walk.report }, 'install'), { ok: true });
    if (walk.state.tab === 'opening') walk.tab('opened');
    if (walk.state.tab === 'open') walk.tab('gone');
    walk.frame('recorded');
    assert.equal(walk.state.phase, 'ended');
    assert.equal(walk.sent('gone').length, 1);
    assert.deepEqual(walk.state.timers, []);
    assert.equal(walk.all('end').length, 1);
    assert.ok(walk.said('go').length <= 1);
  });
}

test('nothing is opened before the start is acknowledged, and nothing after a refusal', () => {
  const walk = new Walk();
  walk.journaled().frame('started', { attempt: 'another', touch_within_ms: 90_000 });
  assert.deepEqual(walk.all('tab'), []);
  walk.frame('error', { code: 'unavailable' });
  assert.equal(walk.state.phase, 'asking');
  walk.frame('refused', { code: 'suppressed' });
  assert.deepEqual([walk.all('tab'), walk.sent('report'), walk.state.phase], [[], [], 'ended']);
});

test('a stop before the start was asked gives the lease back', () => {
  const walk = new Walk().stop().journaled();
  assert.deepEqual(walk.sent('release').map(({ code }) => code), ['stopped']);
  assert.deepEqual([walk.sent('start'), walk.state.phase], [[], 'ended']);
});

test('the usual life writes everything down before it does it', () => {
  const walk = new Walk().to('ended');
  const order = walk.effects
    .filter((effect) => ['journal', 'send', 'tab', 'page'].includes(effect.do))
    .map((effect) => effect.entry?.phase ?? effect.frame?.type ?? effect.what ?? effect.message.do);
  const wanted = ['asked', 'start', 'open', 'acked', 'navigate', 'act', 'watch', 'resolved', 'type', 'go_sent', 'go',
    'go_sent', 'go_sent', 'navigate', 'view', 'watch', 'done', 'report', 'close', 'gone'];
  assert.deepEqual(order, wanted);
  assert.ok(walk.all('journal').every(({ entry }) => !JSON.stringify({ ...entry, report: null }).includes('attempt-one-0001')));
});

test('the wait before "go" counts from before the start was asked', () => {
  const walk = new Walk();
  walk.clock += 4_000;
  walk.to('poised');
  walk.clock += 3_000;
  walk.journaled();
  const [go] = walk.said('go');
  assert.equal(go.elapsed_ms, 7_000);
  assert.equal(go.asked_wall_ms, APPROVED + 60_000);
  assert.equal(go.last_id, OLD.urn);
});

test('a person known by slug alone is resolved on the profile before the conversation is opened', () => {
  const walk = new Walk({ person: { id: 'p', name: 'Ada Example', slug: 'ada-example', urn: null }, conversation: null });
  walk.to('reaching').settles(profile());
  assert.deepEqual(walk.sent('resolved').map(({ person_urn }) => person_urn), [PERSON]);
  assert.equal(walk.all('tab', ({ what }) => what === 'navigate').length, 1);
  walk.frame('proceed').settles(compose());
  assert.equal(walk.state.phase, 'typing');
});

test('a conversation that is gone is left for the page to write to the person', () => {
  const walk = new Walk().to('reaching').settles(thread({ url: 'https://www.linkedin.com/messaging/', others: [], items: [] }));
  const urls = walk.all('tab', ({ what }) => what === 'navigate').map(({ url }) => url);
  assert.deepEqual(urls, [threadUrl(CONVERSATION), composeUrl(PERSON)]);
  walk.settles(compose()).frame('proceed');
  assert.equal(walk.state.phase, 'typing');
  assert.equal(walk.state.conversation, null);
});

test('a first message by id goes to the slug that its page showed first', () => {
  const walk = new Walk({ person: { id: 'p', name: 'Ada Example', slug: null, urn: PERSON }, conversation: null });
  walk.to('reaching').settles(compose()).frame('proceed');
  walk.page({ what: 'poised', facts: compose({ others: [{ key: 'bob', name: 'Bob' }], occupied: true, send: 'enabled' }) });
  walk.page({ what: 'halted', box: 'cleared' });
  assert.equal(endOf(walk.report), 'failed not_attempted wrong_person cleared');
});

/** @type {[string, object, string][]} */
const PROFILES = [
  ['two people in the message controls', { message_links: [profile().message_links[0], profile().message_links[0].replaceAll('ACoAAA1', 'ACoAAB1')] }, 'wrong_person'],
  ['a control whose two names differ', { message_links: [profile().message_links[0].replace('recipient=ACoAAA1', 'recipient=ACoAAB1')] }, 'wrong_person'],
  ['a control that names an address', { message_links: [profile().message_links[0].replaceAll('ACoAAA1', 'ada-example')] }, 'wrong_person'],
  ['the profile of another slug', { url: 'https://www.linkedin.com/in/ada-example-2/' }, 'wrong_person'],
  ['an offer to connect', { invitable: true }, 'not_connected'],
  ['no message control', { message_links: [] }, 'not_connected'],
  ['no member', { members: [] }, 'wrong_member'],
  ['another member', { members: [{ urn: STRANGER, slug: '', name: '' }] }, 'wrong_member'],
  ['a checkpoint', { sign_in: true }, 'signed_out'],
];

for (const [name, more, reason] of PROFILES) {
  test(`profile: ${name}`, () => {
    const walk = new Walk({ person: { id: 'p', name: 'Ada Example', slug: 'ada-example', urn: null }, conversation: null });
    walk.to('reaching').settles(profile(more));
    if (walk.state.phase === 'reaching') walk.timer('page');
    assert.equal(endOf(walk.report), `failed not_attempted ${reason} untouched`);
  });
}

test('a first message is absent on the empty page of that person, and found in the conversation that it made', () => {
  for (const [shown, code] of /** @type {[any, string][]} */ ([[compose(), 'refused_by_provider'], [thread({ items: [COPY] }), 'confirmed']])) {
    const walk = new Walk({ conversation: null });
    walk.to('reaching').settles(compose()).frame('proceed');
    walk.page({ what: 'poised', facts: compose({ occupied: true, send: 'enabled' }) }).journaled();
    walk.page({ what: 'clicked', at_ms: 1, item_ids: [] });
    walk.request('before', { to_person: PERSON, to_conversation: null }).request('completed', { status: 400 }).timer('quiet');
    lookAt(walk, shown);
    assert.equal(walk.report.outcome.code, code);
  }
});

test('what the document that was left still says is not the look', () => {
  const walk = new Walk().to('looking');
  walk.facts(found).timer('settle');
  assert.equal(walk.state.phase, 'looking');
  assert.equal(walk.report, undefined);
});

test('an approved repeat is sent, and the old copy is not taken for the new one', () => {
  const walk = new Walk({ repeat_approved: true });
  const old = own(BODY, APPROVED - 86_400_000);
  walk.to('reaching').settles(thread({ items: [old, OLD] })).frame('proceed');
  walk.page({ what: 'poised', facts: poisedFacts({ items: [old, OLD] }) }).journaled().clicked();
  lookAt(answered(200)(walk), thread({ items: [old, OLD] }));
  assert.equal(walk.report.outcome.code, 'no_evidence');
});

test('a restarted worker closes the tab, looks, and says found without an attempt', () => {
  const { entry } = new Walk().to('going');
  const walk = Walk.revived(entry, true);
  assert.deepEqual(walk.all('tab').map(({ what, tab }) => [what, tab]), [['close', 7]]);
  walk.tab('gone').tab('opened').journaled().settles(found);
  assert.equal(endOf(walk.report), 'sent confirmed lost found');
  assert.equal(walk.report.attempt, null);
  assert.deepEqual([...walk.sent('start'), ...walk.said('type'), ...walk.said('go')], []);
});

test('a restarted worker that finds nothing proves nothing', () => {
  const { entry } = new Walk().to('watching').request('before').request('completed', { status: 400 });
  const walk = Walk.revived(entry, true).tab('gone').tab('opened').journaled();
  lookAt(walk, absent);
  assert.equal(endOf(walk.report), 'unconfirmed refusal_unproven status:400 impossible');
});

test('a restarted worker that had only asked opens nothing unless the server says started', () => {
  const { entry } = new Walk().to('asking');
  const never = Walk.revived(entry, false);
  assert.deepEqual(never.all('tab'), []);
  assert.equal(endOf(never.report), 'unconfirmed sender_lost lost impossible');
  const perhaps = Walk.revived(entry, true);
  assert.deepEqual(perhaps.all('tab').map(({ what }) => what), ['open']);
});

test('a restarted worker repeats the report that its former self had made', () => {
  const done = new Walk().to('closing');
  const walk = Walk.revived(done.entry, true);
  assert.deepEqual(walk.report, done.report);
  walk.frame('recorded').tab('gone');
  assert.equal(walk.state.phase, 'ended');
});

test('a tab that does not close is told a few times, and then only its removal frees the account', () => {
  const walk = new Walk().to('closing').frame('recorded');
  for (let told = 0; told < 9; told += 1) walk.timer('close');
  assert.equal(walk.all('tab', ({ what }) => what === 'close').length, 5);
  assert.equal(walk.state.phase, 'closing');
  assert.equal(walk.tab('gone').state.phase, 'ended');
});

test('copies beside a message that is held or was there before are told apart by id', () => {
  const held = own(BODY, APPROVED + 60_500);
  const walk = new Walk({ held_ids: [held.urn] }).to('looking').settles(thread({ items: [OLD, held, COPY] }));
  assert.deepEqual(walk.report.evidence.copies, [{ provider_id: COPY.urn, sent_at_ms: APPROVED + 61_000 }]);
  assert.equal(walk.report.evidence.conversation, CONVERSATION);
  assert.notEqual(urn(1), urn(1));
});
