// The running attempts of an install: events reach them here, and what they decide is taken over.

import * as attempt from './attempt.js';
import * as journals from './journal.js';
import { sayObserved } from './observed.js';
import * as outboxes from './outbox.js';
import { releaseCode, seenAfter } from './readiness.js';
import { admitsStart } from './rule.js';
import { chain, envelope, quiet, save, saveJournal, stampOf } from './step.js';

/**
 * @typedef {import('./step.js').Install} Install
 * @typedef {import('./step.js').World} World
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Effect} Effect
 * @typedef {import('./frames.js').Frame} Frame
 */

/** @param {Install} install @param {Effect[]} effects @param {World} world @returns {Step} */
export function stopAll(install, effects, world) {
  return chain({ install, effects }, toAll(install, { type: 'stop', by: 'person' }, world));
}

/** @param {Install} install @param {any} event @param {World} world @returns {Step} */
function toAll(install, event, world) {
  let step = quiet(install);
  for (const token of Object.keys(install.attempts)) step = chain(step, toAttempt(step.install, token, event, world));
  return step;
}

/** @param {Install} install @param {string} token @param {any} event @param {World} world @returns {Step} */
export function toAttempt(install, token, event, world) {
  const running = Object.hasOwn(install.attempts, token) ? install.attempts[token] : null;
  if (running === null) return quiet(install);
  const stepped = attempt.step(running.state, { ...event, stamp: stampOf(world) });
  return run(install, token, running, stepped, world);
}

/**
 * An event of a tab or of a delivery request, which knows no lease. What is about an attempt of a worker that died is
 * written into its entry: its answer may come before the server has said what became of it.
 * @param {Install} install
 * @param {any} event
 * @param {World} world
 * @returns {Step}
 */
export function toConcerned(install, event, world) {
  let step = quiet(install);
  for (const [token, { state }] of Object.entries(install.attempts)) {
    if (attempt.concerns(state, event)) step = chain(step, toAttempt(step.install, token, event, world));
  }
  for (const [token, { entry, over }] of Object.entries(install.journal.open)) {
    if (event.type !== 'request' || over || Object.hasOwn(install.attempts, token)) continue;
    const noted = attempt.noteRequest(entry, { ...event, stamp: stampOf(world) });
    if (noted === entry) continue;
    const journal = journals.write(step.install.journal, noted, world.wall);
    const effects = saveJournal(step.install.journal, journal);
    step = chain(step, { install: { ...step.install, journal }, effects });
  }
  return step;
}

/**
 * Takes over what an attempt decided.
 * @param {Install} install
 * @param {string} token
 * @param {{account: string, id: string|null, text: string}} running
 * @param {{state: any, effects: any[]}} stepped
 * @param {World} world
 * @returns {Step}
 */
function run(install, token, running, stepped, world) {
  const attempts = { ...install.attempts, [token]: { ...running, state: stepped.state } };
  /** @type {Step} */
  let step = { install: { ...install, attempts }, effects: [] };
  for (const effect of stepped.effects) step = chain(step, perform(step.install, token, effect, world));
  return step;
}

/** @param {Install} install @param {string} token @param {any} effect @param {World} world @returns {Step} */
function perform(install, token, effect, world) {
  switch (effect.do) {
    case 'journal': {
      const journal = journals.write(install.journal, effect.entry, world.wall);
      const then = { type: 'journaled', lease_token: token };
      return { install: { ...install, journal }, effects: saveJournal(install.journal, journal, then) };
    }
    case 'send': return say(install, token, effect.frame, world);
    case 'observed': return sayObserved(install, token, effect.seen, world);
    case 'status': {
      const attempts = { ...install.attempts, [token]: { ...install.attempts[token], text: effect.text } };
      return quiet({ ...install, attempts });
    }
    case 'end': return ended(install, token, world);
    default: return { install, effects: [{ ...effect, lease_token: token }] };
  }
}

/**
 * Puts a frame of an attempt into the outbox; what must outlive the worker goes to disk first.
 * @param {Install} install
 * @param {string} token
 * @param {any} bare
 * @param {World} world
 * @returns {Step}
 */
function say(install, token, bare, world) {
  const frames = install.frames + 1;
  const frame = envelope(install, frames, { lease_token: token, ...bare });
  if (outboxes.says(install.outbox, frame)) return quiet(install);
  const durable = frame.type === 'report' || frame.type === 'gone';
  const journal = durable ? journals.keep(install.journal, frame) : install.journal;
  const asked = frame.type === 'report' || frame.type === 'release'
    ? outboxes.withdraw(install.outbox, token, ['start', 'resolved']) : install.outbox;
  const outbox = outboxes.ask(asked, frame, install.session.phase === 'welcomed', world.mono);
  const seen = frame.type === 'report' ? seenAfter(install.seen, frame.evidence.reason) : install.seen;
  return {
    install: { ...install, frames, journal, outbox, seen },
    effects: [...(durable ? saveJournal(install.journal, journal) : []), ...(seen === install.seen ? [] : [save('seen', seen)])],
  };
}

/** @param {Install} install @param {string} token @param {World} world @returns {Step} */
function ended(install, token, world) {
  const { [token]: _, ...attempts } = install.attempts;
  const journal = journals.over(install.journal, token, world.wall);
  const outbox = outboxes.withdraw(install.outbox, token, ['start', 'resolved']);
  return { install: { ...install, attempts, journal, outbox }, effects: saveJournal(install.journal, journal) };
}

/** @param {Install} install @param {Frame} lease @param {World} world @returns {Step} */
export function takeLease(install, lease, world) {
  // A lease frame that arrives again, perhaps after the work was done, begins nothing.
  const known = journals.knows(install.journal, lease.lease_token) || Object.hasOwn(install.attempts, lease.lease_token)
    || outboxes.speaksOf(install.outbox, lease.lease_token);
  if (known || outboxes.isCrowded(install.outbox)) return quiet(install);
  const code = releaseCode(install, lease, world.wall);
  if (code !== null) return say(install, lease.lease_token, { type: 'release', code }, world);
  const { settings } = install.session.welcome;
  const begun = attempt.begin({ lease: /** @type {any} */ (lease), attempt: world.fresh_id, settings, stamp: stampOf(world) });
  const running = { account: lease.account, id: world.fresh_id, text: '' };
  return run(install, lease.lease_token, running, begun, world);
}

/**
 * Entries that no attempt of this worker stands behind are taken up once the server has said what became of them.
 * @param {Install} install
 * @param {World} world
 * @returns {Step}
 */
export function reviveAll(install, world) {
  let step = quiet(install);
  const { settings, open: told } = install.session.welcome;
  for (const [token, { entry, over }] of Object.entries(install.journal.open)) {
    if (over || Object.hasOwn(install.attempts, token)) continue;
    const status = told.find((/** @type {any} */ one) => one.lease_token === token)?.status ?? null;
    const started = status !== null && admitsStart(status);
    const revived = attempt.revive({ entry, settings, started, stamp: stampOf(world) });
    step = chain(step, run(step.install, token, { account: entry.account, id: null, text: '' }, revived, world));
  }
  return step;
}

