// From text in the box to the end of the delivery request. Once the page script was told to go, only its own word can
// say that it did not act; no word is unknown.

import { idsOf } from '../thread.js';
import { conversationOf } from '../person.js';
import { profileId } from '../../linkedin/urls.js';
import { lostPage, stop, unacted } from './close.js';
import { threadVerdict } from './judge.js';
import { beginLook } from './look.js';
import { notice } from './notice.js';
import { interrupted } from './reach.js';
import { allAnswered } from './seen.js';
import { called, journal, page, status, tab, timer, untimer } from './turn.js';
import { BOX_WITHIN_MS, CLOCKS_APART_MAX_MS, QUIET_MS } from '../limits.js';

/** @typedef {import('./turn.js').Turn} Turn @typedef {import('./turn.js').Event} Event */

/**
 * The page script is putting the text in.
 * @param {Turn} turn
 * @param {Event} event
 */
export function typing(turn, event) {
  if (interrupted(turn, event)) return;
  if (event.type === 'port' && event.what === 'closed') return lose(turn);
  if (event.type === 'timer' && event.name === 'box') return stalled(turn);
  if (event.type !== 'page') return;
  if (event.message.what === 'typed') {
    turn.s.inserted = true;
    timer(turn, 'box', BOX_WITHIN_MS);
  }
  if (event.message.what === 'not_typed') return unacted(turn, event.message.reason, event.message.box);
  if (event.message.what === 'poised') poise(turn, event.message.facts);
}

/**
 * A page that changes itself in animation frames stands still in a hidden tab: it is shown once before giving up.
 * @param {Turn} turn
 */
function stalled(turn) {
  const { s } = turn;
  if (s.shown || !s.inserted) return stop(turn, 'no_composer');
  s.shown = true;
  tab(turn, 'show');
  timer(turn, 'box', BOX_WITHIN_MS);
}

/** The document with our text in it is gone. @param {Turn} turn */
function lose(turn) {
  turn.s.port = null;
  stop(turn, 'halted');
}

/** @param {Turn} turn @param {import('../person.js').Facts} facts */
function poise(turn, facts) {
  const { s } = turn;
  const verdict = threadVerdict(s, facts);
  s.conversation = conversationOf(facts.url) ?? s.conversation;
  notice(turn, facts, 'stop' in verdict ? verdict.copies : []);
  if ('stop' in verdict) {
    s.find = verdict.find;
    s.copies = verdict.copies;
    return stop(turn, verdict.stop);
  }
  if ('wait' in verdict) return stop(turn, verdict.wait);
  untimer(turn, 'box');
  s.phase = 'poised';
  s.facts = facts;
  s.before_ids = idsOf(facts.items);
  journal(turn, 'go_sent');
}

/**
 * The journal says "go sent" before it is sent.
 * @param {Turn} turn
 * @param {Event} event
 */
export function poised(turn, event) {
  const { s, stamp } = turn;
  if (interrupted(turn, event)) return;
  if (event.type === 'port' && event.what === 'closed') return lose(turn);
  if (event.type !== 'journaled') return;
  s.phase = 'going';
  untimer(turn, 'window');
  timer(turn, 'box', BOX_WITHIN_MS);
  page(turn, {
    do: 'go', window_ms: s.window_ms, elapsed_ms: stamp.mono - s.asked.mono, asked_wall_ms: s.asked.wall,
    apart_max_ms: CLOCKS_APART_MAX_MS, text: s.lease.body, person_id: profileId(s.person_urn ?? ''),
    member_urn: s.lease.member_urn, url: s.facts?.url ?? '', last_id: s.before_ids.at(-1) ?? null,
    other_keys: s.facts?.others.map(({ key }) => key) ?? [],
  });
  status(turn, `Sending to ${called(s)}`);
}

/**
 * Told to go: waits for the page script's word.
 * @param {Turn} turn
 * @param {Event} event
 */
export function going(turn, event) {
  if (heardWord(turn, event)) return;
  if (event.type === 'timer' && event.name === 'box') watch(turn);
  if (lostPage(event)) {
    watch(turn);
    if (!turn.s.timers.includes('quiet')) timer(turn, 'quiet', QUIET_MS);
  }
}

/** @param {Turn} turn @param {Event} event */
function heardWord(turn, event) {
  const { s } = turn;
  if (event.type !== 'page' || s.clicked) return false;
  const { message } = event;
  if (message.what === 'not_clicked') {
    unacted(turn, message.reason, message.box);
    return true;
  }
  if (message.what !== 'clicked') return false;
  s.clicked = true;
  s.acted_at_ms = message.at_ms;
  s.before_ids = [...new Set([...s.before_ids, ...message.item_ids])];
  if (s.phase === 'going') watch(turn);
  return true;
}

/** @param {Turn} turn */
function watch(turn) {
  const { s } = turn;
  s.phase = 'watching';
  untimer(turn, 'box');
  timer(turn, 'answer', s.settings.answer_within_ms);
  if (allAnswered(s)) timer(turn, 'quiet', QUIET_MS);
}

/**
 * Waits for the delivery request to end. A navigation, or a tab that is gone, does not end it.
 * @param {Turn} turn
 * @param {Event} event
 */
export function watching(turn, event) {
  const { s } = turn;
  if (heardWord(turn, event)) return;
  if (event.type === 'request' && allAnswered(s)) timer(turn, 'quiet', QUIET_MS);
  if (event.type === 'request' && !allAnswered(s)) untimer(turn, 'quiet');
  if (event.type === 'page' && event.message.what === 'facts') {
    s.conversation = conversationOf(event.message.facts.url) ?? s.conversation;
  }
  if (event.type === 'tab' && event.what === 'gone') timer(turn, 'quiet', QUIET_MS);
  if (event.type === 'timer' && (event.name === 'quiet' || event.name === 'answer')) beginLook(turn);
}
