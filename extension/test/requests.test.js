import assert from 'node:assert/strict';
import test from 'node:test';

import { retryAfter } from '../platform/requests.js';

const NOW = Date.UTC(2026, 0, 5, 9, 0, 0);

/** @param {string} value */
const after = (value) => retryAfter([{ name: 'Content-Type', value: 'x' }, { name: 'retry-After', value }], NOW);

test('Retry-After is read as seconds and as a date', () => {
  assert.equal(after('120'), 120_000);
  assert.equal(after(' 7 '), 7_000);
  assert.equal(after('Mon, 05 Jan 2026 09:10:00 GMT'), 600_000);
});

test('Retry-After that has passed is 0, and one that says nothing is null', () => {
  assert.equal(after('0'), 0);
  assert.equal(after('Mon, 05 Jan 2026 08:00:00 GMT'), 0);
  for (const value of ['', '  ', 'soon', 'NaN']) assert.equal(after(value), null, value);
  assert.equal(retryAfter([], NOW), null);
});

test('Retry-After is bounded by what a frame may say', () => {
  assert.equal(after('99999999999999'), after('Fri, 05 Jan 2126 09:00:00 GMT'));
  assert.ok(Number(after('99999999999999')) <= 30 * 24 * 3600 * 1000);
});
