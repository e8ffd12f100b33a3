// Goal: what the whole install promises about a check: beside nothing else, answered until that is noted, ended by whoever
// ends anything, and never in the way of the account, of an update or of the person.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASKS_CROWDED, CLOSE_TRIES_MAX } from '../core/limits.js';
import { viewOf } from '../core/view.js';
import { MEMBER, Scene } from './support/scene.js';

test('a check holds the account, is answered until that is noted, and frees the account', () => {
  const scene = new Scene().connect().check();
  assert.deepEqual(scene.last('ready').accounts, []);
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' });
  assert.deepEqual(scene.store.checking, { tab: 5 });
  assert.deepEqual(scene.effects('tab').map(({ what }) => what), ['open', 'navigate']);
  scene.on({ type: 'tab', what: 'gone', tab: 5 });
  assert.equal(scene.last('checked').evidence.reason, 'stopped');
  assert.equal(scene.store.checking, undefined);
  assert.deepEqual(scene.last('ready').accounts, ['ac-1']);
  const { id } = scene.last('checked');
  assert.equal(scene.cut().pass(70_000).on({ type: 'wake' }).connect().last('checked').id, id);
  scene.hear('noted', {}, 'checked').pass(70_000).on({ type: 'timer', name: 'outbox' });
  assert.equal(scene.all('checked').length, 2);
});

test('a check that arrives again, or beside work, begins nothing', () => {
  const scene = new Scene().connect().check().check();
  assert.equal(scene.effects('tab').length, 1);
  scene.check('check-2');
  assert.equal(scene.last('checked').evidence.reason, 'busy');
  const working = new Scene().connect().lease();
  working.check();
  assert.equal(working.last('checked').evidence.reason, 'busy');
  assert.equal(working.effects('tab').length, 0);
});

test('a paused browser, and one where another member is signed in, check nothing', () => {
  const paused = new Scene().connect().on({ type: 'pause', on: true }).check();
  assert.equal(paused.last('checked').evidence.reason, 'paused');
  const other = new Scene().connect().check('check-1', { member_urn: 'urn:li:fsd_profile:ACoAAR2' });
  assert.equal(other.last('checked').evidence.reason, 'signed_out');
  assert.equal(paused.effects('tab').length + other.effects('tab').length, 0);
});

test('a worker that starts again closes the tab of the check that its predecessor had begun', () => {
  const scene = new Scene().connect().check();
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' }).live();
  assert.deepEqual(scene.effects('tab').map(({ what, tab }) => [what, tab]), [['close', 5]]);
  assert.equal(scene.store.checking, undefined);
});

test('the person who presses Stop stops a check', () => {
  const scene = new Scene().connect().check();
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' }).on({ type: 'stop' });
  assert.equal(scene.last('checked').evidence.reason, 'stopped');
  assert.equal(scene.effects('tab').at(-1).what, 'close');
});

for (const [what, event] of Object.entries({
  Stop: { type: 'stop' }, unpairing: { type: 'unpair' }, 'an update': { type: 'update' },
})) {
  const opened = { type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' };

  test(`${what} ends a check, also while its tab is being opened`, () => {
    for (const events of [[opened, event], [event, opened]]) {
      const scene = new Scene().connect().check();
      for (const one of events) scene.on(one);
      // After an unpairing nobody is there to be told.
      assert.deepEqual(scene.all('checked').map(({ evidence }) => evidence.reason), what === 'unpairing' ? [] : ['stopped']);
      assert.deepEqual(scene.effects('tab').filter((effect) => effect.what === 'close').map(({ tab }) => tab), [5]);
      assert.equal(scene.effects('reload').length, 0);
      scene.on({ type: 'tab', what: 'gone', tab: 5 });
      assert.deepEqual([scene.install.check, scene.store.checking], [null, undefined]);
      assert.equal(scene.effects('reload').length, event.type === 'update' ? 1 : 0);
    }
  });

  test(`${what} is not held up by a check's tab that never opens, and one that opens later is closed`, () => {
    const scene = new Scene().connect().check().on(event).on({ type: 'timer', name: 'close', lease_token: 'check-1' });
    assert.equal(scene.install.check, null);
    scene.on(opened);
    assert.deepEqual(scene.effects('tab').map(({ what: done, tab }) => [done, tab]), [['open', null], ['close', 5]]);
  });
}

test('a check\'s tab that does not close holds up neither the account nor an update, and the popup says so meanwhile', () => {
  const scene = new Scene().connect().check();
  assert.match(viewOf(scene.install).doing[0], /Ada Example/);
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' }).on({ type: 'update' });
  for (let tries = 1; tries < CLOSE_TRIES_MAX; tries += 1) scene.on({ type: 'timer', name: 'close', lease_token: 'check-1' });
  assert.match(viewOf(scene.install).doing[0], /close it by hand/);
  assert.equal(scene.effects('reload').length, 0);
  scene.on({ type: 'timer', name: 'close', lease_token: 'check-1' });
  assert.deepEqual([viewOf(scene.install).doing, scene.effects('reload').length], [[], 1]);
});

test('a check that meets a sign-in page takes back what was believed of the member', () => {
  const scene = new Scene().connect().check();
  scene.on({ type: 'tab', what: 'opened', tab: 5, lease_token: 'check-1' }).on({ type: 'port', what: 'open', tab: 5, port: 1 });
  const facts = { url: 'https://www.linkedin.com/login', sign_in: true, members: [], items: [] };
  scene.on({ type: 'page', tab: 5, port: 1, message: { what: 'facts', facts } });
  scene.on({ type: 'timer', name: 'settle', lease_token: 'check-1' }).on({ type: 'tab', what: 'gone', tab: 5 });
  assert.equal(scene.last('checked').evidence.reason, 'signed_out');
  assert.deepEqual([scene.install.seen.member, scene.store.seen.member, scene.last('ready').accounts], [null, null, []]);
  assert.deepEqual(new Scene().connect().on({ type: 'pause', on: true }).check().install.seen.member, MEMBER);
});

test('a check whose answer could not be kept is not begun', () => {
  const scene = new Scene().connect().on({ type: 'pause', on: true });
  for (let count = 0; count < ASKS_CROWDED; count += 1) scene.check(`check-${count}`);
  scene.on({ type: 'pause', on: false }).check('one-more');
  assert.deepEqual([scene.effects('tab').length, scene.all('checked').length], [0, ASKS_CROWDED]);
});

test('a person who is known neither by URN nor by address is not looked for', () => {
  const scene = new Scene().connect().check('check-1', { person: { id: 'p-1', name: 'Ada Example', slug: null, urn: null } });
  assert.deepEqual([scene.last('checked').evidence.reason, scene.effects('tab')], ['wrong_person', []]);
});
