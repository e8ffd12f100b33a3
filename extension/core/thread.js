// What a conversation says: does our text stand there already, has the person replied, which copies did the act leave?

import { isMessageUrn, messageTime, sameText } from './text.js';
import { urnOfKey } from './person.js';
import { APPROVAL_SLACK_MS, COPIES_MAX } from './limits.js';

/**
 * @typedef {import('./person.js').Item} Item
 * @typedef {{provider_id: string, sent_at_ms: number}} Copy
 *
 * What is looked for: our text, newer than the approval, under an id that no other message holds.
 * @typedef {{body: string, member_urn: string, approved_at_ms: number, held_ids: string[]}} Wanted
 */

/**
 * A message of the signed-in member. A group that links another profile than the member's speaks against the mark.
 * @param {Item} item
 * @param {string} memberUrn
 */
export function isOwn(item, memberUrn) {
  const sender = item.sender === null ? null : urnOfKey(item.sender);
  return item.own && (sender === null || sender === memberUrn);
}

/** @param {Item} item @param {Wanted} wanted */
function equalOwn(item, wanted) {
  return isOwn(item, wanted.member_urn) && sameText(item.text, wanted.body);
}

/**
 * Proof of a delivery: an own equal message with a server's id, newer than the approval less 5 minutes, not held by
 * another message's send and not there before the act.
 * @param {Item[]} items
 * @param {Wanted} wanted
 * @param {string[]} beforeIds
 * @returns {Copy[]} oldest first, each id once
 */
export function copiesIn(items, wanted, beforeIds) {
  const seen = new Set([...beforeIds, ...wanted.held_ids]);
  const copies = [];
  for (const item of items) {
    const at = messageTime(item.urn);
    if (at === null || at <= wanted.approved_at_ms - APPROVAL_SLACK_MS) continue;
    if (seen.has(item.urn) || !equalOwn(item, wanted)) continue;
    seen.add(item.urn);
    copies.push({ provider_id: item.urn, sent_at_ms: at });
  }
  return copies.slice(0, COPIES_MAX);
}

/**
 * What stands in a conversation before anything is typed. `old`: an equal own message that is not provably ours and
 * fresh. `readable`: every message has an id that says its time; without that "replied" cannot be ruled out.
 * @param {Item[]} items
 * @param {Wanted} wanted
 * @returns {{find: 'none'|'fresh'|'old', copies: Copy[], replied: boolean, readable: boolean}}
 */
export function readThread(items, wanted) {
  const copies = copiesIn(items, wanted, []);
  const equal = items.some((item) => equalOwn(item, wanted));
  return {
    find: copies.length > 0 ? 'fresh' : equal ? 'old' : 'none',
    copies,
    replied: items.some((item) => !isOwn(item, wanted.member_urn)
      && (messageTime(item.urn) ?? -Infinity) > wanted.approved_at_ms),
    readable: items.every((item) => isMessageUrn(item.urn) && messageTime(item.urn) !== null),
  };
}

/**
 * The ids of all messages that stand in a conversation.
 * @param {Item[]} items
 * @returns {string[]}
 */
export function idsOf(items) {
  return items.map((item) => item.urn);
}
