// The body of LinkedIn's delivery request: what it says, to whom, and the token by which the message can be told later.
// Pure: goja runs it.

const CONVERSATION_URN = /^urn:li:msg_conversation:\(urn:li:fsd_profile:[A-Za-z0-9_-]+,([^,()]+)\)$/;

// No frame may hold it: a report with such a token could never be said.
const NUL = '\u0000';

/**
 * `text` is null when the body is not of the known shape. `to_person` is set by a first message, `to_conversation` by
 * any other; a first message to several people has no single person.
 * @typedef {{text: string|null, origin_token: string|null, to_person: string|null, to_conversation: string|null}} Delivery
 */

/** @param {unknown} value @returns {any} */
const objectOr = (value) => (typeof value === 'object' && value !== null ? value : {});
/** @param {unknown} value @returns {string|null} */
const textOr = (value) => (typeof value === 'string' ? value : null);

/**
 * Reads a delivery request's body.
 * @param {string} body JSON, under whatever content type
 * @returns {Delivery}
 */
export function readDelivery(body) {
  const request = parsed(body);
  const message = objectOr(request.message);
  const recipients = Array.isArray(request.hostRecipientUrns) ? request.hostRecipientUrns : [];
  const conversation = textOr(message.conversationUrn);
  const token = textOr(message.originToken);
  return {
    text: textOr(objectOr(message.body).text),
    origin_token: token === null || token === '' || token.includes(NUL) ? null : token.slice(0, 128),
    // What is no text names nobody, and must not be asked for its text: it may be an object that throws.
    to_person: recipients.length === 0 ? null : recipients.map((/** @type {unknown} */ one) => textOr(one) ?? '?').join(','),
    to_conversation: conversation === null || conversation.includes(NUL) ? null : CONVERSATION_URN.exec(conversation)?.[1] ?? conversation,
  };
}

/** @param {string} body */
function parsed(body) {
  try {
    return objectOr(JSON.parse(body));
  } catch {
    return {};
  }
}
