// Goal: whatever order events come in, an attempt keeps its laws. Walks are random from a seed that a failure prints.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../core/frames.js';
import { APPROVED, BODY, OLD, STRANGER, Walk, compose, own, profile, theirs, thread } from './support/walk.js';

const WALKS = 4_000;
const STEPS = 60;

/** A small seeded generator (Lehmer). @param {number} seed */
function randomOf(seed) {
  let state = (seed * 48_271) % 2_147_483_647 || 1;
  return (/** @type {number} */ below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

const COPY = own(BODY, APPROVED + 61_000);
const SHOWN = [
  thread(), thread({ items: [OLD, COPY] }), thread({ items: [OLD, theirs('No', APPROVED + 5)] }), compose(), profile(),
  thread({ composers: 2 }), thread({ sign_in: true }), thread({ members: [{ urn: STRANGER, slug: '', name: '' }] }),
  thread({ items: [] }), thread({ occupied: true, send: 'enabled' }),
];
const BOXES = ['untouched', 'cleared', 'left', 'emptied', 'gone'];
const TIMERS = ['lease', 'window', 'page', 'settle', 'box', 'answer', 'quiet', 'look', 'again', 'close'];
const FRAMES = ['started', 'refused', 'proceed', 'halt', 'recorded', 'noted', 'error'];

/** @type {((w: Walk, r: (below: number) => number) => any)[]} */
const EVENTS = [
  (w) => w.journaled(),
  (w, r) => w.frame(FRAMES[r(FRAMES.length)], { attempt: 'attempt-one-0001', touch_within_ms: 90_000, code: 'replied' }),
  (w) => w.started(),
  (w) => w.frame('proceed'),
  (w, r) => w.timer(TIMERS[r(TIMERS.length)]),
  (w) => w.tab('opened'),
  (w, r) => (r(12) === 0 ? w.tab('gone') : w),
  (w, r) => (r(12) === 0 ? w.closePort() : w),
  (w, r) => (r(25) === 0 ? w.stop() : w),
  (w, r) => w.shows(SHOWN[r(3) === 0 ? r(SHOWN.length) : r(2)]),
  (w, r) => w.facts(SHOWN[r(3) === 0 ? r(SHOWN.length) : r(2)]),
  (w) => w.timer('settle'),
  (w) => w.page({ what: 'poised', facts: thread({ occupied: true, send: 'enabled' }) }),
  (w, r) => w.page({ what: ['not_typed', 'halted', 'not_clicked'][r(3)], reason: 'halted', box: BOXES[r(BOXES.length)] }),
  (w) => w.clicked(),
  (w, r) => (r(4) === 0 ? w.request('before', { request_id: `r-${r(3)}`, text: r(4) === 0 ? 'Hi' : BODY }) : w),
  (w, r) => w.request(['completed', 'failed'][r(2)], { request_id: `r-${r(3)}`, status: [200, 400, 403, 429, 500][r(5)] }),
  (w, r) => { w.clock += r(9_000); },
];

/** @param {Walk} walk */
function assertLaws(walk) {
  assert.ok(walk.said('go').length <= 1, 'one go at most');
  assert.ok(walk.said('type').length <= 1, 'typed once at most');
  assert.ok(walk.sent('start').length <= 1, 'asked once; the wire repeats it');
  assert.ok(walk.sent('report').length <= 1, 'one report at most');
  assert.ok(walk.sent('gone').length <= 1, 'gone is said once');
  assert.ok(walk.all('end').length <= 1, 'one end at most');
  assertOrder(walk);
  if (walk.report !== undefined) assertReport(walk);
}

/** @param {Walk} walk */
function assertOrder(walk) {
  const at = (/** @type {(effect: any) => boolean} */ which) => walk.effects.findIndex(which);
  const tab = at(({ do: what }) => what === 'tab');
  if (tab >= 0) assert.ok(walk.heardStarted, 'no tab before the start was acknowledged');
  const go = at((effect) => effect.do === 'page' && effect.message.do === 'go');
  const written = at((effect) => effect.do === 'journal' && effect.entry.phase === 'go_sent');
  if (go >= 0) assert.ok(written >= 0 && written < go, '"go sent" is written before go');
}

/** @param {Walk} walk */
function assertReport(walk) {
  const { report } = walk;
  assert.deepEqual(check({ v: 1, id: 'i-1', ...report }, 'install'), { ok: true });
  const went = walk.said('go').length > 0;
  if (went) assert.ok(report.end === 'acted' || walk.heardNo, 'after go only the page says that it did not act');
  if (report.end === 'unacted') assert.ok(!walk.heardClick, 'a click is never denied');
  if (report.outcome.code === 'confirmed') assert.equal(report.evidence.look, 'found');
}

class Watched extends Walk {
  /** @param {any} event */
  event(event) {
    const { phase, port } = this.state;
    const spoken = event.type === 'page' && event.port === port && port !== null ? event.message.what : null;
    if (['going', 'watching'].includes(phase) && spoken === 'not_clicked') this.heardNo = true;
    if (['going', 'watching'].includes(phase) && spoken === 'clicked' && !this.heardNo) this.heardClick = true;
    if (phase === 'asking' && event.type === 'frame' && event.frame.type === 'started') this.heardStarted = true;
    return super.event(event);
  }
}

test('random walks keep the laws', () => {
  const ends = new Set();
  let went = 0;
  for (let seed = 1; seed <= WALKS; seed += 1) {
    const random = randomOf(seed);
    const slugOnly = { person: { id: 'p', name: 'Ada', slug: 'ada-example', urn: null }, conversation: null };
    const bySlug = random(4) === 0;
    const walk = new Watched(bySlug ? slugOnly : {});
    if (!bySlug && random(2) === 0) walk.to(['reaching', 'typing', 'going', 'watching', 'looking'][random(5)]);
    try {
      for (let taken = 0; taken < STEPS; taken += 1) {
        EVENTS[random(EVENTS.length)](walk, random);
        assertLaws(walk);
      }
    } catch (error) {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    }
    went += walk.said('go').length;
    if (walk.report !== undefined) ends.add(walk.report.outcome.code);
  }
  assert.ok(went > WALKS / 10, `only ${went} walks went`);
  for (const code of ['confirmed', 'not_attempted', 'no_evidence', 'draft_left', 'foreign_request', 'already_there']) {
    assert.ok(ends.has(code), `no walk ended as ${code}`);
  }
});

test('a worker that dies at any step never acts again', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const random = randomOf(seed);
    const first = new Walk();
    first.to(['asking', 'reaching', 'typing', 'poised', 'going', 'watching', 'looking', 'closing'][random(8)]);
    const walk = Walk.revived(JSON.parse(JSON.stringify(first.entry)), random(2) === 0);
    for (let taken = 0; taken < STEPS; taken += 1) EVENTS[random(EVENTS.length)](walk, random);
    assert.deepEqual([...walk.sent('start'), ...walk.said('type'), ...walk.said('go')], [], `seed ${seed}`);
    if (walk.report !== undefined && walk.report.attempt === null) {
      assert.equal(walk.report.end, 'acted');
      assert.notEqual(walk.report.outcome.status, 'failed', `seed ${seed}: a restarted worker proves no non-delivery`);
    }
  }
});
