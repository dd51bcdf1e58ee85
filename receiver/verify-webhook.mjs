// Tells whether a webhook is genuine. Node 18 or newer, no dependencies: copy this file into your project.
import { createHmac, timingSafeEqual } from 'node:crypto';

const SECRET = /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/;

/**
 * @typedef {object} Request
 * @property {unknown} headers a plain object, Fetch `Headers`, or `request.headers` of node:http; in any case of letters
 * @property {string | Uint8Array} body as it was received: the bytes, never a parsed object written out again
 * @property {string} [secret] the secret of the endpoint as it was shown, `whsec_...`
 * @property {string[]} [secrets] instead of `secret`: several, any of which may have signed
 * @property {number} [toleranceSeconds] how far `webhook-timestamp` may be from now, before or after; default 300
 * @property {number} [now] milliseconds since the Unix epoch; default `Date.now()`
 */

/**
 * A genuine request. `secretIndex` says which of `secrets` signed it.
 *
 * - form `standard`: `id` is the event's, the same in every retry and replay (deduplicate by it); `timestamp` is when it
 *   was sent, in seconds since the Unix epoch. Both are signed.
 * - form `service`: only the body is signed, so there is neither, and a recorded request looks genuine for ever.
 *
 * @typedef {{ ok: true, form: 'standard', id: string, timestamp: number, secretIndex: number }
 *   | { ok: true, form: 'service', id: null, timestamp: null, secretIndex: number }} Genuine
 */

/**
 * A request that is not to be trusted.
 *
 * - `missing_header`: no signature at all, or `webhook-signature` without `webhook-id` or `webhook-timestamp`
 * - `malformed_timestamp`: `webhook-timestamp` is not a whole number of seconds
 * - `signature_mismatch`: signed with another secret, or changed on its way
 * - `too_old`, `too_new`: the signature is right, the time is not: recorded and sent again, or a clock is wrong
 *
 * @typedef {'missing_header' | 'malformed_timestamp' | 'signature_mismatch' | 'too_old' | 'too_new'} Reason
 * @typedef {{ ok: false, reason: Reason }} Refused
 */

/**
 * Verifies the Standard Webhooks headers if `webhook-signature` is there, otherwise `x-service-signature` and
 * `x-service-signature-previous`. Whatever a sender puts into a request, the answer is a result.
 *
 * @param {Request} request
 * @returns {Genuine | Refused}
 * @throws {TypeError} when the caller gives no secret, one that is not a `whsec_...`, or a body that is not raw
 */
export function verifyWebhook({
  headers,
  body,
  secret = '',
  secrets = [secret],
  toleranceSeconds = 300,
  now = Date.now(),
}) {
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) throw new TypeError('body has to be the raw body');
  if (secrets.length === 0) throw new TypeError('There has to be a secret');
  const keys = secrets.map(readSecret);
  const read = readerOf(headers);
  const signatures = read('webhook-signature');
  if (signatures === '') return verifyBody(read, body, keys);

  const id = read('webhook-id');
  const timestamp = read('webhook-timestamp');
  if (id === '' || timestamp === '') return { ok: false, reason: 'missing_header' };
  if (!/^\d{1,12}$/.test(timestamp)) return { ok: false, reason: 'malformed_timestamp' };
  const secretIndex = keys.findIndex(({ bytes }) => {
    const hmac = createHmac('sha256', bytes).update(`${id}.${timestamp}.`).update(body).digest('base64');
    return signatures.split(' ').some((signature) => isEqual(signature, `v1,${hmac}`));
  });
  if (secretIndex < 0) return { ok: false, reason: 'signature_mismatch' };
  const ageSeconds = Math.floor(now / 1000) - Number(timestamp);
  if (ageSeconds < -toleranceSeconds) return { ok: false, reason: 'too_new' };
  if (!(ageSeconds <= toleranceSeconds)) return { ok: false, reason: 'too_old' }; // also when one is not a number
  return { ok: true, form: 'standard', id, timestamp: Number(timestamp), secretIndex };
}

/**
 * Verifies the headers that sign the body alone: hex, keyed with the text of the secret.
 * @type {(read: (name: string) => string, body: Request['body'], keys: { text: string }[]) => Genuine | Refused}
 */
function verifyBody(read, body, keys) {
  const signatures = [read('x-service-signature'), read('x-service-signature-previous')].filter((each) => each !== '');
  if (signatures.length === 0) return { ok: false, reason: 'missing_header' };
  const secretIndex = keys.findIndex(({ text }) => {
    const hmac = createHmac('sha256', text).update(body).digest('hex');
    return signatures.some((signature) => isEqual(signature.toLowerCase(), hmac));
  });
  if (secretIndex < 0) return { ok: false, reason: 'signature_mismatch' };
  return { ok: true, form: 'service', id: null, timestamp: null, secretIndex };
}

/** The two keys of a secret: its text, prefix included, and the bytes behind the prefix. @param {string} text */
function readSecret(text) {
  const [, base64] = SECRET.exec(text) ?? [];
  if (base64 === undefined) throw new TypeError('A webhook secret is whsec_ and base64, as it was shown');
  return { text, bytes: Buffer.from(base64, 'base64') };
}

/**
 * Reads headers by their lower-case name; an absent one is ''. A repeated one is joined, which only a list survives.
 * @type {(headers: any) => (name: string) => string}
 */
function readerOf(headers) {
  const entries = typeof headers?.entries === 'function' ? [...headers.entries()] : Object.entries(headers ?? {});
  return (name) => {
    const [, value] = entries.find(([key]) => typeof key === 'string' && key.toLowerCase() === name) ?? [];
    return [value]
      .flat()
      .filter((each) => typeof each === 'string')
      .join(' ');
  };
}

/** Compares in a time that does not tell how much of two texts is equal. @type {(a: string, b: string) => boolean} */
function isEqual(a, b) {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
