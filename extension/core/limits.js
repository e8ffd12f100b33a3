// Every number of the extension, with its unit. Those that the server sets come with `welcome`.

/** How long the server may take over each step from the open socket to `welcome`. */
export const HANDSHAKE_WITHIN_MS = 10_000;
/**
 * The largest wait before the first and before any later reconnection; the real wait is random below it. The first spreads
 * those who lose a server that had no time to tell each of them when to come back: of 1,000 about 250 come in a second.
 */
export const RECONNECT_FIRST_MS = 4_000;
export const RECONNECT_MOST_MS = 60_000;
/** After `superseded`: the other one may be a copied profile, and two that come back at once would fight for ever. */
export const SUPERSEDED_REST_MS = 600_000;
/** An access token that is about to run out is not used for a new session. */
export const ACCESS_SPARE_MS = 30_000;
/** The share of an access token's life after which it is renewed. */
export const RENEW_AT_SHARE = 0.7;

/** How long an unanswered frame waits before it is said again: at first, and at most. */
export const ASK_AGAIN_FIRST_MS = 3_000;
export const ASK_AGAIN_MOST_MS = 30_000;
/** Frames that wait for an answer at one time. */
export const ASKS_MAX = 256;
/** With as many waiting, no further lease is taken. */
export const ASKS_CROWDED = 128;

/** A frame in either direction, in bytes of UTF-8. */
export const FRAME_BYTES_MAX = 65_536;

/** Open journal entries; `hello` names no more. */
export const ENTRIES_MAX = 16;
/** Reports kept for one attempt: its own, and what a revived worker adds. */
export const REPORTS_PER_ENTRY_MAX = 4;
/** How long, and how many, ended attempts are remembered. */
export const TOMBSTONE_KEEP_MS = 90 * 24 * 60 * 60 * 1000;
export const TOMBSTONES_MAX = 3_000;
/** Lines that the popup shows under "needs a look". */
export const LOOKS_SHOWN_MAX = 20;

/** How long it is believed that a member who was seen signed in still is, and how often a tab of our own may look. */
export const MEMBER_FRESH_MS = 30 * 60 * 1000;

/** The wake net: a dead worker is started again after at most this. Chrome allows nothing shorter. */
export const WAKE_EVERY_MINUTES = 0.5;

/** The clocks of LinkedIn and of the server may differ: a message this much older than the approval still counts as newer. */
export const APPROVAL_SLACK_MS = 5 * 60 * 1000;
/** Copies that a report names. */
export const COPIES_MAX = 20;
/** Replies and messages by hand that one observation names, the newest, and observations that wait for an answer at one time. */
export const OBSERVED_MAX = 20;
export const OBSERVED_WAITING_MAX = 16;
/** Messages of a conversation that are read, the newest. */
export const ITEMS_MAX = 200;
/** A page counts as shown when nothing of what is read has changed for this long. */
export const SETTLE_MS = 1_000;
/** How long a page may take from its address to a message box. */
export const PAGE_WITHIN_MS = 30_000;
/** How long the page script may take over one step: have Send enabled, clear, click. */
export const BOX_WITHIN_MS = 10_000;
/** How long the page may take to put the text in: 8,000 characters of very short lines took 15 s on a busy machine. */
export const TYPE_WITHIN_MS = 40_000;
/** The wall clock and the monotonic clock may differ by this much over a touch window; more is a suspended machine. */
export const CLOCKS_APART_MAX_MS = 2_000;
/** After the last answer: a page that posts twice has posted by then. */
export const QUIET_MS = 750;
/** How often the look loads a conversation that does not show the message, and the wait between. */
export const LOOK_LOADS_MAX = 3;
export const LOOK_AGAIN_MS = 3_000;
/** How long a check may take in all; with the closing of its tab less than CheckRestMax of server/config. */
export const CHECK_WITHIN_MS = 90_000;
/** Messages that LinkedIn loads at first of a conversation: a page with fewer shows it whole. */
export const FIRST_PAGE_ITEMS = 20;
/**
 * How often a check has a conversation's page load older messages, and how long it waits for them. LinkedIn loads as many
 * as at first, and what is read of them all stays below ITEMS_MAX.
 */
export const OLDER_LOADS_MAX = 8;
export const OLDER_WITHIN_MS = 8_000;
/** A tab that was told to close is told again after this, so often. */
export const CLOSE_WITHIN_MS = 5_000;
export const CLOSE_TRIES_MAX = 5;
/** Own tabs of the person that are read to learn who is signed in, and how long a page may take to say so. */
export const PROBE_TABS_MAX = 3;
export const PROBE_WITHIN_MS = 20_000;
/** LinkedIn's "try again later" is believed up to a week. */
export const RETRY_AFTER_MAX_MS = 7 * 24 * 60 * 60 * 1000;
