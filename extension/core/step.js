// One step of the install: what it knows afterwards, and what is to be done, in order.

/**
 * `fresh_id` is a new random id with every event.
 * @typedef {{wall: number, mono: number, random: number, fresh_id: string}} World
 * @typedef {import('./frames.js').Frame} Frame
 * @typedef {import('./session.js').Effect} Effect
 *
 * A running attempt. `id` is made by this worker and lives in memory alone; null after a restart.
 * @typedef {{account: string, id: string|null, state: import('./attempt.js').State, text: string}} Running
 *
 * `paused` by the person at this browser; `paused_there` by one on the server, who alone can resume it.
 * @typedef {{boot: string, frames: number, version: string, session: import('./session.js').Session,
 *   journal: import('./journal.js').Journal, outbox: import('./outbox.js').Outbox, attempts: Record<string, Running>,
 *   seen: import('./readiness.js').Seen, looking: boolean, paused: boolean, paused_there: boolean, update_waits: boolean,
 *   said_ready: string|null,
 *   check: {token: string, account: string, state: import('./check.js').State, text: string, written?: boolean}|null}} Install
 *
 * @typedef {{pairing?: any, mark?: any, retry?: any, journal?: any, ended?: any, seen?: any, paused?: boolean,
 *   checking?: any}} Stored
 * @typedef {{install: Install, effects: Effect[]}} Step
 */

/** @param {World} world */
export function stampOf(world) {
  return { wall: world.wall, mono: world.mono };
}

/** @param {Install} install @returns {Step} */
export function quiet(install) {
  return { install, effects: [] };
}

/** @param {string} key @param {any} value @param {any} [then] the event that follows once it is on disk @returns {Effect} */
export function save(key, value, then) {
  return then === undefined ? { do: 'save', key, value } : { do: 'save', key, value, then };
}

/**
 * Writes the journal down. The many tombstones are written only when they change, and before the entry that became one
 * is left out: a death in between must not forget it.
 * @param {import('./journal.js').Journal} before
 * @param {import('./journal.js').Journal} journal
 * @param {any} [then]
 * @returns {Effect[]}
 */
export function saveJournal(before, { ended, ...rest }, then) {
  return [...(ended === before.ended ? [] : [save('ended', ended)]), save('journal', rest, then)];
}

/** @param {Step} first @param {Step} second made from the install of the first @returns {Step} */
export function chain(first, second) {
  return { install: second.install, effects: [...first.effects, ...second.effects] };
}

/** Gives every frame of these effects its envelope. @param {Install} install @param {Effect[]} effects @returns {Step} */
export function speak(install, effects) {
  let { frames } = install;
  const spoken = effects.map((effect) => {
    if (effect.do !== 'send') return effect;
    frames += 1;
    return { ...effect, frame: envelope(install, frames, effect.frame) };
  });
  return { install: { ...install, frames }, effects: spoken };
}

/** @param {Install} install @param {number} count @param {any} frame @returns {Frame} */
export function envelope(install, count, frame) {
  return { ...frame, v: 1, id: `${install.boot}-${count}` };
}

