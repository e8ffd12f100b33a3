// The popup: shows what the install is doing, and lets the person pause it, stop it, or look at what needs a look.

const REFRESH_MS = 1_000;

/** @type {Record<string, string>} */
const STATES = {
  unpaired: 'Not paired. Open the options to pair this browser.',
  stopped: 'Not paired any more.',
  offline: 'Not connected.',
  welcomed: 'Connected.',
};
const CONNECTING = 'Connecting.';

/** @typedef {import('../core/view.js').View} View */

/** @param {string} id @returns {HTMLElement} */
function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`popup.html has no #${id}`);
  return found;
}

/**
 * Changes a text only when it differs, so that screen readers do not read it again.
 * @param {string} id
 * @param {string} text
 */
function say(id, text) {
  const target = element(id);
  if (target.textContent !== text) target.textContent = text;
}

/** @param {string} id @param {string[]} texts @param {string} [empty] */
function list(id, texts, empty) {
  const lines = texts.length === 0 && empty !== undefined ? [empty] : texts;
  const target = element(id);
  if (lines.join('\n') === Array.from(target.children, (item) => item.textContent).join('\n')) return;
  target.replaceChildren(...lines.map((line) => {
    const item = document.createElement('li');
    item.textContent = line;
    return item;
  }));
}

/** @param {View} view */
function memberLine(view) {
  if (view.looking) return 'Looking who is signed in to LinkedIn.';
  return view.member === null ? 'Nobody is known to be signed in to LinkedIn here.' : `Signed in as ${view.member}.`;
}

/** @param {{broken: string|null, view: View|null}} answer */
function show({ broken, view }) {
  const trouble = broken ?? view?.trouble ?? null;
  element('trouble').hidden = trouble === null;
  say('trouble', trouble ?? '');
  if (view === null) return;
  const paused = `${view.paused ? ' Paused.' : ''}${view.paused_there ? ' Paused on the server: resume it there.' : ''}`;
  say('state', `${STATES[view.phase] ?? CONNECTING}${paused}`);
  list('doing', view.doing.map((text) => text || 'Preparing a message'), 'Nothing.');
  list('accounts', view.accounts.map((account) => `${account.handle}: ${account.text}`), 'None.');
  say('member', memberLine(view));
  element('looks-section').hidden = view.looks.length === 0;
  list('looks', view.looks.map((look) => `${look.person || 'A message'}, ${new Date(look.at_ms).toLocaleString()}`));
  say('pause', view.paused ? 'Resume' : 'Pause');
  element('pause').dataset.what = view.paused ? 'resume' : 'pause';
}

/** @param {string} what */
async function ask(what) {
  show(await chrome.runtime.sendMessage({ what }));
}

element('pause').addEventListener('click', () => ask(element('pause').dataset.what ?? 'pause'));
element('stop').addEventListener('click', () => ask('stop'));
element('look').addEventListener('click', () => ask('look_for_member'));
element('options').addEventListener('click', () => chrome.runtime.openOptionsPage());
setInterval(() => ask('view'), REFRESH_MS);
await ask('view');

export {};
