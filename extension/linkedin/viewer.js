// Tells its live worker what a page shows, over a port that it opened itself. It moves a list and changes nothing: what
// acts on a page is driver.js, which is not there when a page is only looked at.
(() => {
  const page = (/** @type {any} */ (globalThis).SendoncePage ??= {});
  // A second injection into one document must not make a second connection.
  if (page.view !== undefined || window.top !== window || location.pathname.startsWith('/preload')) return;

  const port = chrome.runtime.connect({ name: 'attempt' });

  let alive = true;
  let itemsMax = 0;
  let lastFacts = '';

  /** @param {object} message */
  const say = (message) => { if (alive) port.postMessage(message); };

  /** A task of its own, that a hidden tab does not delay. @param {() => void} task */
  function hop(task) {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); task(); };
    port2.postMessage(null);
  }

  let hopping = false;
  function changed() {
    if (hopping) return;
    hopping = true;
    hop(() => {
      hopping = false;
      if (!alive) return;
      const facts = page.read(itemsMax);
      const text = JSON.stringify(facts);
      if (text !== lastFacts) say({ what: 'facts', facts });
      lastFacts = text;
      page.view.changed();
    });
  }
  const observer = new MutationObserver(changed);

  /** @param {any} message */
  function watch(message) {
    itemsMax = message.items_max;
    observer.observe(document, {
      subtree: true, childList: true, characterData: true, attributes: true,
      attributeFilter: [page.selectors.itemId, 'disabled', 'href', 'class'],
    });
    changed();
  }

  /**
   * Moves the conversation to its top, where LinkedIn's page loads older messages. The browser tells a page of a scroll
   * when it draws it, and a hidden page is not drawn: so the page is told here.
   */
  function older() {
    for (const list of document.querySelectorAll(page.selectors.list)) {
      if (list.closest(page.selectors.aside) !== null) continue;
      list.scrollTop = 0;
      list.dispatchEvent(new Event('scroll'));
    }
  }

  /**
   * `hands`: what is done on which word of the worker. `changed` is called after each change of the page. driver.js adds
   * to both.
   */
  page.view = {
    say, isAlive: () => alive, read: () => page.read(itemsMax), hands: { watch, older }, changed: () => {},
  };

  port.onDisconnect.addListener(() => {
    alive = false;
    observer.disconnect();
  });
  /** @param {any} message */
  function obey(message) {
    if (alive) page.view.hands[message.do]?.(message);
  }
  // A frozen tab hands out the messages of a dead worker before the news of its death; one hop later the news is there.
  port.onMessage.addListener((message) => hop(() => obey(message)));
})();
