// The delivery request as the browser sees it. Chrome wakes a worker for these events only through listeners that stand
// at its top level. They observe; nothing is held back or changed.

import { readDelivery } from '../linkedin/delivery.js';
import { DELIVERY_REQUESTS } from '../linkedin/urls.js';
import { RETRY_AFTER_MAX_MS } from '../core/limits.js';

/**
 * Events: request {what: 'before', request_id, tab, text, origin_token, to_person, to_conversation},
 * {what: 'redirect', url} (the last event of its address), {what: 'completed', status, retry_after_ms},
 * {what: 'failed'}, all with request_id and tab (-1: none).
 * @param {(event: any) => void} tell
 */
export function listen(tell) {
  /** @type {chrome.webRequest.RequestFilter} */
  const filter = { urls: [DELIVERY_REQUESTS], types: [/** @type {any} */ ('xmlhttprequest')] };
  /** @param {string} what @param {{requestId: string, tabId: number}} details @param {object} [more] */
  const event = (what, details, more = {}) => (
    tell({ type: 'request', what, request_id: details.requestId, tab: details.tabId, ...more }));
  chrome.webRequest.onBeforeRequest.addListener((details) => {
    if (details.method === 'POST') event('before', details, readDelivery(bodyOf(details)));
    return undefined;
  }, filter, ['requestBody']);
  chrome.webRequest.onBeforeRedirect.addListener((details) => {
    event('redirect', details, { url: details.redirectUrl });
  }, filter);
  chrome.webRequest.onCompleted.addListener((details) => {
    event('completed', details, { status: details.statusCode, retry_after_ms: retryAfter(details.responseHeaders ?? [], Date.now()) });
  }, filter, ['responseHeaders']);
  // Its error text has no fixed meaning.
  chrome.webRequest.onErrorOccurred.addListener((details) => event('failed', details), filter);
}

/** @param {any} details @returns {string} */
function bodyOf(details) {
  /** @type {{bytes?: ArrayBuffer}[]} */
  const parts = details.requestBody?.raw ?? [];
  const decoder = new TextDecoder();
  return parts.map(({ bytes }) => decoder.decode(bytes, { stream: true })).join('') + decoder.decode();
}

/**
 * Retry-After is a number of seconds or a date (RFC 9110, 10.2.3).
 * @param {chrome.webRequest.HttpHeader[]} headers
 * @param {number} nowMs by the wall
 * @returns {number|null} ms
 */
export function retryAfter(headers, nowMs) {
  const value = headers.find(({ name }) => name.toLowerCase() === 'retry-after')?.value?.trim();
  if (value === undefined || value === '') return null;
  const ms = /^[0-9]+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.round(ms)), RETRY_AFTER_MAX_MS) : null;
}
