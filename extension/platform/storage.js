// The only place that touches chrome.storage. Writes of one key are in order, also between two contexts, because each
// waits for the same lock; storage.local survives the browser, but a write may be lost when the power fails.

const LOCK = 'sendonce-storage';

// Page scripts of this extension run inside pages of others; they must not read the secrets kept here.
const closedToPages = chrome.storage.local.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' });

/**
 * @param {string[]} keys
 * @returns {Promise<Record<string, any>>} only the keys that are there
 */
export async function readAll(keys) {
  await closedToPages;
  return navigator.locks.request(LOCK, () => chrome.storage.local.get(keys));
}

/**
 * Resolves when the value is on disk. null removes the key.
 * @param {string} key
 * @param {any} value plain data
 */
export async function write(key, value) {
  await closedToPages;
  await navigator.locks.request(LOCK, () => (
    value === null ? chrome.storage.local.remove(key) : chrome.storage.local.set({ [key]: value })));
}
