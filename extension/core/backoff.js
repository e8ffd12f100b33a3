// How long to wait before something is tried again.

const TRIES_COUNTED_MAX = 30;

/**
 * Full jitter: anything from nothing to a cap that doubles with each try, so that a thousand installs that lost the same
 * server do not come back in the same second.
 * @param {number} tries how often it was tried in vain since it last worked
 * @param {number} firstMs the cap of the first wait
 * @param {number} mostMs the largest cap
 * @param {number} random 0 <= random < 1
 * @returns {number} milliseconds
 */
export function backoffMs(tries, firstMs, mostMs, random) {
  const cap = Math.min(mostMs, firstMs * 2 ** Math.min(tries, TRIES_COUNTED_MAX));
  return Math.floor(random * cap);
}
