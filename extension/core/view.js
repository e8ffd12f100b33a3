// What the popup and the options show of an install, as data.

import { needsALook } from './journal.js';

/**
 * @typedef {{phase: string, server: string|null, trouble: string|null, paused: boolean, paused_there: boolean,
 *   member: string|null, looking: boolean, accounts: {handle: string, text: string}[], doing: string[],
 *   looks: {person: string, at_ms: number}[]}} View
 */

/** @type {Record<string, string>} */
const ACCOUNT_TEXTS = {
  ready: 'works here when its member is signed in',
  stopped: 'stopped by LinkedIn: a person must clear it on the server',
  other_member: 'not signed in here',
};

/** @param {import('./step.js').Install} install @param {any} account */
function accountText(install, account) {
  const here = account.state === 'ready' && install.seen.member?.urn === account.member_urn;
  return here ? 'signed in here' : ACCOUNT_TEXTS[account.state];
}

/**
 * @param {import('./step.js').Install} install
 * @returns {View}
 */
export function viewOf(install) {
  const { phase, pairing, trouble, welcome } = install.session;
  return {
    phase,
    server: pairing?.server ?? null,
    trouble,
    paused: install.paused,
    paused_there: install.paused_there,
    member: install.seen.member?.name ?? null,
    looking: install.looking,
    accounts: (welcome?.accounts ?? []).map((/** @type {any} */ one) => (
      { handle: one.handle, text: accountText(install, one) })),
    doing: [...Object.values(install.attempts), ...(install.check === null ? [] : [install.check])].map(({ text }) => text),
    looks: needsALook(install.journal).map(({ person, at_ms }) => ({ person, at_ms })),
  };
}
