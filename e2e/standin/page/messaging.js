// The page's own messaging script: what LinkedIn's client does with a composer,
// as far as the reference tells it. One pane is one conversation.
'use strict';
(() => {
  const API = '/voyager/api/voyagerMessagingDashMessenger';
  const TYPING_EVERY_MS = 5000;
  const TRACKING_ID_BYTES = 16;
  const HISTORY = '/voyager/api/voyagerMessagingGraphQL/graphql?queryId=messengerMessages.standin';
  const HISTORY_PAGE = 20;
  /** How near its top a list must be for older messages to be read; the real distance is not known. */
  const NEAR_TOP_PX = 50;
  const ANOTHER_TEXT = 'What the page says by itself';
  const SENT = 'msg-s-event-with-indicator__sending-indicator--sent';
  const SENT_MARK = 'data-test-msg-cross-pillar-message-sending-indicator-presenter__sending-indicator--sent';

  // --- text -----------------------------------------------------------------

  /** The text inside one block: a <br> that nothing visible follows is no line. */
  function inlineText(node) {
    let text = '';
    const children = [...node.childNodes].filter((child) => child.nodeType === Node.ELEMENT_NODE || child.data);
    for (const child of children.filter((one) => one.nodeType !== Node.COMMENT_NODE)) {
      if (child.nodeType === Node.TEXT_NODE) text += child.data;
      else if (child.nodeName !== 'BR') text += inlineText(child);
      else if (child !== children.at(-1)) text += '\n';
    }
    return text;
  }

  /** The composer's text as it goes out: a line per block, NBSP as a space. */
  function textOf(editor) {
    const blocks = [...editor.children].filter((c) => c.nodeName === 'P' || c.nodeName === 'DIV');
    const text = blocks.length ? blocks.map(inlineText).join('\n') : inlineText(editor);
    return text.replaceAll('\u00a0', ' ');
  }

  /** Asks to go on, at a point where a test may hold the page. */
  async function held(address) {
    const answer = await fetch(address);
    return answer.json();
  }

  function clear(editor) {
    const line = document.createElement('p');
    line.append(document.createElement('br'));
    editor.replaceChildren(line);
  }

  // --- requests -------------------------------------------------------------

  function csrfToken() {
    return /(?:^|; )JSESSIONID="?([^";]+)/.exec(document.cookie)?.[1] ?? '';
  }

  function post(path, body, click) {
    return fetch(path, {
      method: 'POST',
      headers: {
        'content-type': 'text/plain;charset=UTF-8',
        accept: 'application/json',
        'csrf-token': csrfToken(),
        'x-restli-protocol-version': '2.0.0',
        'x-li-lang': document.querySelector('meta[name="i18nLocale"]').content,
        'x-standin-click': click,
      },
      body: JSON.stringify(body),
    });
  }

  function deliveryBody(facts, text, originToken, subject) {
    const message = { body: { attributes: [], text }, renderContentUnions: [] };
    if (facts.conversationUrn) message.conversationUrn = facts.conversationUrn;
    message.originToken = originToken;
    const noise = crypto.getRandomValues(new Uint8Array(TRACKING_ID_BYTES));
    const body = {
      message,
      mailboxUrn: `urn:li:fsd_profile:${facts.owner}`,
      trackingId: String.fromCharCode(...noise),
      dedupeByClientGeneratedToken: false,
    };
    if (!facts.conversationUrn) body.hostRecipientUrns = [`urn:li:fsd_profile:${facts.recipient}`];
    if (facts.inMail) {
      message.subject = subject;
      body.hostMessageCreateContent = {
        'com.linkedin.voyager.dash.messaging.MessageCreateContent': {
          messageCreateContentUnion: { premiumInMail: {} },
        },
      };
    }
    return body;
  }

  /** Posts one delivery request; the value of its answer, or an error. */
  async function deliver(facts, text, originToken, subject, click) {
    const answer = await post(`${API}Messages?action=createMessage`, deliveryBody(facts, text, originToken, subject), click);
    if (!answer.ok) throw new Error(`createMessage answered ${answer.status}`);
    const { value } = await answer.json();
    if (!value?.entityUrn) throw new Error('createMessage named no message');
    return value;
  }

  // --- list -----------------------------------------------------------------

  function newItem(pane, text, urn, template = '.standin-own-item') {
    const item = pane.querySelector(template).content.firstElementChild.cloneNode(true);
    item.querySelector('[data-event-urn]').dataset.eventUrn = urn;
    const body = item.querySelector('.msg-s-event-listitem__body');
    body.replaceChildren(...text.split('\n').flatMap((line, i) => (i ? [document.createElement('br'), line] : [line])));
    return item;
  }

  function itemOf(pane, urn) {
    return pane.querySelector(`.msg-s-message-list-content [data-event-urn="${CSS.escape(urn)}"]`)?.closest('li');
  }

  function append(pane, item) {
    pane.querySelector('.msg-s-message-list-content').append(item);
    return item;
  }

  function markSent(item, deliveredAt) {
    const mark = item.querySelector('.msg-s-event-with-indicator__sending-indicator');
    mark.classList.add(SENT);
    mark.setAttribute(SENT_MARK, '');
    mark.title = mark.dataset.standinSentAt.replace('%s', new Date(deliveredAt).toTimeString().slice(0, 5));
  }

  /** When a message was delivered: its id begins with the moment in ms. */
  function momentOf(urn) {
    return Number(/^([0-9]{13})b/.exec(atob(/,2-([^)]+)\)$/.exec(urn)[1]))[1]);
  }

  /** The messages before the oldest that is shown, newest first. */
  async function olderOf(facts, urn) {
    const anchor = `(deliveredAt:${momentOf(urn)},conversationUrn:${encodeURIComponent(facts.conversationUrn)},countBefore:${HISTORY_PAGE},countAfter:0)`;
    const answer = await fetch(`${HISTORY}&variables=${anchor}`, { headers: { 'csrf-token': csrfToken(), accept: 'application/graphql' } });
    return (await answer.json()).data.messengerMessagesByAnchorTimestamp.elements;
  }

  /** An older message as the list shows it. */
  function olderItem(pane, facts, message) {
    const own = message.sender.hostIdentityUrn === `urn:li:fsd_profile:${facts.owner}`;
    const item = newItem(pane, message.body.text, message.entityUrn, own ? '.standin-own-item' : '.standin-other-item');
    item.querySelector('.msg-s-message-group__profile-link').href = `/in/${message.sender.hostIdentityUrn.split(':').at(-1)}/`;
    if (own) markSent(item, message.deliveredAt);
    return item;
  }

  /** A conversation is shown at its end, and older messages are read when its list is scrolled to the top. */
  function readsOlder(pane, facts) {
    const list = pane.querySelector('.msg-s-message-list[data-standin-longer]');
    if (!list) return;
    const content = list.querySelector('.msg-s-message-list-content');
    let done = false;
    let reading = false;
    list.scrollTop = list.scrollHeight;
    list.addEventListener('scroll', async () => {
      if (done || reading || list.scrollTop > NEAR_TOP_PX) return;
      reading = true;
      const older = await olderOf(facts, content.querySelector('[data-event-urn]').dataset.eventUrn);
      content.prepend(...older.reverse().map((message) => olderItem(pane, facts, message)));
      done = older.length < HISTORY_PAGE;
      reading = false;
    });
  }

  /** How this page changes its DOM: at once, or in animation frames. */
  function renderer(facts) {
    return facts.animationFrames ? (change) => requestAnimationFrame(change) : (change) => change();
  }

  /** Turns a placeholder into the server's item, in one of the two known ways. */
  function settle(pane, facts, item, value) {
    if (facts.replaceNode) {
      const fresh = newItem(pane, value.body.text, value.entityUrn);
      item.replaceWith(fresh);
      item = fresh;
    } else {
      item.querySelector('[data-event-urn]').dataset.eventUrn = value.entityUrn;
    }
    markSent(item, value.deliveredAt);
  }

  /** How the real page marks a failure is not known; this class is invented. */
  function markFailed(item) {
    item.querySelector('[data-event-urn]').classList.add('msg-s-event-listitem--standin-failed');
  }

  // --- after a first message --------------------------------------------------

  /** Changes the route to the new thread and returns its pane, mounted anew, composer included. */
  async function remount(pane, value, text) {
    const thread = /,([^,]+)\)$/.exec(value.conversationUrn)[1];
    const part = await fetch(`/standin/pane/${thread}`);
    const fresh = new DOMParser().parseFromString(await part.text(), 'text/html').querySelector('[data-standin-pane]');
    history.pushState({}, '', `/messaging/thread/${thread}/`);
    pane.replaceWith(document.adoptNode(fresh));
    mount(fresh);
    // The client knows its own message even when the thread lags behind.
    if (!itemOf(fresh, value.entityUrn)) markSent(append(fresh, newItem(fresh, text, value.entityUrn)), value.deliveredAt);
    return fresh;
  }

  // --- composer ---------------------------------------------------------------

  /** Sends what stands in the composer: placeholder, request, then the swap. */
  async function send(pane, facts, editor, click) {
    const text = textOf(editor);
    if (text.trim() === '') return;
    const render = renderer(facts);
    const subject = pane.querySelector('input[name="subject"]')?.value ?? '';
    const tokens = facts.postsTwice ? [crypto.randomUUID(), crypto.randomUUID()] : [crypto.randomUUID()];
    // The shape of a client-side urn is not known; this one is invented.
    const item = newItem(pane, text, `urn:li:clientMessage:${tokens[0]}`);
    render(() => append(pane, item));
    clear(editor);
    editor.dispatchEvent(new Event('input', { bubbles: true }));
    if (facts.postsAnother) deliver(facts, ANOTHER_TEXT, crypto.randomUUID(), subject, '').catch(() => {});
    if (facts.postsItself && facts.holdSend) await held(facts.holdSend);
    let live = pane;
    await Promise.all(tokens.map(async (token, i) => {
      try {
        const value = await deliver(facts, text, token, subject, click);
        if (i > 0) render(() => markSent(append(live, newItem(pane, text, value.entityUrn)), value.deliveredAt));
        else if (facts.conversationUrn) render(() => settle(pane, facts, item, value));
        else live = await remount(pane, value, text);
      } catch {
        render(() => markFailed(item));
      }
    }));
  }

  function mount(pane) {
    const facts = JSON.parse(pane.dataset.standinPane);
    readsOlder(pane, facts);
    const form = pane.querySelector('form');
    if (!form) return;
    const editor = form.querySelector('.msg-form__contenteditable');
    const button = form.querySelector('.msg-form__send-button');
    const render = renderer(facts);
    let typedAt = -TYPING_EVERY_MS;
    let draft = null;
    editor.addEventListener('input', async (event) => {
      if (facts.keepsDraft && event.isTrusted) {
        if (textOf(editor).trim() === '' && draft !== null) {
          editor.replaceChildren(...draft);
          editor.dispatchEvent(new Event('standin-restored', { bubbles: true, composed: true }));
        }
        draft = [...editor.childNodes].map((node) => node.cloneNode(true));
      }
      const empty = textOf(editor).trim() === '';
      if (facts.postsItself && event.isTrusted && !empty) {
        if (!facts.keepsTyped) return void send(pane, facts, editor, '');
        deliver(facts, textOf(editor), crypto.randomUUID(), '', '').catch(() => {});
      }
      if (facts.holdSend && !empty) await held(facts.holdSend);
      if (button) render(() => { button.disabled = textOf(editor).trim() === ''; });
      if (!event.isTrusted || empty || performance.now() - typedAt < TYPING_EVERY_MS) return;
      typedAt = performance.now();
      post(`${API}Conversations?action=typing`, { conversationUrn: facts.conversationUrn }, '').catch(() => {});
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const click = form.dataset.standinClick ?? '';
      delete form.dataset.standinClick;
      send(pane, JSON.parse(pane.dataset.standinPane), editor, click);
    });
    if (button) return;
    editor.addEventListener('keydown', (event) => { // the member's Enter-to-send setting
      if (event.key !== 'Enter' || event.shiftKey) return;
      event.preventDefault();
      send(pane, facts, editor, '');
    });
  }

  /** Counts clicks on Send before anything else on the page sees them. */
  document.addEventListener('click', (event) => {
    const button = event.composedPath().find((node) => node.matches?.('.msg-form__send-button'));
    if (!button || button.disabled) return;
    const id = crypto.randomUUID();
    button.form.dataset.standinClick = id;
    navigator.sendBeacon('/standin/click', JSON.stringify({ id, path: location.pathname, trusted: event.isTrusted, hidden: document.hidden, focused: document.hasFocus() }));
  }, true);

  const late = document.currentScript.dataset.held;
  if (late) {
    held(late).then(({ id, body }) => {
      const code = document.createElement('code');
      code.style.display = 'none';
      code.id = id;
      code.textContent = body;
      document.body.append(code);
    });
  }

  const outlet = document.getElementById('interop-outlet')?.shadowRoot;
  for (const root of outlet ? [document, outlet] : [document]) {
    root.querySelectorAll('[data-standin-pane]').forEach(mount);
  }
})();
