// The shape of every frame, as data, and the check that holds frames against it. docs/protocol.md says what they mean;
// shared/frames/ holds valid and broken ones that the server's check reads as well.

import { TABLE } from '../generated/statuses.js';
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
 * @typedef {{v: 1, type: string, id: string, re?: string|null, [field: string]: any}} Frame
 */

const VERSION = 1;
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;
const DURATION_MS_MAX = 30 * 24 * 60 * 60 * 1000;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** @param {number} max @returns {Shape} */
const text = (max) => ({ kind: 'text', min: 1, max });
/** @param {number} max @returns {Shape} */
const textOrEmpty = (max) => ({ kind: 'text', min: 0, max });
/** @param {readonly string[]} of @returns {Shape} */
const word = (of) => ({ kind: 'word', of });
/** @param {Shape} of @param {number} max @returns {Shape} */
const list = (of, max) => ({ kind: 'list', of, max });
/** @param {Fields} fields @returns {Shape} */
const object = (fields) => ({ kind: 'object', fields });
/** @param {Shape} shape @returns {Shape} */
const orNull = (shape) => ({ ...shape, orNull: true });

/** @type {Shape} */ const FLAG = { kind: 'flag' };
/** @type {Shape} */ const DIGEST_TEXT = { kind: 'digest' };
/** @type {Shape} */ const COUNT = { kind: 'integer', min: 0, max: INTEGER_MAX };
/** @type {Shape} */ const MOMENT = { kind: 'integer', min: 0, max: INTEGER_MAX };
/** @type {Shape} */ const DURATION = { kind: 'integer', min: 1, max: DURATION_MS_MAX };
/** @type {Shape} */ const WAIT = { kind: 'integer', min: 0, max: DURATION_MS_MAX };
/** @type {Shape} */ const ANSWER_STATUS = { kind: 'integer', min: 100, max: 999 };

const ID = text(64);
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
export const RELEASE_CODES = Object.freeze(['paused', 'stopped', 'signed_out', 'busy', 'refused', 'expired']);

const ERROR_CODES = ['malformed_frame', 'unknown_type', 'hello_first', 'bad_code', 'bad_secret', 'bad_token',
  'install_revoked', 'bad_lease', 'unavailable', 'too_many'];

const COPIES = list(object({ provider_id: URN, sent_at_ms: MOMENT }), 20);

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
  attempt: orNull(ID),
  outcome: object({ status: STATUS, code: word(REPORT_CODES), reason: orNull(REASON) }),
};

/** @type {Record<string, Shape>} */
const FROM_INSTALL = {
  pair: object({ code: text(64), extension_version: EXTENSION_VERSION }),
  token: object({ install: ID, refresh_secret: SECRET }),
  hello: object({
    access_token: ACCESS_TOKEN, install: ID, extension_version: EXTENSION_VERSION, rules_digest: DIGEST_TEXT,
    accounts: list(object({ member_urn: URN, slug: SLUG, name: NAME }), 8),
    open: list(object({ lease_token: LEASE_TOKEN, attempt: orNull(ID), phase: word(PHASES) }), 16),
    mark: object({ epoch: COUNT, event: COUNT }),
  }),
  renew: object({}),
  ready: object({ accounts: list(ID, 64) }),
  release: object({ lease_token: LEASE_TOKEN, code: word(RELEASE_CODES) }),
  start: object({ lease_token: LEASE_TOKEN, attempt: ID, digest: DIGEST_TEXT }),
  resolved: object({
    lease_token: LEASE_TOKEN, attempt: ID, person_urn: URN, slug: orNull(SLUG), name: NAME, connected: FLAG,
    participants: COUNT,
  }),
  report: {
    kind: 'choice',
    by: 'end',
    cases: { acted: { ...REPORT_HEAD, evidence: ACTED }, unacted: { ...REPORT_HEAD, evidence: UNACTED } },
  },
  gone: object({ lease_token: LEASE_TOKEN }),
  ping: object({}),
};

/** @type {Record<string, Shape>} */
const FROM_SERVER = {
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
    person: object({ id: ID, name: NAME, slug: orNull(SLUG), urn: orNull(URN) }),
    conversation: orNull(CONVERSATION), body: BODY, digest: DIGEST_TEXT, approved_at_ms: MOMENT,
    repeat_approved: FLAG, held_ids: list(URN, 200),
  }),
  released: object({}),
  noted: object({}),
  pong: object({}),
  proceed: object({}),
  started: object({ attempt: ID, touch_within_ms: DURATION, deadline_ms: DURATION, epoch: COUNT, event: COUNT }),
  refused: object({ code: word(Object.keys(TABLE.refusals)), text: SENTENCE }),
  halt: object({ code: REASON }),
  recorded: object({ send: ID, status: STATUS, code: text(64), epoch: COUNT, event: COUNT }),
  superseded: object({}),
  error: object({ code: word(ERROR_CODES), text: SENTENCE, field: orNull(text(200)) }),
};

const UNASKED = ['lease', 'superseded'];

/**
 * Holds one frame against its shape.
 * @param {unknown} frame whatever JSON.parse gave
 * @param {'install'|'server'} from the side that speaks
 * @returns {{ok: true} | {error: string, field: string|null}} `field` is a path such as "accounts[0].slug", or null when
 *   the frame is no object
 */
export function check(frame, from) {
  if (!isObject(frame)) return { error: 'a frame is an object', field: null };
  if (frame.v !== VERSION) return { error: `the version must be ${VERSION}`, field: 'v' };
  const shapes = from === 'install' ? FROM_INSTALL : FROM_SERVER;
  const type = frame.type;
  if (typeof type !== 'string' || !Object.hasOwn(shapes, type)) {
    return { error: `is no type of a frame from the ${from}`, field: 'type' };
  }
  /** @type {Fields} */
  const head = { v: COUNT, type: text(64), id: ID };
  if (from === 'server' && !UNASKED.includes(type)) head.re = type === 'error' ? orNull(ID) : ID;
  const fault = objectFault(shapes[type], frame, '', head);
  return fault ?? { ok: true };
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {string} path @param {string} name */
function join(path, name) {
  return path === '' ? name : `${path}.${name}`;
}

/**
 * @param {Shape} shape an object or a choice
 * @param {Record<string, unknown>} value
 * @param {string} path
 * @param {Fields} head fields that are there beside those of the shape
 */
function objectFault(shape, value, path, head) {
  let fields = head;
  if (shape.kind === 'object') fields = { ...head, ...shape.fields };
  if (shape.kind === 'choice') {
    const chosen = value[shape.by];
    if (typeof chosen !== 'string' || !Object.hasOwn(shape.cases, chosen)) {
      return { error: `must be one of ${Object.keys(shape.cases).join(', ')}`, field: join(path, shape.by) };
    }
    fields = { ...head, [shape.by]: word([chosen]), ...shape.cases[chosen] };
  }
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) return { error: 'is not a field of this frame', field: join(path, name) };
  }
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(value, name)) return { error: 'is missing', field: join(path, name) };
    const fault = valueFault(fields[name], value[name], join(path, name));
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * @param {Shape} shape
 * @param {unknown} value
 * @param {string} path
 * @returns {{error: string, field: string}|null}
 */
function valueFault(shape, value, path) {
  if (value === null && shape.orNull === true) return null;
  switch (shape.kind) {
    case 'object':
    case 'choice':
      return isObject(value) ? objectFault(shape, value, path, {}) : { error: 'must be an object', field: path };
    case 'list':
      return listFault(shape.of, shape.max, value, path);
    default: {
      const error = scalarError(shape, value);
      return error === null ? null : { error, field: path };
    }
  }
}

/** @param {Shape} of @param {number} max @param {unknown} value @param {string} path */
function listFault(of, max, value, path) {
  if (!Array.isArray(value)) return { error: 'must be a list', field: path };
  if (value.length > max) return { error: `must have at most ${max} items`, field: path };
  for (let index = 0; index < value.length; index += 1) {
    const fault = valueFault(of, value[index], `${path}[${index}]`);
    if (fault !== null) return fault;
  }
  return null;
}

/** @param {Shape} shape @param {unknown} value @returns {string|null} */
function scalarError(shape, value) {
  switch (shape.kind) {
    case 'text':
      return textError(shape.min, shape.max, value);
    case 'integer':
      return typeof value === 'number' && Number.isSafeInteger(value) && shape.min <= value && value <= shape.max
        ? null : `must be a whole number from ${shape.min} to ${shape.max}`;
    case 'flag':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'digest':
      return typeof value === 'string' && DIGEST.test(value) ? null : 'must be sha256: and 64 lower-case hex digits';
    case 'word':
      return typeof value === 'string' && shape.of.includes(value) ? null : `must be one of ${shape.of.join(', ')}`;
    default:
      throw new Error(`${shape.kind} is no shape of a single value`);
  }
}

/** @param {number} min @param {number} max @param {unknown} value */
function textError(min, max, value) {
  if (typeof value !== 'string') return 'must be text';
  // A code point takes one or two code units, so this spares counting what is too long in any case.
  if (value.length > 2 * max) return `must have at most ${max} characters`;
  const length = [...value].length;
  return min <= length && length <= max ? null : `must have ${min} to ${max} characters`;
}
