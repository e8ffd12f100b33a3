// Who is signed in and whom a page belongs to. Both are proved by URN on the very page that is acted on; a name or a
// place on the page proves nothing.

import { messageOwner } from './text.js';
import { isProfileId, place, profileId, profileUrn } from '../linkedin/urls.js';

/**
 * What the page script reads from a page, as data.
 * @typedef {object} Facts
 * @property {string} url
 * @property {boolean} sign_in a sign-in or checkpoint form stands on the page
 * @property {{urn: string, slug: string, name: string}[]} members whom the page's own data calls the signed-in member
 * @property {{key: string, name: string}[]} others profiles that the conversation's header links; key as in /in/<key>/
 * @property {number} recipients chips in the recipient field of a new message
 * @property {string[]} message_links addresses of the profile's own Message controls
 * @property {boolean} invitable the profile's own controls offer to connect
 * @property {string} name the profile's heading
 * @property {number} composers message boxes on the page, shown or not
 * @property {boolean} occupied the box holds text
 * @property {'none'|'disabled'|'enabled'} send the Send button
 * @property {boolean} inmail the box asks for a subject, as a paid InMail does
 * @property {Item[]} items the conversation's messages, oldest first
 *
 * One message of a conversation; `sender` is the key of the profile its group links to, when it shows one; `seen`: the page marks
 * it as the newest that another participant has seen.
 * @typedef {{urn: string, own: boolean, sender: string|null, text: string, seen: boolean}} Item
 *
 * `missing`: the page has not shown it (yet).
 * @typedef {'proved'|'missing'|'wrong'} Proof
 */

/** @param {string[]} values */
const distinct = (values) => [...new Set(values)];

/**
 * Is the signed-in member the one of the lease? The page's own data must say so, and where messages stand, the mailbox
 * in their ids must agree.
 * @param {Facts} facts
 * @param {string} memberUrn
 * @returns {Proof}
 */
export function proveMember(facts, memberUrn) {
  const owners = facts.items.map((item) => messageOwner(item.urn)).filter((urn) => urn !== null);
  const named = facts.members.map((member) => member.urn);
  if ([...named, ...owners].some((urn) => urn !== memberUrn)) return 'wrong';
  return named.length > 0 ? 'proved' : 'missing';
}

/**
 * Who is written to on a messaging page: is it this person, and only this person?
 * @param {Facts} facts
 * @param {string} personUrn
 * @param {string|null} slug the person's slug, when known
 * @param {string} memberUrn
 * @returns {Proof|'group'}
 */
export function provePerson(facts, personUrn, slug, memberUrn) {
  const here = place(facts.url);
  const keys = distinct(facts.others.map((other) => other.key));
  if (keys.length > 1 || facts.recipients > 1) return 'group';
  if (here.kind === 'thread') {
    if (keys.length === 0) return 'missing';
    if (keys[0] !== profileId(personUrn)) return 'wrong';
    return facts.items.every((item) => isBetween(item.sender, personUrn, memberUrn)) ? 'proved' : 'group';
  }
  if (here.kind !== 'compose') return 'missing';
  if (here.person_urn !== personUrn) return 'wrong';
  if (keys.length === 1 && !keyIsPerson(keys[0], personUrn, slug)) return 'wrong';
  return facts.recipients === 1 ? 'proved' : 'missing';
}

/**
 * A third one who has spoken is a participant, whatever the header shows.
 * @param {string|null} sender
 * @param {string} personUrn
 * @param {string} memberUrn
 */
function isBetween(sender, personUrn, memberUrn) {
  return sender === null || !isProfileId(sender) || [personUrn, memberUrn].includes(profileUrn(sender));
}

/**
 * A new message's card links the slug, a conversation's header the id.
 * @param {string} key
 * @param {string} personUrn
 * @param {string|null} slug
 */
function keyIsPerson(key, personUrn, slug) {
  if (isProfileId(key)) return key === profileId(personUrn);
  return slug === null || sameSlug(key, slug);
}

/** @param {string} a @param {string} b */
function sameSlug(a, b) {
  return a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase();
}

/**
 * Whose profile page is it? The Message controls of the top card must all name one person; controls of others stand
 * elsewhere on the page and are not in the facts.
 * @param {Facts} facts
 * @param {string} slug
 * @returns {{proof: 'proved', urn: string} | {proof: 'missing'|'wrong'|'not_connected'}}
 */
export function resolvePerson(facts, slug) {
  const here = place(facts.url);
  if (here.kind !== 'profile') return { proof: 'missing' };
  if (!sameSlug(here.key, slug)) return { proof: 'wrong' };
  const urns = distinct(facts.message_links.map((link) => {
    const target = place(link);
    return target.kind === 'compose' ? target.person_urn ?? '' : '';
  }));
  if (urns.length > 1 || urns[0] === '') return { proof: 'wrong' };
  // A Message control beside an offer to connect is an open profile or a paid InMail.
  if (facts.invitable) return { proof: 'not_connected' };
  return urns.length === 1 ? { proof: 'proved', urn: urns[0] } : { proof: 'missing' };
}

/**
 * The conversation that a page shows, or null.
 * @param {string} url
 * @returns {string|null}
 */
export function conversationOf(url) {
  const here = place(url);
  return here.kind === 'thread' ? here.conversation : null;
}

/**
 * The slug by which the page of a first message links the person, or null.
 * @param {Facts} facts
 * @returns {string|null}
 */
export function slugOf(facts) {
  const key = facts.others[0]?.key;
  return place(facts.url).kind !== 'compose' || key === undefined || isProfileId(key) ? null : key;
}

/**
 * The name that a page gives the person, at most 200 characters.
 * @param {Facts} facts
 * @param {string} known the name to fall back on
 * @returns {string}
 */
export function nameOf(facts, known) {
  const name = facts.name || facts.others[0]?.name || known;
  return [...name].slice(0, 200).join('');
}

/**
 * The member's URN as a key of /in/<key>/ would name it.
 * @param {string} key
 * @returns {string|null}
 */
export function urnOfKey(key) {
  return isProfileId(key) ? profileUrn(key) : null;
}
