// The install: one reducer over everything the extension knows. It routes events to the session, the outbox, the journal
// and the running attempts, and gathers what is to be done. background.js only carries the effects out, in their order.

import { reviveAll, stopAll, takeLease, toAttempt, toConcerned } from './attempts.js';
import { concernsCheck, sweepCheck, takeCheck, toCheck } from './checks.js';
import * as journals from './journal.js';
import { ASK_AGAIN_FIRST_MS } from './limits.js';
import * as outboxes from './outbox.js';
import { isFresh, lookForMemberInMs, readyAccounts } from './readiness.js';
import { beginSession, markSeen, stepSession } from './session.js';
import { chain, quiet, save, saveJournal, speak } from './step.js';

/**
 * @typedef {import('./step.js').Install} Install
 * @typedef {import('./step.js').World} World
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Effect} Effect
 * @typedef {import('./step.js').Stored} Stored
 * @typedef {import('./frames.js').Frame} Frame
 */

/** Which answers a frame may get; any other is not for it. @type {Record<string, string[]>} */
const ANSWERS = {
  start: ['started', 'refused', 'error'],
  resolved: ['proceed', 'halt', 'error'],
  release: ['released', 'error'],
  report: ['recorded', 'error'],
  gone: ['noted', 'error'],
  checked: ['noted', 'error'],
  observed: ['noted', 'error'],
};
const PASSING_ERRORS = ['unavailable', 'too_many'];

/**
 * @param {{boot: string, version: string, stored: Stored}} start `boot` is a random id of this life of the worker
 * @param {World} world
 * @returns {Step}
 */
export function beginInstall({ boot, version, stored }, world) {
  const journal = journals.prune(journals.openJournal(stored.journal, stored.ended), world.wall);
  let outbox = outboxes.emptyOutbox();
  for (const frame of journals.owed(journal)) outbox = outboxes.ask(outbox, frame, false, world.mono);
  const begun = beginSession(stored, { ...world, version, members: [], open: [] });
  /** @type {Install} */
  const install = {
    boot, frames: 0, version, session: begun.session, journal, outbox, attempts: {},
    seen: stored.seen ?? { member: null, seen_ms: 0 }, looking: false, paused: stored.paused ?? false,
    paused_there: false, update_waits: false, said_ready: null, check: null,
  };
  return chain({ install, effects: begun.effects }, sweepCheck(install, stored.checking));
}

/**
 * Events: those of the session; frame {frame}; timer {name}, also with `lease_token`; journaled {lease_token}; tab,
 * port and page {tab} and request from the browser; member {member|null}; look_for_member, pause {on}, stop, unpair and
 * pair {server, code} from the person; update (a new release waits).
 * Effects: connect {url}, disconnect, send {frame}, save {key, value, then?}, timer {name, ms}, untimer {name},
 * look_for_member, reload, and with `lease_token` those of an attempt (tab, page, timer, untimer).
 * @param {Install} install
 * @param {any} event
 * @param {World} world
 * @returns {Step}
 */
export function stepInstall(install, event, world) {
  const { install: moved, effects } = route(install, event, world);
  const followed = follow(install, moved, world);
  return { install: followed.install, effects: [...effects, ...followed.effects] };
}

/** @param {Install} install @param {any} event @param {World} world @returns {Step} */
function route(install, event, world) {
  const token = event.lease_token;
  if (token !== undefined && token === install.check?.token) return toCheck(install, event, world);
  if (token !== undefined) {
    return Object.hasOwn(install.attempts, token) ? toAttempt(install, token, event, world) : tooLate(install, event);
  }
  switch (event.type) {
    case 'frame': return hear(install, event.frame, world);
    case 'tab': case 'port': case 'page':
      return concernsCheck(install, event) ? toCheck(install, event, world) : toConcerned(install, event, world);
    case 'request': return toConcerned(install, event, world);
    case 'member': return memberSeen(install, event.member, world);
    case 'look_for_member': return install.looking ? quiet(install) : look(install);
    case 'pause': return { install: { ...install, paused: event.on }, effects: [save('paused', event.on)] };
    case 'stop': return stopEverything({ ...install, paused: true }, [save('paused', true)], world);
    // A check is never urgent, and the server asks for it again.
    case 'update': return toCheck({ ...install, update_waits: true }, { type: 'stop' }, world);
    case 'unpair': {
      const stopped = stopEverything(install, [], world);
      return chain(stopped, toSession(stopped.install, event, world));
    }
    case 'timer': return timer(install, event, world);
    default: return toSession(install, event, world);
  }
}

/** @param {Install} install @param {any} event @param {World} world @returns {Step} */
function timer(install, event, world) {
  if (event.name === 'ready') return quiet({ ...install, said_ready: null });
  // These only wake the reducer; follow() does what is due.
  return ['outbox', 'member'].includes(event.name) ? quiet(install) : toSession(install, event, world);
}

/** A tab that opened only when what it was for had ended is closed. @param {Install} install @param {any} event @returns {Step} */
function tooLate(install, event) {
  if (event.type !== 'tab' || event.what !== 'opened') return quiet(install);
  return { install, effects: [{ do: 'tab', what: 'close', url: null, tab: event.tab }] };
}

/** @param {Install} install @param {Effect[]} effects @param {World} world @returns {Step} */
function stopEverything(install, effects, world) {
  const stopped = stopAll(install, effects, world);
  return chain(stopped, toCheck(stopped.install, { type: 'stop' }, world));
}

/** @param {Install} install @param {any} event @param {World} world @returns {Step} */
function toSession(install, event, world) {
  const members = install.seen.member === null || !isFresh(install.seen, world.wall) ? []
    : [{ member_urn: install.seen.member.urn, slug: install.seen.member.slug, name: install.seen.member.name }];
  const open = Object.entries(install.journal.open).map(([lease_token, { entry }]) => (
    { lease_token, attempt: install.attempts[lease_token]?.id ?? null, phase: entry.phase }));
  const { wall, mono, random } = world;
  const told = { wall, mono, random, version: install.version, members, open };
  const { session, effects } = stepSession(install.session, event, told);
  return speak({ ...install, session }, effects);
}

/** @param {Install} install @param {Frame} frame @param {World} world @returns {Step} */
function hear(install, frame, world) {
  if (frame.type === 'lease') return takeLease(install, frame, world);
  if (frame.type === 'check') return takeCheck(install, frame, world);
  if (frame.type === 'pause') return quiet({ ...install, paused_there: frame.on });
  const asked = outboxes.askedAs(install.outbox, frame.re);
  if (asked === null) return chain(readyAgain(install, frame), toSession(install, { type: 'frame', frame }, world));
  if (!ANSWERS[asked.type].includes(frame.type)) return quiet(install);
  if (frame.type === 'error') return refusedFrame(install, asked, frame, world);
  if (frame.type === 'started' && !isOurs(install, asked, frame)) return quiet(install);
  const outbox = outboxes.settle(install.outbox, asked.id);
  const journal = journals.answered(install.journal, asked, frame, world.wall);
  const marked = frame.epoch === undefined ? { session: install.session, effects: [] }
    : markSeen(install.session, { epoch: frame.epoch, event: frame.event });
  const saved = journal === install.journal ? [] : saveJournal(install.journal, journal);
  const heard = { ...install, outbox, journal, session: marked.session };
  return chain({ install: heard, effects: [...marked.effects, ...saved] },
    toAttempt(heard, asked.lease_token, { type: 'frame', frame }, world));
}

/**
 * A frame beyond the server's rate was not read. If it was `ready`, which has no answer, nothing would be leased any more.
 * @param {Install} install
 * @param {Frame} frame
 * @returns {Step}
 */
function readyAgain(install, frame) {
  const lost = install.session.phase === 'welcomed' && frame.type === 'error' && frame.code === 'too_many';
  return { install, effects: lost ? [{ do: 'timer', name: 'ready', ms: ASK_AGAIN_FIRST_MS }] : [] };
}

/**
 * Only an answer to this very attempt, from a history that is not older than the one seen, permits anything.
 * @param {Install} install
 * @param {Frame} asked
 * @param {Frame} frame
 */
function isOurs(install, asked, frame) {
  return frame.attempt === asked.attempt && frame.epoch >= install.session.mark.epoch;
}

/** @param {Install} install @param {Frame} asked @param {Frame} frame @param {World} world @returns {Step} */
function refusedFrame(install, asked, frame, world) {
  if (PASSING_ERRORS.includes(frame.code)) return quiet(install);
  const durable = asked.type === 'report' || asked.type === 'gone';
  const outbox = durable ? outboxes.park(install.outbox, asked.id) : outboxes.settle(install.outbox, asked.id);
  return toAttempt({ ...install, outbox }, asked.lease_token, { type: 'frame', frame }, world);
}

/** @param {Install} install @param {import('./readiness.js').Member|null} member @param {World} world @returns {Step} */
function memberSeen(install, member, world) {
  const seen = { member, seen_ms: world.wall };
  const known = isFresh(install.seen, world.wall) ? install.seen.member : null;
  const moved = { ...install, seen, looking: false };
  const step = { install: moved, effects: [save('seen', seen)] };
  return known?.urn === member?.urn ? step : chain(step, toSession(moved, { type: 'again' }, world));
}

/**
 * What follows from any change: entries of a dead worker, frames that are due, the ready accounts, the member, an update.
 * @param {Install} before
 * @param {Install} install
 * @param {World} world
 * @returns {Step}
 */
function follow(before, install, world) {
  let step = hasLost(before, install) ? stopEverything(install, [], world) : quiet(install);
  const { welcome } = install.session;
  if (welcome !== before.session.welcome) {
    const { outbox } = step.install;
    step = welcome === null
      ? chain(step, quiet({ ...step.install, outbox: outboxes.disconnected(outbox), paused_there: false, said_ready: null }))
      : chain(step, reviveAll({ ...step.install, outbox: outboxes.connected(outbox, world.mono), said_ready: null }, world));
  }
  step = chain(step, sayDue(step.install, world));
  step = chain(step, sayReady(step.install, world));
  step = chain(step, lookForMember(step.install, world));
  const idle = Object.keys(step.install.attempts).length === 0 && step.install.check === null;
  return step.install.update_waits && idle ? chain(step, { install: step.install, effects: [{ do: 'reload' }] }) : step;
}

/**
 * Was the pairing taken away or replaced? Whoever gave the leases no longer hears this browser, so that what it has begun
 * must stop.
 * @param {Install} before
 * @param {Install} install
 */
function hasLost({ session: before }, { session }) {
  if (session.phase === 'stopped') return before.phase !== 'stopped';
  return before.pairing !== null && before.pairing.install !== session.pairing?.install;
}

/** @param {Install} install @param {World} world @returns {Step} */
function sayDue(install, world) {
  const { outbox, frames, wait_ms } = outboxes.takeDue(install.outbox, world.mono, world.random);
  /** @type {Effect[]} */
  const effects = frames.map((frame) => ({ do: 'send', frame }));
  effects.push(wait_ms === null ? { do: 'untimer', name: 'outbox' } : { do: 'timer', name: 'outbox', ms: wait_ms });
  return { install: { ...install, outbox }, effects };
}

/** @param {Install} install @param {World} world @returns {Step} */
function sayReady(install, world) {
  const accounts = readyAccounts(install, world.wall);
  if (install.session.welcome === null || install.said_ready === accounts.join()) return quiet(install);
  return speak({ ...install, said_ready: accounts.join() }, [{ do: 'send', frame: { type: 'ready', accounts } }]);
}

/** @param {Install} install @param {World} world @returns {Step} */
function lookForMember(install, world) {
  const wait = lookForMemberInMs(install, world.wall);
  if (wait === null) return quiet(install);
  if (wait > 0) return { install, effects: [{ do: 'timer', name: 'member', ms: wait }] };
  return look(install);
}

/** @param {Install} install @returns {Step} */
function look(install) {
  return { install: { ...install, looking: true }, effects: [{ do: 'look_for_member' }] };
}
