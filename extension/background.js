// The worker: gathers events, lets core/install.js decide, carries the effects out in their order. All listeners stand at
// the top level, because Chrome delivers an event that wakes the worker only to those; what arrives before the stored
// state is read waits in the queue.

import { beginInstall, stepInstall } from './core/install.js';
import { viewOf } from './core/view.js';
import * as alarms from './platform/alarms.js';
import { clearTimer, setTimer, stamp } from './platform/clock.js';
import * as commands from './platform/commands.js';
import { fraction, freshId } from './platform/random.js';
import * as requests from './platform/requests.js';
import * as socket from './platform/socket.js';
import { readAll, write } from './platform/storage.js';
import * as tabs from './platform/tab.js';

const KEYS = ['pairing', 'mark', 'retry', 'journal', 'ended', 'seen', 'paused', 'checking'];

/** @type {import('./core/step.js').Install|null} */
let install = null;

/** Why the worker cannot work, for the popup. @type {string|null} */
let broken = null;

/** The queue: every event is dealt with to its last effect before the next. */
let ready = start();

alarms.listen(enqueue);
socket.listen(enqueue);
tabs.listen(enqueue);
requests.listen(enqueue);
commands.listen(command);
chrome.runtime.onUpdateAvailable.addListener(() => enqueue({ type: 'update' }));
// Without a listener of its own Chrome need not start the worker when the browser starts; start() does the rest.
chrome.runtime.onStartup.addListener(() => enqueue({ type: 'wake' }));

/** @returns {import('./core/step.js').World} */
function world() {
  return { ...stamp(), random: fraction(), fresh_id: freshId() };
}

async function start() {
  try {
    const stored = await readAll(KEYS);
    const { version } = chrome.runtime.getManifest();
    await take(beginInstall({ boot: freshId(), version, stored }, world()));
  } catch (error) {
    broken = error instanceof Error ? error.message : String(error);
    console.error(`start: ${broken}`);
  }
}

/** @param {any} event @returns {Promise<void>} resolves when the event was dealt with */
function enqueue(event) {
  ready = ready.then(() => deal(event)).catch((error) => console.error(`${event.type}: ${error.message}`));
  return ready;
}

/** @param {any} event */
async function deal(event) {
  if (install !== null) await take(stepInstall(install, event, world()));
}

/**
 * One effect that fails keeps none of the others back: a tab must be closed although a frame could not be said.
 * @param {import('./core/step.js').Step} step
 */
async function take(step) {
  install = step.install;
  for (const effect of step.effects) {
    await perform(effect).catch((error) => console.error(`${effect.do}: ${error.message}`));
  }
}

/** @param {import('./core/step.js').Effect} effect */
async function perform(effect) {
  switch (effect.do) {
    case 'connect': return socket.connect(effect.url);
    case 'disconnect': return socket.disconnect();
    case 'send': return socket.send(effect.frame);
    case 'save': {
      // When this fails, what was to follow does not: nothing may begin that is not written down.
      await write(effect.key, effect.value);
      if (effect.then !== undefined) enqueue(effect.then);
      return undefined;
    }
    case 'timer': return setTimer(timerKey(effect), effect.ms, () => enqueue(timerEvent(effect)));
    case 'untimer': return clearTimer(timerKey(effect));
    case 'look_for_member': {
      // Not waited for: a tab may take its time, and its own events go through the same queue.
      void lookForMember();
      return undefined;
    }
    case 'reload': return chrome.runtime.reload();
    default: return tabs.perform(effect);
  }
}

/** @param {any} effect */
function timerKey(effect) {
  return `${effect.lease_token ?? ''} ${effect.name}`;
}

/** @param {any} effect */
function timerEvent({ name, lease_token }) {
  return lease_token === undefined ? { type: 'timer', name } : { type: 'timer', name, lease_token };
}

async function lookForMember() {
  const member = await tabs.probeMember().catch((error) => {
    console.error(`look for member: ${error.message}`);
    return null;
  });
  enqueue({ type: 'member', member });
}

/**
 * A command of the popup or the options; answers with what they show.
 * @param {any} event null only asks for the view
 */
async function command(event) {
  await (event === null ? ready : enqueue(event));
  return { broken, view: install === null ? null : viewOf(install) };
}
