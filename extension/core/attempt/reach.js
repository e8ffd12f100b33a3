// From the acknowledged start to text in the box: the tab, the member, the person, the conversation.

import { nameOf, resolvePerson, proveMember, conversationOf, slugOf } from '../person.js';
import { composeUrl, place, profileUrl, threadUrl } from '../../linkedin/urls.js';
import { stop, unacted } from './close.js';
import { isSignIn, threadVerdict } from './judge.js';
import { notice } from './notice.js';
import { called, journal, page, send, status, tab, timer, untimer } from './turn.js';
import { ITEMS_MAX, PAGE_WITHIN_MS, SETTLE_MS, TYPE_WITHIN_MS } from '../limits.js';

/** @typedef {import('./turn.js').Turn} Turn @typedef {import('./turn.js').Event} Event */

/**
 * An empty tab of our own: its id stands in the journal before any page of LinkedIn is loaded in it, so that a restarted
 * worker can close it.
 * @param {Turn} turn
 */
export function openTab(turn) {
  turn.s.phase = 'opening';
  turn.s.tab = 'opening';
  tab(turn, 'open', 'about:blank');
}

/**
 * @param {Turn} turn
 * @param {Event} event
 */
export function opening(turn, event) {
  const { s } = turn;
  if (interrupted(turn, event)) return;
  if (event.type === 'tab' && event.what === 'opened') journal(turn, 'acked');
  if (event.type !== 'journaled' || s.tab !== 'open') return;
  if (s.person_urn !== null) goTo(turn, 'thread');
  else if (s.slug !== null) goTo(turn, 'profile');
  else unacted(turn, 'wrong_person', 'untouched');
}

/**
 * What ends an attempt in any phase before the page script was told to go. True when it did.
 * @param {Turn} turn
 * @param {Event} event
 * @returns {boolean}
 */
export function interrupted(turn, event) {
  const reason = interruption(event);
  if (reason === null) return false;
  stop(turn, reason);
  return true;
}

/** @param {Event} event @returns {string|null} */
function interruption(event) {
  if (event.type === 'timer' && event.name === 'window') return 'too_late';
  if (event.type === 'stop' || (event.type === 'tab' && event.what === 'gone')) return 'halted';
  // A delivery request that no click of ours made.
  if (event.type === 'request' && event.what === 'before') return 'halted';
  return event.type === 'frame' && event.frame.type === 'halt' ? event.frame.code : null;
}

/** @param {Turn} turn @param {'profile'|'thread'|'look'} goal */
export function goTo(turn, goal) {
  const { s } = turn;
  s.goal = goal;
  s.port = null;
  s.facts = null;
  if (goal !== 'look') {
    s.phase = 'reaching';
    status(turn, `Opening the ${goal === 'profile' ? 'profile' : 'conversation'} of ${called(s)}`);
  }
  untimer(turn, 'settle');
  timer(turn, 'page', PAGE_WITHIN_MS);
  tab(turn, 'navigate', urlOf(turn));
}

/** @param {Turn} turn */
function urlOf({ s }) {
  if (s.goal === 'profile') return profileUrl(s.slug ?? '');
  return s.conversation !== null ? threadUrl(s.conversation) : composeUrl(s.person_urn ?? '');
}

/**
 * Keeps up with the page that is being reached: its load, the page script's connection, what the page shows. Facts of a
 * document that was left are dropped, because they come over another port.
 * @param {Turn} turn
 * @param {Event} event
 * @param {'act'|'view'} script 'view' is the one that can only read
 */
export function follow(turn, event, script) {
  const { s } = turn;
  if (event.type === 'tab' && event.what === 'loaded') tab(turn, script);
  if (event.type === 'port' && event.what === 'open') {
    s.port = event.port;
    page(turn, { do: 'watch', items_max: ITEMS_MAX });
  }
  if (event.type === 'port' && event.what === 'closed') {
    s.port = null;
    s.facts = null;
    untimer(turn, 'settle');
  }
  if (event.type === 'page' && event.message.what === 'facts') {
    s.facts = event.message.facts;
    timer(turn, 'settle', SETTLE_MS);
  }
}

/**
 * @param {Turn} turn
 * @param {Event} event
 */
export function reaching(turn, event) {
  if (interrupted(turn, event)) return;
  if (event.type === 'tab' && event.what === 'loaded' && place(event.url ?? '').kind === 'sign_in') {
    unacted(turn, 'signed_out', 'untouched');
    return;
  }
  follow(turn, event, 'act');
  if (event.type !== 'timer') return;
  if (event.name === 'settle') consider(turn, false);
  if (event.name === 'page') consider(turn, true);
}

/**
 * Decides on a page that has settled, or whose time is up.
 * @param {Turn} turn
 * @param {boolean} late
 */
function consider(turn, late) {
  const { s } = turn;
  if (s.facts === null) {
    if (late) unacted(turn, 'no_composer', 'untouched');
    return;
  }
  if (s.goal === 'profile') considerProfile(turn, s.facts, late);
  else considerThread(turn, s.facts, late);
}

/** @param {Turn} turn @param {import('../person.js').Facts} facts @param {boolean} late */
function considerProfile(turn, facts, late) {
  const { s } = turn;
  if (isSignIn(facts)) return unacted(turn, 'signed_out', 'untouched');
  const member = proveMember(facts, s.lease.member_urn);
  if (member === 'wrong' || (member === 'missing' && late)) return unacted(turn, 'wrong_member', 'untouched');
  const person = resolvePerson(facts, s.slug ?? '');
  if (person.proof === 'wrong') return unacted(turn, 'wrong_person', 'untouched');
  if (person.proof === 'not_connected') return unacted(turn, 'not_connected', 'untouched');
  if (person.proof !== 'proved' || member !== 'proved') {
    // A profile that never shows a Message control cannot be written to.
    if (late) unacted(turn, 'not_connected', 'untouched');
    return;
  }
  s.person_urn = person.urn;
  resolve(turn);
}

/** @param {Turn} turn @param {import('../person.js').Facts} facts @param {boolean} late */
function considerThread(turn, facts, late) {
  const { s } = turn;
  const verdict = threadVerdict(s, facts);
  if ('wait' in verdict) {
    // A conversation that is deleted leads away from its address; the page to write to the person leads to what there is.
    if (s.conversation !== null && s.person_urn !== null && place(facts.url).kind === 'elsewhere') {
      s.conversation = null;
      goTo(turn, 'thread');
    } else if (late) unacted(turn, verdict.wait, 'untouched');
    return;
  }
  // Beside the person's id in its address, the page of a first message names them by slug alone.
  s.slug = s.slug ?? slugOf(facts);
  s.conversation = conversationOf(facts.url) ?? s.conversation;
  notice(turn, facts, 'stop' in verdict ? verdict.copies : []);
  if ('stop' in verdict) {
    s.find = verdict.find;
    s.copies = verdict.copies;
    unacted(turn, verdict.stop, 'untouched');
  } else if (s.proceeded) type(turn);
  else resolve(turn);
}

/** @param {Turn} turn */
function resolve(turn) {
  const { s } = turn;
  s.phase = 'resolving';
  untimer(turn, 'page', 'settle');
  send(turn, {
    type: 'resolved', attempt: s.attempt, person_urn: s.person_urn, slug: s.slug,
    name: s.facts === null ? s.lease.person.name : nameOf(s.facts, s.lease.person.name),
    connected: true, participants: 1,
  });
}

/**
 * The server re-checks every fact about this person before anything is typed.
 * @param {Turn} turn
 * @param {Event} event
 */
export function resolving(turn, event) {
  const { s } = turn;
  if (interrupted(turn, event)) return;
  follow(turn, event, 'act');
  if (event.type !== 'frame') return;
  if (event.frame.type === 'error') unacted(turn, 'halted', 'untouched');
  if (event.frame.type !== 'proceed') return;
  s.proceeded = true;
  if (s.goal === 'profile') return goTo(turn, 'thread');
  // The page may have changed while the server decided.
  s.phase = 'reaching';
  timer(turn, 'page', PAGE_WITHIN_MS);
  consider(turn, false);
}

/** @param {Turn} turn */
function type(turn) {
  const { s } = turn;
  s.phase = 'typing';
  s.typed = true;
  untimer(turn, 'page', 'settle');
  timer(turn, 'box', TYPE_WITHIN_MS);
  page(turn, { do: 'type', text: s.lease.body });
  status(turn, `Writing to ${called(s)}`);
}
