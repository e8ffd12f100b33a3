// The check that an install has under way: events reach it here, and what it decides is taken over. One at a time, and
// only while nothing is being sent: a check is never urgent.

import { beginCheck, stepCheck } from './check.js';
import { sayObserved } from './observed.js';
import * as outboxes from './outbox.js';
import { isFresh, isPaused, seenAfter } from './readiness.js';
import { chain, envelope, quiet, save, stampOf } from './step.js';

/**
 * @typedef {import('./step.js').Install} Install
 * @typedef {import('./step.js').World} World
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./frames.js').Frame} Frame
 */

/** Where the tab of a check is written down, so that a worker that starts again can close it. */
const CHECKING = 'checking';

/**
 * Closes the tab that a check of a dead worker left. The server asks for the check again by itself.
 * @param {Install} install
 * @param {any} stored
 * @returns {Step}
 */
export function sweepCheck(install, stored) {
  if (stored === undefined || stored === null) return quiet(install);
  return { install, effects: [{ do: 'tab', what: 'close', url: null, tab: stored.tab }, save(CHECKING, null)] };
}

/** @param {Install} install @param {Frame} check @param {World} world @returns {Step} */
export function takeCheck(install, check, world) {
  const token = check.check_token;
  if (install.check?.token === token || outboxes.speaksOf(install.outbox, token)) return quiet(install);
  // What it would find could not be kept. The server asks again by itself.
  if (outboxes.isCrowded(install.outbox)) return quiet(install);
  const reason = whyNot(install, check, world.wall);
  if (reason !== null) {
    const evidence = {
      reason, copies: [], conversation: null, messages: 0, oldest_at_ms: null, looked_at_ms: world.wall,
    };
    return answer(install, token, { result: 'could_not_check', evidence }, world);
  }
  const begun = beginCheck(/** @type {any} */ (check), stampOf(world));
  return run({ ...install, check: { token, account: check.account, state: begun.state, text: '' } }, begun, world);
}

/**
 * @param {Install} install
 * @param {Frame} check
 * @param {number} wall
 * @returns {string|null}
 */
function whyNot(install, check, wall) {
  if (isPaused(install)) return 'paused';
  // Neither the address of a conversation nor a name proves whose it is.
  if (check.person.urn === null && check.person.slug === null) return 'wrong_person';
  if (install.check !== null || install.update_waits || Object.keys(install.attempts).length > 0) return 'busy';
  return isFresh(install.seen, wall) && install.seen.member?.urn === check.member_urn ? null : 'signed_out';
}

/** @param {Install} install @param {any} event @param {World} world @returns {Step} */
export function toCheck(install, event, world) {
  if (install.check === null) return quiet(install);
  const stepped = stepCheck(install.check.state, { ...event, stamp: stampOf(world) });
  return run({ ...install, check: { ...install.check, state: stepped.state } }, stepped, world);
}

/**
 * Is an event of a tab, a port or a page about the check?
 * @param {Install} install
 * @param {any} event
 */
export function concernsCheck(install, event) {
  return install.check !== null && install.check.state.tab_id !== null && event.tab === install.check.state.tab_id;
}

/** @param {Install} install @param {{effects: any[]}} stepped @param {World} world @returns {Step} */
function run(install, stepped, world) {
  const token = install.check?.token ?? '';
  let step = written(install, token);
  for (const effect of stepped.effects) step = chain(step, perform(step.install, token, effect, world));
  return step;
}

/** Writes the tab down when it is there, before anything is loaded in it. @param {Install} install @param {string} token @returns {Step} */
function written(install, token) {
  const { check } = install;
  if (check === null || check.state.tab !== 'open' || check.written === true) return quiet(install);
  const then = { type: 'journaled', lease_token: token };
  return {
    install: { ...install, check: { ...check, written: true } }, effects: [save(CHECKING, { tab: check.state.tab_id }, then)],
  };
}

/** @param {Install} install @param {string} token @param {any} effect @param {World} world @returns {Step} */
function perform(install, token, effect, world) {
  switch (effect.do) {
    case 'checked': {
      const seen = seenAfter(install.seen, effect.evidence.reason);
      const saved = seen === install.seen ? [] : [save('seen', seen)];
      return chain({ install, effects: saved }, answer({ ...install, seen }, token, effect, world));
    }
    case 'observed': return sayObserved(install, token, effect.seen, world);
    case 'status': return quiet({ ...install, check: install.check && { ...install.check, text: effect.text } });
    case 'end': return { install: { ...install, check: null }, effects: [save(CHECKING, null)] };
    default: return { install, effects: [{ ...effect, lease_token: token }] };
  }
}

/** @param {Install} install @param {string} token @param {{result: string, evidence: object}} said @param {World} world @returns {Step} */
function answer(install, token, { result, evidence }, world) {
  const frames = install.frames + 1;
  const frame = envelope(install, frames, { type: 'checked', check_token: token, result, evidence });
  const outbox = outboxes.ask(install.outbox, frame, install.session.phase === 'welcomed', world.mono);
  return quiet({ ...install, frames, outbox });
}
