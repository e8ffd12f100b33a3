// Says to the server what was observed in a conversation. It is said again until it is noted, while this worker lives; it is not
// written down, and gives way to everything else: nothing of a message depends on it, and a later look sees it again.

import { OBSERVED_WAITING_MAX } from './limits.js';
import * as outboxes from './outbox.js';
import { envelope, quiet } from './step.js';

/**
 * @typedef {import('./step.js').Install} Install
 * @typedef {import('./step.js').World} World
 * @typedef {import('./step.js').Step} Step
 */

/**
 * @param {Install} install
 * @param {string} token of the lease or the check in whose tab it was seen
 * @param {import('./observe.js').Observation & {looked_at_ms: number}} seen
 * @param {World} world
 * @returns {Step}
 */
export function sayObserved(install, token, seen, world) {
  if (outboxes.isCrowded(install.outbox) || outboxes.waiting(install.outbox, 'observed') >= OBSERVED_WAITING_MAX) return quiet(install);
  const frames = install.frames + 1;
  const frame = envelope(install, frames, { type: 'observed', token, ...seen });
  const outbox = outboxes.ask(install.outbox, frame, install.session.phase === 'welcomed', world.mono);
  return quiet({ ...install, frames, outbox });
}
