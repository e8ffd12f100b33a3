// The page scripts, classic files that are injected in this order: each only uses what those before it have set.

/** Read a page. */
export const READER_FILES = ['linkedin/selectors.js', 'linkedin/walker.js', 'linkedin/reader.js'];
/** Read a page and act on it. */
export const DRIVER_FILES = [...READER_FILES, 'linkedin/gate.js', 'linkedin/driver.js'];
