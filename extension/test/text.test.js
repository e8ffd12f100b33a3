// Goal: texts and addresses are told apart where it matters and folded where it does not.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { textDigest } from '../core/digest.js';
import { decodeBase64, fold, isMessageUrn, messageOwner, messageTime, sameText } from '../core/text.js';
import { readDelivery } from '../linkedin/delivery.js';
import { composeUrl, place, profileUrl, threadUrl } from '../linkedin/urls.js';

const PERSON = 'urn:li:fsd_profile:ACoAAA1';

test('folding takes away what an editor may change, and nothing else', () => {
  assert.equal(fold('\n\nHi\u00a0 Ada \r\n\r\nbye\t\n'), 'Hi  Ada\n\nbye');
  assert.ok(sameText('Jose\u0301', 'Jos\u00e9'));
  for (const [a, b] of [['Hi Ada', 'hi Ada'], ['a b', 'a  b'], ['a\nb', 'a b'], ['a\n\nb', 'a\nb'], [' a', 'a'], ['👩', '👩‍🚀']]) {
    assert.ok(!sameText(a, b), JSON.stringify([a, b]));
  }
});

test('a digest is that of the folded text as UTF-8', () => {
  const lengths = [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 8_000].map((length) => 'a'.repeat(length));
  for (const text of [...lengths, 'Hello Ada\n\nhow are you?', 'Jos\u00e9 👩‍🚀 \u4e2d', '\u07ff\u0800\uffff\u{10ffff}']) {
    assert.equal(textDigest(text), `sha256:${createHash('sha256').update(fold(text), 'utf8').digest('hex')}`);
  }
  assert.equal(textDigest('Hi\u00a0Ada \r\n'), textDigest('Hi Ada'));
  assert.equal(textDigest('\ud800'), textDigest('\ufffd'));
});

test('base64 decodes to bytes as atob does', () => {
  for (const bytes of ['', 'a', 'ab', 'abc', 'abcd', '\u00ff\u00fe\u0000?>', '1795982300000b00001-100&x_123']) {
    assert.equal(decodeBase64(btoa(bytes)), bytes);
    assert.equal(decodeBase64(btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')), bytes);
  }
  for (const broken of ['a', 'ab*d', 'abcde', 'a===', 'ä']) assert.equal(decodeBase64(broken), null, broken);
});

test('a message id tells its time and its mailbox, and a placeholder tells nothing', () => {
  const urn = `urn:li:msg_message:(${PERSON},2-${btoa('1795982300000b00001-100&x_123')})`;
  assert.deepEqual([isMessageUrn(urn), messageTime(urn), messageOwner(urn)], [true, 1_795_982_300_000, PERSON]);
  for (const other of ['', 'urn:li:clientMessage:1', urn.slice(0, -1), `${urn}x`, urn.replace('msg_message', 'messagingMessage')]) {
    assert.deepEqual([isMessageUrn(other), messageTime(other), messageOwner(other)], [false, null, null], other);
  }
  assert.equal(messageTime(`urn:li:msg_message:(${PERSON},2-${btoa('no time')})`), null);
});

/** @type {[string, object][]} */
const PLACES = [
  [threadUrl('2-abc=='), { kind: 'thread', conversation: '2-abc==' }],
  ['https://www.linkedin.com/messaging/thread/2-abc%3D%3D/?x=1#y', { kind: 'thread', conversation: '2-abc==' }],
  [composeUrl(PERSON), { kind: 'compose', person_urn: PERSON }],
  ['https://www.linkedin.com/messaging/compose/?recipient=ACoAAA1', { kind: 'compose', person_urn: PERSON }],
  ['https://www.linkedin.com/messaging/compose/?recipient=ACoAAB1&profileUrn=urn%3Ali%3Afsd_profile%3AACoAAA1', { kind: 'compose', person_urn: null }],
  ['https://www.linkedin.com/messaging/compose/?recipient=ACoAAA1&recipient=ACoAAB1', { kind: 'compose', person_urn: null }],
  ['https://www.linkedin.com/messaging/compose/?recipient=ACoAAA1&%72ecipient=ACoAAB1', { kind: 'compose', person_urn: null }],
  ['https://www.linkedin.com/messaging/compose/?recipient=', { kind: 'compose', person_urn: null }],
  ['https://www.linkedin.com/messaging/compose/?recipient=ada-example', { kind: 'compose', person_urn: null }],
  [threadUrl('2-a/../b?c#d%'), { kind: 'thread', conversation: '2-a/../b?c#d%' }],
  ['https://www.linkedin.com/messaging/thread/new/', { kind: 'compose', person_urn: null }],
  [profileUrl('jürgen-x'), { kind: 'profile', key: 'jürgen-x' }],
  ['https://www.linkedin.com/in/challenge-login/', { kind: 'profile', key: 'challenge-login' }],
  ['https://www.linkedin.com/in/ada/details/skills/', { kind: 'elsewhere' }],
  ['https://www.linkedin.com/uas/login?session_redirect=%2Fmessaging', { kind: 'sign_in' }],
  ['https://www.linkedin.com/checkpoint/challenge/AgX', { kind: 'sign_in' }],
  ['https://www.linkedin.com/m/login/', { kind: 'sign_in' }],
  ['https://www.linkedin.com/preload/?_bprMode=vanilla', { kind: 'preload' }],
  ['https://www.linkedin.com/messaging/', { kind: 'elsewhere' }],
  ['https://www.linkedin.com', { kind: 'elsewhere' }],
  ['https://www.linkedin.com.example.com/in/ada/', { kind: 'outside' }],
  ['http://www.linkedin.com/in/ada/', { kind: 'outside' }],
  ['https://www.linkedin.com/in/%E0%A4%A/', { kind: 'profile', key: '%E0%A4%A' }],
  ['about:blank', { kind: 'outside' }],
];

for (const [url, expected] of PLACES) test(`the place of ${url}`, () => assert.deepEqual(place(url), expected));

test('the delivery request is read as far as its shape is known', () => {
  const message = { body: { attributes: [], text: 'Hi' }, originToken: 'o-1' };
  const conversationUrn = 'urn:li:msg_conversation:(urn:li:fsd_profile:ACoAAR1,2-abc==)';
  const existing = readDelivery(JSON.stringify({ message: { ...message, conversationUrn } }));
  assert.deepEqual(existing, { text: 'Hi', origin_token: 'o-1', to_person: null, to_conversation: '2-abc==' });
  const first = readDelivery(JSON.stringify({ message, hostRecipientUrns: [PERSON] }));
  assert.deepEqual(first, { text: 'Hi', origin_token: 'o-1', to_person: PERSON, to_conversation: null });
  const nothing = { text: null, origin_token: null, to_person: null, to_conversation: null };
  for (const body of ['', 'null', '[]', '7', '{"message":null}', '{"message":{"body":7,"originToken":""}}', '{']) {
    assert.deepEqual(readDelivery(body), nothing, body);
  }
  const odd = readDelivery('{"hostRecipientUrns":[{"toString":1,"valueOf":1},"urn:li:fsd_profile:ACoAAA1"]}');
  assert.notEqual(odd.to_person, PERSON, 'somebody else is written to as well');
  const broken = readDelivery(JSON.stringify({ message: { ...message, originToken: 'o\u0000', conversationUrn: 'c\u0000' } }));
  assert.deepEqual([broken.origin_token, broken.to_conversation], [null, null], 'no frame could say it');
});
