// Leads one attempt through its life by events, and keeps every effect that it asked for.

import { begin, revive, step } from '../../core/attempt.js';
import { composeUrl, threadUrl } from '../../linkedin/urls.js';

export const MEMBER = 'urn:li:fsd_profile:ACoAAR1';
export const PERSON = 'urn:li:fsd_profile:ACoAAA1';
export const STRANGER = 'urn:li:fsd_profile:ACoAAB1';
export const CONVERSATION = '2-dGhyZWFk';
export const APPROVED = 1_795_982_300_000;
export const BODY = 'Hello Ada\n\nhow are you?';
export const SETTINGS = { answer_within_ms: 60_000, look_within_ms: 60_000 };
const TAB = 7;

let made = 0;

/**
 * A message id as LinkedIn gives it, of a moment.
 * @param {number} at ms
 */
export function urn(at) {
  made += 1;
  const inner = btoa(`${at}b${String(made).padStart(5, '0')}-100&thread`);
  return `urn:li:msg_message:(${MEMBER},2-${inner})`;
}

/** @param {string} text @param {number} at */
export const own = (text, at) => ({ urn: urn(at), own: true, sender: 'ACoAAR1', text });
/** @param {string} text @param {number} at */
export const theirs = (text, at) => ({ urn: urn(at), own: false, sender: 'ACoAAA1', text });
/** What stood in the conversation long before. */
export const OLD = theirs('Nice to meet you', APPROVED - 86_400_000);

/** @param {object} [more] */
export function lease(more = {}) {
  return {
    send: 'sd-1', lease_token: 'token', expires_in_ms: 60_000, account: 'ac-1', member_urn: MEMBER,
    person: { id: 'p-1', name: 'Ada Example', slug: 'ada-example', urn: PERSON }, conversation: CONVERSATION, body: BODY,
    digest: 'sha256:0', approved_at_ms: APPROVED, repeat_approved: false, held_ids: [], ...more,
  };
}

/** A conversation's page as the page script reads it. @param {object} [more] */
export function thread(more = {}) {
  return {
    url: threadUrl(CONVERSATION), sign_in: false, members: [{ urn: MEMBER, slug: 'rita-recruiter', name: 'Rita Recruiter' }],
    others: [{ key: 'ACoAAA1', name: 'Ada Example' }], recipients: 0, message_links: [], invitable: false, name: '',
    composers: 1, occupied: false, send: 'disabled', inmail: false, items: [OLD], ...more,
  };
}

/** The page of a first message. @param {object} [more] */
export function compose(more = {}) {
  return thread({
    url: composeUrl(PERSON), others: [{ key: 'ada-example', name: 'Ada Example' }], recipients: 1, items: [], ...more,
  });
}

/** A profile page. @param {object} [more] */
export function profile(more = {}) {
  return thread({
    url: 'https://www.linkedin.com/in/ada-example/', others: [], composers: 0, send: 'none', items: [],
    name: 'Ada Example', message_links: [composeUrl(PERSON), composeUrl(PERSON)], ...more,
  });
}

/** The phases of the usual life, in order. */
export const PHASES = ['noting', 'asking', 'opening', 'reaching', 'resolving', 'typing', 'poised', 'going', 'watching',
  'looking', 'closing', 'ended'];

export class Walk {
  /** @param {object} [leased] changes to the lease */
  constructor(leased = {}) {
    this.clock = 0;
    this.port = 0;
    /** @type {any[]} */
    this.effects = [];
    this.take(begin({ lease: lease(leased), attempt: 'attempt-one-0001', settings: SETTINGS, stamp: this.stamp() }));
  }

  /** @param {any} entry @param {boolean} started */
  static revived(entry, started) {
    const walk = new Walk();
    walk.effects = [];
    walk.take(revive({ entry, settings: SETTINGS, started, stamp: walk.stamp() }));
    return walk;
  }

  stamp() {
    return { wall: APPROVED + 60_000 + this.clock, mono: 1_000 + this.clock };
  }

  /** @param {{state: any, effects: any[]}} taken */
  take({ state, effects }) {
    this.state = state;
    this.effects.push(...effects);
    return this;
  }

  /** @param {any} event */
  event(event) {
    return this.take(step(this.state, { ...event, stamp: this.stamp() }));
  }

  /** @param {string} type @param {object} [more] */
  frame(type, more = {}) { return this.event({ type: 'frame', frame: { type, ...more } }); }
  started(more = {}) { return this.frame('started', { attempt: 'attempt-one-0001', touch_within_ms: 90_000, ...more }); }
  journaled() { return this.event({ type: 'journaled' }); }
  /** @param {string} name */
  timer(name) { return this.event({ type: 'timer', name }); }
  /** @param {string} what @param {object} [more] */
  tab(what, more = {}) { return this.event({ type: 'tab', what, tab: TAB, url: null, ...more }); }
  stop() { return this.event({ type: 'stop', by: 'person' }); }
  closePort() { return this.event({ type: 'port', what: 'closed', tab: TAB, port: this.port }); }

  /** @param {object} message */
  page(message) { return this.event({ type: 'page', tab: TAB, port: this.port, message }); }
  /** @param {object} facts */
  facts(facts) { return this.page({ what: 'facts', facts }); }

  /** A new document of our tab that shows this. @param {any} facts */
  shows(facts) {
    this.tab('loaded', { url: facts.url });
    this.port += 1;
    this.event({ type: 'port', what: 'open', tab: TAB, port: this.port });
    return this.facts(facts);
  }

  /** @param {any} facts */
  settles(facts) { return this.shows(facts).timer('settle'); }

  /** @param {string} what @param {object} [more] */
  request(what, more = {}) {
    const before = { text: BODY, origin_token: 'token-1', to_person: null, to_conversation: CONVERSATION };
    return this.event({ type: 'request', what, request_id: 'r-1', tab: TAB, ...(what === 'before' ? before : {}), ...more });
  }

  /** Leads the usual life on, until this phase. @param {string} phase */
  to(phase) {
    for (const next of PHASES.slice(PHASES.indexOf(this.state.phase) + 1, PHASES.indexOf(phase) + 1)) this.into(next);
    if (this.state.phase !== phase) throw new Error(`the usual life stands at ${this.state.phase}, not at ${phase}`);
    return this;
  }

  /** @param {string} phase */
  into(phase) {
    switch (phase) {
      case 'asking': return this.journaled();
      case 'opening': return this.started();
      case 'reaching': return this.tab('opened').journaled();
      case 'resolving': return this.settles(thread());
      case 'typing': return this.frame('proceed');
      case 'poised': return this.page({ what: 'poised', facts: thread({ occupied: true, send: 'enabled' }) });
      case 'going': return this.journaled();
      case 'watching': return this.clicked();
      case 'looking': return this.request('before').request('completed', { status: 200, retry_after_ms: null }).timer('quiet');
      case 'closing': return this.settles(thread({ items: [OLD, own(BODY, APPROVED + 61_000)] }));
      default: return this.tab('gone').frame('recorded');
    }
  }

  clicked() { return this.page({ what: 'clicked', at_ms: this.stamp().wall, item_ids: [OLD.urn] }); }

  /** @param {string} kind @param {(effect: any) => boolean} [which] */
  all(kind, which = () => true) { return this.effects.filter((effect) => effect.do === kind && which(effect)); }
  /** @param {string} type */
  sent(type) { return this.all('send', ({ frame }) => frame.type === type).map(({ frame }) => frame); }
  /** @param {string} what */
  said(what) { return this.all('page', ({ message }) => message.do === what).map(({ message }) => message); }
  get report() { return this.sent('report')[0]; }
  get entry() { return this.all('journal').at(-1).entry; }
}
