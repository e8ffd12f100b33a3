// The text of an editor or of a message, as its lines were typed. innerText is no way to compare: it doubles line ends
// between paragraphs and depends on styles.
(() => {
  const page = (/** @type {any} */ (globalThis).SendoncePage ??= {});

  const BLOCKS = new Set(['P', 'DIV', 'LI', 'UL', 'OL', 'BLOCKQUOTE', 'PRE', 'SECTION', 'H1', 'H2', 'H3']);

  /** @param {Node} node */
  const isBlock = (node) => BLOCKS.has(node.nodeName);

  /** Does a node show anything? Frameworks leave comments and empty texts behind. @param {Node} node */
  const shows = (node) => node.nodeType === 1 || (node.nodeType === 3 && node.nodeValue !== '');

  /**
   * A block is a line of its own, `<br>` ends a line, and a `<br>` that closes its block only keeps the line open.
   * @param {Node} root
   * @returns {string} lines joined by "\n"
   */
  page.textOf = (root) => {
    /** @type {string[]} */
    const lines = [];
    let open = false;
    /** @param {string} text */
    const add = (text) => {
      if (!open) lines.push('');
      open = true;
      lines[lines.length - 1] += text;
    };
    /** @param {Node} parent */
    const walk = (parent) => {
      const nodes = [...parent.childNodes].filter(shows);
      for (const node of nodes) {
        if (node.nodeType === 3) add(node.nodeValue ?? '');
        else if (node.nodeName === 'BR') {
          add('');
          if (node !== nodes.at(-1)) lines.push('');
        } else if (isBlock(node)) {
          open = false;
          const before = lines.length;
          walk(node);
          if (lines.length === before) lines.push('');
          open = false;
        } else walk(node);
      }
    };
    walk(root);
    return lines.join('\n');
  };
})();
