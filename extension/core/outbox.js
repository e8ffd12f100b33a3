// Frames that are said again until their answer arrives, over lost answers and lost connections. The same frame keeps
// its id, so that the answer to any of its repetitions ends it.

import { backoffMs } from './backoff.js';
import { ASKS_CROWDED, ASKS_MAX, ASK_AGAIN_FIRST_MS, ASK_AGAIN_MOST_MS } from './limits.js';

/**
 * `due_mono`: when it is said again; null while it waits for the next connection.
 * @typedef {import('./frames.js').Frame} Frame
 * @typedef {{frame: Frame, tries: number, due_mono: number|null}} Ask
 * @typedef {{asks: Ask[]}} Outbox
 */

/** @returns {Outbox} */
export function emptyOutbox() {
  return { asks: [] };
}

/**
 * @param {Outbox} outbox
 * @param {Frame} frame
 * @param {boolean} connected false: it waits for the next connection
 * @param {number} mono
 * @returns {Outbox}
 */
export function ask(outbox, frame, connected, mono) {
  if (outbox.asks.length >= ASKS_MAX) throw new Error(`${ASKS_MAX} frames already wait for an answer`);
  return { asks: [...outbox.asks, { frame, tries: 0, due_mono: connected ? mono : null }] };
}

/** @param {Outbox} outbox @param {string|null|undefined} id @returns {Frame|null} */
export function askedAs(outbox, id) {
  return outbox.asks.find((candidate) => candidate.frame.id === id)?.frame ?? null;
}

/** @param {Outbox} outbox @param {string} token of a lease or of a check */
export function speaksOf(outbox, token) {
  return outbox.asks.some(({ frame }) => (frame.lease_token ?? frame.check_token) === token);
}

/**
 * Does the same frame already wait, under whatever id? A restarted worker says again what was kept.
 * @param {Outbox} outbox
 * @param {Frame} frame
 */
export function says(outbox, frame) {
  const text = withoutId(frame);
  return outbox.asks.some((candidate) => withoutId(candidate.frame) === text);
}

/** @param {Frame} frame */
function withoutId(frame) {
  return JSON.stringify(Object.keys(frame).sort().map((name) => (name === 'id' ? null : [name, frame[name]])));
}

/** How many frames of a type wait for an answer? @param {Outbox} outbox @param {string} type */
export function waiting(outbox, type) {
  return outbox.asks.filter(({ frame }) => frame.type === type).length;
}

/** @param {Outbox} outbox */
export function isCrowded(outbox) {
  return outbox.asks.length >= ASKS_CROWDED;
}

/** @param {Outbox} outbox @param {string} id @returns {Outbox} */
export function settle(outbox, id) {
  return { asks: outbox.asks.filter((candidate) => candidate.frame.id !== id) };
}

/**
 * The attempt has moved on: what it asked in these types no longer matters.
 * @param {Outbox} outbox
 * @param {string} token
 * @param {string[]} types
 * @returns {Outbox}
 */
export function withdraw(outbox, token, types) {
  return { asks: outbox.asks.filter(({ frame }) => frame.lease_token !== token || !types.includes(frame.type)) };
}

/**
 * A new connection: everything that waits is said at once.
 * @param {Outbox} outbox
 * @param {number} mono
 * @returns {Outbox}
 */
export function connected(outbox, mono) {
  return { asks: outbox.asks.map((candidate) => ({ ...candidate, tries: 0, due_mono: mono })) };
}

/** @param {Outbox} outbox @returns {Outbox} */
export function disconnected(outbox) {
  return { asks: outbox.asks.map((candidate) => ({ ...candidate, due_mono: null })) };
}

/**
 * The server refused this frame for good. A report is kept all the same and said again on the next connection, because
 * another server, or this one after a repair, may take it.
 * @param {Outbox} outbox
 * @param {string} id
 * @returns {Outbox}
 */
export function park(outbox, id) {
  return { asks: outbox.asks.map((one) => (one.frame.id === id ? { ...one, due_mono: null } : one)) };
}

/**
 * Takes what is due now and says how long until the next.
 * @param {Outbox} outbox
 * @param {number} mono
 * @param {number} random
 * @returns {{outbox: Outbox, frames: Frame[], wait_ms: number|null}}
 */
export function takeDue(outbox, mono, random) {
  /** @type {Frame[]} */
  const frames = [];
  const asks = outbox.asks.map((candidate) => {
    if (candidate.due_mono === null || candidate.due_mono > mono) return candidate;
    frames.push(candidate.frame);
    const wait = ASK_AGAIN_FIRST_MS + backoffMs(candidate.tries, ASK_AGAIN_FIRST_MS, ASK_AGAIN_MOST_MS, random);
    return { ...candidate, tries: candidate.tries + 1, due_mono: mono + wait };
  });
  const dues = asks.flatMap(({ due_mono }) => (due_mono === null ? [] : [due_mono]));
  return { outbox: { asks }, frames, wait_ms: dues.length === 0 ? null : Math.max(0, Math.min(...dues) - mono) };
}
