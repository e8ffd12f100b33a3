// Goal: JavaScript and Go make the same key of the same words. The Go side of it is server/key/key_test.go.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { canonical, key } from './key.mjs';

const { vectors } = JSON.parse(readFileSync(new URL('./key-vectors.json', import.meta.url), 'utf8'));

for (const vector of vectors) {
  test(vector.name, async () => {
    const make = async () => key(vector.prefix, vector.item, JSON.parse(vector.payload));
    if (vector.key === null) {
      await assert.rejects(make);
      return;
    }
    assert.equal(canonical(JSON.parse(vector.payload)), vector.canonical);
    assert.equal(await make(), vector.key);
  });
}

test('what JSON cannot say has no key', async () => {
  for (const payload of [{ at: new Date(0) }, { n: 1n }, { n: NaN }, { f: () => 1 }, [], null, 'text']) {
    await assert.rejects(key('agent', 'lead-42', payload));
  }
});

test('a member without a value is no member', async () => {
  assert.equal(await key('agent', 'lead-42', { a: 1, b: undefined }), await key('agent', 'lead-42', { a: 1 }));
});
