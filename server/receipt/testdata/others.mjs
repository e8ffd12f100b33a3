// Reads {keys, receipts} and answers with one {good, altered, written} each: whether the receipt verifies here, whether it still
// does when one text is changed, and how another JSON library writes it, with its members in another order.

import { readFileSync } from 'node:fs';

import { verifyReceipt } from '../../../docs/examples/verify-receipt.mjs';

function turned(value) {
  if (Array.isArray(value)) return value.map(turned);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).reverse().map(([name, one]) => [name, turned(one)]));
}

const { keys, receipts } = JSON.parse(readFileSync(0, 'utf8'));
const answers = receipts.map((receipt) => {
  const other = { ...receipt, message: { ...receipt.message, purpose: `${receipt.message.purpose} ` } };
  return { good: verifyReceipt(receipt, keys), altered: verifyReceipt(other, keys), written: JSON.stringify(turned(receipt), null, 3) };
});
process.stdout.write(JSON.stringify(answers));
