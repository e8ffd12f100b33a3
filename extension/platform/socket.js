// One websocket to the server at a time. Frames are held against their shape in both directions; what an earlier socket
// still says after it was replaced is not heard.

import { check } from '../core/frames.js';
import { FRAME_BYTES_MAX } from '../core/limits.js';

const PROTOCOL_ERROR = 4000;
const LEAVING = 1000;

/** @type {WebSocket|null} */
let current = null;
/** @type {(event: any) => void} */
let tell = () => {};

/** @param {(event: any) => void} onEvent hears socket {what: 'open'|'closed', code, reason} and frame {frame} */
export function listen(onEvent) {
  tell = onEvent;
}

/** @param {string} url */
export function connect(url) {
  disconnect();
  const socket = new WebSocket(url);
  current = socket;
  socket.onopen = () => {
    if (socket === current) tell({ type: 'socket', what: 'open' });
  };
  socket.onmessage = (message) => {
    if (socket === current) receive(message.data);
  };
  socket.onclose = (closed) => {
    if (socket !== current) return;
    current = null;
    tell({ type: 'socket', what: 'closed', code: closed.code, reason: closed.reason });
  };
}

/** @param {number} [code] */
export function disconnect(code = LEAVING) {
  const socket = current;
  current = null;
  socket?.close(code);
}

/** @param {any} data */
function receive(data) {
  const frame = parse(data);
  const result = check(frame, 'server');
  if ('ok' in result) {
    tell({ type: 'frame', frame });
    return;
  }
  console.error(`frame from the server: ${result.field} ${result.error}`);
  disconnect(PROTOCOL_ERROR);
  tell({ type: 'socket', what: 'closed', code: PROTOCOL_ERROR, reason: '' });
}

/** @param {any} data @returns {any} null when it is no frame at all */
function parse(data) {
  if (typeof data !== 'string' || data.length > FRAME_BYTES_MAX) return null;
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

/**
 * A frame that finds no open socket is lost; whatever must arrive is said again by the outbox.
 * @param {import('../core/frames.js').Frame} frame
 */
export function send(frame) {
  const result = check(frame, 'install');
  if ('error' in result) throw new Error(`frame ${frame.type}: ${result.field} ${result.error}`);
  const text = JSON.stringify(frame);
  if (new TextEncoder().encode(text).length > FRAME_BYTES_MAX) throw new Error(`frame ${frame.type} is too long`);
  if (current !== null && current.readyState === WebSocket.OPEN) current.send(text);
}
