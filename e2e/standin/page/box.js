// What a page does with the text in its composers besides sending it: it tells
// the stand-in of every change, and may change what was typed, as pages that
// correct, trim or decorate do.
'use strict';
(() => {
  const EDITOR = '.msg-form__contenteditable';
  const visit = crypto.randomUUID();
  const counts = new WeakMap();
  const changed = new Set();

  function told(editor) {
    const count = (counts.get(editor) ?? 0) + 1;
    counts.set(editor, count);
    const lines = [...editor.children].map((block) => block.textContent);
    return JSON.stringify({
      document: visit, form: editor.closest('form').id, count,
      to: editor.closest('[data-standin-to]').dataset.standinTo,
      text: lines.length ? lines.join('\n') : editor.textContent,
    });
  }

  /** Once for all changes of one task: an insertion of many lines is many events. */
  function tell() {
    for (const editor of changed) navigator.sendBeacon('/standin/box', told(editor));
    changed.clear();
  }

  /**
   * A box that was emptied, or that the page fills again, is told of at once: the tab may be closed next, and its beacon lost.
   * The same is not told again by a beacon, which may arrive when everyone takes the page for done.
   */
  function tellNow(editor) {
    changed.delete(editor);
    const request = new XMLHttpRequest();
    request.open('POST', '/standin/box', false);
    request.send(told(editor));
  }

  function note(editor) {
    if (changed.size === 0) queueMicrotask(tell);
    changed.add(editor);
  }

  /** Ways to change a text. Decorating changes only the markup around it. */
  const REWRITES = {
    emoji: (text) => text.replaceAll(':)', '🙂'),
    quotes: (text) => text.replaceAll('"', '”'),
    trim: (text) => text.replace(/^[ \u00a0]+/, ''),
    keep_together: (text) => text.replaceAll(' ', '\u00a0'),
    decorate: (text) => text,
  };

  function rewrite(editor, what) {
    const walker = document.createTreeWalker(editor, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) if (walker.currentNode.data !== '') nodes.push(walker.currentNode);
    if (nodes.length === 0) return;
    for (const node of nodes) {
      node.data = REWRITES[what](node.data);
      if (what !== 'decorate') continue;
      const span = document.createElement('span');
      node.replaceWith(span);
      span.append(node);
    }
    if (what === 'decorate') {
      // Frameworks leave such marks where something may come.
      for (const node of editor.querySelectorAll('p, span, br')) node.after(document.createComment(''), '');
    }
    note(editor);
  }

  function rewriteAt(editor, moment) {
    const { standinRewrite, standinRewriteAt } = editor.closest('[data-standin-to]').dataset;
    if (standinRewrite && standinRewriteAt === moment) rewrite(editor, standinRewrite);
  }

  /** Turns the pane to someone else, under the same address. */
  function swap(editor) {
    const pane = editor.closest('[data-standin-swap-id]');
    if (!pane) return;
    const { standinSwapId: id, standinSwapSlug: slug, standinSwapName: name } = pane.dataset;
    const facts = JSON.parse(pane.dataset.standinPane);
    pane.dataset.standinPane = JSON.stringify({ ...facts, recipient: facts.recipient && id });
    for (const link of pane.querySelectorAll('.msg-title-bar a, .msg-thread__participants a')) link.href = `/in/${id}/`;
    for (const link of pane.querySelectorAll('.msg-compose__profile-card a')) link.href = `/in/${encodeURIComponent(slug)}/`;
    for (const named of pane.querySelectorAll('.msg-connections-typeahead__added-recipients button, .msg-title-bar a')) {
      named.textContent = name;
    }
  }

  function input(event) {
    const editor = event.composedPath()[0].closest?.(EDITOR);
    if (!editor) return;
    if (event.isTrusted && editor.textContent === '') tellNow(editor);
    else note(editor);
    rewriteAt(editor, 'typed');
    // The very next task, which a hidden tab does not put off.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); rewriteAt(editor, 'after_typing'); swap(editor); };
    port2.postMessage(null);
  }

  function submit(event) {
    const editor = event.target.querySelector(EDITOR);
    if (editor) rewriteAt(editor, 'sent');
  }

  const outlet = document.getElementById('interop-outlet')?.shadowRoot;
  for (const root of outlet ? [document, outlet] : [document]) {
    root.addEventListener('input', input, true);
    root.addEventListener('standin-restored', (event) => tellNow(event.composedPath()[0]), true);
    root.addEventListener('submit', submit, true);
  }
})();
