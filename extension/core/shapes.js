// The shape of every frame, as data. docs/protocol.md says what they mean.

import { TABLE } from '../generated/statuses.js';
import { OBSERVED_MAX } from './limits.js';
import { REPORT_CODES, STATUSES } from './rule.js';

/**
 * One shape. Lengths of text are counted in Unicode code points, because Go and JavaScript agree on those. A choice has
 * its fields from `cases`, picked by the word in the field `by`.
 * @typedef {{kind: 'text', min: number, max: number, orNull?: boolean}
 *   | {kind: 'integer', min: number, max: number, orNull?: boolean}
 *   | {kind: 'flag', orNull?: boolean} | {kind: 'digest', orNull?: boolean}
 *   | {kind: 'word', of: readonly string[], orNull?: boolean}
 *   | {kind: 'list', of: Shape, max: number, orNull?: boolean}
 *   | {kind: 'object', fields: Fields, orNull?: boolean}
 *   | {kind: 'choice', by: string, cases: Record<string, Fields>, orNull?: boolean}} Shape
 * @typedef {{[name: string]: Shape}} Fields
 */

const INTEGER_MAX = Number.MAX_SAFE_INTEGER;
/** The last moment of 13 digits, as LinkedIn's message ids have: in the year 2286. */
const MOMENT_MS_MAX = 9_999_999_999_999;
const DURATION_MS_MAX = 30 * 24 * 60 * 60 * 1000;

/** @param {number} max @returns {Shape} */
export const text = (max) => ({ kind: 'text', min: 1, max });
/** @param {number} max @returns {Shape} */
const textOrEmpty = (max) => ({ kind: 'text', min: 0, max });
/** @param {readonly string[]} of @returns {Shape} */
export const word = (of) => ({ kind: 'word', of });
/** @param {Shape} of @param {number} max @returns {Shape} */
const list = (of, max) => ({ kind: 'list', of, max });
/** @param {Fields} fields @returns {Shape} */
const object = (fields) => ({ kind: 'object', fields });
/** @param {Shape} shape @returns {Shape} */
export const orNull = (shape) => ({ ...shape, orNull: true });

/** @type {Shape} */ const FLAG = { kind: 'flag' };
/** @type {Shape} */ const DIGEST_TEXT = { kind: 'digest' };
/** @type {Shape} */ export const COUNT = { kind: 'integer', min: 0, max: INTEGER_MAX };
/** @type {Shape} */ const MOMENT = { kind: 'integer', min: 0, max: MOMENT_MS_MAX };
/** @type {Shape} */ const DURATION = { kind: 'integer', min: 1, max: DURATION_MS_MAX };
/** @type {Shape} */ const WAIT = { kind: 'integer', min: 0, max: DURATION_MS_MAX };
/** @type {Shape} */ const ANSWER_STATUS = { kind: 'integer', min: 100, max: 999 };

/** A name that one side gave to something. */
export const ID = text(64);
/** Long enough that no two workers make the same one; the database refuses a shorter one. @type {Shape} */
const ATTEMPT = { kind: 'text', min: 16, max: 64 };
const LEASE_TOKEN = text(2048);
const ACCESS_TOKEN = text(4096);
const SECRET = text(256);
const URN = text(256);
const SLUG = text(200);
const NAME = textOrEmpty(200);
const CONVERSATION = text(512);
const BODY = text(8000);
const SENTENCE = text(500);
const EXTENSION_VERSION = text(32);
const REASON = word(TABLE.reasons);
const STATUS = word(STATUSES);

/** The phases of a journal entry, in the order in which they are passed. */
export const PHASES = Object.freeze(['leased', 'asked', 'acked', 'go_sent', 'done']);
/** The reasons for which a lease is given back. */
const RELEASE_CODES = ['paused', 'stopped', 'signed_out', 'busy', 'refused', 'expired'];

const ERROR_CODES = ['malformed_frame', 'unknown_type', 'hello_first', 'bad_code', 'bad_secret', 'bad_token',
  'install_revoked', 'bad_lease', 'unavailable', 'too_many'];

const COPIES = list(object({ provider_id: URN, sent_at_ms: MOMENT }), 20);

const PERSON = object({ id: ID, name: NAME, slug: orNull(SLUG), urn: orNull(URN) });

/** What a look, later, may come to, and why it could not be done. */
const CHECK_RESULTS = ['found', 'absent', 'no_conversation', 'could_not_check'];
const CHECK_REASONS = [
  'busy', 'paused', 'signed_out', 'wrong_member', 'wrong_person', 'group_thread', 'not_shown', 'too_long', 'stopped',
];

/** @type {Shape} */
const ANSWER = {
  kind: 'choice',
  by: 'kind',
  cases: { status: { status: ANSWER_STATUS }, redirect: {}, sign_in: {}, none: {}, lost: {} },
};

const ACTED = object({
  answer: ANSWER, double: FLAG, foreign: FLAG, look: word(TABLE.looks), copies: COPIES,
  conversation: orNull(CONVERSATION), origin_token: orNull(text(128)), retry_after_ms: orNull(WAIT),
  acted_at_ms: orNull(MOMENT),
});

const UNACTED = object({
  reason: REASON, find: word(TABLE.finds), box: word(TABLE.boxes), request: FLAG, unbroken: FLAG, copies: COPIES,
  conversation: orNull(CONVERSATION),
});

/** @type {Fields} */
const REPORT_HEAD = {
  lease_token: LEASE_TOKEN,
  attempt: orNull(ATTEMPT),
  outcome: object({ status: STATUS, code: word(REPORT_CODES), reason: orNull(REASON) }),
};

/** What an install may say, by type. @type {Record<string, Shape>} */
export const FROM_INSTALL = {
  pair: object({ code: text(64), extension_version: EXTENSION_VERSION }),
  token: object({ install: ID, refresh_secret: SECRET }),
  hello: object({
    access_token: ACCESS_TOKEN, install: ID, extension_version: EXTENSION_VERSION, rules_digest: DIGEST_TEXT,
    accounts: list(object({ member_urn: URN, slug: SLUG, name: NAME }), 8),
    open: list(object({ lease_token: LEASE_TOKEN, attempt: orNull(ATTEMPT), phase: word(PHASES) }), 16),
    mark: object({ epoch: COUNT, event: COUNT }),
  }),
  renew: object({}),
  ready: object({ accounts: list(ID, 64) }),
  release: object({ lease_token: LEASE_TOKEN, code: word(RELEASE_CODES) }),
  start: object({ lease_token: LEASE_TOKEN, attempt: ATTEMPT, digest: DIGEST_TEXT }),
  resolved: object({
    lease_token: LEASE_TOKEN, attempt: ATTEMPT, person_urn: URN, slug: orNull(SLUG), name: NAME, connected: FLAG,
    participants: COUNT,
  }),
  report: {
    kind: 'choice',
    by: 'end',
    cases: { acted: { ...REPORT_HEAD, evidence: ACTED }, unacted: { ...REPORT_HEAD, evidence: UNACTED } },
  },
  gone: object({ lease_token: LEASE_TOKEN }),
  checked: object({
    check_token: LEASE_TOKEN,
    result: word(CHECK_RESULTS),
    evidence: object({
      reason: orNull(word(CHECK_REASONS)),
      copies: list(object({ version: COUNT, provider_id: URN, sent_at_ms: MOMENT }), 20),
      conversation: orNull(CONVERSATION), messages: COUNT, oldest_at_ms: orNull(MOMENT), looked_at_ms: MOMENT,
    }),
  }),
  observed: object({
    token: LEASE_TOKEN, member_urn: URN, person_urn: URN, about: URN, read: FLAG,
    messages: list({
      kind: 'choice',
      by: 'kind',
      cases: {
        replied: { provider_id: URN, at_ms: MOMENT },
        manual: { provider_id: URN, at_ms: MOMENT, text_digest: DIGEST_TEXT },
      },
    }, OBSERVED_MAX),
    looked_at_ms: MOMENT,
  }),
  ping: object({}),
};

/** What the server may say, by type. @type {Record<string, Shape>} */
export const FROM_SERVER = {
  paired: object({ install: ID, refresh_secret: SECRET }),
  token: object({ access_token: ACCESS_TOKEN, expires_in_ms: DURATION, refresh_secret: SECRET }),
  welcome: object({
    session: ID, epoch: COUNT, rules: word(['current', 'previous', 'outdated']),
    settings: object({
      ping_every_ms: DURATION, pong_within_ms: DURATION, touch_within_ms: DURATION, answer_within_ms: DURATION,
      look_within_ms: DURATION,
    }),
    accounts: list(object({
      account: ID, handle: text(320), member_urn: orNull(URN), state: word(['ready', 'stopped', 'other_member']),
    }), 64),
    open: list(object({ lease_token: LEASE_TOKEN, status: orNull(STATUS), held: FLAG }), 16),
  }),
  renewed: object({ access_token: ACCESS_TOKEN, expires_in_ms: DURATION }),
  lease: object({
    send: ID, lease_token: LEASE_TOKEN, expires_in_ms: DURATION, account: ID, member_urn: URN,
    person: PERSON, conversation: orNull(CONVERSATION), body: BODY, digest: DIGEST_TEXT, approved_at_ms: MOMENT,
    repeat_approved: FLAG, held_ids: list(URN, 200),
  }),
  check: object({
    send: ID, check_token: LEASE_TOKEN, account: ID, member_urn: URN, person: PERSON, conversation: orNull(CONVERSATION),
    wanted: list(object({ version: COUNT, body: BODY, approved_at_ms: MOMENT }), 4), held_ids: list(URN, 200),
  }),
  released: object({}),
  noted: object({}),
  pong: object({}),
  proceed: object({}),
  started: object({ attempt: ATTEMPT, touch_within_ms: DURATION, deadline_ms: DURATION, epoch: COUNT, event: COUNT }),
  refused: object({ code: word(Object.keys(TABLE.refusals)), text: SENTENCE }),
  halt: object({ code: REASON }),
  recorded: object({ send: ID, status: STATUS, code: text(64), epoch: COUNT, event: COUNT }),
  pause: object({ on: FLAG }),
  superseded: object({}),
  error: object({ code: word(ERROR_CODES), text: SENTENCE, field: orNull(text(200)) }),
};

/** Frames of the server that answer none, and so carry no `re`. */
export const UNASKED = ['lease', 'check', 'pause', 'superseded'];
