// The delivery requests that were seen, and what they answer.

import { accountEffect } from '../rule.js';
import { sameText } from '../text.js';
import { place } from '../../linkedin/urls.js';

/** @typedef {import('./turn.js').State} State @typedef {import('./turn.js').Seen} Seen */

/** The phases in which a delivery request may be that of our click. */
const AFTER_GO = ['going', 'watching', 'sweeping', 'looking', 'closing'];

/**
 * Keeps what an event says of a delivery request. A request before the page script was told to go, or one with another
 * text or to someone else, is not ours.
 * @param {State} s
 * @param {import('./turn.js').Event} event
 */
export function see(s, event) {
  if (event.what === 'before') {
    if (s.requests.some((known) => known.id === event.request_id)) return;
    const matches = event.text !== null && sameText(event.text, s.lease.body);
    // A request of no tab is one that the page's own worker makes, for whichever tab.
    if (event.tab !== s.tab_id && !matches) return;
    const ours = AFTER_GO.includes(s.phase) && matches && toThem(s, event);
    s.foreign = s.foreign || !ours;
    s.conversation = s.conversation ?? (ours ? event.to_conversation : null);
    s.requests = [...s.requests, {
      id: event.request_id, ours, origin_token: event.origin_token, retry_after_ms: null, answer: null,
    }];
    return;
  }
  s.requests = s.requests.map((known) => (known.id === event.request_id && known.answer === null
    ? { ...known, answer: answerTo(event), retry_after_ms: event.retry_after_ms ?? null } : known));
}

/**
 * Must a restarted worker know of it? Before the click every request ends the attempt, and a report tells all.
 * @param {State} s
 * @returns {boolean}
 */
export function isToKeep(s) {
  return AFTER_GO.includes(s.phase) && s.report === null;
}

/** @param {State} s @param {import('./turn.js').Event} event */
function toThem(s, event) {
  const otherPerson = event.to_person !== null && event.to_person !== s.person_urn;
  const otherThread = event.to_conversation !== null && s.conversation !== null && event.to_conversation !== s.conversation;
  return !otherPerson && !otherThread;
}

/**
 * A redirect is the last event of its address; whatever the page then gets is no answer to the request.
 * @param {import('./turn.js').Event} event
 * @returns {import('../rule.js').Answer}
 */
function answerTo(event) {
  if (event.what === 'completed') return { kind: 'status', status: event.status };
  if (event.what === 'failed') return { kind: 'none' };
  return { kind: place(event.url ?? '').kind === 'sign_in' ? 'sign_in' : 'redirect' };
}

/**
 * Have all requests that were seen ended?
 * @param {State} s
 * @returns {boolean}
 */
export function allAnswered(s) {
  return s.requests.length > 0 && s.requests.every((request) => request.answer !== null);
}

/**
 * Did the page post more than once for our click?
 * @param {State} s
 * @returns {boolean}
 */
export function isDouble(s) {
  return s.requests.filter((request) => request.ours).length > 1;
}

/**
 * The delivery request whose answer counts: of several for one click the one that says most about the account, since that
 * follows the answer alone.
 * @param {State} s
 * @returns {Seen|undefined} undefined when none of ours was seen
 */
export function answeredBy(s) {
  const ours = s.requests.filter((request) => request.ours);
  return ours.find(({ answer }) => answer !== null && accountEffect(answer) !== null) ?? ours[0];
}

/**
 * The answer to the delivery request. `lost`: nobody was there to see one.
 * @param {State} s
 * @returns {import('../rule.js').Answer}
 */
export function answerOf(s) {
  const answer = answeredBy(s)?.answer;
  if (answer !== null && answer !== undefined) return answer;
  return { kind: s.live && (s.clicked || s.requests.length > 0) ? 'none' : 'lost' };
}
