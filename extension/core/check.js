// One check: a look at the conversation of a send whose end is unknown, later, by whichever install serves the account.
// It only reads: the page script that acts is never put into its tab. A reducer like the attempt, and as pure.

import { closeTab } from './attempt/close.js';
import { isSignIn, whoVerdict } from './attempt/judge.js';
import { follow } from './attempt/reach.js';
import { called, isStale, page, status, tab, timer, untimer } from './attempt/turn.js';
import { absence, copiesOf, oldestOf } from './checked.js';
import {
  CHECK_WITHIN_MS, CLOSE_TRIES_MAX, CLOSE_WITHIN_MS, OLDER_LOADS_MAX, OLDER_WITHIN_MS, PAGE_WITHIN_MS,
} from './limits.js';
import { observe } from './observe.js';
import { conversationOf, proveMember, resolvePerson } from './person.js';
import { composeUrl, place, profileUrl, threadUrl } from '../linkedin/urls.js';

/**
 * @typedef {import('./person.js').Facts} Facts
 * @typedef {import('./attempt/turn.js').Stamp} Stamp
 *
 * The fields of the `check` frame that are used here. Of the person's slug and URN one is known.
 * @typedef {{check_token: string, account: string, member_urn: string, conversation: string|null, held_ids: string[],
 *   person: {name: string, slug: string|null, urn: string|null},
 *   wanted: {version: number, body: string, approved_at_ms: number}[]}} Check
 *
 * `reached`: how old the oldest message was when older ones were last asked for; null before that.
 * @typedef {'opening'|'profile'|'thread'|'closing'|'ended'} Phase
 * @typedef {{phase: Phase, check: Check, lease: {member_urn: string, person: {name: string}}, person_urn: string|null,
 *   slug: string|null, conversation: string|null, tab: 'opening'|'open'|'gone', tab_id: number|null, port: number|null,
 *   facts: Facts|null, older_loads: number, reached: number|null,
 *   observed: import('./observe.js').Observation|null, closes: number, timers: string[]}} State
 * @typedef {{s: any, out: any[], stamp: Stamp}} Turn
 * @typedef {import('./attempt/turn.js').Event} Event
 */

/**
 * @param {Check} check
 * @param {Stamp} stamp
 * @returns {{state: State, effects: any[]}}
 */
export function beginCheck(check, stamp) {
  const { member_urn, person } = check;
  const s = {
    phase: 'opening', check, lease: { member_urn, person }, person_urn: person.urn, slug: person.slug,
    conversation: check.conversation, tab: 'opening', tab_id: null, port: null, facts: null, older_loads: 0,
    reached: null, observed: null, closes: 0, timers: [],
  };
  /** @type {Turn} */
  const turn = { s, out: [], stamp };
  status(turn, `Looking whether ${called(turn.s)} got an earlier message. Nothing is written.`);
  timer(turn, 'check', CHECK_WITHIN_MS);
  tab(turn, 'open', 'about:blank');
  return { state: turn.s, effects: turn.out };
}

/**
 * Effects beside those of an attempt's tab: checked {result, evidence}, said once, then observed {seen} if anything was, status
 * {text}, and end.
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
  // The tab is written down before any page of LinkedIn is loaded in it. A remembered conversation proves nothing without
  // the person's URN, which their profile has.
  if (event.type === 'journaled' && s.tab === 'open') return load(turn, s.person_urn === null ? 'profile' : 'thread');
  follow(turn, event, 'view');
  if (event.type !== 'timer') return;
  if (event.name === 'settle') consider(turn, false);
  if (event.name === 'page') consider(turn, true);
  if (event.name === 'check') conclude(turn);
}

/** @param {Turn} turn @param {'profile'|'thread'} goal */
function load(turn, goal) {
  const { s } = turn;
  s.phase = goal;
  s.port = null;
  s.facts = null;
  untimer(turn, 'settle');
  timer(turn, 'page', PAGE_WITHIN_MS);
  const thread = s.conversation !== null ? threadUrl(s.conversation) : composeUrl(s.person_urn ?? '');
  tab(turn, 'navigate', goal === 'profile' ? profileUrl(s.slug ?? '') : thread);
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

/** The time for all of it is up: what the page shows now is the last word. @param {Turn} turn */
function conclude(turn) {
  const { s } = turn;
  consider(turn, true);
  if (s.phase === 'profile' || s.phase === 'thread') couldNot(turn, s.older_loads > 0 ? 'too_long' : 'not_shown');
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
  const ours = [...s.check.held_ids, ...copies.map(({ provider_id }) => provider_id)];
  s.observed = observe(facts, { member_urn: s.check.member_urn, person_urn: s.person_urn ?? '', ours });
  if (copies.length > 0) return say(turn, 'found', null, copies);
  const verdict = absence(s.check, facts);
  if (verdict === 'too_short') readOn(turn, oldestOf(facts) ?? 0, late);
  else if (verdict !== null) say(turn, verdict, null, []);
  else if (late) couldNot(turn, 'not_shown');
}

/**
 * Has the page load older messages, a bounded number of times, while it does.
 * @param {Turn} turn
 * @param {number} oldest
 * @param {boolean} late
 */
function readOn(turn, oldest, late) {
  const { s } = turn;
  const came = s.reached === null || oldest < s.reached;
  if (!came && !late) return;
  if (!came || s.older_loads === OLDER_LOADS_MAX) return couldNot(turn, 'too_long');
  s.older_loads += 1;
  s.reached = oldest;
  timer(turn, 'page', OLDER_WITHIN_MS);
  page(turn, { do: 'older' });
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
  if (s.observed !== null) turn.out.push({ do: 'observed', seen: { ...s.observed, looked_at_ms: stamp.wall } });
  s.phase = 'closing';
  untimer(turn, ...s.timers);
  if (s.tab === 'open') closeTab(turn);
  else if (s.tab === 'gone') end(turn);
  else timer(turn, 'close', CLOSE_WITHIN_MS);
}

/** @param {Turn} turn @param {Event} event */
function closing(turn, event) {
  if (event.type === 'tab' && event.what === 'opened') closeTab(turn);
  if (event.type === 'tab' && event.what === 'gone') end(turn);
  if (event.type === 'timer' && event.name === 'close') closeAgain(turn);
}

/**
 * A tab that does not close is told a few times. Then the account goes on without that: nothing in it types or clicks.
 * @param {Turn} turn
 */
function closeAgain(turn) {
  if (turn.s.tab === 'opening' || turn.s.closes === CLOSE_TRIES_MAX) return end(turn);
  closeTab(turn);
  status(turn, 'Waiting for a tab of Sendonce to close. You can close it by hand: nothing is written in it.');
}

/** @param {Turn} turn */
function end(turn) {
  turn.s.phase = 'ended';
  untimer(turn, ...turn.s.timers);
  turn.out.push({ do: 'end' });
}
