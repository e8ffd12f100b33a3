// What a conversation says about a message of ours that stands in it: was it read, did the person answer, has the member written
// by hand since? Nothing here acts, and no text leaves it. What looks written by hand may be a copy of ours that nobody has
// recognised: the server knows by its digest.

import { textDigest } from './digest.js';
import { OBSERVED_MAX } from './limits.js';
import { urnOfKey } from './person.js';
import { messageTime } from './text.js';
import { isOwn } from './thread.js';

/**
 * @typedef {import('./person.js').Facts} Facts
 * @typedef {import('./person.js').Item} Item
 * @typedef {{kind: 'replied', provider_id: string, at_ms: number}
 *   | {kind: 'manual', provider_id: string, at_ms: number, text_digest: string}} Later
 * @typedef {{member_urn: string, person_urn: string, about: string, read: boolean, messages: Later[]}} Observation
 *
 * Who they are, and the ids of the messages in this mailbox that sends of ours left, as far as they are known here.
 * @typedef {{member_urn: string, person_urn: string, ours: string[]}} Between
 */

/**
 * What came after our newest message on a page that is proved to be of these two.
 * @param {Facts} facts
 * @param {Between} between
 * @returns {Observation|null} null when none of ours stands there, or nothing came after it
 */
export function observe({ items }, between) {
  const { member_urn, person_urn, ours } = between;
  const newest = Math.max(-1, ...items.map(({ urn }, place) => (ours.includes(urn) ? place : -1)));
  if (newest < 0) return null;
  // LinkedIn marks only the newest message that was seen: a mark on a later one says as much of ours.
  const read = items.slice(newest).some((item) => item.own && item.seen);
  const messages = items.slice(newest + 1).flatMap((item) => later(item, between)).slice(-OBSERVED_MAX);
  return read || messages.length > 0 ? { member_urn, person_urn, about: items[newest].urn, read, messages } : null;
}

/**
 * What contradicts itself, says no time or, of the member, shows no text (a line of LinkedIn's own may stand so) is neither.
 * @param {Item} item
 * @param {Between} between
 * @returns {Later[]}
 */
function later(item, { member_urn, person_urn }) {
  const at_ms = messageTime(item.urn);
  if (at_ms === null) return [];
  const provider_id = item.urn;
  if (item.own) {
    const isTheirs = isOwn(item, member_urn) && item.text !== '';
    return isTheirs ? [{ kind: 'manual', provider_id, at_ms, text_digest: textDigest(item.text) }] : [];
  }
  const sender = item.sender === null ? null : urnOfKey(item.sender);
  return sender === null || sender === person_urn ? [{ kind: 'replied', provider_id, at_ms }] : [];
}
