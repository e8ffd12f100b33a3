// What an attempt's pages say of the message of ours before it, and of its own. It is kept until the report is said, so that it
// never comes between the server and a send.

import { observe } from '../observe.js';
import { whoVerdict } from './judge.js';

/** @typedef {import('./turn.js').Turn} Turn */

/**
 * Keeps what a page says, if member and person are proved on it. Of one message the latest page counts.
 * @param {Turn} turn
 * @param {import('../person.js').Facts} facts
 * @param {import('../thread.js').Copy[]} copies which of the messages there are this attempt's own
 */
export function notice(turn, facts, copies) {
  const { s, stamp } = turn;
  if (!('go' in whoVerdict(s, facts))) return;
  const ours = [...s.lease.held_ids, ...copies.map(({ provider_id }) => provider_id)];
  const seen = observe(facts, { member_urn: s.lease.member_urn, person_urn: s.person_urn ?? '', ours });
  if (seen === null) return;
  s.observed = [...s.observed.filter(({ about }) => about !== seen.about), { ...seen, looked_at_ms: stamp.wall }];
}

/** Says what was kept, after the report. @param {Turn} turn */
export function sayNoticed(turn) {
  for (const seen of turn.s.observed) turn.out.push({ do: 'observed', seen });
}
