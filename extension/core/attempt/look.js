// The look: a fresh load of the conversation after the act, which only reads. A restarted worker does nothing else.

import { acted, closeAgain, closeTab } from './close.js';
import { lookVerdict } from './judge.js';
import { notice } from './notice.js';
import { follow, goTo } from './reach.js';
import { called, journal, status, tab, timer, untimer } from './turn.js';
import { LOOK_AGAIN_MS, LOOK_LOADS_MAX } from '../limits.js';

/** @typedef {import('./turn.js').Turn} Turn @typedef {import('./turn.js').Event} Event */

/** @param {Turn} turn */
export function beginLook(turn) {
  const { s } = turn;
  s.phase = 'looking';
  // Nothing that the document of the act shows is a fresh load.
  s.port = null;
  s.facts = null;
  untimer(turn, 'quiet', 'answer', 'box');
  // Without the conversation or the person's URN there is no page that proves anything.
  if (s.conversation === null && s.person_urn === null) return acted(turn, 'impossible', []);
  timer(turn, 'look', s.settings.look_within_ms);
  status(turn, `Looking whether ${called(s)} has the message`);
  if (s.tab === 'open') return load(turn);
  s.tab = 'opening';
  tab(turn, 'open', 'about:blank');
}

/** @param {Turn} turn */
function load(turn) {
  turn.s.loads += 1;
  goTo(turn, 'look');
}

/**
 * @param {Turn} turn
 * @param {Event} event
 */
export function looking(turn, event) {
  const { s } = turn;
  if (event.type === 'tab' && event.what === 'gone') return acted(turn, 'impossible', []);
  if (event.type === 'tab' && event.what === 'opened') journal(turn, s.journal_phase);
  if (event.type === 'journaled' && s.tab === 'open' && s.loads === 0) load(turn);
  follow(turn, event, 'view');
  if (event.type !== 'timer') return;
  if (event.name === 'look') return conclude(turn);
  if (event.name === 'again') return load(turn);
  if (event.name === 'settle') consider(turn);
  if (event.name === 'page' && s.loads < LOOK_LOADS_MAX) load(turn);
}

/** @param {Turn} turn */
function consider(turn) {
  const { s } = turn;
  if (s.facts === null) return;
  const verdict = lookVerdict(s, s.facts);
  if ('wait' in verdict) return;
  // LinkedIn may show a message later than it takes it.
  if (verdict.look === 'absent' && s.loads < LOOK_LOADS_MAX) {
    untimer(turn, 'page');
    timer(turn, 'again', LOOK_AGAIN_MS);
    return;
  }
  end(turn, s.facts, verdict);
}

/**
 * @param {Turn} turn
 * @param {import('../person.js').Facts} facts
 * @param {{look: string, copies: import('../thread.js').Copy[]}} verdict
 */
function end(turn, facts, { look, copies }) {
  notice(turn, facts, copies);
  acted(turn, look, copies);
}

/** The time is up. What a page shows counts; what it does not show counts only once it has settled. @param {Turn} turn */
function conclude(turn) {
  const { s } = turn;
  const verdict = s.facts === null ? null : lookVerdict(s, s.facts);
  const seen = verdict !== null && 'look' in verdict && (verdict.look === 'found' || !s.timers.includes('settle'));
  if (seen && s.facts !== null) end(turn, s.facts, verdict);
  else acted(turn, 'impossible', []);
}

/**
 * A restarted worker closes the tab of the attempt before anything else, and waits for its removal.
 * @param {Turn} turn
 */
export function sweep(turn) {
  turn.s.phase = 'sweeping';
  status(turn, 'Closing the tab of an attempt that was cut off');
  closeTab(turn);
}

/**
 * @param {Turn} turn
 * @param {Event} event
 */
export function sweeping(turn, event) {
  if (event.type === 'tab' && event.what === 'gone') {
    turn.s.tab_id = null;
    untimer(turn, 'close');
    beginLook(turn);
  }
  if (event.type === 'timer' && event.name === 'close') closeAgain(turn);
}
