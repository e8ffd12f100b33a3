// Goal: the journal never forgets what may have happened, and never grows without bound.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MIGRATIONS, answered, findOpen, isFull, keep, knows, needsALook, openJournal, over, owed, prune, write,
} from '../core/journal.js';
import { ENTRIES_MAX, REPORTS_PER_ENTRY_MAX, TOMBSTONES_MAX, TOMBSTONE_KEEP_MS } from '../core/limits.js';

const entry = (token = 't-1', phase = 'asked') => (
  { lease_token: token, send: 'sd-1', account: 'ac-1', phase, person: { name: 'Ada Example' } });
const report = (id = 'f-1', token = 't-1') => ({ v: 1, type: 'report', id, lease_token: token });
const gone = (id = 'f-2', token = 't-1') => ({ v: 1, type: 'gone', id, lease_token: token });
const recorded = { v: 1, type: 'recorded', id: 's', status: 'unconfirmed', code: 'no_answer' };
const noted = { v: 1, type: 'noted', id: 's' };

test('an empty store becomes the newest shape', () => {
  assert.deepEqual(openJournal(undefined), { version: MIGRATIONS.length, open: {}, ended: [] });
});

test('an old shape passes every later step once, in order', () => {
  const steps = [() => ({ passed: [1] }), (old) => ({ passed: [...old.passed, 2] }), (old) => ({ passed: [...old.passed, 3] })];
  assert.deepEqual(openJournal(undefined, undefined, steps), { passed: [1, 2, 3], version: 3 });
  assert.deepEqual(openJournal({ version: 2, passed: ['old'] }, [], steps), { passed: ['old', 3], version: 3 });
  const tombstones = [{ lease_token: 't-1' }];
  assert.deepEqual(openJournal({ version: 3, passed: ['new'] }, tombstones, steps),
    { passed: ['new'], version: 3, ended: tombstones });
});

test('the shape of a later release is refused, not dropped', () => {
  assert.throws(() => openJournal({ version: MIGRATIONS.length + 1, open: {} }), /update it/);
  assert.throws(() => openJournal({ open: {} }), /shape undefined/);
});

test('a phase never goes back', () => {
  const journal = write(openJournal(undefined), entry('t-1', 'go_sent'), 5);
  assert.throws(() => write(journal, entry('t-1', 'asked'), 6), /go back/);
  assert.throws(() => write(journal, entry('t-2', 'clicked'), 6), /no phase/);
});

test('an entry is open until the attempt is over, its report recorded and its tab gone', () => {
  let journal = write(openJournal(undefined), entry(), 5);
  journal = keep(keep(journal, report()), gone());
  assert.deepEqual(owed(journal).map((frame) => frame.type), ['report', 'gone']);
  journal = answered(journal, report(), recorded, 6);
  assert.deepEqual(owed(journal).map((frame) => frame.type), ['gone']);
  journal = over(journal, 't-1', 7);
  assert.notEqual(findOpen(journal, 't-1'), null);
  journal = answered(journal, gone(), noted, 8);
  assert.equal(findOpen(journal, 't-1'), null);
  assert.deepEqual(owed(journal), []);
  assert.equal(knows(journal, 't-1'), true, 'the tombstone remembers the lease');
  assert.deepEqual(needsALook(journal).map((look) => look.person), ['Ada Example']);
});

test('an entry whose report was not recorded outlives its attempt', () => {
  const journal = over(keep(write(openJournal(undefined), entry(), 5), report()), 't-1', 6);
  assert.equal(owed(journal).length, 1);
});

test('the names of inherited properties are no lease', () => {
  assert.equal(findOpen(openJournal(undefined), 'constructor'), null);
  assert.equal(knows(openJournal(undefined), 'toString'), false);
});

test('entries, reports and tombstones are bounded', () => {
  let journal = openJournal(undefined);
  for (let n = 0; n < ENTRIES_MAX; n += 1) journal = write(journal, entry(`t-${n}`), 5);
  assert.equal(isFull(journal), true);
  assert.throws(() => write(journal, entry('one-more'), 5), /open entries/);
  for (let n = 0; n < REPORTS_PER_ENTRY_MAX + 3; n += 1) journal = keep(journal, report(`f-${n}`, 't-0'));
  assert.equal(owed(journal).length, REPORTS_PER_ENTRY_MAX);
  const many = { ...openJournal(undefined), ended: Array.from({ length: TOMBSTONES_MAX }, (_, n) => ({ lease_token: `old-${n}`, at_ms: 5 })) };
  const full = over(write(many, entry('last'), 5), 'last', 6);
  assert.equal(full.ended.length, TOMBSTONES_MAX);
  assert.equal(knows(full, 'last'), true);
  assert.equal(knows(full, 'old-0'), false);
});

test('after 90 days an entry is given up and a tombstone forgotten', () => {
  const journal = over(write(write(openJournal(undefined), entry('t-1'), 5), entry('t-2'), 5), 't-2', 5);
  const later = prune(journal, TOMBSTONE_KEEP_MS + 6);
  assert.equal(findOpen(later, 't-1'), null);
  assert.equal(knows(later, 't-1'), true);
  assert.equal(knows(later, 't-2'), false);
  assert.deepEqual(prune(journal, TOMBSTONE_KEEP_MS), journal);
});
