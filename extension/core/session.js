// The connection to the server, from "not paired" to a session that can take leases: a reducer over plain data. It
// decides when to connect, what to say first, when to renew, when to give up on a silent socket and how long to rest.
// Of sends and leases it knows nothing.

import { RULES_DIGEST } from '../generated/statuses.js';
import { QUIET, TROUBLES, closed, fail, refused, stay, superseded } from './leaving.js';
import { ACCESS_SPARE_MS, HANDSHAKE_WITHIN_MS, RENEW_AT_SHARE, SUPERSEDED_REST_MS } from './limits.js';

/**
 * `wall` and `mono` in milliseconds, `random` in [0, 1). `members` and `open` are what `hello` tells.
 * @typedef {{wall: number, mono: number, random: number, version: string, members: object[], open: object[]}} World
 *
 * unpaired: nothing to connect to. stopped: the server will not have this install; only a person can change that.
 * offline: waits for its next try. connecting, pairing, token, saving, hello: the steps to welcomed.
 * @typedef {'unpaired'|'stopped'|'offline'|'connecting'|'pairing'|'token'|'saving'|'hello'|'welcomed'} Phase
 * @typedef {{server: string, install: string, refresh_secret: string}} Pairing
 * The highest place seen in the history of one server; another server has another history.
 * @typedef {{server: string|null, epoch: number, event: number}} Mark
 * @typedef {{tries: number, not_before_ms: number}} Retry  `not_before_ms` by the wall clock: it outlives the worker
 * @typedef {{phase: Phase, pairing: Pairing|null, code: string|null, server: string|null,
 *   access: {token: string, until_mono: number, life_ms: number}|null, mark: Mark, retry: Retry,
 *   welcome: any, trusted: boolean, heard: {wall: number, mono: number}, trouble: string|null}} Session
 *
 * @typedef {{do: string, [more: string]: any}} Effect
 * @typedef {{session: Session, effects: Effect[]}} Step
 */

/**
 * @param {{pairing?: Pairing, mark?: Mark, retry?: Retry}} stored
 * @param {World} world
 * @returns {Step}
 */
export function beginSession(stored, world) {
  const pairing = stored.pairing ?? null;
  /** @type {Session} */
  const session = {
    phase: pairing === null ? 'unpaired' : 'offline', pairing, code: null, server: pairing?.server ?? null, access: null,
    mark: stored.mark ?? { server: null, epoch: 0, event: 0 }, retry: stored.retry ?? { tries: 0, not_before_ms: 0 }, welcome: null,
    trusted: true, heard: { wall: world.wall, mono: world.mono }, trouble: null,
  };
  return pairing === null ? { session, effects: [] } : connectWhenDue(session, world);
}

/**
 * Events: pair {server, code}, unpair, again (the members changed: say hello anew), wake (the alarm), socket
 * {what, code, reason}, frame {frame}, timer {name}, saved {what}.
 * @param {Session} session
 * @param {any} event
 * @param {World} world
 * @returns {Step}
 */
export function stepSession(session, event, world) {
  switch (event.type) {
    case 'pair': return pair(session, event);
    case 'unpair': return unpair(session);
    case 'again': return again(session);
    case 'wake': return wake(session, world);
    case 'socket': return event.what === 'open' ? opened(session, world) : closed(session, event, world);
    case 'frame': return heard(session, event.frame, world);
    case 'timer': return timer(session, event.name, world);
    case 'saved': return saved(session, event.what, world);
    default: throw new Error(`a session knows no event ${event.type}`);
  }
}

/** @param {Session} session @param {Effect[]} [before] @returns {Step} */
function connect(session, before = []) {
  return {
    session: { ...session, phase: 'connecting', welcome: null },
    effects: [...before, { do: 'untimer', name: 'reconnect' }, { do: 'connect', url: session.server },
      { do: 'timer', name: 'handshake', ms: HANDSHAKE_WITHIN_MS }],
  };
}

/** @param {Session} session @param {World} world @returns {Step} */
function connectWhenDue(session, world) {
  // A wall clock that was set back must not hold the install off for longer than any wait it was ever given.
  const left = Math.min(session.retry.not_before_ms - world.wall, SUPERSEDED_REST_MS);
  if (left <= 0) return connect(session);
  return { session, effects: [{ do: 'timer', name: 'reconnect', ms: left }] };
}

/** @param {Session} session @param {any} event @returns {Step} */
function pair(session, event) {
  const fresh = { ...session, code: event.code, server: event.server, trouble: null };
  return connect(fresh, [...QUIET, { do: 'disconnect' }]);
}

/** @param {Session} session @returns {Step} */
function unpair(session) {
  return {
    session: {
      ...session, phase: 'unpaired', pairing: null, server: null, code: null, access: null, welcome: null, trouble: null,
    },
    effects: [...QUIET, { do: 'untimer', name: 'reconnect' }, { do: 'disconnect' },
      { do: 'save', key: 'pairing', value: null }],
  };
}

/** @param {Session} session @returns {Step} */
function again(session) {
  if (session.phase !== 'hello' && session.phase !== 'welcomed') return stay(session);
  return connect(session, [...QUIET, { do: 'disconnect' }]);
}

/** @param {Session} session @param {World} world @returns {Step} */
function wake(session, world) {
  if (session.phase === 'offline') return connectWhenDue(session, world);
  if (session.phase !== 'welcomed') return stay(session);
  // In a suspended machine one of the two clocks may stand still, and timers do; the longer age is the true one.
  const age = Math.max(world.mono - session.heard.mono, world.wall - session.heard.wall);
  return age > session.welcome.settings.pong_within_ms ? fail(session, world, [{ do: 'disconnect' }]) : stay(session);
}

/** @param {Session} session @param {World} world @returns {Step} */
function opened(session, world) {
  if (session.phase !== 'connecting') return stay(session);
  if (session.code !== null) {
    const frame = { type: 'pair', code: session.code, extension_version: world.version };
    return { session: { ...session, phase: 'pairing' }, effects: [{ do: 'send', frame }] };
  }
  if (session.access !== null && session.access.until_mono - ACCESS_SPARE_MS > world.mono) return hello(session, world);
  return askToken(session);
}

/** @param {Session} session @returns {Step} */
function askToken(session) {
  const { install, refresh_secret } = must(session.pairing);
  const frame = { type: 'token', install, refresh_secret };
  return { session: { ...session, phase: 'token', access: null }, effects: [{ do: 'send', frame }] };
}

/** @param {Session} session @param {World} world @returns {Step} */
function hello(session, world) {
  const frame = {
    type: 'hello', access_token: must(session.access).token, install: must(session.pairing).install,
    extension_version: world.version, rules_digest: RULES_DIGEST, accounts: world.members, open: world.open,
    mark: { epoch: session.mark.epoch, event: session.mark.event },
  };
  return { session: { ...session, phase: 'hello' }, effects: [{ do: 'send', frame }] };
}

/** @template T @param {T|null} value @returns {T} */
function must(value) {
  if (value === null) throw new Error('this phase of the session needs what an earlier one brings');
  return value;
}

/** @param {Session} session @param {any} frame @param {World} world @returns {Step} */
function heard(session, frame, world) {
  switch (`${session.phase} ${frame.type}`) {
    case 'pairing paired': return paired(session, frame);
    case 'token token': return tokened(session, frame, world);
    case 'hello welcome': return welcomed(session, frame, world);
    case 'welcomed renewed': return renewed(session, frame, world);
    case 'welcomed pong': return ponged(session, world);
    default: break;
  }
  if (frame.type === 'superseded') return superseded(session, world);
  if (frame.type === 'error') return refused(session, frame, world);
  return stay(session);
}

/** @param {Session} session @param {any} frame @returns {Step} */
function paired(session, frame) {
  const value = { server: must(session.server), install: frame.install, refresh_secret: frame.refresh_secret };
  const mark = session.mark.server === session.server ? session.mark : { server: session.server, epoch: 0, event: 0 };
  /** @type {Session} */
  const fresh = { ...session, phase: 'saving', pairing: value, mark, code: null, access: null };
  return {
    session: fresh,
    effects: [{ do: 'save', key: 'mark', value: mark },
      { do: 'save', key: 'pairing', value, then: { type: 'saved', what: 'pairing' } }],
  };
}

/**
 * The next secret is on disk before it is used: the server forgets the former one as soon as this one was.
 * @param {Session} session
 * @param {any} frame
 * @param {World} world
 * @returns {Step}
 */
function tokened(session, frame, world) {
  const value = { ...must(session.pairing), refresh_secret: frame.refresh_secret };
  /** @type {Session} */
  const fresh = { ...session, phase: 'saving', pairing: value, access: access(frame, world) };
  return { session: fresh, effects: [{ do: 'save', key: 'pairing', value, then: { type: 'saved', what: 'pairing' } }] };
}

/** @param {any} frame @param {World} world */
function access(frame, world) {
  return { token: frame.access_token, until_mono: world.mono + frame.expires_in_ms, life_ms: frame.expires_in_ms };
}

/** @param {Session} session @param {string} what @param {World} world @returns {Step} */
function saved(session, what, world) {
  if (what !== 'pairing' || session.phase !== 'saving') return stay(session);
  return session.access === null ? askToken(session) : hello(session, world);
}

/** @param {Session} session @param {any} frame @param {World} world @returns {Step} */
function welcomed(session, frame, world) {
  const trusted = frame.epoch >= session.mark.epoch;
  const outdated = frame.rules === 'outdated' ? TROUBLES.outdated : null;
  const retry = { tries: 0, not_before_ms: 0 };
  /** @type {Session} */
  const fresh = {
    ...session, phase: 'welcomed', welcome: frame, trusted, retry, heard: { wall: world.wall, mono: world.mono },
    trouble: trusted ? outdated : TROUBLES.old_server,
  };
  /** @type {Effect[]} */
  const effects = [{ do: 'untimer', name: 'handshake' }, { do: 'save', key: 'retry', value: retry },
    { do: 'timer', name: 'ping', ms: frame.settings.ping_every_ms },
    { do: 'timer', name: 'pong', ms: frame.settings.pong_within_ms }, renewTimer(must(session.access), world)];
  const marked = markSeen(fresh, { epoch: frame.epoch, event: 0 });
  return { session: marked.session, effects: [...effects, ...marked.effects] };
}

/** @param {{until_mono: number, life_ms: number}} token @param {World} world @returns {Effect} */
function renewTimer(token, world) {
  const left = token.until_mono - world.mono - token.life_ms * (1 - RENEW_AT_SHARE);
  return { do: 'timer', name: 'renew', ms: Math.max(0, Math.floor(left)) };
}

/**
 * Remembers the highest place in the server's history that this install has seen; a database that was put back to an
 * older copy is known by it.
 * @param {Session} session
 * @param {{epoch: number, event: number}} seen
 * @returns {Step}
 */
export function markSeen(session, seen) {
  const { epoch, event } = session.mark;
  if (seen.epoch < epoch || (seen.epoch === epoch && seen.event <= event)) return stay(session);
  const mark = { server: session.server, epoch: seen.epoch, event: seen.event };
  return { session: { ...session, mark }, effects: [{ do: 'save', key: 'mark', value: mark }] };
}

/** @param {Session} session @param {any} frame @param {World} world @returns {Step} */
function renewed(session, frame, world) {
  const token = access(frame, world);
  return { session: { ...session, access: token }, effects: [renewTimer(token, world)] };
}

/** @param {Session} session @param {World} world @returns {Step} */
function ponged(session, world) {
  return {
    session: { ...session, heard: { wall: world.wall, mono: world.mono } },
    effects: [{ do: 'timer', name: 'pong', ms: session.welcome.settings.pong_within_ms }],
  };
}

/** @param {Session} session @param {string} name @param {World} world @returns {Step} */
function timer(session, name, world) {
  switch (name) {
    case 'reconnect': return session.phase === 'offline' ? connect(session) : stay(session);
    case 'handshake': return fail(session, world, [{ do: 'disconnect' }]);
    case 'pong': return session.phase === 'welcomed' ? fail(session, world, [{ do: 'disconnect' }]) : stay(session);
    case 'renew':
      return session.phase !== 'welcomed' ? stay(session)
        : { session, effects: [{ do: 'send', frame: { type: 'renew' } }] };
    case 'ping': {
      if (session.phase !== 'welcomed') return stay(session);
      const ms = session.welcome.settings.ping_every_ms;
      return { session, effects: [{ do: 'send', frame: { type: 'ping' } }, { do: 'timer', name: 'ping', ms }] };
    }
    default: throw new Error(`a session has no timer ${name}`);
  }
}
