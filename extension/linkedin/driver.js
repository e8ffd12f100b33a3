// The only code that touches a page: it puts our text in, takes it out, and clicks Send once. It acts only inside the
// handler of a message from its live worker, over the port of viewer.js.
(() => {
  const page = (/** @type {any} */ (globalThis).SendoncePage ??= {});
  const { view } = page;
  // A second injection into one document must not make a second hand.
  if (view === undefined || page.hand) return;
  page.hand = true;

  /** Send was clicked in this document. */
  let spent = false;
  /** What stood in the box right after we had typed; null while nothing of ours is in it. @type {string|null} */
  let ours = null;
  /** The text that waits for the page to enable Send. @type {string|null} */
  let waiting = null;
  /** @type {{wall: number, mono: number}|null} */
  let poised = null;

  const clocks = () => ({ wall: Date.now(), mono: performance.now() });
  /** @param {object} message */
  const say = (message) => view.say(message);
  /** @returns {HTMLElement|null} */
  const onlyBox = () => (page.composers().length === 1 ? page.composers()[0] : null);

  /**
   * @param {HTMLElement} box
   * @param {string} command
   * @param {string} [text]
   * @returns {boolean} whether anything was done
   */
  function edit(box, command, text) {
    box.focus();
    const selection = window.getSelection();
    selection?.selectAllChildren(box);
    return document.execCommand(command, false, text);
  }

  /**
   * Takes our own text out. What is not ours any more is left alone.
   * @returns {'untouched'|'cleared'|'left'|'emptied'|'gone'}
   */
  function clear() {
    waiting = null;
    poised = null;
    if (ours === null) return 'untouched';
    const box = onlyBox();
    if (box === null) return 'gone';
    const text = page.textOf(box);
    if (text.trim() === '') return 'emptied';
    if (text !== ours) return 'left';
    edit(box, 'delete');
    if (page.textOf(box).trim() !== '') return 'left';
    ours = null;
    return 'cleared';
  }

  /** @param {any} message */
  function type({ text }) {
    const box = onlyBox();
    if (box === null) return say({ what: 'not_typed', reason: 'no_composer', box: 'untouched' });
    if (page.textOf(box).trim() !== '') return say({ what: 'not_typed', reason: 'occupied_draft', box: 'untouched' });
    const inserted = edit(box, 'insertText', text);
    const now = page.textOf(box);
    // The page took out what had been put in, and may have sent it.
    if (inserted && now.trim() === '') return say({ what: 'not_typed', reason: 'no_composer', box: 'emptied' });
    if (now.trim() !== '') ours = now;
    if (!page.sameBytes(now, text)) return say({ what: 'not_typed', reason: 'no_composer', box: clear() });
    say({ what: 'typed' });
    waiting = text;
    sayPoised();
  }

  /** Says that the text is in and Send is enabled, as soon as both are so. */
  function sayPoised() {
    const box = waiting === null ? null : onlyBox();
    if (box === null || !page.sameBytes(page.textOf(box), waiting)) return;
    if (page.sendButton(box)?.disabled !== false) return;
    waiting = null;
    poised = clocks();
    say({ what: 'poised', facts: view.read() });
  }

  /**
   * Looks, decides and clicks in one step that nothing can come between.
   * @param {any} go
   */
  function act(go) {
    const box = onlyBox();
    const facts = view.read();
    const text = box === null ? '' : page.textOf(box);
    const verdict = page.decide({ go, now: clocks(), poised, alive: view.isAlive(), spent, facts, box: text });
    if (!verdict.click || box === null) {
      return say({ what: 'not_clicked', reason: verdict.reason ?? 'no_composer', box: clear() });
    }
    spent = true;
    const at = Date.now();
    page.sendButton(box).click();
    say({ what: 'clicked', at_ms: at, item_ids: facts.items.map((/** @type {any} */ item) => item.urn) });
  }

  view.changed = sayPoised;
  Object.assign(view.hands, { type, go: act, halt: () => say({ what: 'halted', box: clear() }) });
})();
