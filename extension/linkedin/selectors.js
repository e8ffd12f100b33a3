// LinkedIn's marks on its pages, as data. Only marks that do not change with the language of the page.
// Sources: public captures of the desktop site of autumn 2026.
(() => {
  const page = (/** @type {any} */ (globalThis).SendoncePage ??= {});

  page.selectors = Object.freeze({
    // Answers of the server that a server-rendered page carries for its own script.
    data: 'code[id^="bpr-guid-"]',
    signIn: 'form[action*="login-submit"], [data-test-id="sign-in-form"], form[action*="/checkpoint/"], #rememberme-div',
    main: 'main',
    // Bubbles and other people's cards stand in an aside, whatever page they stand on.
    aside: 'aside',
    // Profile and feed pages keep bubbles in an open shadow root.
    shadowHost: '#interop-outlet, [data-testid="interop-shadowdom"]',
    // One conversation: its header, its messages and its box.
    pane: '.msg-thread, .msg-compose-container, .msg-convo-wrapper',
    composer: 'form [contenteditable="true"][role="textbox"]',
    form: 'form',
    send: 'button[type="submit"]',
    subject: 'input[name="subject"]',
    list: '.msg-s-message-list-container, .msg-s-message-list',
    item: '[data-event-urn]',
    itemId: 'data-event-urn',
    itemRow: 'li',
    itemBody: '.msg-s-event-listitem__body',
    itemOfOther: '.msg-s-event-listitem--other',
    itemSender: '.msg-s-message-group__profile-link',
    // The picture of whoever has seen the conversation up to there; what it says of when is in the words of the page.
    seenMark: '.msg-s-event-listitem__seen-receipts img',
    recipientChip: '.msg-connections-typeahead__added-recipients button',
    profileLink: 'a[href*="/in/"]',
    messageLink: 'a[href*="/messaging/compose/"]',
    inviteLink: 'a[href*="/preload/custom-invite/"]',
    heading: 'h1, h2',
  });
})();
