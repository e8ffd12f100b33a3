// Goal: the check of frames holds against every golden frame that the server's check reads as well.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { check } from '../core/frames.js';

const FOLDER = new URL('../../shared/frames/', import.meta.url);
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

test('the golden folder is there', () => assert.ok(names.length > 100, `${names.length} frames`));

for (const name of names) {
  test(`frame ${name}`, () => {
    const golden = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
    const result = check(golden.frame, golden.from);
    if (golden.valid) assert.deepEqual(result, { ok: true });
    else {
      assert.ok('error' in result, 'a broken frame was accepted');
      assert.equal(result.field, golden.field, result.error);
    }
  });
}

test('every type of either side has a valid and a broken frame', () => {
  const seen = { install: new Map(), server: new Map() };
  for (const name of names) {
    const { from, valid, frame } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
    const pair = seen[from].get(frame.type) ?? { valid: 0, broken: 0 };
    pair[valid ? 'valid' : 'broken'] += 1;
    seen[from].set(frame.type, pair);
  }
  for (const from of ['install', 'server']) {
    for (const [type, pair] of seen[from]) {
      // Every type is seen in one valid frame, or it is one of the frames that name no type of that side.
      const result = check({ v: 1, type, id: 'x' }, from);
      if ('field' in result && result.field === 'type') continue;
      assert.ok(pair.valid > 0 && pair.broken > 0, `${from} ${type}: ${JSON.stringify(pair)}`);
    }
  }
});
