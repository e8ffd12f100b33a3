// Proposes a message, waits for what becomes of it, and shows what a person must look at. Node 20, no packages but key.mjs beside it:
//
//   SENDONCE_URL=http://127.0.0.1:8080 SENDONCE_TOKEN=… node docs/examples/propose.mjs https://www.linkedin.com/in/ada-example "Hello Ada"
//
// It may be stopped and run again at any point: the same recipient and text are the same key, and the same key is the same message.
import { setTimeout as rest } from 'node:timers/promises';
import { key } from './key.mjs';

const server = process.env.SENDONCE_URL ?? 'http://127.0.0.1:8080';
const token = process.env.SENDONCE_TOKEN;
const waitMs = Number(process.env.SENDONCE_WAIT_MS ?? 600_000);

const TRIES_MAX = 5; // of one request whose answer was lost
const TRY_WITHIN_MS = 40_000; // the server answers within 30 s
const REST_FIRST_MS = 200; // each rest is twice as long as the one before
const REST_MAX_MS = 5_000;
const ITEM_MAX = 40; // characters of the address: a key has no room for more where each is written as %XX
const PURPOSE = 'first contact';

/** A refusal of the server. code is the stable name to branch on. */
class Refused extends Error {
  /** @param {{status: number, code: string, detail: string, field?: string}} problem */
  constructor(problem) {
    super(`${problem.code}${problem.field ? ` (${problem.field})` : ''}: ${problem.detail}`);
    this.status = problem.status;
    this.code = problem.code;
  }
}

/**
 * One request. When its answer is lost it is asked again with the same key and the same body, which is the same request. What
 * changes something and has no key is asked once.
 * @param {string} method
 * @param {string} path
 * @param {{under?: string, body?: object}} [more] under is the key
 * @returns {Promise<any>}
 */
async function ask(method, path, { under, body } = {}) {
  const headers = { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }), ...(under && { 'Idempotency-Key': under }) };
  const mayRepeat = method === 'GET' || under !== undefined;
  for (let tries = 1, pause = REST_FIRST_MS; ; tries++, pause *= 2) {
    let lost;
    try {
      const answer = await fetch(server + path, { method, headers, body: body && JSON.stringify(body), redirect: 'error', signal: AbortSignal.timeout(TRY_WITHIN_MS) });
      const said = await answer.json();
      if (answer.ok) return said;
      lost = new Refused(said);
      // 5xx: whether it was done is not known. still_running: the first try has not ended.
      if (answer.status < 500 && said.code !== 'still_running') throw lost;
    } catch (error) {
      if (error === lost) throw error;
      lost = error;
    }
    if (!mayRepeat || tries === TRIES_MAX) throw lost;
    await rest(pause);
  }
}

/** Nothing more happens by itself once a message is one of these. */
function isOver(message) {
  return ['sent', 'failed', 'canceled', 'unconfirmed'].includes(message.status) || ['rejected', 'expired', 'withdrawn'].includes(message.authority);
}

/** Reads the message until it is over, or the time is. */
async function outcomeOf(id) {
  const until = Date.now() + waitMs;
  let before = '';
  for (let pause = REST_FIRST_MS; ; pause = Math.min(2 * pause, REST_MAX_MS)) {
    const message = await ask('GET', `/v1/messages/${id}`);
    const now = `${message.authority}, ${message.status ?? 'not queued yet'}${message.waiting_for ? ` (waits: ${message.waiting_for})` : ''}`;
    if (now !== before) console.log(now);
    before = now;
    if (isOver(message) || Date.now() > until) return message;
    await rest(pause);
  }
}

async function main(linkedin, text) {
  const { principal } = await ask('GET', '/v1/workspace');
  const { items: accounts } = await ask('GET', '/v1/accounts?limit=1');
  if (accounts.length === 0) throw new Error('this workspace has no account yet: a person adds one');
  const body = { account_id: accounts[0].id, person: { linkedin }, purpose: PURPOSE, body: text };
  const under = await key('example', linkedin.slice(-ITEM_MAX), body);
  const proposed = await ask('POST', '/v1/messages', { under, body });
  console.log(`proposed by ${principal.name}: message ${proposed.id}, version ${proposed.version}. A person approves it.`);

  const message = await outcomeOf(proposed.id);
  const last = message.sends.at(-1);
  console.log(last ? last.text : 'Nobody has decided yet. Run this again: it finds the same message.');

  // What is unconfirmed is nobody's to send again but a person's who has looked.
  const { items: unconfirmed } = await ask('GET', '/v1/messages?status=unconfirmed');
  for (const one of unconfirmed) console.log(`needs a look: message ${one.id} to ${one.person.name || one.person.linkedin[0]}. ${one.instruction}`);
  return message.status === 'sent';
}

const [linkedin, text] = process.argv.slice(2);
if (!token || !linkedin || !text) {
  console.error('usage: SENDONCE_URL=… SENDONCE_TOKEN=… node propose.mjs ADDRESS-OF-A-PROFILE TEXT');
  process.exit(2);
}
process.exitCode = await main(linkedin, text).then(
  (isSent) => (isSent ? 0 : 1),
  (error) => {
    console.error(error.message);
    return 1;
  },
);
