// Goal: who is signed in is found, or given up in bounded time: a tab that Chrome has frozen, or that shows a dialog,
// answers no script for as long as it does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probeMember } from '../platform/tab.js';

const MEMBER = { urn: 'urn:li:fsd_profile:ACoAAR1', slug: 'rita-recruiter', name: 'Rita Recruiter' };

test('a tab that answers no script does not hold up the search', async () => {
  const waits = [];
  // By hand: the mock of node:test has another form in each of the versions that are supported.
  globalThis.setTimeout = (run) => waits.push(run);
  globalThis.clearTimeout = () => {};
  const asked = [];
  globalThis.chrome = {
    tabs: { query: async () => [{ id: 1 }, { id: 2 }] },
    scripting: {
      executeScript: ({ target, func }) => {
        asked.push(target.tabId);
        if (target.tabId === 1) return new Promise(() => {});
        return Promise.resolve([{ result: func === undefined ? null : [MEMBER] }]);
      },
    },
  };
  let found = null;
  const search = probeMember().then((member) => { found = member; });
  for (let turn = 0; turn < 10 && found === null; turn += 1) {
    await new Promise((resolve) => { setImmediate(resolve); });
    waits.splice(0).forEach((run) => run());
  }
  assert.deepEqual(found, MEMBER);
  await search;
  assert.deepEqual(asked, [1, 2, 2]);
});
