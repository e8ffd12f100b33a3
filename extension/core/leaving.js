// How a connection ends: what a refusal or a close means, whether to come back, and after how long.

import { backoffMs } from './backoff.js';
import { RECONNECT_FIRST_MS, RECONNECT_MOST_MS, SUPERSEDED_REST_MS } from './limits.js';

/**
 * @typedef {import('./session.js').Session} Session
 * @typedef {import('./session.js').World} World
 * @typedef {import('./session.js').Effect} Effect
 * @typedef {import('./session.js').Step} Step
 */

const CLOSED_STOPPING = 1001;
const CLOSED_SUPERSEDED = 4001;
const CLOSED_REVOKED = 4002;
const CLOSED_TOKEN_REFUSED = 4004;

/** What the person reads when something is wrong with the connection. */
export const TROUBLES = {
  pairing_lost: 'The server no longer accepts this browser. Pair it again in the options.',
  superseded: 'Another browser uses the same pairing. This one rests for some minutes. Pair it again if it was copied.',
  old_server: 'The server remembers less than this browser: it may be an old copy. No messages are taken from it.',
  outdated: 'This extension is too old for the server. Update it.',
  unreachable: 'The server cannot be reached. Trying again.',
};

/** Ends every timer of a connection. @type {Effect[]} */
export const QUIET = ['handshake', 'ping', 'pong', 'renew'].map((name) => ({ do: 'untimer', name }));

/** @param {Session} session @returns {Step} */
export function stay(session) {
  return { session, effects: [] };
}

/** @param {Session} session @param {any} frame @param {World} world @returns {Step} */
export function refused(session, frame, world) {
  /** @type {Effect[]} */
  const leave = [{ do: 'disconnect' }];
  if (frame.code === 'bad_code') return pairingRefused(session, frame.text, world);
  if (frame.code === 'bad_secret' || frame.code === 'install_revoked') return stop(session, leave);
  if (frame.code === 'bad_token') return fail({ ...session, access: null }, world, leave);
  // Before welcome an error ends the handshake, whatever it is; later it answers some other frame.
  if (session.phase === 'welcomed') return stay(session);
  if (session.phase === 'pairing') return pairingRefused(session, frame.text, world);
  return fail(session, world, leave);
}

/**
 * A code that was refused changes nothing: an install that was paired before goes back to its server.
 * @param {Session} session
 * @param {string} text
 * @param {World} world
 * @returns {Step}
 */
function pairingRefused(session, text, world) {
  const back = { ...session, code: null, server: session.pairing?.server ?? null, trouble: text };
  /** @type {Effect[]} */
  const leave = [...QUIET, { do: 'disconnect' }];
  if (session.pairing === null) return { session: { ...back, phase: 'unpaired' }, effects: leave };
  const failed = fail(back, world, leave);
  return { session: { ...failed.session, trouble: text }, effects: failed.effects };
}

/** A stopping server spreads its installs over time by this word. */
const COME_BACK = /^come back in ([0-9]{1,9}) ms$/;

/** @param {Session} session @param {{code: number, reason: string}} event @param {World} world @returns {Step} */
export function closed(session, { code, reason }, world) {
  if (session.phase === 'unpaired' || session.phase === 'stopped' || session.phase === 'offline') return stay(session);
  if (session.code !== null) {
    return pairingRefused(session, `${session.server} did not take the connection (code ${code}).`, world);
  }
  if (code === CLOSED_SUPERSEDED) return superseded(session, world);
  if (code === CLOSED_REVOKED) return stop(session, []);
  const told = code === CLOSED_STOPPING ? COME_BACK.exec(reason) : null;
  if (told !== null) return comeBack(session, Math.min(Number(told[1]), RECONNECT_MOST_MS), world);
  return fail(code === CLOSED_TOKEN_REFUSED ? { ...session, access: null } : session, world, []);
}

/** @param {Session} session @param {number} ms @param {World} world @returns {Step} */
function comeBack(session, ms, world) {
  const retry = { tries: session.retry.tries, not_before_ms: world.wall + ms };
  return rest({ ...session, retry, trouble: TROUBLES.unreachable }, ms, []);
}

/** @param {Session} session @param {Effect[]} effects @returns {Step} */
function stop(session, effects) {
  return {
    session: { ...session, phase: 'stopped', access: null, welcome: null, trouble: TROUBLES.pairing_lost },
    effects: [...QUIET, ...effects],
  };
}

/** @param {Session} session @param {World} world @returns {Step} */
export function superseded(session, world) {
  // Half of the rest is fixed and half is random, so that two copies of one profile do not come back together.
  const ms = Math.floor(SUPERSEDED_REST_MS * (1 + world.random) / 2);
  const retry = { tries: session.retry.tries, not_before_ms: world.wall + ms };
  return rest({ ...session, retry, trouble: TROUBLES.superseded }, ms, [{ do: 'disconnect' }]);
}

/** @param {Session} session @param {World} world @param {Effect[]} effects @returns {Step} */
export function fail(session, world, effects) {
  if (session.code !== null) return pairingRefused(session, `${session.server} did not answer in time.`, world);
  const ms = backoffMs(session.retry.tries, RECONNECT_FIRST_MS, RECONNECT_MOST_MS, world.random);
  const retry = { tries: session.retry.tries + 1, not_before_ms: world.wall + ms };
  return rest({ ...session, retry, trouble: TROUBLES.unreachable }, ms, effects);
}

/** @param {Session} session @param {number} ms @param {Effect[]} effects @returns {Step} */
function rest(session, ms, effects) {
  return {
    session: { ...session, phase: 'offline', welcome: null },
    effects: [...QUIET, ...effects, { do: 'save', key: 'retry', value: session.retry },
      { do: 'timer', name: 'reconnect', ms }],
  };
}
