// Reads a page into plain facts. It decides nothing and changes nothing.
(() => {
  const page = (/** @type {any} */ (globalThis).SendoncePage ??= {});
  const marks = page.selectors;

  const DATA_CHARS_MAX = 2_000_000;
  const NAME_CHARS_MAX = 200;

  /** @type {WeakMap<Element, any>} */
  const read = new WeakMap();

  /** The name in /in/<name>/ of a link, decoded. @param {Element} link @returns {string|null} */
  function keyOf(link) {
    const path = new URL(/** @type {HTMLAnchorElement} */ (link).href, location.href).pathname;
    const key = /^\/in\/([^/]+)\/?$/.exec(path)?.[1];
    return key === undefined ? null : decoded(key);
  }

  /** @param {string} text */
  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  /** @param {Element|null} element */
  function nameIn(element) {
    return (element?.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, NAME_CHARS_MAX);
  }

  /**
   * The signed-in member, in the page's own copy of the answer to "who am I". Other answers name other people in the
   * same shape.
   * @param {Element} code
   * @returns {{urn: string, slug: string, name: string}|null}
   */
  function memberIn(code) {
    const text = code.textContent ?? '';
    if (text.length > DATA_CHARS_MAX || !text.includes('"*miniProfile"')) return null;
    try {
      const answer = JSON.parse(text);
      const me = answer.included?.find((/** @type {any} */ one) => one.entityUrn === answer.data?.['*miniProfile']);
      if (typeof me?.dashEntityUrn !== 'string') return null;
      const name = `${me.firstName ?? ''} ${me.lastName ?? ''}`.trim().slice(0, NAME_CHARS_MAX);
      return { urn: me.dashEntityUrn, slug: String(me.publicIdentifier ?? ''), name };
    } catch {
      return null;
    }
  }

  /** Whom the page calls the signed-in member. @returns {{urn: string, slug: string, name: string}[]} */
  page.members = () => {
    const found = [];
    for (const code of document.querySelectorAll(marks.data)) {
      if (!read.has(code)) read.set(code, memberIn(code));
      const member = read.get(code);
      if (member !== null) found.push(member);
    }
    return found;
  };

  /** @returns {boolean} */
  page.asksToSignIn = () => document.querySelector(marks.signIn) !== null;

  /** Every message box, in whichever root of the page. @returns {HTMLElement[]} */
  page.composers = () => {
    const roots = [document, ...[...document.querySelectorAll(marks.shadowHost)].map((host) => host.shadowRoot)];
    return roots.flatMap((root) => (root === null ? [] : [...root.querySelectorAll(marks.composer)]));
  };

  /** @param {HTMLElement} composer @returns {HTMLButtonElement|null} */
  page.sendButton = (/** @type {HTMLElement} */ composer) => composer.closest(marks.form)?.querySelector(marks.send) ?? null;

  /** @param {ParentNode} root @param {string} selector @returns {Element[]} */
  function outsideAside(root, selector) {
    return [...root.querySelectorAll(selector)].filter((element) => element.closest(marks.aside) === null);
  }

  /** @param {ParentNode} pane */
  function othersIn(pane) {
    const others = new Map();
    for (const link of outsideAside(pane, marks.profileLink)) {
      const key = link.closest(marks.list) === null ? keyOf(link) : null;
      if (key !== null && !others.has(key)) others.set(key, nameIn(link));
    }
    return [...others].map(([key, name]) => ({ key, name }));
  }

  /** Only the first message of a group shows its sender. @param {ParentNode} pane @param {number} most */
  function itemsIn(pane, most) {
    let group = { own: true, sender: /** @type {string|null} */ (null) };
    const items = outsideAside(pane, marks.item).map((item) => {
      const own = item.closest(marks.itemOfOther) === null;
      const row = item.closest(marks.itemRow) ?? item;
      const link = row.querySelector(marks.itemSender);
      if (link !== null || own !== group.own) group = { own, sender: link === null ? null : keyOf(link) };
      const body = item.querySelector(marks.itemBody);
      const text = body === null ? '' : page.textOf(body);
      const seen = row.querySelector(marks.seenMark) !== null;
      return { urn: item.getAttribute(marks.itemId) ?? '', own, sender: group.sender, text, seen };
    });
    return items.slice(-most);
  }

  /** @param {ParentNode} main */
  function profileIn(main) {
    const key = /^\/in\/([^/]+)\/?$/.exec(location.pathname)?.[1];
    if (key === undefined) return { message_links: [], invitable: false, name: '' };
    const invites = outsideAside(main, marks.inviteLink).map((link) => new URL(/** @type {any} */ (link).href).searchParams);
    return {
      message_links: outsideAside(main, marks.messageLink).map((link) => /** @type {HTMLAnchorElement} */ (link).href),
      invitable: invites.some((query) => query.get('vanityName') === decoded(key)),
      name: nameIn(outsideAside(main, marks.heading)[0] ?? null),
    };
  }

  /** @param {HTMLElement[]} composers */
  function boxIn(composers) {
    const [composer] = composers;
    if (composer === undefined) return { composers: 0, occupied: false, send: 'none', inmail: false };
    const button = page.sendButton(composer);
    return {
      composers: composers.length,
      occupied: page.textOf(composer).trim() !== '',
      send: button === null ? 'none' : button.disabled ? 'disabled' : 'enabled',
      inmail: composers.some((one) => (one.closest(marks.form)?.querySelector(marks.subject) ?? null) !== null),
    };
  }

  /**
   * Everything that is decided on.
   * @param {number} itemsMax
   * @returns {object} the Facts of core/person.js
   */
  page.read = (itemsMax) => {
    const main = document.querySelector(marks.main) ?? document.body;
    const pane = main.querySelector(marks.pane) ?? main;
    const messaging = location.pathname.startsWith('/messaging/');
    return {
      url: location.href,
      sign_in: page.asksToSignIn(),
      members: page.members(),
      others: messaging ? othersIn(pane) : [],
      recipients: messaging ? pane.querySelectorAll(marks.recipientChip).length : 0,
      ...profileIn(main),
      ...boxIn(page.composers()),
      items: messaging ? itemsIn(pane, itemsMax) : [],
    };
  };
})();
