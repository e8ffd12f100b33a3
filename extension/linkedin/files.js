// The page scripts, classic files that are injected in this order: each only uses what those before it have set.

/** Read a page. */
export const READER_FILES = ['linkedin/selectors.js', 'linkedin/walker.js', 'linkedin/reader.js'];
/** Read a page for as long as it stands, and tell what it shows. */
export const VIEWER_FILES = [...READER_FILES, 'linkedin/viewer.js'];
/** The same, and act on it. */
export const DRIVER_FILES = [...VIEWER_FILES, 'linkedin/gate.js', 'linkedin/driver.js'];
