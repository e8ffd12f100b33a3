// Goal: an install speaks plainly only to its own computer, and every refusal says what to type instead.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { socketAddress } from '../platform/address.js';

const SOCKETS = [
  ['sendonce.example.com', 'wss://sendonce.example.com/v1/installs/socket'],
  [' https://sendonce.example.com/ ', 'wss://sendonce.example.com/v1/installs/socket'],
  ['https://sendonce.example.com:8443/console?x=1', 'wss://sendonce.example.com:8443/v1/installs/socket'],
  ['wss://sendonce.example.com', 'wss://sendonce.example.com/v1/installs/socket'],
  ['http://127.0.0.1:8080', 'ws://127.0.0.1:8080/v1/installs/socket'],
  ['http://localhost:8080/', 'ws://localhost:8080/v1/installs/socket'],
];
const REFUSED = [
  ['', /Enter the address/], ['   ', /Enter the address/], ['https://', /not an address/], ['a b', /not an address/],
  ['http://sendonce.example.com', /Without https/], ['http://127.0.0.1.example.com', /Without https/],
  ['http://192.168.1.5:8080', /Without https/], ['ftp://sendonce.example.com', /https:\/\//],
  ['javascript://x', /https:\/\//], ['https://rita:secret@sendonce.example.com', /name or a password/],
];

for (const [typed, url] of SOCKETS) {
  test(`"${typed}" is a server`, () => assert.deepEqual(socketAddress(typed), { url }));
}
for (const [typed, error] of REFUSED) {
  test(`"${typed}" is none`, () => assert.match(socketAddress(typed).error, error));
}
