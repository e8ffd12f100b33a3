// The tabs that an attempt opens, the page script in them, and who is signed in. The only user of chrome.tabs and
// chrome.scripting.

import { DRIVER_FILES, READER_FILES, VIEWER_FILES } from '../linkedin/files.js';
import { EVERY_PAGE, FEED_URL, place } from '../linkedin/urls.js';
import { PROBE_TABS_MAX, PROBE_WITHIN_MS } from '../core/limits.js';

const PORT_NAME = 'attempt';

/** @type {(event: any) => void} */
let tell = () => {};
/**
 * Connections of page scripts by a number of their own: one tab has a new one with each document.
 * @type {Map<number, chrome.runtime.Port>}
 */
const ports = new Map();
let portsSoFar = 0;

/**
 * Events, all with `tab`: tab {what: 'opened'|'loaded'|'gone', url}, port {what: 'open'|'closed', port},
 * page {port, message}. `opened`, and the `gone` of a tab that never opened, carry the effect's `lease_token`.
 * @param {(event: any) => void} onEvent
 */
export function listen(onEvent) {
  tell = onEvent;
  chrome.tabs.onUpdated.addListener((tab, change, { url }) => {
    // Only pages of LinkedIn show their address to us; the empty page of a new tab is no page that was asked for.
    if (change.status === 'complete' && url !== undefined) tell({ type: 'tab', what: 'loaded', tab, url });
  });
  chrome.tabs.onRemoved.addListener((tab) => tell({ type: 'tab', what: 'gone', tab, url: null }));
  chrome.runtime.onConnect.addListener(connected);
}

/** @param {chrome.runtime.Port} port */
function connected(port) {
  const { sender } = port;
  const tab = sender?.tab?.id;
  if (port.name !== PORT_NAME || sender?.id !== chrome.runtime.id || sender.frameId !== 0 || tab === undefined) {
    port.disconnect();
    return;
  }
  portsSoFar += 1;
  const number = portsSoFar;
  ports.set(number, port);
  port.onMessage.addListener((message) => tell({ type: 'page', tab, port: number, message }));
  port.onDisconnect.addListener(() => {
    ports.delete(number);
    tell({ type: 'port', what: 'closed', tab, port: number });
  });
  tell({ type: 'port', what: 'open', tab, port: number });
}

/**
 * Carries out an attempt's effect on its tab. Nothing is waited for: what comes of it is told as an event.
 * @param {any} effect
 */
export function perform(effect) {
  if (effect.do === 'page') return say(effect);
  if (effect.what === 'open') return void open(effect);
  const missing = () => tell({ type: 'tab', what: 'gone', tab: effect.tab, url: null });
  if (effect.what === 'navigate') return void chrome.tabs.update(effect.tab, { url: effect.url }).catch(missing);
  if (effect.what === 'show') return void chrome.tabs.update(effect.tab, { active: true }).catch(missing);
  if (effect.what === 'close') return void chrome.tabs.remove(effect.tab).catch(missing);
  // A page that cannot be scripted is an error page; the attempt's own time for the page ends that.
  return void inject(effect.tab, effect.what === 'act' ? DRIVER_FILES : VIEWER_FILES).catch(() => {});
}

/** @param {any} effect */
async function open({ url, lease_token }) {
  try {
    const { id } = await chrome.tabs.create({ url, active: false });
    // Chrome must not drop the page under memory pressure while we work in it.
    await chrome.tabs.update(/** @type {number} */ (id), { autoDiscardable: false });
    tell({ type: 'tab', what: 'opened', tab: id, url, lease_token });
  } catch {
    tell({ type: 'tab', what: 'gone', tab: null, url: null, lease_token });
  }
}

/** @param {any} effect */
function say({ port, message }) {
  // A document that has gone has closed its port, and that is told by itself.
  ports.get(port)?.postMessage(message);
}

/** @param {number} tab @param {string[]} files */
function inject(tab, files) {
  return chrome.scripting.executeScript({ target: { tabId: tab, frameIds: [0] }, files });
}

/**
 * Who is signed in to LinkedIn in this browser: read from the person's own tabs, or from a tab of our own on the feed.
 * @returns {Promise<{urn: string, slug: string, name: string}|null>} null when nobody is, or LinkedIn cannot be reached
 */
export async function probeMember() {
  const tabs = await chrome.tabs.query({ url: EVERY_PAGE, status: 'complete', discarded: false });
  for (const { id } of tabs.slice(0, PROBE_TABS_MAX)) {
    const member = await inTime(memberIn(/** @type {number} */ (id))).catch(() => null);
    if (member !== null) return member;
  }
  return memberOnFeed();
}

/** @param {number} tab @returns {Promise<{urn: string, slug: string, name: string}|null>} */
async function memberIn(tab) {
  await inject(tab, READER_FILES);
  const [{ result }] = await chrome.scripting.executeScript({
    target: { tabId: tab, frameIds: [0] },
    func: () => (/** @type {any} */ (globalThis)).SendoncePage.members(),
  });
  return result !== undefined && result !== null && result.length === 1 ? result[0] : null;
}

/**
 * A tab that Chrome has frozen, or that shows a dialog, runs no script until that is over.
 * @template T
 * @param {Promise<T>} answer
 * @returns {Promise<T|null>}
 */
function inTime(answer) {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => resolve(null), PROBE_WITHIN_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(limit));
  });
}

async function memberOnFeed() {
  const { id } = await chrome.tabs.create({ url: 'about:blank', active: false });
  const tab = /** @type {number} */ (id);
  try {
    const url = await load(tab, FEED_URL);
    return url === null || place(url).kind === 'sign_in' ? null : await inTime(memberIn(tab));
  } finally {
    await chrome.tabs.remove(tab).catch(() => {});
  }
}

/**
 * @param {number} tab
 * @param {string} address
 * @returns {Promise<string|null>} where the load ended, or null when it did not in time
 */
function load(tab, address) {
  return new Promise((resolve) => {
    /** @param {string|null} url */
    const end = (url) => {
      clearTimeout(limit);
      chrome.tabs.onUpdated.removeListener(updated);
      resolve(url);
    };
    /** @param {number} id @param {{status?: string}} change @param {chrome.tabs.Tab} info */
    const updated = (id, change, info) => {
      if (id === tab && change.status === 'complete' && info.url !== undefined) end(info.url);
    };
    const limit = setTimeout(() => end(null), PROBE_WITHIN_MS);
    chrome.tabs.onUpdated.addListener(updated);
    chrome.tabs.update(tab, { url: address }).catch(() => end(null));
  });
}
