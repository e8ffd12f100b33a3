// What the popup and the options ask of the worker. Page scripts of LinkedIn pages can send messages too, so a command is
// taken from this extension's own pages alone, by name, and with its fields checked.

import { socketAddress } from './address.js';

const CODE_MAX = 64;

/**
 * Each makes an event for the install, or says what is wrong with the fields. null only asks for the view.
 * @type {Record<string, (message: any) => {event: any} | {error: string}>}
 */
const COMMANDS = {
  view: () => ({ event: null }),
  pause: () => ({ event: { type: 'pause', on: true } }),
  resume: () => ({ event: { type: 'pause', on: false } }),
  stop: () => ({ event: { type: 'stop' } }),
  look_for_member: () => ({ event: { type: 'look_for_member' } }),
  unpair: () => ({ event: { type: 'unpair' } }),
  pair: ({ address, code }) => {
    if (typeof address !== 'string' || typeof code !== 'string') return { error: 'An address and a code are needed.' };
    const server = socketAddress(address);
    if ('error' in server) return server;
    const trimmed = code.trim();
    if (trimmed === '') return { error: 'Enter the one-time code that the console shows.' };
    if (trimmed.length > CODE_MAX) return { error: 'This is not a pairing code: it is too long.' };
    return { event: { type: 'pair', server: server.url, code: trimmed } };
  },
};

/** @param {chrome.runtime.MessageSender} sender */
function isOwnPage(sender) {
  return sender.id === chrome.runtime.id && sender.origin === location.origin;
}

/** @param {(event: any) => Promise<any>} run carries out the event and gives the answer */
export function listen(run) {
  chrome.runtime.onMessage.addListener((message, sender, answer) => {
    const name = message?.what;
    if (!isOwnPage(sender) || typeof name !== 'string' || !Object.hasOwn(COMMANDS, name)) return false;
    const made = COMMANDS[name](message);
    if ('error' in made) {
      answer(made);
      return false;
    }
    run(made.event).then(answer);
    return true;
  });
}
