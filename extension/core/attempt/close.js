// The end of an attempt: what is reported, then the tab closed, then the account free once the report is recorded.

import { classify, end as classifyEnd } from '../rule.js';
import { sayNoticed } from './notice.js';
import { answeredBy, answerOf, isDouble } from './seen.js';
import { journal, page, send, status, tab, timer, untimer } from './turn.js';
import { BOX_WITHIN_MS, CLOSE_TRIES_MAX, CLOSE_WITHIN_MS } from '../limits.js';

/** @typedef {import('./turn.js').Turn} Turn @typedef {import('./turn.js').Event} Event */

/** Errors after which a report is kept by no one and need not be said again. */
const FINAL_ERRORS = ['bad_lease', 'malformed_frame', 'unknown_type'];

/**
 * Ends an attempt before the page script was told to go. What may stand in the box is cleared first.
 * @param {Turn} turn
 * @param {string} reason
 */
export function stop(turn, reason) {
  const { s } = turn;
  if (!s.typed) return unacted(turn, reason, 'untouched');
  if (s.tab !== 'open' || s.port === null) return unacted(turn, reason, 'gone');
  s.reason = reason;
  s.phase = 'clearing';
  untimer(turn, 'settle', 'page', 'window');
  timer(turn, 'box', BOX_WITHIN_MS);
  page(turn, { do: 'halt' });
  status(turn, 'Stopping');
}

/**
 * Waits for the page script to say what became of the text.
 * @param {Turn} turn
 * @param {Event} event
 */
export function clearing(turn, event) {
  const reason = turn.s.reason ?? 'halted';
  if (event.type === 'page' && event.message.what === 'halted') unacted(turn, reason, event.message.box);
  if (event.type === 'timer' && event.name === 'box') unacted(turn, reason, 'left');
  if (lostPage(event)) unacted(turn, reason, 'gone');
}

/**
 * The page, or the way to it, is no longer there.
 * @param {Event} event
 * @returns {boolean}
 */
export function lostPage(event) {
  return (event.type === 'tab' && event.what === 'gone') || (event.type === 'port' && event.what === 'closed');
}

/**
 * Reports that Send was not pressed.
 * @param {Turn} turn
 * @param {string} reason
 * @param {string} box
 */
export function unacted(turn, reason, box) {
  const { s } = turn;
  const seen = { reason, find: s.find, box, request: s.requests.length > 0, unbroken: s.live };
  const evidence = { ...seen, copies: s.copies, conversation: s.conversation };
  report(turn, { end: 'unacted', evidence, outcome: classifyEnd(seen) });
}

/**
 * Reports that Send was pressed, or that it cannot be excluded.
 * @param {Turn} turn
 * @param {string} look
 * @param {import('../thread.js').Copy[]} copies
 */
export function acted(turn, look, copies) {
  const { s } = turn;
  const request = answeredBy(s);
  // Without an attempt a report may confirm or say unknown, and an absence seen by a restarted worker is no proof.
  const said = !s.live && look === 'absent' ? 'impossible' : look;
  const seen = { answer: answerOf(s), double: isDouble(s), foreign: s.foreign, look: said };
  const { status: end, code } = classify({ ...seen, copies: copies.length });
  const evidence = {
    ...seen, copies, conversation: s.conversation, origin_token: request?.origin_token ?? null,
    retry_after_ms: request?.retry_after_ms ?? null, acted_at_ms: s.acted_at_ms,
  };
  report(turn, { end: 'acted', evidence, outcome: { status: end, code, reason: null } });
}

/** @param {Turn} turn @param {Record<string, any>} said */
function report(turn, said) {
  const { s } = turn;
  s.report = { type: 'report', attempt: s.attempt, ...said };
  journal(turn, 'done');
  status(turn, 'Reporting');
  closeUp(turn);
}

/**
 * Says the report (again), then what was seen by the way, and closes the tab.
 * @param {Turn} turn
 */
export function closeUp(turn) {
  const { s } = turn;
  s.phase = 'closing';
  untimer(turn, ...s.timers);
  send(turn, s.report ?? {});
  sayNoticed(turn);
  if (s.tab === 'open') closeTab(turn);
  else if (s.tab !== 'opening') gone(turn);
}

/** @param {Turn} turn */
export function closeTab(turn) {
  turn.s.closes += 1;
  tab(turn, 'close');
  timer(turn, 'close', CLOSE_WITHIN_MS);
}

/** @param {Turn} turn */
function gone(turn) {
  const { s } = turn;
  if (s.left) return;
  s.left = true;
  untimer(turn, 'close');
  send(turn, { type: 'gone' });
  endIfDone(turn);
}

/** @param {Turn} turn */
function endIfDone(turn) {
  if (turn.s.recorded && turn.s.left) finish(turn);
}

/**
 * The account is free, and the journal's entry of this lease may go.
 * @param {Turn} turn
 */
export function finish(turn) {
  turn.s.phase = 'ended';
  untimer(turn, ...turn.s.timers);
  turn.out.push({ do: 'end' });
}

/**
 * A tab that does not close is told a few times; then only its removal, by whomever, frees the account.
 * @param {Turn} turn
 */
export function closeAgain(turn) {
  if (turn.s.closes < CLOSE_TRIES_MAX) closeTab(turn);
  else status(turn, 'A tab of Sendonce does not close. Close it by hand.');
}

/**
 * @param {Turn} turn
 * @param {Event} event
 */
export function closing(turn, event) {
  const { s } = turn;
  if (event.type === 'frame') {
    const { type, code } = event.frame;
    if (type === 'recorded' || (type === 'error' && FINAL_ERRORS.includes(code))) s.recorded = true;
    endIfDone(turn);
  } else if (event.type === 'tab' && event.what === 'opened') closeTab(turn);
  else if (event.type === 'tab' && event.what === 'gone') gone(turn);
  else if (event.type === 'timer' && event.name === 'close') closeAgain(turn);
}
