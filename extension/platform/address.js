// From what a person typed as the server's address to the address of its socket.

const SOCKET_PATH = '/v1/installs/socket';
const LOOPBACK = ['127.0.0.1', 'localhost'];
const SECURE = ['https:', 'wss:'];
const PLAIN = ['http:', 'ws:'];

/**
 * @param {string} typed such as "sendonce.example.com" or "http://127.0.0.1:8080"
 * @returns {{url: string} | {error: string}} the error is a sentence for the person
 */
export function socketAddress(typed) {
  const trimmed = typed.trim();
  if (trimmed === '') return { error: 'Enter the address of the server.' };
  const withScheme = trimmed.includes('://') ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(withScheme)) return { error: 'This is not an address. Example: https://sendonce.example.com' };
  const { protocol, hostname, host, username, password } = new URL(withScheme);
  if (username !== '' || password !== '') return { error: 'The address must not hold a name or a password.' };
  if (SECURE.includes(protocol)) return { url: `wss://${host}${SOCKET_PATH}` };
  if (!PLAIN.includes(protocol)) return { error: 'The address must begin with https://' };
  if (!LOOPBACK.includes(hostname)) {
    return { error: 'Without https only a server on this computer can be used: http://127.0.0.1 or http://localhost' };
  }
  return { url: `ws://${host}${SOCKET_PATH}` };
}
