// Goal: the rule reads the table as the table is meant. The full comparison with Go and the database is the parity test.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountEffect, allowed, classify, end, next } from '../core/rule.js';

const acted = { answer: { kind: 'status', status: 200 }, double: false, foreign: false, look: 'found', copies: 1 };
const unacted = { reason: 'too_late', find: 'none', box: 'cleared', request: false, unbroken: true };

test('nothing leads from started back to the queue', () => {
  for (const actor of ['server', 'sender', 'observer', 'operator']) {
    for (const to of ['queued', 'leased', 'canceled']) assert.equal(allowed('started', to, actor, true), false);
  }
});

test('a move needs its actor and a row that agrees with its own status', () => {
  assert.equal(allowed('leased', 'started', 'sender', false), true);
  assert.equal(allowed('leased', 'started', 'server', false), false);
  assert.equal(allowed('leased', 'started', 'sender', true), false);
  assert.equal(next('failed', 'sent', 'observer', true), 'sent');
  assert.throws(() => next('sent', 'failed', 'operator', true), /from sent to failed/);
});

test('a found copy wins over every answer, and what is odd about it is an incident', () => {
  assert.deepEqual(classify(acted), { status: 'sent', code: 'confirmed', incident: null });
  assert.deepEqual(classify({ ...acted, answer: { kind: 'status', status: 429 } }),
    { status: 'sent', code: 'confirmed', incident: null });
  assert.equal(classify({ ...acted, copies: 2 }).incident, 'browser_repeated');
  assert.equal(classify({ ...acted, double: true }).incident, 'double_request');
});

test('only a refusal with an empty thread is failed', () => {
  const absent = { ...acted, look: 'absent', copies: 0 };
  const at = (status, more = {}) => classify({ ...absent, answer: { kind: 'status', status }, ...more });
  assert.deepEqual(at(429), { status: 'failed', code: 'rate_limited', incident: null });
  assert.equal(at(999).code, 'account_stopped');
  assert.equal(at(422).code, 'refused_by_provider');
  for (const status of [100, 200, 302, 408, 425, 500, 503, 600, 998]) assert.equal(at(status).status, 'unconfirmed');
  assert.equal(at(422, { look: 'impossible' }).code, 'refusal_unproven');
  assert.equal(at(422, { double: true }).code, 'double_request');
  assert.equal(at(422, { foreign: true }).code, 'foreign_request');
  for (const kind of ['redirect', 'sign_in', 'none', 'lost']) {
    assert.equal(classify({ ...absent, answer: { kind } }).status, 'unconfirmed');
  }
});

test('not_attempted needs an unbroken life, a clean box and no request', () => {
  assert.deepEqual(end(unacted), { status: 'failed', code: 'not_attempted', reason: 'too_late' });
  assert.equal(end({ ...unacted, unbroken: false }).code, 'sender_lost');
  assert.equal(end({ ...unacted, box: 'left' }).code, 'draft_left');
  assert.equal(end({ ...unacted, box: 'emptied' }).code, 'foreign_request');
  assert.equal(end({ ...unacted, request: true }).status, 'unconfirmed');
  assert.equal(end({ ...unacted, find: 'fresh', request: true }).code, 'already_there');
});

test('the account follows the answer alone', () => {
  for (const status of [401, 403, 451, 999]) assert.equal(accountEffect({ kind: 'status', status }), 'stop');
  assert.equal(accountEffect({ kind: 'sign_in' }), 'stop');
  assert.equal(accountEffect({ kind: 'status', status: 429 }), 'cool_down');
  assert.equal(accountEffect({ kind: 'status', status: 500 }), null);
});

test('words that are not in the table throw', () => {
  assert.throws(() => allowed('done', 'sent', 'sender', true), /"done"/);
  assert.throws(() => allowed('started', 'sent', 'robot', true), /"robot"/);
  assert.throws(() => allowed('toString', 'sent', 'sender', true), /"toString"/);
  assert.throws(() => classify({ ...acted, look: 'maybe' }), /"maybe"/);
  assert.throws(() => classify({ ...acted, answer: { kind: 'status' } }), /whole number/);
  assert.throws(() => classify({ ...acted, answer: { kind: 'none', status: 200 } }), /whole number/);
  assert.throws(() => end({ ...unacted, box: 'full' }), /"full"/);
});
