// Goal: the page script says what became of the text that it put in: its own is taken out, and what another hand did to it
// is never called cleared. Whether a box that was emptied was sent as well, nobody here can tell.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../linkedin/gate.js';

const { sameBytes } = globalThis.SendoncePage;
const TEXT = 'Hello Ada';

/** A page with one message box that does what a browser's does, and the hands of the page script in it. */
async function page() {
  const box = { text: '', focus() {} };
  const said = [];
  /** What the page makes of a text that is typed. @type {(text: string) => string} */
  let takes = (text) => text;
  globalThis.SendoncePage = {
    sameBytes,
    composers: () => [box],
    textOf: () => box.text,
    sendButton: () => ({ disabled: false }),
    view: { say: (message) => said.push(message), isAlive: () => true, read: () => ({ items: [] }), hands: {}, changed() {} },
  };
  globalThis.window = { getSelection: () => ({ selectAllChildren() {} }) };
  globalThis.document = {
    execCommand(command, _, text) {
      box.text = command === 'delete' ? '' : takes(text);
      return true;
    },
  };
  pages += 1;
  await import(`../linkedin/driver.js?page=${pages}`); // one document each
  const { hands } = globalThis.SendoncePage.view;
  return { box, hands, said, makes: (change) => { takes = change; } };
}
let pages = 0;

test('our own text is taken out again', async () => {
  const { box, hands, said } = await page();
  hands.type({ text: TEXT });
  hands.halt();
  assert.deepEqual(said.map(({ what }) => what), ['typed', 'poised', 'halted']);
  assert.deepEqual([said.at(-1).box, box.text], ['cleared', '']);
});

test('before anything was typed there is nothing of ours', async () => {
  const { box, hands, said } = await page();
  box.text = 'Dear Ada';
  hands.halt();
  hands.type({ text: TEXT });
  assert.deepEqual(said, [{ what: 'halted', box: 'untouched' }, { what: 'not_typed', reason: 'occupied_draft', box: 'untouched' }]);
  assert.equal(box.text, 'Dear Ada');
});

for (const emptied of ['', '\n', '\u00a0']) {
  test(`a box that another hand emptied was not cleared by us: ${JSON.stringify(emptied)}`, async () => {
    const { box, hands, said } = await page();
    hands.type({ text: TEXT });
    box.text = emptied;
    hands.halt();
    assert.equal(said.at(-1).box, 'emptied');
  });
}

test('a page that takes the text out as it is typed may have sent it', async () => {
  const { hands, said, makes } = await page();
  makes(() => '');
  hands.type({ text: TEXT });
  assert.deepEqual(said, [{ what: 'not_typed', reason: 'no_composer', box: 'emptied' }]);
});

test('what the page made of our text while we typed is ours, what another hand adds is not', async () => {
  const { box, hands, said, makes } = await page();
  makes((text) => `${text}!`);
  hands.type({ text: TEXT });
  assert.deepEqual([said.at(-1), box.text], [{ what: 'not_typed', reason: 'no_composer', box: 'cleared' }, '']);
  makes((text) => text);
  hands.type({ text: TEXT });
  box.text += ' and own words';
  hands.halt();
  assert.deepEqual([said.at(-1).box, box.text], ['left', `${TEXT} and own words`]);
});
