// The rule over the table of statuses, as server/rule has it in Go: which moves exist, and what an end means. Besides
// the table this is the only module of the extension that may know a status.

import { TABLE } from '../generated/statuses.js';

/**
 * What was seen of the delivery request; `status` only with kind "status".
 * @typedef {{kind: string, status?: number}} Answer
 *
 * An end with an act, or one where an act cannot be excluded; `copies` is their number.
 * @typedef {{answer: Answer, double: boolean, foreign: boolean, look: string, copies: number}} Acted
 *
 * An end of which the page script says that it did not act.
 * @typedef {{reason: string, find: string, box: string, request: boolean, unbroken: boolean}} Unacted
 *
 * @typedef {{kind?: string, from?: number, to?: number}} AnswerRange
 * @typedef {{answer?: AnswerRange[], look?: string[], copies?: string, double?: boolean, foreign?: boolean,
 *   status: string, code: string, incident?: string}} OutcomeRow
 * @typedef {{find?: string[], box?: string[], request?: boolean, unbroken?: boolean, status: string, code: string}} EndRow
 * @typedef {{status: string, code: string, reason: string|null}} Outcome
 */

/** @type {OutcomeRow[]} */
const OUTCOMES = TABLE.outcomes;
/** @type {EndRow[]} */
const ENDS = TABLE.ends;
/** @type {{answer: AnswerRange[], effect: string}[]} */
const EFFECTS = TABLE.account_effects;
/** @type {Record<string, {start: string, live: boolean}>} */
const STATUS_FACTS = TABLE.statuses;

const NOT_ATTEMPTED = 'not_attempted';

/** Every status, in the order of a send's life. */
export const STATUSES = Object.keys(TABLE.statuses);

/**
 * Codes that a report of an install may give.
 * @type {string[]}
 */
export const REPORT_CODES = [...new Set([...OUTCOMES, ...ENDS].map((row) => row.code))];

/** The status of which a person must be told. */
export const NEEDS_A_LOOK = 'unconfirmed';

/**
 * @param {string} what
 * @param {string} word
 * @param {readonly string[]} words
 */
function known(what, word, words) {
  if (!words.includes(word)) throw new Error(`${what} ${JSON.stringify(word)} is not in the table of statuses`);
}

/** @param {string} what @param {unknown} value */
function flag(what, value) {
  if (typeof value !== 'boolean') throw new Error(`${what} must be true or false`);
}

/**
 * May a send in this status have a recorded start?
 * @param {string} status
 * @returns {boolean}
 */
export function admitsStart(status) {
  known('status', status, STATUSES);
  return STATUS_FACTS[status].start !== 'never';
}

/**
 * May actor move a send? `started`: the row has a recorded start. A row that contradicts its own status may not move.
 * @param {string} from
 * @param {string} to
 * @param {string} actor
 * @param {boolean} started
 * @returns {boolean}
 */
export function allowed(from, to, actor, started) {
  known('status', from, STATUSES);
  known('status', to, STATUSES);
  known('actor', actor, TABLE.actors);
  flag('started', started);
  const start = STATUS_FACTS[from].start;
  if (start !== 'either' && started !== (start === 'always')) return false;
  return TABLE.moves.some((move) => move.from.includes(from) && move.to === to && move.by.includes(actor));
}

/**
 * The status after a move; throws when the table does not have that move.
 * @param {string} from
 * @param {string} to
 * @param {string} actor
 * @param {boolean} started
 * @returns {string}
 */
export function next(from, to, actor, started) {
  if (!allowed(from, to, actor, started)) {
    throw new Error(`a send may not go from ${from} to ${to} by ${actor} (start recorded: ${started})`);
  }
  return to;
}

/** @param {Answer} answer */
function checkAnswer(answer) {
  known('answer kind', answer.kind, TABLE.answer_kinds);
  if ((answer.kind === 'status') !== Number.isInteger(answer.status)) {
    throw new Error('an answer has a whole number as its status exactly when its kind is "status"');
  }
}

/** @param {AnswerRange} range @param {Answer} answer */
function inRange(range, answer) {
  if (range.kind !== undefined) return answer.kind === range.kind;
  const status = answer.status ?? NaN;
  return answer.kind === 'status' && Number(range.from) <= status && status <= Number(range.to);
}

/** @param {OutcomeRow} row @param {Acted} acted */
function outcomeMatches(row, acted) {
  return (row.answer === undefined || row.answer.some((range) => inRange(range, acted.answer)))
    && (row.look === undefined || row.look.includes(acted.look))
    && (row.copies === undefined || acted.copies > 1)
    && (row.double === undefined || acted.double === row.double)
    && (row.foreign === undefined || acted.foreign === row.foreign);
}

/**
 * What an attempt that acted has come to: the first row that matches. The last row of the table has no condition.
 * @param {Acted} acted
 * @returns {{status: string, code: string, incident: string|null}}
 */
export function classify(acted) {
  checkAnswer(acted.answer);
  known('look', acted.look, TABLE.looks);
  flag('double', acted.double);
  flag('foreign', acted.foreign);
  if (!Number.isInteger(acted.copies) || acted.copies < 0) throw new Error('copies must be a number of messages');
  const row = OUTCOMES.find((candidate) => outcomeMatches(candidate, acted));
  if (row === undefined) throw new Error('the last outcome of the table has a condition');
  return { status: row.status, code: row.code, incident: row.incident ?? null };
}

/** @param {EndRow} row @param {Unacted} unacted */
function endMatches(row, unacted) {
  return (row.find === undefined || row.find.includes(unacted.find))
    && (row.box === undefined || row.box.includes(unacted.box))
    && (row.request === undefined || row.request === unacted.request)
    && (row.unbroken === undefined || row.unbroken === unacted.unbroken);
}

/**
 * What an attempt that did not act has come to: the first row that matches.
 * @param {Unacted} unacted
 * @returns {Outcome}
 */
export function end(unacted) {
  known('reason', unacted.reason, TABLE.reasons);
  known('find', unacted.find, TABLE.finds);
  known('box', unacted.box, TABLE.boxes);
  flag('request', unacted.request);
  flag('unbroken', unacted.unbroken);
  const row = ENDS.find((candidate) => endMatches(candidate, unacted));
  if (row === undefined) throw new Error('the last end of the table has a condition');
  return { status: row.status, code: row.code, reason: row.code === NOT_ATTEMPTED ? unacted.reason : null };
}

/**
 * What an answer does to the account, whatever became of the message: "stop", "cool_down" or null.
 * @param {Answer} answer
 * @returns {string|null}
 */
export function accountEffect(answer) {
  checkAnswer(answer);
  const row = EFFECTS.find((candidate) => candidate.answer.some((range) => inRange(range, answer)));
  return row === undefined ? null : row.effect;
}
