// Which accounts may be given a lease now, why one may not, and when the signed-in member must be looked for again.

import { isFull } from './journal.js';
import { MEMBER_FRESH_MS } from './limits.js';

/**
 * @typedef {{urn: string, slug: string, name: string}} Member
 * The member who was seen signed in (null: nobody was), and when by the wall clock (0: never looked).
 * @typedef {{member: Member|null, seen_ms: number}} Seen
 * @typedef {import('./step.js').Install} Install
 */

/**
 * Is what was seen still believed? A wall clock that was set back makes it doubtful, not eternal.
 * @param {Seen} seen
 * @param {number} wall
 */
export function isFresh(seen, wall) {
  const age = wall - seen.seen_ms;
  return age >= 0 && age < MEMBER_FRESH_MS;
}

/** Why something ended on a page that showed another member, or a sign-in. */
const MEMBER_LOST = ['signed_out', 'wrong_member'];

/**
 * What is believed of this browser once a page ended something for this reason.
 * @param {Seen} seen
 * @param {string|null} reason
 * @returns {Seen} the same when the reason says nothing of the member
 */
export function seenAfter(seen, reason) {
  return MEMBER_LOST.includes(reason ?? '') ? { ...seen, member: null } : seen;
}

/**
 * The accounts that the server may give a lease of.
 * @param {Install} install
 * @param {number} wall
 * @returns {string[]}
 */
export function readyAccounts(install, wall) {
  const { welcome, trusted } = install.session;
  if (welcome === null || !trusted || welcome.rules === 'outdated') return [];
  if (isPaused(install) || install.update_waits || isFull(install.journal)) return [];
  const member = isFresh(install.seen, wall) ? install.seen.member : null;
  if (member === null) return [];
  return welcome.accounts
    .filter((/** @type {any} */ one) => one.state === 'ready' && one.member_urn === member.urn)
    .map((/** @type {any} */ one) => one.account)
    .filter((/** @type {string} */ account) => !isBusy(install, account));
}

/** @param {Install} install */
export function isPaused(install) {
  return install.paused || install.paused_there;
}

/** @param {Install} install @param {string} account */
function isBusy(install, account) {
  return install.check?.account === account || Object.values(install.attempts).some((running) => running.account === account);
}

/**
 * Why a lease is given back, as a code of `release`; null when it may be taken.
 * @param {Install} install
 * @param {any} lease
 * @param {number} wall
 * @returns {string|null}
 */
export function releaseCode(install, lease, wall) {
  if (isPaused(install)) return 'paused';
  if (install.update_waits || isBusy(install, lease.account) || isFull(install.journal)) return 'busy';
  if (!isFresh(install.seen, wall) || install.seen.member?.urn !== lease.member_urn) return 'signed_out';
  return readyAccounts(install, wall).includes(lease.account) ? null : 'refused';
}

/**
 * How long until the member must be looked for, 0 for now; null when nobody asks for it.
 * @param {Install} install
 * @param {number} wall
 * @returns {number|null}
 */
export function lookForMemberInMs(install, wall) {
  const { welcome } = install.session;
  if (install.looking || install.paused || welcome === null || welcome.accounts.length === 0) return null;
  return isFresh(install.seen, wall) ? install.seen.seen_ms + MEMBER_FRESH_MS - wall : 0;
}
