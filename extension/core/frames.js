// The check that holds a frame against its shape. shared/frames/ holds valid and broken ones that the server's own check
// reads as well.

import { COUNT, FROM_INSTALL, FROM_SERVER, ID, UNASKED, orNull, text, word } from './shapes.js';

/**
 * @typedef {import('./shapes.js').Shape} Shape
 * @typedef {import('./shapes.js').Fields} Fields
 * @typedef {{v: 1, type: string, id: string, re?: string|null, [field: string]: any}} Frame
 */

const VERSION = 1;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

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
    if (!Object.hasOwn(fields, name)) return { error: 'is not a field of this frame', field: join(path, name || '""') };
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
  // A code point takes one or two code units, so only what is near a bound has to be counted.
  if (value.length > 2 * max) return `must have at most ${max} characters`;
  if (value.length < 2 * min || value.length > max) {
    const length = [...value].length;
    if (length < min || length > max) return `must have ${min} to ${max} characters`;
  }
  return value.includes('\0') ? 'must not hold the character NUL' : null;
}
