// The Idempotency-Key of docs/api.md, as `sendonce key` makes it: "<prefix>:<item>:<hash>". For Node and browsers; copy it.

const KEY_MAX = 200; // characters
const TOO_MANY_MARKS = /\p{M}{31}/u; // libraries compose a longer row to different texts
const HASH_LENGTH = 16; // hexadecimal digits

/**
 * The key for asking the payload once for the item. Rejects with a TypeError what has no one key.
 *
 * @param {string} prefix who asks: 1 to 40 of A-Z a-z 0-9 . _ -
 * @param {string} item a stable id of what it is about, like "lead-42/step-1"
 * @param {object} payload the body of the request
 * @returns {Promise<string>}
 */
export async function key(prefix, item, payload) {
  if (!/^[A-Za-z0-9._-]{1,40}$/.test(prefix)) throw new TypeError('the prefix must be 1 to 40 of A-Z a-z 0-9 . _ -');
  const composed = text(item);
  if (composed === '' || /\p{Cc}/u.test(composed)) throw new TypeError('the item must have a character, and no control character');
  const bytes = new TextEncoder().encode(canonical(payload));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('').slice(0, HASH_LENGTH);
  const made = `${prefix}:${escape(composed)}:${hex}`;
  if (made.length > KEY_MAX) throw new TypeError(`the key would have ${made.length} characters, ${KEY_MAX} is the most; take a shorter item`);
  return made;
}

/**
 * RFC 8785 of an object whose names and strings are put into NFC.
 *
 * @param {object} payload
 * @returns {string}
 */
export function canonical(payload) {
  if (payload === null || typeof payload !== 'object' || Array.isArray(payload)) throw new TypeError('it must be one JSON object');
  return write(payload);
}

function write(value) {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(text(value));
  if (typeof value === 'number') {
    if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) throw new TypeError('a number is too large; write it as a string');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (Object.prototype.toString.call(value) !== '[object Object]') throw new TypeError('it is no JSON; write it as a string');
  const members = new Map();
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue; // JSON.stringify leaves it out as well
    if (members.has(text(name))) throw new TypeError('two names are the same');
    members.set(text(name), write(member));
  }
  // Strings are compared by their UTF-16 code units, as RFC 8785 asks for.
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${member}`).join(',')}}`;
}

function text(value) {
  if (typeof value !== 'string' || !value.isWellFormed()) throw new TypeError('a text holds half a character');
  if (TOO_MANY_MARKS.test(value.normalize('NFD'))) throw new TypeError('more than 30 marks stand on one letter; take some away');
  return value.normalize('NFC');
}

// encodeURIComponent leaves !'()* alone, and writes :/@ as bytes.
function escape(item) {
  return encodeURIComponent(item)
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%40', '@');
}
