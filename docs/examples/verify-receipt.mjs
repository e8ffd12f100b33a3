// Verifies a receipt of Sendonce with nothing but Node:
//
//   node verify-receipt.mjs keys.json receipt.json
//
// keys.json is the answer of GET /v1/receipt-keys, fetched from the server that you trust and not sent along with the receipt.
// JSON.parse takes the last of two members of one name and says nothing; `sendonce receipt verify` refuses such a file.

import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The RFC 8785 form of a JSON value. Receipts hold whole numbers only, so numbers need no care. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(',')}}`;
}

/** Whether the receipt is what one of the published keys signed. */
export function verifyReceipt(receipt, keys) {
  const { value, ...signature } = receipt.signature;
  const key = keys.items.find((one) => one.key_id === signature.key_id && one.alg === signature.alg);
  if (key === undefined || signature.alg !== 'Ed25519') return false;
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.public_key }, format: 'jwk' });
  const signed = Buffer.from(canonical({ ...receipt, signature }), 'utf8');
  return verify(null, signed, publicKey, Buffer.from(value, 'base64url'));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [keys, receipt] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));
  const isGood = verifyReceipt(receipt, keys);
  console.log(isGood ? 'The signature is good.' : 'This is not what was signed.');
  process.exitCode = isGood ? 0 : 1;
}
