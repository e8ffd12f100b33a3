// SHA-256 of a text as it is compared. By hand, because goja has none, and a browser's own answers later, not at once.
// Source: FIPS 180-4.

import { fold } from './text.js';

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const ROUNDS = Uint32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);
/** The same of the square roots of the first 8. */
const BEGINNING = Uint32Array.of(
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
);
const BLOCK_BYTES = 64;
const BLOCK_WORDS = 16;

/**
 * The digest of a text without what an editor or a page may change: of an approved text it is that of its own bytes.
 * @param {string} text
 * @returns {string} "sha256:" and 64 hex digits
 */
export function textDigest(text) {
  const words = padded(utf8(fold(text)));
  let state = BEGINNING;
  for (let at = 0; at < words.length; at += BLOCK_WORDS) state = compress(state, words.subarray(at, at + BLOCK_WORDS));
  return `sha256:${[...state].map((word) => word.toString(16).padStart(8, '0')).join('')}`;
}

/** @param {string} text @returns {number[]} half a pair of surrogates is no character: U+FFFD */
function utf8(text) {
  /** @type {number[]} */
  const bytes = [];
  for (const character of text) {
    const read = character.codePointAt(0) ?? 0;
    const point = read >= 0xd800 && read <= 0xdfff ? 0xfffd : read;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), last(point));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), last(point >> 6), last(point));
    else bytes.push(0xf0 | (point >> 18), last(point >> 12), last(point >> 6), last(point));
  }
  return bytes;
}

/** A byte that continues a character. @param {number} bits */
function last(bits) {
  return 0x80 | (bits & 0x3f);
}

/** The bytes, a 1 bit, zeros, and the length in bits, as whole blocks. @param {number[]} bytes */
function padded(bytes) {
  const blocks = Math.ceil((bytes.length + 9) / BLOCK_BYTES);
  const words = new Uint32Array(blocks * BLOCK_WORDS);
  [...bytes, 0x80].forEach((byte, at) => { words[at >> 2] |= byte << (24 - 8 * (at & 3)); });
  words[words.length - 2] = Math.floor(bytes.length / 2 ** 29);
  words[words.length - 1] = bytes.length * 8;
  return words;
}

/** @param {number} word @param {number} by */
function turned(word, by) {
  return (word >>> by) | (word << (32 - by));
}

/** @param {Uint32Array} state @param {Uint32Array} block */
function compress(state, block) {
  const schedule = new Uint32Array(ROUNDS.length);
  schedule.set(block);
  for (let at = BLOCK_WORDS; at < schedule.length; at += 1) {
    const [early, late] = [schedule[at - 15], schedule[at - 2]];
    schedule[at] = schedule[at - 16] + schedule[at - 7] + (turned(early, 7) ^ turned(early, 18) ^ (early >>> 3))
      + (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let at = 0; at < ROUNDS.length; at += 1) {
    const one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[at] + schedule[at];
    const other = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [a, b, c, d, e, f, g, h] = [(one + other) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  const mixed = [a, b, c, d, e, f, g, h];
  return state.map((word, at) => word + mixed[at]);
}
