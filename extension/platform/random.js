// The only source of chance.

const ID_BYTES = 16;

/** @returns {string} 32 hex digits that nobody can guess */
export function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @returns {number} 0 <= n < 1, for jitter */
export function fraction() {
  return Math.random();
}
