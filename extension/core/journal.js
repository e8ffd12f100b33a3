// The journal: what this install knows of its leases, kept across the death of the worker and of the browser. It is a
// witness, not a judge: nothing in it permits anything. An entry is open until its report was recorded and its tab is
// gone; then a tombstone stays, so that a lease frame that arrives again begins nothing.

import { ENTRIES_MAX, LOOKS_SHOWN_MAX, REPORTS_PER_ENTRY_MAX, TOMBSTONES_MAX, TOMBSTONE_KEEP_MS } from './limits.js';
import { NEEDS_A_LOOK } from './rule.js';
import { PHASES } from './shapes.js';

/**
 * What core/attempt writes down of one lease; the journal itself reads only these fields. The attempt's id is never
 * part of it.
 * @typedef {{lease_token: string, send: string, account: string, phase: string, [more: string]: any}} Entry
 * @typedef {import('./frames.js').Frame} Frame
 *
 * `reports` wait for `recorded`, `gone` waits for `noted`. `over`: the attempt has ended.
 * @typedef {{entry: Entry, at_ms: number, reports: Frame[], gone: Frame|null, over: boolean,
 *   recorded: {status: string, code: string}|null}} Open
 * @typedef {{lease_token: string, send: string, account: string, person: string, status: string|null,
 *   code: string|null, at_ms: number}} Tombstone
 * @typedef {{version: number, open: Record<string, Open>, ended: Tombstone[]}} Journal
 */

/**
 * Step n makes the stored shape n + 1 out of shape n; shape 0 is an empty store. Steps are added, never changed.
 * @type {((stored: any) => any)[]}
 */
export const MIGRATIONS = [
  () => ({ version: 1, open: {}, ended: [] }),
];

/**
 * @param {any} stored what storage gave back of the entries, undefined on the first start
 * @param {any} ended and of the tombstones, which are stored apart because they are many and seldom change
 * @param {((stored: any) => any)[]} migrations
 * @returns {Journal}
 * @throws {Error} when a later release wrote it: to drop what it says would forget attempts
 */
export function openJournal(stored, ended, migrations = MIGRATIONS) {
  let version = stored === undefined ? 0 : stored.version;
  if (!Number.isInteger(version) || version < 0 || version > migrations.length) {
    throw new Error(`the journal has shape ${version}, this release knows up to ${migrations.length}: update it`);
  }
  let journal = { ...stored, ended: ended ?? [] };
  for (; version < migrations.length; version += 1) journal = { ...migrations[version](journal), version: version + 1 };
  return journal;
}

/** @param {Journal} journal @param {string} token @param {Open} open @returns {Journal} */
function withOpen(journal, token, open) {
  return { ...journal, open: { ...journal.open, [token]: open } };
}

/** @param {Journal} journal @param {string} token @returns {Open|null} */
export function findOpen(journal, token) {
  return Object.hasOwn(journal.open, token) ? journal.open[token] : null;
}

/**
 * Was this lease ever written down, open or ended?
 * @param {Journal} journal
 * @param {string} token
 */
export function knows(journal, token) {
  return findOpen(journal, token) !== null || journal.ended.some((ended) => ended.lease_token === token);
}

/** @param {Journal} journal */
export function isFull(journal) {
  return Object.keys(journal.open).length >= ENTRIES_MAX;
}

/**
 * Writes an entry down. Its phase never goes back: what once may have happened is not unsaid.
 * @param {Journal} journal
 * @param {Entry} entry
 * @param {number} wall
 * @returns {Journal}
 */
export function write(journal, entry, wall) {
  const phase = PHASES.indexOf(entry.phase);
  if (phase < 0) throw new Error(`an entry has no phase ${JSON.stringify(entry.phase)}`);
  const known = findOpen(journal, entry.lease_token);
  if (known === null) {
    if (isFull(journal)) throw new Error(`the journal has ${ENTRIES_MAX} open entries`);
    const open = { entry, at_ms: wall, reports: [], gone: null, over: false, recorded: null };
    return withOpen(journal, entry.lease_token, open);
  }
  if (phase < PHASES.indexOf(known.entry.phase)) throw new Error(`an entry cannot go back to ${entry.phase}`);
  return withOpen(journal, entry.lease_token, { ...known, entry });
}

/**
 * Keeps a report or a `gone`, complete with its frame id, until its answer arrives.
 * @param {Journal} journal
 * @param {Frame} frame
 * @returns {Journal}
 */
export function keep(journal, frame) {
  const open = findOpen(journal, frame.lease_token);
  if (open === null) return journal;
  if (frame.type === 'gone') return withOpen(journal, frame.lease_token, { ...open, gone: frame });
  if (open.reports.length >= REPORTS_PER_ENTRY_MAX) return journal;
  return withOpen(journal, frame.lease_token, { ...open, reports: [...open.reports, frame] });
}

/**
 * The answer to a kept frame: `recorded` for a report, `noted` for a `gone`.
 * @param {Journal} journal
 * @param {Frame} kept the frame that was answered
 * @param {Frame} answer
 * @param {number} wall
 * @returns {Journal}
 */
export function answered(journal, kept, answer, wall) {
  const open = findOpen(journal, kept.lease_token);
  if (open === null || (kept.type !== 'report' && kept.type !== 'gone')) return journal;
  const reports = open.reports.filter((report) => report.id !== kept.id);
  const gone = open.gone !== null && open.gone.id === kept.id ? null : open.gone;
  const recorded = answer.type === 'recorded' ? { status: answer.status, code: answer.code } : open.recorded;
  return bury(withOpen(journal, kept.lease_token, { ...open, reports, gone, recorded }), kept.lease_token, wall);
}

/**
 * The attempt has ended: nothing more will be said of it but what is already kept.
 * @param {Journal} journal
 * @param {string} token
 * @param {number} wall
 * @returns {Journal}
 */
export function over(journal, token, wall) {
  const open = findOpen(journal, token);
  return open === null ? journal : bury(withOpen(journal, token, { ...open, over: true }), token, wall);
}

/** @param {Journal} journal @param {string} token @param {number} wall @returns {Journal} */
function bury(journal, token, wall) {
  const open = journal.open[token];
  if (!open.over || open.reports.length > 0 || open.gone !== null) return journal;
  return entomb(journal, token, wall);
}

/** @param {Journal} journal @param {string} token @param {number} wall @returns {Journal} */
function entomb(journal, token, wall) {
  const { [token]: closed, ...open } = journal.open;
  const { send, account, person } = closed.entry;
  const tombstone = {
    lease_token: token, send, account, person: person?.name ?? '', status: closed.recorded?.status ?? null,
    code: closed.recorded?.code ?? null, at_ms: wall,
  };
  return { ...journal, open, ended: [...journal.ended, tombstone].slice(-TOMBSTONES_MAX) };
}

/**
 * Forgets tombstones that are older than 90 days, and turns entries as old into tombstones: their server is gone.
 * @param {Journal} journal
 * @param {number} wall
 * @returns {Journal}
 */
export function prune(journal, wall) {
  const oldest = wall - TOMBSTONE_KEEP_MS;
  let kept = { ...journal, ended: journal.ended.filter((ended) => ended.at_ms >= oldest) };
  for (const [token, open] of Object.entries(journal.open)) {
    if (open.at_ms < oldest) kept = entomb(kept, token, wall);
  }
  return kept;
}

/**
 * Every frame that still waits for its answer.
 * @param {Journal} journal
 * @returns {Frame[]}
 */
export function owed(journal) {
  return Object.values(journal.open).flatMap((open) => (open.gone === null ? open.reports : [...open.reports, open.gone]));
}

/**
 * The ended attempts that a person must look at, newest first.
 * @param {Journal} journal
 * @returns {Tombstone[]}
 */
export function needsALook(journal) {
  return journal.ended.filter((ended) => ended.status === NEEDS_A_LOOK).slice(-LOOKS_SHOWN_MAX).reverse();
}
