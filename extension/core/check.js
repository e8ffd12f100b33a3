// One check: a look at the conversation of a send whose end is unknown, later, by whichever install serves the account.
// It only reads: the page script that acts is never put into its tab. A reducer like the attempt, and as pure.

import { closeAgain, closeTab } from './attempt/close.js';
import { isSignIn, whoVerdict } from './attempt/judge.js';
import { follow } from './attempt/reach.js';
import { isStale, tab, timer, untimer } from './attempt/turn.js';
import { APPROVAL_SLACK_MS, CHECK_WITHIN_MS, COPIES_MAX, FIRST_PAGE_ITEMS, PAGE_WITHIN_MS } from './limits.js';
import { conversationOf, proveMember, resolvePerson } from './person.js';
import { messageTime } from './text.js';
import { copiesIn } from './thread.js';
import { composeUrl, place, profileUrl, threadUrl } from '../linkedin/urls.js';

/**
 * @typedef {import('./person.js').Facts} Facts
 * @typedef {import('./attempt/turn.js').Stamp} Stamp
 *
 * The fields of the `check` frame that are used here.
 * @typedef {{check_token: string, account: string, member_urn: string, conversation: string|null, held_ids: string[],
 *   person: {name: string, slug: string|null, urn: string|null},
 *   wanted: {version: number, body: string, approved_at_ms: number}[]}} Check
 *
 * @typedef {'opening'|'profile'|'thread'|'closing'|'ended'} Phase
 * @typedef {{phase: Phase, check: Check, lease: {member_urn: string}, person_urn: string|null, slug: string|null,
 *   conversation: string|null, tab: 'opening'|'open'|'gone', tab_id: number|null, port: number|null, facts: Facts|null,
 *   closes: number, timers: string[], said: boolean}} State
 * @typedef {{s: any, out: any[], stamp: Stamp}} Turn
 * @typedef {import('./attempt/turn.js').Event} Event
 */

/**
 * @param {Check} check
 * @param {Stamp} stamp
 * @returns {{state: State, effects: any[]}}
 */
export function beginCheck(check, stamp) {
  const s = {
    phase: 'opening', check, lease: { member_urn: check.member_urn }, person_urn: check.person.urn, slug: check.person.slug,
    conversation: check.conversation, tab: 'opening', tab_id: null, port: null, facts: null, closes: 0, timers: [],
    said: false,
  };
  /** @type {Turn} */
  const turn = { s, out: [], stamp };
  timer(turn, 'check', CHECK_WITHIN_MS);
  tab(turn, 'open', 'about:blank');
  return { state: turn.s, effects: turn.out };
}

/**
 * Effects beside those of an attempt's tab: checked {result, evidence}, said once, and end.
 * @param {State} state
 * @param {Event} event
 * @returns {{state: State, effects: any[]}}
 */
export function stepCheck(state, event) {
  if (isStale(state, event)) return { state, effects: [] };
  /** @type {Turn} */
  const turn = { s: { ...state }, out: [], stamp: event.stamp };
  const { s } = turn;
  if (event.type === 'timer') s.timers = state.timers.filter((name) => name !== event.name);
  if (event.type === 'tab' && event.what === 'opened') [s.tab, s.tab_id] = ['open', event.tab];
  if (event.type === 'tab' && event.what === 'gone') [s.tab, s.tab_id, s.port] = ['gone', null, null];
  if (s.phase === 'closing') closing(turn, event);
  else looking(turn, event);
  return { state: turn.s, effects: turn.out };
}

/** @param {Turn} turn @param {Event} event */
function looking(turn, event) {
  const { s } = turn;
  if (event.type === 'stop' || (event.type === 'tab' && event.what === 'gone')) return couldNot(turn, 'stopped');
  // The tab is written down before any page of LinkedIn is loaded in it.
  if (event.type === 'journaled' && s.tab === 'open') return begin(turn);
  follow(turn, event, 'view');
  if (event.type !== 'timer') return;
  if (event.name === 'settle') consider(turn, false);
  if (event.name === 'page' || event.name === 'check') consider(turn, true);
}

/** @param {Turn} turn */
function begin(turn) {
  const { s } = turn;
  if (s.conversation !== null || s.person_urn !== null) load(turn, 'thread');
  else if (s.slug !== null) load(turn, 'profile');
  else couldNot(turn, 'wrong_person');
}

/** @param {Turn} turn @param {'profile'|'thread'} page */
function load(turn, page) {
  const { s } = turn;
  s.phase = page;
  s.port = null;
  s.facts = null;
  untimer(turn, 'settle');
  timer(turn, 'page', PAGE_WITHIN_MS);
  const thread = s.conversation !== null ? threadUrl(s.conversation) : composeUrl(s.person_urn ?? '');
  tab(turn, 'navigate', page === 'profile' ? profileUrl(s.slug ?? '') : thread);
}

/**
 * Decides on a page that has settled, or whose time is up.
 * @param {Turn} turn
 * @param {boolean} late
 */
function consider(turn, late) {
  const { facts } = turn.s;
  if (facts === null) {
    if (late) couldNot(turn, 'not_shown');
  } else if (isSignIn(facts)) couldNot(turn, 'signed_out');
  else if (turn.s.phase === 'profile') considerProfile(turn, facts, late);
  else considerThread(turn, facts, late);
}

/** @param {Turn} turn @param {Facts} facts @param {boolean} late */
function considerProfile(turn, facts, late) {
  const { s } = turn;
  const member = proveMember(facts, s.lease.member_urn);
  const person = resolvePerson(facts, s.slug ?? '');
  if (member === 'wrong') return couldNot(turn, 'wrong_member');
  if (person.proof === 'wrong') return couldNot(turn, 'wrong_person');
  if (member === 'proved' && person.proof === 'proved') {
    s.person_urn = person.urn;
    load(turn, 'thread');
  } else if (late) couldNot(turn, 'not_shown');
}

/** @param {Turn} turn @param {Facts} facts @param {boolean} late */
function considerThread(turn, facts, late) {
  const { s } = turn;
  const who = whoVerdict(s, facts);
  if ('stop' in who) return couldNot(turn, who.stop);
  if (!('go' in who)) {
    // A conversation that is deleted leads away from its address.
    if (s.conversation !== null && s.person_urn !== null && place(facts.url).kind === 'elsewhere') {
      s.conversation = null;
      load(turn, 'thread');
    } else if (late) couldNot(turn, 'not_shown');
    return;
  }
  s.conversation = conversationOf(facts.url);
  const copies = copiesOf(s.check, facts);
  if (copies.length > 0) return say(turn, 'found', null, copies);
  const verdict = absence(s.check, facts);
  if (verdict === null) {
    if (late) couldNot(turn, 'not_shown');
  } else say(turn, verdict.result, verdict.reason, []);
}

/** @param {Check} check @param {Facts} facts */
function copiesOf({ wanted, member_urn, held_ids }, facts) {
  const copies = wanted.flatMap(({ version, body, approved_at_ms }) => (
    copiesIn(facts.items, { body, member_urn, approved_at_ms, held_ids }, []).map((copy) => ({ version, ...copy }))));
  return copies.slice(0, COPIES_MAX);
}

/**
 * What a page that does not show the message says; null when it has not shown enough. A page that shows fewer messages
 * than LinkedIn loads at first shows them all; one that begins after the approval does not reach back far enough.
 * @param {Check} check
 * @param {Facts} facts
 * @returns {{result: string, reason: string|null}|null}
 */
function absence({ wanted }, facts) {
  if (place(facts.url).kind === 'compose') return facts.composers > 0 ? { result: 'no_conversation', reason: null } : null;
  const oldest = oldestOf(facts);
  if (oldest === null) return null;
  const since = Math.min(...wanted.map(({ approved_at_ms }) => approved_at_ms)) - APPROVAL_SLACK_MS;
  if (oldest > since && facts.items.length >= FIRST_PAGE_ITEMS) return { result: 'could_not_check', reason: 'too_long' };
  return { result: 'absent', reason: null };
}

/** When the oldest message was sent, or null while one does not say. @param {Facts} facts @returns {number|null} */
function oldestOf(facts) {
  const times = facts.items.map((item) => messageTime(item.urn));
  return times.length === 0 || times.includes(null) ? null : Math.min(.../** @type {number[]} */ (times));
}

/** @param {Turn} turn @param {string} reason */
function couldNot(turn, reason) {
  say(turn, 'could_not_check', reason, []);
}

/**
 * @param {Turn} turn
 * @param {string} result
 * @param {string|null} reason
 * @param {object[]} copies
 */
function say(turn, result, reason, copies) {
  const { s, stamp } = turn;
  const evidence = {
    reason, copies, conversation: s.conversation, messages: s.facts?.items.length ?? 0,
    oldest_at_ms: s.facts === null ? null : oldestOf(s.facts), looked_at_ms: stamp.wall,
  };
  turn.out.push({ do: 'checked', result, evidence });
  s.phase = 'closing';
  untimer(turn, ...s.timers);
  if (s.tab === 'open') closeTab(turn);
  else if (s.tab === 'gone') end(turn);
}

/** @param {Turn} turn @param {Event} event */
function closing(turn, event) {
  if (event.type === 'tab' && event.what === 'opened') closeTab(turn);
  if (event.type === 'tab' && event.what === 'gone') end(turn);
  if (event.type === 'timer' && event.name === 'close') closeAgain(turn);
}

/** @param {Turn} turn */
function end(turn) {
  turn.s.phase = 'ended';
  untimer(turn, ...turn.s.timers);
  turn.out.push({ do: 'end' });
}
