// LinkedIn's addresses: which page an address is, and the address of each page that is opened. Pure: goja runs it.
// Pages are reached by address and never by clicking a profile's controls, which ignore untrusted clicks.

/** Where every page of LinkedIn stands. */
export const ORIGIN = 'https://www.linkedin.com';
/** The page that says who is signed in at the least cost. */
export const FEED_URL = `${ORIGIN}/feed/`;
/** What chrome.tabs and chrome.webRequest call every page of LinkedIn. */
export const EVERY_PAGE = `${ORIGIN}/*`;
/** The delivery request. A match pattern's path covers the query. */
export const DELIVERY_REQUESTS = `${ORIGIN}/voyager/api/voyagerMessagingDashMessengerMessages?action=createMessage*`;

// A slug in that place names nobody: no profile id begins otherwise, and no slug has capitals.
const PROFILE_URN = /^urn:li:fsd_profile:(ACo[A-Za-z0-9_-]+)$/;
const PROFILE_ID = /^ACo[A-Za-z0-9_-]+$/;
const ADDRESS = /^https:\/\/www\.linkedin\.com(\/[^?#]*)?(?:\?([^#]*))?(?:#.*)?$/;
// Compared with whole path segments: a slug may hold the word "challenge".
const SIGN_IN_SEGMENTS = ['login', 'uas', 'authwall', 'checkpoint', 'signup', 'challenge'];

/**
 * @typedef {{kind: 'thread', conversation: string}
 *   | {kind: 'compose', person_urn: string|null}
 *   | {kind: 'profile', key: string}
 *   | {kind: 'sign_in'} | {kind: 'preload'} | {kind: 'elsewhere'} | {kind: 'outside'}} Place
 */

/**
 * The URN of a profile id.
 * @param {string} id
 * @returns {string}
 */
export function profileUrn(id) {
  return `urn:li:fsd_profile:${id}`;
}

/**
 * The id in a profile's URN, or null.
 * @param {string} urn
 * @returns {string|null}
 */
export function profileId(urn) {
  return PROFILE_URN.exec(urn)?.[1] ?? null;
}

/**
 * Is the name in /in/<name>/ a profile id, not a slug?
 * @param {string} key
 * @returns {boolean}
 */
export function isProfileId(key) {
  return PROFILE_ID.test(key);
}

/**
 * The profile page of a slug, which is decoded ("jürgen-x").
 * @param {string} slug
 * @returns {string}
 */
export function profileUrl(slug) {
  return `${ORIGIN}/in/${encodeURIComponent(slug)}/`;
}

/**
 * The page to write to a person: LinkedIn leads it on to the conversation when there is one. It is the address that the
 * profile's own Message control has; a recipient alone can show a page without a message box.
 * @param {string} urn
 * @returns {string}
 */
export function composeUrl(urn) {
  return `${ORIGIN}/messaging/compose/?profileUrn=${encodeURIComponent(urn)}&recipient=${profileId(urn) ?? ''}`
    + '&screenContext=NON_SELF_PROFILE_VIEW&interop=msgOverlay';
}

/**
 * The page of a conversation. Its id keeps the "=" of its base64; whatever else it holds, it is one segment of the path.
 * @param {string} conversation
 * @returns {string}
 */
export function threadUrl(conversation) {
  return `${ORIGIN}/messaging/thread/${encodeURIComponent(conversation).replace(/%3D/g, '=')}/`;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string|undefined} query @returns {string[][]} names with their values, as often as they stand there */
function parameters(query) {
  return (query ?? '').split('&').map((pair) => {
    const [name, ...value] = pair.split('=');
    return [decoded(name), decoded(value.join('='))];
  });
}

/**
 * The one person whom every parameter names. Of a parameter that stands there twice nobody knows which one LinkedIn takes.
 * @param {string|undefined} query
 */
function recipientOf(query) {
  const named = parameters(query).flatMap(([name, value]) => {
    if (name === 'profileUrn') return [value];
    return name === 'recipient' ? [profileUrn(value)] : [];
  });
  const isOne = named.length > 0 && named.every((urn) => urn === named[0]) && profileId(named[0]) !== null;
  return isOne ? named[0] : null;
}

/**
 * Which page an address is.
 * @param {string} url
 * @returns {Place}
 */
export function place(url) {
  const parts = ADDRESS.exec(url);
  if (parts === null) return { kind: 'outside' };
  const segments = (parts[1] ?? '').split('/').filter((segment) => segment !== '').map(decoded);
  const [first, second, third] = segments[0] === 'm' ? segments.slice(1) : segments;
  if (SIGN_IN_SEGMENTS.includes(first)) return { kind: 'sign_in' };
  if (first === 'preload') return { kind: 'preload' };
  if (first === 'in' && second !== undefined && third === undefined) return { kind: 'profile', key: second };
  if (first !== 'messaging') return { kind: 'elsewhere' };
  if (second === 'compose' || (second === 'thread' && third === 'new')) {
    return { kind: 'compose', person_urn: recipientOf(parts[2]) };
  }
  return second === 'thread' && third !== undefined ? { kind: 'thread', conversation: third } : { kind: 'elsewhere' };
}
