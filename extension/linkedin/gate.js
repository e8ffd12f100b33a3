// The last decision before the click, on what is true in that very moment. Pure, so that goja runs this same file.
(() => {
  const page = (/** @type {any} */ (globalThis).SendoncePage ??= {});

  /**
   * `go` is what the worker allowed, `now` both clocks of this moment, `poised` both clocks of when the page said that it
   * was ready, `box` the text in the message box.
   * @typedef {{wall: number, mono: number}} Clocks
   * @typedef {{window_ms: number, elapsed_ms: number, asked_wall_ms: number, apart_max_ms: number, text: string,
   *   person_id: string, member_urn: string, url: string, last_id: string|null, other_keys: string[]}} Go
   * @typedef {{go: Go, now: Clocks, poised: Clocks|null, alive: boolean, spent: boolean, facts: any, box: string}} Moment
   */

  /**
   * The contexts share no clock: the worker's time since before it asked, plus this page's time since it was poised, is
   * never too little. The wall clock must agree, because the other one stands still in a suspended machine.
   * @param {Moment} moment
   */
  function inTime({ go, now, poised }) {
    if (poised === null) return false;
    const mono = go.elapsed_ms + (now.mono - poised.mono);
    const wall = now.wall - go.asked_wall_ms;
    return mono >= 0 && mono <= go.window_ms && wall >= 0 && wall <= go.window_ms
      && Math.abs(wall - mono) <= go.apart_max_ms;
  }

  /**
   * @param {Moment} moment
   * @returns {string|null} why not
   */
  function whoFault({ go, facts }) {
    if (facts.sign_in) return 'signed_out';
    if (facts.members.length === 0 || facts.members.some((/** @type {any} */ one) => one.urn !== go.member_urn)) {
      return 'wrong_member';
    }
    if (facts.url !== go.url) return 'wrong_person';
    const others = new Set(facts.others.map((/** @type {any} */ one) => one.key));
    if (others.size > 1 || facts.recipients > 1) return 'group_thread';
    // A conversation names its person by id. The page of a first message does so in its address alone, and by slug in its
    // card: it must name whom it named when that was judged.
    const same = others.size === go.other_keys.length && go.other_keys.every((key) => others.has(key));
    return others.has(go.person_id) || (facts.recipients === 1 && same) ? null : 'wrong_person';
  }

  /**
   * @param {Moment} moment
   * @returns {string|null} why not
   */
  function pageFault({ go, facts, box }) {
    if (facts.composers !== 1) return facts.composers === 0 ? 'no_composer' : 'wrong_person';
    if (facts.inmail) return 'would_cost_inmail';
    const last = facts.items.at(-1) ?? null;
    if ((last?.urn ?? null) !== go.last_id) return last !== null && !last.own ? 'replied' : 'halted';
    if (!page.sameBytes(box, go.text)) return 'halted';
    if (facts.send === 'none') return 'enter_to_send';
    return facts.send === 'enabled' ? null : 'halted';
  }

  /**
   * Equal but for the no-break spaces that an editor puts where a space would collapse.
   * @param {string} box
   * @param {string} text
   * @returns {boolean}
   */
  page.sameBytes = (box, text) => box.replace(/\u00a0/g, ' ') === text.replace(/\u00a0/g, ' ');

  /**
   * May Send be clicked now?
   * @param {Moment} moment
   * @returns {{click: true} | {click: false, reason: string}} `reason` is one of the table's
   */
  page.decide = (moment) => {
    if (!moment.alive || moment.spent) return { click: false, reason: 'halted' };
    if (!inTime(moment)) return { click: false, reason: 'too_late' };
    const reason = whoFault(moment) ?? pageFault(moment);
    return reason === null ? { click: true } : { click: false, reason };
  };
})();
