// Goal: core/, generated/ and what they use of linkedin/ are pure, so that goja runs the very files that Chrome loads and
// a seed decides everything. Words are looked for in the source without its comments and quoted text; template texts
// count, because they may hold code.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PURE_FOLDERS = ['core', 'generated'];
const PURE_FILES = ['linkedin/urls.js', 'linkedin/delivery.js'];

// What reaches outside, what goja does not have, and what hangs on the locale. Not forbidden after a dot.
const FORBIDDEN = new Set([
  'chrome', 'browser', 'window', 'document', 'globalThis', 'self', 'navigator', 'location', 'process', 'require', 'console',
  'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'queueMicrotask', 'requestAnimationFrame', 'Date',
  'performance', 'fetch', 'XMLHttpRequest', 'WebSocket', 'Worker', 'MessageChannel', 'localStorage', 'indexedDB', 'caches',
  'URL', 'URLSearchParams', 'Intl', 'crypto', 'TextEncoder', 'TextDecoder', 'structuredClone', 'atob', 'btoa', 'Buffer',
  'AbortController', 'WeakRef', 'FinalizationRegistry', 'Atomics', 'SharedArrayBuffer', 'eval', 'Function', 'async', 'await',
  'Promise', 'using',
]);

const FORBIDDEN_TEXT = [
  [/\bMath\s*\.\s*random\b/, 'Math.random'],
  [/\bMath\s*\[/, 'Math[…], which may be random'],
  [/\\[pP]\{/, '\\p{…}, which goja never matches'],
  [/\bimport\s*[.(]/, 'import() or import.meta'],
  [/\.\s*(toLocale\w+|localeCompare)\b/, 'a method that hangs on the locale'],
  [/\.\s*(isWellFormed|toWellFormed|groupBy|fromAsync|withResolvers)\b/, 'a method that goja does not have'],
];

const COMMENT_OR_QUOTE = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

/** Takes comments out of a source. */
function withoutComments(source) {
  return source.replace(COMMENT_OR_QUOTE, (part) => (part.startsWith('/') ? ' ' : part));
}

/** Takes comments and plain quoted text out of a source. */
function withoutQuotes(source) {
  return source.replace(COMMENT_OR_QUOTE, (part) => (part.startsWith('`') ? part : ' '));
}

function isPure(inside) {
  return PURE_FILES.includes(inside) || PURE_FOLDERS.some((folder) => inside.startsWith(`${folder}/`));
}

/** What is wrong with one module, as a list of complaints. */
function complaints(path, source) {
  const code = withoutComments(source);
  const found = [];
  for (const match of withoutQuotes(source).matchAll(/(?<![\w$]|(?<!\.\.)\.)[A-Za-z_$][\w$]*/g)) {
    if (FORBIDDEN.has(match[0])) found.push(match[0]);
  }
  for (const [pattern, name] of FORBIDDEN_TEXT) if (pattern.test(code)) found.push(name);
  for (const match of code.matchAll(/\b(?:from|import)\s*(['"])(.*?)\1/g)) {
    const inside = relative(ROOT, resolve(dirname(path), match[2]));
    if (!match[2].startsWith('.') || !isPure(inside)) found.push(`import of ${match[2]}`);
  }
  return found;
}

const inFolders = PURE_FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true })
  .filter((name) => name.endsWith('.js')).map((name) => join(ROOT, folder, name)));

const modules = [...inFolders, ...PURE_FILES.map((name) => join(ROOT, name))];

test('there are modules to look at', () => assert.ok(modules.length > 10));

for (const path of modules) {
  test(`${relative(ROOT, path)} is pure`, () => assert.deepEqual(complaints(path, readFileSync(path, 'utf8')), []));
}

test('the lint sees what is not pure', () => {
  const path = join(ROOT, 'core', 'sample.js');
  const impure = [
    'chrome.storage.local.get()', 'const now = Date.now();', 'return new Date();', 'f(setTimeout)', 'x = Math.random()',
    'x = Math . random()', "Math['random']()", 'typeof document', 'new URL(text)', '/\\p{L}/u.test(x)', 'await x',
    "import { x } from '../platform/clock.js';", "import 'node:fs';", "import x from '../../shared/x.js'", 'import.meta.url',
    "import('./x.js')", 'text.toLocaleLowerCase()', 'const { now } = performance;', '`${Date.now()}`', '[...crypto.x]',
    'x = "//" + Date.now()', "x = '/*'; Date.now(); y = '*/'", 'eval("1")', 'Object.groupBy(x, f)',
  ];
  for (const source of impure) assert.notDeepEqual(complaints(path, source), [], source);
});

test('the lint leaves alone what is pure', () => {
  const path = join(ROOT, 'core', 'sample.js');
  const pure = [
    "import { x } from './rule.js';", "import { TABLE } from '../generated/statuses.js';", '// Date.now() is not for here',
    '/* chrome */ const timer = 1;', 'step.document', "timer('window')", 'Math.floor(x)', 'const dated = 1;', 'lease.url',
  ];
  for (const source of pure) assert.deepEqual(complaints(path, source), [], source);
});
