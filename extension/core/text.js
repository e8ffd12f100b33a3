// Text as two sides of a conversation compare it, and the time that a LinkedIn message id carries.

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
// `urn:li:msg_message:(urn:li:fsd_profile:<mailbox owner>,2-<base64>)`: what the server gives, never a client's placeholder.
const MESSAGE_URN = /^urn:li:msg_message:\((urn:li:fsd_profile:[A-Za-z0-9_-]+),2-([A-Za-z0-9+/_-]+={0,2})\)$/;
// The decoded message id begins with its time: 13 digits of milliseconds since 1970, then "b" and a counter.
const TIME_IN_ID = /^([0-9]{13})b/;

/**
 * Folds away what an editor or a page may change without changing the message: Unicode composition, CRLF, no-break
 * spaces, trailing spaces of a line and outer blank lines.
 * @param {string} text
 * @returns {string}
 */
export function fold(text) {
  const lines = text.normalize('NFC').replace(/\r\n?/g, '\n').replace(/\u00a0/g, ' ').split('\n');
  return lines.map((line) => line.replace(/[ \t]+$/, '')).join('\n').replace(/^\n+|\n+$/g, '');
}

/**
 * Are two texts the same message?
 * @param {string} a
 * @param {string} b
 * @returns {boolean}
 */
export function sameText(a, b) {
  return fold(a) === fold(b);
}

/**
 * Decodes base64, plain or URL-safe, padded or not, to one character per byte. Null for anything else. goja has no atob.
 * @param {string} encoded
 * @returns {string|null}
 */
export function decodeBase64(encoded) {
  const digits = encoded.replace(/={1,2}$/, '').replace(/-/g, '+').replace(/_/g, '/');
  if (digits.length % 4 === 1) return null;
  let bytes = '';
  let bits = 0;
  let held = 0;
  for (const digit of digits) {
    const value = BASE64.indexOf(digit);
    if (value < 0) return null;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += String.fromCharCode((held >> bits) & 0xff);
    }
  }
  return bytes;
}

/**
 * Is this the id of a message that LinkedIn's server has taken?
 * @param {string} urn
 * @returns {boolean}
 */
export function isMessageUrn(urn) {
  return MESSAGE_URN.test(urn);
}

/**
 * The profile URN of the mailbox that a message id belongs to (the signed-in member, not the sender), or null.
 * @param {string} urn
 * @returns {string|null}
 */
export function messageOwner(urn) {
  return MESSAGE_URN.exec(urn)?.[1] ?? null;
}

/**
 * When LinkedIn took a message, in ms since 1970 by LinkedIn's clock, or null when its id does not say.
 * @param {string} urn
 * @returns {number|null}
 */
export function messageTime(urn) {
  const encoded = MESSAGE_URN.exec(urn)?.[2];
  const time = TIME_IN_ID.exec(encoded === undefined ? '' : decodeBase64(encoded) ?? '');
  return time === null ? null : Number(time[1]);
}
