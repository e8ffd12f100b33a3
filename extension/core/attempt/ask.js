// Asking for the start. Until `started` arrives nothing of LinkedIn is contacted: no tab, no request.

import { finish, unacted } from './close.js';
import { openTab } from './reach.js';
import { called, journal, send, status, timer, untimer } from './turn.js';

/** @typedef {import('./turn.js').Turn} Turn @typedef {import('./turn.js').Event} Event */

/** Errors that only mean "say it again later"; any other answers a start with no. */
const PASSING_ERRORS = ['unavailable', 'too_many'];

/** @param {Turn} turn */
export function note(turn) {
  turn.s.phase = 'noting';
  status(turn, `Asking to write to ${called(turn.s)}`);
  timer(turn, 'lease', turn.s.lease.expires_in_ms);
  journal(turn, 'asked');
}

/**
 * The journal is being written; the start was not asked for.
 * @param {Turn} turn
 * @param {Event} event
 */
export function noting(turn, event) {
  const { s } = turn;
  if (event.type === 'stop') s.stop = 'halted';
  if (event.type === 'timer' && event.name === 'lease') s.stop = s.stop ?? 'too_late';
  if (event.type !== 'journaled') return;
  if (s.stop !== null) {
    send(turn, { type: 'release', code: s.stop === 'halted' ? 'stopped' : 'expired' });
    finish(turn);
    return;
  }
  s.phase = 'asking';
  send(turn, { type: 'start', attempt: s.attempt, digest: s.lease.digest });
}

/**
 * The start was asked for. It may be recorded although no answer came, so that a stop waits for the answer, and a lease
 * that ran out is reported as not attempted.
 * @param {Turn} turn
 * @param {Event} event
 */
export function asking(turn, event) {
  const { s } = turn;
  if (event.type === 'stop') {
    s.stop = 'halted';
    status(turn, 'Stopping');
  }
  if (event.type === 'timer' && event.name === 'lease') unacted(turn, s.stop ?? 'too_late', 'untouched');
  if (event.type !== 'frame') return;
  const { type, code } = event.frame;
  if (type === 'started' && event.frame.attempt === s.attempt) started(turn, event.frame);
  if (type === 'refused' || (type === 'error' && !PASSING_ERRORS.includes(code))) finish(turn);
}

/** @param {Turn} turn @param {{touch_within_ms: number}} frame */
function started(turn, frame) {
  const { s, stamp } = turn;
  untimer(turn, 'lease');
  s.window_ms = frame.touch_within_ms;
  s.journal_phase = 'acked';
  const left = s.window_ms - Math.max(stamp.mono - s.asked.mono, stamp.wall - s.asked.wall);
  if (s.stop !== null || left <= 0) return unacted(turn, s.stop ?? 'too_late', 'untouched');
  timer(turn, 'window', left);
  openTab(turn);
}
