// The install: one reducer over everything the extension knows. It routes events to the session, the outbox, the journal
// and the running attempts, and gathers what is to be done. background.js only carries the effects out, in their order.

import * as attempt from './attempt.js';
import * as journals from './journal.js';
import * as outboxes from './outbox.js';
import { isFresh, lookForMemberInMs, readyAccounts, releaseCode } from './readiness.js';
import { admitsStart } from './rule.js';
import { beginSession, markSeen, stepSession } from './session.js';

/**
 * `fresh_id` is a new random id with every event.
 * @typedef {{wall: number, mono: number, random: number, fresh_id: string}} World
 * @typedef {import('./frames.js').Frame} Frame
 * @typedef {import('./session.js').Effect} Effect
 *
 * A running attempt. `id` is made by this worker and lives in memory alone; null after a restart.
 * @typedef {{account: string, id: string|null, state: any, text: string}} Running
 * @typedef {{boot: string, frames: number, version: string, session: import('./session.js').Session,
 *   journal: journals.Journal, outbox: outboxes.Outbox, attempts: Record<string, Running>,
 *   seen: import('./readiness.js').Seen, looking: boolean, paused: boolean, update_waits: boolean,
 *   said_ready: string|null}} Install
 *
 * @typedef {{pairing?: any, mark?: any, retry?: any, journal?: any, seen?: any, paused?: boolean}} Stored
 * @typedef {{install: Install, effects: Effect[]}} Step
 */

/** Which answers a frame may get; any other is not for it. @type {Record<string, string[]>} */
const ANSWERS = {
  start: ['started', 'refused', 'error'],
  resolved: ['proceed', 'halt', 'error'],
  release: ['released', 'error'],
  report: ['recorded', 'error'],
  gone: ['noted', 'error'],
};
const PASSING_ERRORS = ['unavailable', 'too_many'];
const MEMBER_LOST = ['signed_out', 'wrong_member'];

/**
 * @param {{boot: string, version: string, stored: Stored}} start `boot` is a random id of this life of the worker
 * @param {World} world
 * @returns {Step}
 */
export function beginInstall({ boot, version, stored }, world) {
  const journal = journals.prune(journals.openJournal(stored.journal), world.wall);
  let outbox = outboxes.emptyOutbox();
  for (const frame of journals.owed(journal)) outbox = outboxes.ask(outbox, frame, false, world.mono);
  const begun = beginSession(stored, { ...world, version, members: [], open: [] });
  /** @type {Install} */
  const install = {
    boot, frames: 0, version, session: begun.session, journal, outbox, attempts: {},
    seen: stored.seen ?? { member: null, seen_ms: 0 }, looking: false, paused: stored.paused ?? false,
    update_waits: false, said_ready: null,
  };
  return { install, effects: begun.effects };
}

/** @param {World} world */
function stampOf(world) {
  return { wall: world.wall, mono: world.mono };
}

/**
 * Events: those of the session; frame {frame}; timer {name} and, with `lease_token`, whatever is for one attempt (timer,
 * journaled, tab, page, port, request, seen_request); member {member|null}; look_for_member, pause {on}, stop, unpair and
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
  if (event.lease_token !== undefined && event.type !== 'frame') return toAttempt(install, event.lease_token, event, world);
  switch (event.type) {
    case 'frame': return hear(install, event.frame, world);
    case 'member': return memberSeen(install, event.member, world);
    case 'look_for_member': return { install: { ...install, looking: true }, effects: [{ do: 'look_for_member' }] };
    case 'pause': return { install: { ...install, paused: event.on }, effects: [save('paused', event.on)] };
    case 'stop': return stopAll({ ...install, paused: true }, [save('paused', true)], world);
    case 'update': return { install: { ...install, update_waits: true }, effects: [] };
    case 'unpair': {
      const stopped = stopAll(install, [], world);
      return chain(stopped, toSession(stopped.install, event, world));
    }
    // The timers of the outbox and of the member only wake the reducer; follow() does what is due.
    case 'timer': return ['outbox', 'member'].includes(event.name) ? quiet(install) : toSession(install, event, world);
    default: return toSession(install, event, world);
  }
}

/** @param {Install} install @returns {Step} */
function quiet(install) {
  return { install, effects: [] };
}

/** @param {string} key @param {any} value @param {any} [then] the event that follows once it is on disk @returns {Effect} */
function save(key, value, then) {
  return then === undefined ? { do: 'save', key, value } : { do: 'save', key, value, then };
}

/** @param {Step} first @param {Step} second made from the install of the first @returns {Step} */
function chain(first, second) {
  return { install: second.install, effects: [...first.effects, ...second.effects] };
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

/** Gives every frame of these effects its envelope. @param {Install} install @param {Effect[]} effects @returns {Step} */
function speak(install, effects) {
  let { frames } = install;
  const spoken = effects.map((effect) => {
    if (effect.do !== 'send') return effect;
    frames += 1;
    return { ...effect, frame: envelope(install, frames, effect.frame) };
  });
  return { install: { ...install, frames }, effects: spoken };
}

/** @param {Install} install @param {number} count @param {any} frame @returns {Frame} */
function envelope(install, count, frame) {
  return { ...frame, v: 1, id: `${install.boot}-${count}` };
}

/** @param {Install} install @param {Effect[]} effects @param {World} world @returns {Step} */
function stopAll(install, effects, world) {
  let step = { install, effects };
  for (const token of Object.keys(install.attempts)) {
    step = chain(step, toAttempt(step.install, token, { type: 'stop', by: 'person' }, world));
  }
  return step;
}

/** @param {Install} install @param {string} token @param {any} event @param {World} world @returns {Step} */
function toAttempt(install, token, event, world) {
  const running = Object.hasOwn(install.attempts, token) ? install.attempts[token] : null;
  if (running === null) return quiet(install);
  const stepped = attempt.step(running.state, { ...event, stamp: stampOf(world) });
  return run(install, token, running, stepped, world);
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
      return { install: { ...install, journal }, effects: [save('journal', journal, then)] };
    }
    case 'send': return say(install, token, effect.frame, world);
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
  // A page that showed another member, or a sign-in, has overtaken what was believed about this browser.
  const lost = frame.type === 'report' && MEMBER_LOST.includes(frame.evidence.reason);
  const seen = lost ? { ...install.seen, member: null } : install.seen;
  return {
    install: { ...install, frames, journal, outbox, seen },
    effects: [...(durable ? [save('journal', journal)] : []), ...(lost ? [save('seen', seen)] : [])],
  };
}

/** @param {Install} install @param {string} token @param {World} world @returns {Step} */
function ended(install, token, world) {
  const { [token]: _, ...attempts } = install.attempts;
  const journal = journals.over(install.journal, token, world.wall);
  const outbox = outboxes.withdraw(install.outbox, token, ['start', 'resolved']);
  return { install: { ...install, attempts, journal, outbox }, effects: [save('journal', journal)] };
}

/** @param {Install} install @param {Frame} frame @param {World} world @returns {Step} */
function hear(install, frame, world) {
  if (frame.type === 'lease') return takeLease(install, frame, world);
  const asked = outboxes.askedAs(install.outbox, frame.re);
  if (asked === null) return toSession(install, { type: 'frame', frame }, world);
  if (!ANSWERS[asked.type].includes(frame.type)) return quiet(install);
  if (frame.type === 'error') return refusedFrame(install, asked, frame, world);
  if (frame.type === 'started' && !isOurs(install, asked, frame)) return quiet(install);
  const outbox = outboxes.settle(install.outbox, asked.id);
  const journal = journals.answered(install.journal, asked, frame, world.wall);
  const marked = frame.epoch === undefined ? { session: install.session, effects: [] }
    : markSeen(install.session, { epoch: frame.epoch, event: frame.event });
  const saved = journal === install.journal ? [] : [save('journal', journal)];
  const heard = { ...install, outbox, journal, session: marked.session };
  return chain({ install: heard, effects: [...marked.effects, ...saved] },
    toAttempt(heard, asked.lease_token, { type: 'frame', frame }, world));
}

/** Only an answer to this very attempt, from a history that is not older than the one seen, permits anything. */
/** @param {Install} install @param {Frame} asked @param {Frame} frame */
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

/** @param {Install} install @param {Frame} lease @param {World} world @returns {Step} */
function takeLease(install, lease, world) {
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
  let step = quiet(install);
  const { welcome } = install.session;
  if (welcome !== before.session.welcome) {
    step = welcome === null ? quiet({ ...install, outbox: outboxes.disconnected(install.outbox), said_ready: null })
      : reviveAll({ ...install, outbox: outboxes.connected(install.outbox, world.mono), said_ready: null }, world);
  }
  step = chain(step, sayDue(step.install, world));
  step = chain(step, sayReady(step.install, world));
  step = chain(step, lookForMember(step.install, world));
  const idle = Object.keys(step.install.attempts).length === 0;
  return step.install.update_waits && idle ? chain(step, { install: step.install, effects: [{ do: 'reload' }] }) : step;
}

/**
 * Entries that no attempt of this worker stands behind are taken up once the server has said what became of them.
 * @param {Install} install
 * @param {World} world
 * @returns {Step}
 */
function reviveAll(install, world) {
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
  return { install: { ...install, looking: true }, effects: [{ do: 'look_for_member' }] };
}
