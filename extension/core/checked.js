// What a conversation's page says to a check: which copies stand there, and whether it reaches back far enough to say that
// none does. Nothing here acts.

import { APPROVAL_SLACK_MS, COPIES_MAX, FIRST_PAGE_ITEMS } from './limits.js';
import { messageTime } from './text.js';
import { copiesIn } from './thread.js';
import { place } from '../linkedin/urls.js';

/** @typedef {import('./check.js').Check} Check @typedef {import('./person.js').Facts} Facts */

/** @param {Check} check @param {Facts} facts */
export function copiesOf({ wanted, member_urn, held_ids }, facts) {
  const copies = wanted.flatMap(({ version, body, approved_at_ms }) => (
    copiesIn(facts.items, { body, member_urn, approved_at_ms, held_ids }, []).map((copy) => ({ version, ...copy }))));
  return copies.slice(0, COPIES_MAX);
}

/**
 * What a page that does not show the message says; null when it has not shown enough. A page that shows fewer messages
 * than LinkedIn loads at first shows them all; of a longer one that begins after the approval the older ones are missing.
 * @param {Check} check
 * @param {Facts} facts
 * @returns {'absent'|'no_conversation'|'too_short'|null}
 */
export function absence({ wanted }, facts) {
  if (place(facts.url).kind === 'compose') return facts.composers > 0 ? 'no_conversation' : null;
  const oldest = oldestOf(facts);
  if (oldest === null) return null;
  const since = Math.min(...wanted.map(({ approved_at_ms }) => approved_at_ms)) - APPROVAL_SLACK_MS;
  return oldest > since && facts.items.length >= FIRST_PAGE_ITEMS ? 'too_short' : 'absent';
}

/** When the oldest message was sent, or null while one does not say. @param {Facts} facts @returns {number|null} */
export function oldestOf(facts) {
  const times = facts.items.map((item) => messageTime(item.urn));
  return times.length === 0 || times.includes(null) ? null : Math.min(.../** @type {number[]} */ (times));
}
