// The options: pair this browser with a server by a one-time code, or unpair it.

const REFRESH_MS = 1_000;

/** @type {Record<string, string>} */
const STATES = {
  unpaired: 'Not paired.',
  stopped: 'The server no longer accepts this browser.',
  offline: 'Paired, but not connected.',
  pairing: 'Pairing.',
  welcomed: 'Paired and connected.',
};
const CONNECTING = 'Connecting.';

/** @param {string} id @returns {HTMLElement} */
function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`options.html has no #${id}`);
  return found;
}

/** @param {string} id @returns {HTMLInputElement} */
function input(id) {
  return /** @type {HTMLInputElement} */ (element(id));
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

/** @param {string|null} text */
function trouble(text) {
  element('trouble').hidden = text === null;
  say('trouble', text ?? '');
}

/** @param {{error?: string, broken?: string|null, view?: import('../core/view.js').View|null}} answer */
function show({ error, broken, view }) {
  trouble(error ?? broken ?? view?.trouble ?? null);
  if (view === undefined || view === null) return;
  const server = view.server === null ? '' : ` Server: ${new URL(view.server).host}`;
  say('state', `${STATES[view.phase] ?? CONNECTING}${server}`);
  element('unpair').hidden = view.server === null;
}

/** The complaint about what was typed stays until something else is done. @type {boolean} */
let complained = false;

/** @param {{what: string, [field: string]: string}} message */
async function ask(message) {
  const answer = await chrome.runtime.sendMessage(message);
  complained = answer.error !== undefined;
  show(answer);
}

element('pair').addEventListener('submit', async (event) => {
  event.preventDefault();
  await ask({ what: 'pair', address: input('address').value, code: input('code').value });
  if (!complained) input('code').value = '';
});
element('unpair').addEventListener('submit', async (event) => {
  event.preventDefault();
  await ask({ what: 'unpair' });
});
setInterval(() => {
  if (!complained) ask({ what: 'view' });
}, REFRESH_MS);
await ask({ what: 'view' });

export {};
