// Goal: who is signed in is found, or given up in bounded time: a tab that Chrome has frozen, or that shows a dialog,
// answers no script for as long as it does.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { PROBE_WITHIN_MS } from '../core/limits.js';
import { probeMember } from '../platform/tab.js';

const MEMBER = { urn: 'urn:li:fsd_profile:ACoAAR1', slug: 'rita-recruiter', name: 'Rita Recruiter' };

test('a tab that answers no script does not hold up the search', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
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
    mock.timers.tick(PROBE_WITHIN_MS);
  }
  assert.deepEqual(found, MEMBER);
  await search;
  assert.deepEqual(asked, [1, 2, 2]);
});
