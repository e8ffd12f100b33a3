// What a page says about going on. Nothing here acts: the facts of the page go in, a verdict comes out.

import { idsOf, copiesIn, readThread } from '../thread.js';
import { proveMember, provePerson } from '../person.js';
import { place } from '../../linkedin/urls.js';

/**
 * @typedef {import('../person.js').Facts} Facts
 * @typedef {import('./turn.js').State} State
 * @typedef {import('../thread.js').Copy} Copy
 *
 * `stop`: a reason not to go on. `wait`: not shown yet; its word is the reason if it never is.
 * @typedef {{go: true} | {stop: string, find: 'none'|'fresh'|'old', copies: Copy[]} | {wait: string}} Verdict
 */

/** @param {string} reason @returns {Verdict} */
const stop = (reason) => ({ stop: reason, find: 'none', copies: [] });

/**
 * Did LinkedIn ask to sign in, or for a check?
 * @param {Facts} facts
 * @returns {boolean}
 */
export function isSignIn(facts) {
  return facts.sign_in || place(facts.url).kind === 'sign_in';
}

/**
 * Are the signed-in member and the one person who is written to proved on this page?
 * @param {State} s
 * @param {Facts} facts
 * @returns {Verdict}
 */
export function whoVerdict(s, facts) {
  if (isSignIn(facts)) return stop('signed_out');
  const member = proveMember(facts, s.lease.member_urn);
  if (member === 'wrong') return stop('wrong_member');
  if (member === 'missing') return { wait: 'wrong_member' };
  const person = provePerson(facts, s.person_urn ?? '', s.slug, s.lease.member_urn);
  if (person === 'group') return stop('group_thread');
  if (person === 'wrong') return stop('wrong_person');
  return person === 'missing' ? { wait: 'wrong_person' } : { go: true };
}

/** @param {State} s @returns {import('../thread.js').Wanted} */
function wantedOf(s) {
  const { body, member_urn, approved_at_ms, held_ids } = s.lease;
  return { body, member_urn, approved_at_ms, held_ids };
}

/**
 * May the text be typed into this page, or, when it is typed, may Send be pressed?
 * @param {State} s
 * @param {Facts} facts
 * @returns {Verdict}
 */
export function threadVerdict(s, facts) {
  const who = whoVerdict(s, facts);
  if (!('go' in who)) return who;
  if (place(facts.url).kind === 'thread' && facts.items.length === 0) return { wait: 'no_composer' };
  const thread = readThread(facts.items, wantedOf(s));
  if (thread.find === 'fresh') return { stop: 'repeat_text', find: 'fresh', copies: thread.copies };
  if (thread.replied) return stop('replied');
  if (thread.find === 'old' && !s.lease.repeat_approved) return { stop: 'repeat_text', find: 'old', copies: [] };
  if (!thread.readable) return { wait: 'no_composer' };
  return boxVerdict(s, facts);
}

/** @param {State} s @param {Facts} facts @returns {Verdict} */
function boxVerdict(s, facts) {
  if (facts.inmail) return stop('would_cost_inmail');
  // The page to write to a person shows no box when LinkedIn does not let this member write to them.
  if (facts.composers === 0) return { wait: place(facts.url).kind === 'compose' ? 'not_connected' : 'no_composer' };
  // One of two boxes is someone else's, and the first is as often theirs.
  if (facts.composers > 1) return stop('wrong_person');
  if (facts.occupied && !s.typed) return stop('occupied_draft');
  return facts.send === 'none' ? { wait: 'enter_to_send' } : { go: true };
}

/**
 * What a fresh load of the conversation shows. `absent` needs a page that surely shows the newest messages: the last one
 * from before the act, or the empty page of a first message.
 * @param {State} s
 * @param {Facts} facts
 * @returns {{look: 'found'|'absent'|'impossible', copies: Copy[]} | {wait: string}}
 */
export function lookVerdict(s, facts) {
  const who = whoVerdict(s, facts);
  if ('wait' in who) return who;
  if ('stop' in who) return { look: 'impossible', copies: [] };
  const copies = copiesIn(facts.items, wantedOf(s), s.before_ids);
  if (copies.length > 0) return { look: 'found', copies };
  const ids = idsOf(facts.items);
  const shown = place(facts.url).kind === 'thread'
    ? ids.length > 0 && s.before_ids.slice(-1).every((id) => ids.includes(id))
    : s.before_ids.length === 0 && s.conversation === null && facts.composers > 0;
  return shown ? { look: 'absent', copies } : { wait: 'no_composer' };
}
