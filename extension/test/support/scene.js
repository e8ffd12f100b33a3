// A server and a browser played by hand around one install. The real attempt and the real check run inside.

import assert from 'node:assert/strict';
import { check } from '../../core/frames.js';
import { beginInstall, stepInstall } from '../../core/install.js';

const DIGEST = `sha256:${'3f'.repeat(32)}`;
export const MEMBER = { urn: 'urn:li:fsd_profile:ACoAAR1', slug: 'rita-recruiter', name: 'Rita Recruiter' };
export const PAIRING = { server: 'wss://sendonce.example/v1/installs/socket', install: 'in-1', refresh_secret: 'secret-1' };
export const WALL = 1_795_982_400_000;

/** The store outlives the worker. */
export class Scene {
  constructor(stored = { pairing: PAIRING, seen: { member: MEMBER, seen_ms: WALL } }) {
    this.now = { wall: WALL, mono: 0, random: 0.5, fresh_id: 'fresh-random-id-0' };
    this.store = { ...stored };
    this.count = 0;
    this.epoch = 1;
    this.live();
  }

  /** A new worker over the same store. */
  live() {
    this.sent = [];
    this.done = [];
    this.boot = `boot-${this.count}`;
    this.take(beginInstall({ boot: this.boot, version: '1.0.0', stored: structuredClone(this.store) }, this.now));
    return this;
  }

  take({ install, effects }) {
    this.install = install;
    this.done.push(...effects);
    for (const effect of effects) {
      if (effect.do === 'send') {
        assert.deepEqual(check(effect.frame, 'install'), { ok: true }, JSON.stringify(effect.frame));
        this.sent.push(effect.frame);
      }
      if (effect.do !== 'save') continue;
      if (effect.value === null) delete this.store[effect.key];
      else this.store[effect.key] = JSON.parse(JSON.stringify(effect.value));
      if (effect.then !== undefined) this.on(effect.then);
    }
    return this;
  }

  on(event) {
    this.count += 1;
    this.now = { ...this.now, fresh_id: `fresh-random-id-${this.count}` };
    return this.take(stepInstall(this.install, event, this.now));
  }

  pass(ms) {
    this.now = { ...this.now, wall: this.now.wall + ms, mono: this.now.mono + ms };
    return this;
  }

  /** The server says something; `re` is the last frame sent of the named type. */
  hear(type, fields, answerTo) {
    this.count += 1;
    const frame = { v: 1, type, id: `s-${this.count}`, ...fields };
    if (answerTo !== undefined) frame.re = this.last(answerTo).id;
    assert.deepEqual(check(frame, 'server'), { ok: true }, JSON.stringify(frame));
    return this.on({ type: 'frame', frame });
  }

  last(type) {
    const frame = this.sent.findLast((one) => one.type === type);
    assert.ok(frame, `no ${type} was sent`);
    return frame;
  }

  all(type) {
    return this.sent.filter((one) => one.type === type);
  }

  effects(what) {
    return this.done.filter((effect) => effect.do === what);
  }

  /** From nothing to welcome. */
  connect(open = []) {
    this.on({ type: 'socket', what: 'open' });
    if (this.install.session.phase === 'token') {
      this.hear('token', { access_token: 'access', expires_in_ms: 900_000, refresh_secret: `next-${this.count}` }, 'token');
    }
    return this.hear('welcome', {
      session: `se-${this.count}`, epoch: this.epoch, rules: 'current',
      settings: { ping_every_ms: 20_000, pong_within_ms: 50_000, touch_within_ms: 90_000, answer_within_ms: 60_000, look_within_ms: 60_000 },
      accounts: [{ account: 'ac-1', handle: 'rita-recruiter', member_urn: MEMBER.urn, state: 'ready' }], open,
    }, 'hello');
  }

  lease(token = 'lease-1', more = {}) {
    return this.hear('lease', {
      send: `sd-${token}`, lease_token: token, expires_in_ms: 60_000, account: 'ac-1', member_urn: MEMBER.urn,
      person: { id: 'p-1', name: 'Ada Example', slug: null, urn: 'urn:li:fsd_profile:ACoAAA1' }, conversation: null,
      body: 'Hello Ada', digest: DIGEST, approved_at_ms: WALL - 60_000, repeat_approved: false, held_ids: [], ...more,
    });
  }

  started() {
    const { attempt } = this.last('start');
    return this.hear('started', { attempt, touch_within_ms: 90_000, deadline_ms: 360_000, epoch: this.epoch, event: 7 }, 'start');
  }

  check(token = 'check-1', more = {}) {
    return this.hear('check', {
      send: 'sd-1', check_token: token, account: 'ac-1', member_urn: MEMBER.urn, conversation: '2-abc', held_ids: [],
      person: { id: 'p-1', name: 'Ada Example', slug: null, urn: 'urn:li:fsd_profile:ACoAAA1' },
      wanted: [{ version: 1, body: 'Hello Ada', approved_at_ms: WALL - 60_000 }], ...more,
    });
  }

  cut() {
    return this.on({ type: 'socket', what: 'closed', code: 1006, reason: '' });
  }

  touched() {
    return this.done.some((effect) => effect.do === 'tab' || effect.do === 'page');
  }
}
