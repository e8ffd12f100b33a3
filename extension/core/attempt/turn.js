// One turn of an attempt: a copy of its state that the handlers change, and the effects that they ask for.

/**
 * Both clocks of the worker in ms: Date.now() and performance.now().
 * @typedef {{wall: number, mono: number}} Stamp
 *
 * What the server leased; the fields of the `lease` frame.
 * @typedef {object} Lease
 * @property {string} send
 * @property {string} lease_token
 * @property {number} expires_in_ms
 * @property {string} account
 * @property {string} member_urn
 * @property {{id: string, name: string, slug: string|null, urn: string|null}} person
 * @property {string|null} conversation
 * @property {string} body
 * @property {string} digest
 * @property {number} approved_at_ms
 * @property {boolean} repeat_approved
 * @property {string[]} held_ids
 *
 * @typedef {{answer_within_ms: number, look_within_ms: number}} Settings
 *
 * A delivery request that was seen. `ours`: our text to our person; `answer` is null until it has ended.
 * @typedef {{id: string, ours: boolean, origin_token: string|null, retry_after_ms: number|null,
 *   answer: import('../rule.js').Answer|null}} Seen
 *
 * @typedef {'noting'|'asking'|'opening'|'reaching'|'resolving'|'typing'|'poised'|'going'|'watching'|'clearing'
 *   |'sweeping'|'looking'|'closing'|'ended'} Phase
 *
 * @typedef {object} State
 * @property {boolean} live false: a restarted worker, which may only look and say what it finds
 * @property {Phase} phase
 * @property {string} journal_phase how far the journal says that it came
 * @property {Lease} lease
 * @property {string|null} attempt
 * @property {Settings} settings
 * @property {Stamp} asked before the start was first asked
 * @property {number} window_ms the touch window
 * @property {string|null} stop the reason of a stop that waits for the answer to the start
 * @property {'none'|'opening'|'open'|'gone'} tab
 * @property {number|null} tab_id
 * @property {'profile'|'thread'|'look'} goal the page that is being reached
 * @property {number|null} port the page script's connection; null while no document of the goal has one
 * @property {import('../person.js').Facts|null} facts
 * @property {string|null} person_urn
 * @property {string|null} slug
 * @property {string|null} conversation
 * @property {boolean} proceeded
 * @property {boolean} typed the page script was told to type: text may stand in the box
 * @property {boolean} inserted the page script saw the text in the box
 * @property {boolean} shown the tab was brought to the front, because the page stood still in a hidden one
 * @property {'none'|'fresh'|'old'} find
 * @property {import('../thread.js').Copy[]} copies
 * @property {string[]} before_ids
 * @property {string|null} reason why it stops, while the box is being cleared
 * @property {boolean} clicked the page script said so
 * @property {number|null} acted_at_ms
 * @property {Seen[]} requests
 * @property {boolean} foreign
 * @property {number} loads how often the look has loaded the page
 * @property {boolean} left `gone` was said
 * @property {number} closes how often the tab was told to close
 * @property {(import('../observe.js').Observation & {looked_at_ms: number})[]} observed what is said once the report is
 * @property {Record<string, any>|null} report
 * @property {boolean} recorded
 * @property {string[]} timers those that are set
 *
 * @typedef {{do: string, [field: string]: any}} Effect
 * @typedef {{s: State, out: Effect[], stamp: Stamp}} Turn
 * @typedef {{type: string, stamp: Stamp, [field: string]: any}} Event
 */

/**
 * What a restarted worker needs to know. The attempt id is not in it: a journal can be a write behind, and whoever
 * reads it must not be able to ask for the start again.
 * @param {State} s
 * @returns {Record<string, any>}
 */
export function entryOf(s) {
  const { send, lease_token, account, member_urn, person, body, approved_at_ms, held_ids } = s.lease;
  return {
    lease_token, send, account, phase: s.journal_phase, tab: s.tab_id, member_urn, person, body, approved_at_ms,
    held_ids, person_urn: s.person_urn, conversation: s.conversation, before_ids: s.before_ids,
    acted_at_ms: s.acted_at_ms, requests: s.requests, foreign: s.foreign, report: s.report,
  };
}

/** @param {Turn} turn @param {string} phase one of PHASES of shapes.js */
export function journal(turn, phase) {
  turn.s.journal_phase = phase;
  turn.out.push({ do: 'journal', entry: entryOf(turn.s) });
}

/** @param {Turn} turn @param {Record<string, any>} frame */
export function send(turn, frame) {
  turn.out.push({ do: 'send', frame: { ...frame, lease_token: turn.s.lease.lease_token } });
}

/** @param {Turn} turn @param {'open'|'navigate'|'act'|'view'|'show'|'close'} what @param {string|null} [url] */
export function tab(turn, what, url = null) {
  turn.out.push({ do: 'tab', what, url, tab: turn.s.tab_id });
}

/** @param {Turn} turn @param {Record<string, any>} message */
export function page(turn, message) {
  turn.out.push({ do: 'page', tab: turn.s.tab_id, port: turn.s.port, message });
}

/** @param {Turn} turn @param {string} name @param {number} ms */
export function timer(turn, name, ms) {
  if (!turn.s.timers.includes(name)) turn.s.timers = [...turn.s.timers, name];
  turn.out.push({ do: 'timer', name, ms });
}

/**
 * Does this event come too late to matter: a timer that was unset, or what a document that was left still says?
 * @param {{timers: string[], port: number|null}} s
 * @param {Event} event
 */
export function isStale(s, event) {
  if (event.type === 'timer') return !s.timers.includes(event.name);
  // Whatever comes over another port than the current document's is of a document that was left.
  return (event.type === 'page' || (event.type === 'port' && event.what === 'closed')) && event.port !== s.port;
}

/** @param {Turn} turn @param {string[]} names */
export function untimer(turn, ...names) {
  for (const name of turn.s.timers.filter((set) => names.includes(set))) turn.out.push({ do: 'untimer', name });
  turn.s.timers = turn.s.timers.filter((set) => !names.includes(set));
}

/**
 * Whom the popup names. Of a person who was given by address alone no name is known.
 * @param {State} s
 * @returns {string}
 */
export function called(s) {
  return s.lease.person.name || s.slug || 'someone';
}

/** @param {Turn} turn @param {string} text for the popup */
export function status(turn, text) {
  turn.out.push({ do: 'status', text });
}
