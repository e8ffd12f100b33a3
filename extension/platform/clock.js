// The clocks and timers of the worker.

/** @type {Map<string, ReturnType<typeof setTimeout>>} */
const timers = new Map();

/**
 * Both clocks, in milliseconds. `wall` may be set; `mono` never goes back, but stands still in a suspended machine.
 * @returns {{wall: number, mono: number}}
 */
export function stamp() {
  return { wall: Date.now(), mono: performance.now() };
}

/**
 * Calls fire once; a second timer of the same key replaces the first. Timers die with the worker.
 * @param {string} key
 * @param {number} ms
 * @param {() => void} fire
 */
export function setTimer(key, ms, fire) {
  clearTimer(key);
  timers.set(key, setTimeout(() => {
    timers.delete(key);
    fire();
  }, ms));
}

/** @param {string} key */
export function clearTimer(key) {
  clearTimeout(timers.get(key));
  timers.delete(key);
}
