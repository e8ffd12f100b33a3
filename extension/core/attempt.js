// One attempt: what a live worker does with one lease, from its arrival to the free account. A reducer over plain data:
// events in, effects out. What the effects mean stands at `Effect` in attempt/turn.js and in platform/.

import { asking, note, noting } from './attempt/ask.js';
import { going, poised, typing, watching } from './attempt/act.js';
import { acted, clearing, closeUp, closing } from './attempt/close.js';
import { beginLook, looking, sweep, sweeping } from './attempt/look.js';
import { opening, reaching, resolving } from './attempt/reach.js';
import { isToKeep, see } from './attempt/seen.js';
import { entryOf, isStale, journal } from './attempt/turn.js';

/**
 * @typedef {import('./attempt/turn.js').State} State
 * @typedef {import('./attempt/turn.js').Turn} Turn
 * @typedef {import('./attempt/turn.js').Event} Event
 * @typedef {import('./attempt/turn.js').Effect} Effect
 * @typedef {{state: State, effects: Effect[]}} Step
 */

/** @type {Record<string, (turn: Turn, event: Event) => void>} */
const HANDLERS = {
  noting, asking, opening, reaching, resolving, typing, poised, going, watching, clearing, sweeping, looking, closing,
};

/** What chrome.webRequest calls the tab of a request that has none. */
const NO_TAB = -1;

/** @param {Turn} turn @returns {Step} */
function done(turn) {
  return { state: turn.s, effects: turn.out };
}

/** @returns {Omit<State, 'live'|'lease'|'attempt'|'settings'|'asked'|'person_urn'|'slug'|'conversation'>} */
function blank() {
  return {
    phase: 'noting', journal_phase: 'asked', window_ms: 0, stop: null, tab: 'none', tab_id: null, goal: 'thread',
    port: null, facts: null, proceeded: false, typed: false, inserted: false, shown: false, find: 'none', copies: [],
    before_ids: [], reason: null, clicked: false, acted_at_ms: null, requests: [], foreign: false, loads: 0, closes: 0,
    left: false, observed: [], report: null, recorded: false, timers: [],
  };
}

/**
 * Begins with a lease. Nothing may have been done about it before: the clocks of the touch window start here.
 * @param {{lease: import('./attempt/turn.js').Lease, attempt: string, settings: import('./attempt/turn.js').Settings,
 *   stamp: import('./attempt/turn.js').Stamp}} start `attempt` is random, from the live worker's memory
 * @returns {Step}
 */
export function begin({ lease, attempt, settings, stamp }) {
  const { urn, slug } = lease.person;
  const { conversation } = lease;
  const s = { ...blank(), live: true, lease, attempt, settings, asked: stamp, person_urn: urn, slug, conversation };
  const turn = { s, out: [], stamp };
  note(turn);
  return done(turn);
}

/**
 * Takes one event. Events that no longer matter change nothing.
 * @param {State} state
 * @param {Event} event
 * @returns {Step}
 */
export function step(state, event) {
  if (state.phase === 'ended' || isStale(state, event)) return { state, effects: [] };
  const turn = { s: { ...state }, out: [], stamp: event.stamp };
  if (event.type === 'timer') turn.s.timers = state.timers.filter((name) => name !== event.name);
  if (event.type === 'tab' && event.what === 'opened' && state.tab !== 'opening') return { state, effects: [] };
  if (event.type === 'request') {
    see(turn.s, event);
    // Chromium gives a restarted worker only the later events of a request.
    if (isToKeep(turn.s)) journal(turn, turn.s.journal_phase);
  }
  if (event.type === 'tab') followTab(turn.s, event);
  HANDLERS[turn.s.phase](turn, event);
  return done(turn);
}

/**
 * Is an event of a tab, a port, a page or a delivery request about this attempt?
 * @param {State} s
 * @param {Omit<Event, 'stamp'>} event
 * @returns {boolean}
 */
export function concerns(s, event) {
  if (event.tab === s.tab_id && s.tab_id !== null) return true;
  // The end of a request outlives its tab, and one that a page's own worker makes has none.
  return event.type === 'request' && (event.tab === NO_TAB || s.requests.some((seen) => seen.id === event.request_id));
}

/** @param {State} s @param {Event} event */
function followTab(s, event) {
  if (event.what === 'opened') {
    s.tab = 'open';
    s.tab_id = event.tab;
  }
  if (event.what === 'gone') {
    s.tab = 'gone';
    s.tab_id = null;
    s.port = null;
  }
}

/**
 * The state of an attempt whose worker has died, as far as the journal knows it.
 * @param {any} entry
 * @param {import('./attempt/turn.js').Settings} settings
 * @param {import('./attempt/turn.js').Stamp} stamp
 * @returns {State}
 */
function cutOff(entry, settings, stamp) {
  const { person, member_urn, body, approved_at_ms, held_ids, account, send, lease_token, conversation } = entry;
  const lease = {
    send, lease_token, account, member_urn, person, body, approved_at_ms, held_ids, expires_in_ms: 0, digest: '',
    repeat_approved: false, conversation,
  };
  return {
    ...blank(), phase: 'sweeping', live: false, attempt: null, lease, settings, asked: stamp,
    person_urn: entry.person_urn, slug: person.slug, conversation, journal_phase: entry.phase, tab_id: entry.tab,
    tab: entry.tab === null ? 'none' : 'open', before_ids: entry.before_ids, acted_at_ms: entry.acted_at_ms,
    requests: entry.requests, foreign: entry.foreign, report: entry.report,
  };
}

/**
 * Takes up the journal entry of a worker that died. Such a worker never asks to start and never types or clicks: it
 * closes the attempt's tab, looks, and says found or unknown.
 * @param {{entry: any, settings: import('./attempt/turn.js').Settings, started: boolean,
 *   stamp: import('./attempt/turn.js').Stamp}} cut `started`: the server says that the start is recorded
 * @returns {Step}
 */
export function revive({ entry, settings, started, stamp }) {
  const s = cutOff(entry, settings, stamp);
  const turn = { s, out: [], stamp };
  if (s.report !== null) closeUp(turn);
  // A start that was never recorded opened nothing, and LinkedIn is not contacted for it.
  else if (entry.phase === 'asked' && !started) acted(turn, 'impossible', []);
  else if (s.tab === 'open') sweep(turn);
  else beginLook(turn);
  return done(turn);
}

/**
 * Adds what an event of a delivery request says to the journal entry of a dead worker, before that is taken up.
 * @param {any} entry
 * @param {Event} event
 * @returns {any} the same entry when the event is not about it
 */
export function noteRequest(entry, event) {
  const s = cutOff(entry, { answer_within_ms: 0, look_within_ms: 0 }, event.stamp);
  if (s.report !== null || !concerns(s, event)) return entry;
  see(s, event);
  return entryOf(s);
}
