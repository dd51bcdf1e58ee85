// Verifies webhooks. Node 18 or newer, no dependencies: copy this file into your project.
import { createHmac, timingSafeEqual } from 'node:crypto';

const SECRET = /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/;

/**
 * @typedef {object} Request
 * @property {unknown} headers a plain object, Fetch `Headers`, or `request.headers` of node:http; case-insensitive
 * @property {string | Uint8Array} body the raw body as received, never a parsed and reserialised object
 * @property {string} [secret] the secret of the endpoint, `whsec_...`
 * @property {string[]} [secrets] instead of `secret`: several, any of which may have signed
 * @property {number} [toleranceSeconds] maximum difference between `webhook-timestamp` and now, in either direction;
 *   default 300
 * @property {number} [now] milliseconds since the Unix epoch; default `Date.now()`
 */

/**
 * A genuine request. `secretIndex` is the index of the secret in `secrets` that signed it.
 *
 * - form `standard`: `id` is the event id, the same in every retry and replay (use it to deduplicate); `timestamp` is
 *   the time of sending, in seconds since the Unix epoch. Both are signed.
 * - form `service`: only the body is signed, so both are missing, and a recorded request remains valid forever.
 *
 * @typedef {{ ok: true, form: 'standard', id: string, timestamp: number, secretIndex: number }
 *   | { ok: true, form: 'service', id: null, timestamp: null, secretIndex: number }} Genuine
 */

/**
 * A rejected request.
 *
 * - `missing_header`: no signature at all, or `webhook-signature` without `webhook-id` or `webhook-timestamp`
 * - `malformed_timestamp`: `webhook-timestamp` is not a whole number of seconds
 * - `signature_mismatch`: signed with another secret, or modified in transit
 * - `too_old`, `too_new`: the signature is valid, but the time is not: a replayed request or a wrong clock
 *
 * @typedef {'missing_header' | 'malformed_timestamp' | 'signature_mismatch' | 'too_old' | 'too_new'} Reason
 * @typedef {{ ok: false, reason: Reason }} Refused
 */

/**
 * Verifies the Standard Webhooks headers if `webhook-signature` is present, otherwise `x-service-signature` and
 * `x-service-signature-previous`. No request of a sender makes it throw.
 *
 * @param {Request} request
 * @returns {Genuine | Refused}
 * @throws {TypeError} if no secret is given, a secret is not a `whsec_...`, or the body is not raw
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
  if (!(ageSeconds <= toleranceSeconds)) return { ok: false, reason: 'too_old' }; // also when either is not a number
  return { ok: true, form: 'standard', id, timestamp: Number(timestamp), secretIndex };
}

/**
 * Verifies the headers that sign only the body: hex, keyed with the text of the secret.
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

/** The two keys of a secret: its text including the prefix, and the bytes after the prefix. @param {string} text */
function readSecret(text) {
  const [, base64] = SECRET.exec(text) ?? [];
  if (base64 === undefined) throw new TypeError('A webhook secret is whsec_ and base64, as it was shown');
  return { text, bytes: Buffer.from(base64, 'base64') };
}

/**
 * Reads headers by lower-case name; a missing one is ''. Repeated headers are joined, which is valid only for lists.
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

/** Compares two strings in constant time. @type {(a: string, b: string) => boolean} */
function isEqual(a, b) {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
