import { createHash, createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const MIN_SECRET_BYTES = 24;
const KEY_ID_DOMAIN = 'webhook-key-id:';
const KEY_ID_LENGTH = 16;

/** Derived from a secret. A `KeyObject` signs more than twice as fast as a key in bytes. */
interface SigningKey {
  /** The secret as displayed, with its prefix. */
  text: KeyObject;
  /** The bytes after the prefix. */
  bytes: KeyObject;
  id: string;
}

/** Keys of recently used secrets. Like the data keys, none is cached for longer than five minutes. */
const signingKeys = new LRUCache<string, SigningKey>({ max: 5_000, ttl: 5 * 60_000 });

/** Input of the signatures of a delivery. */
export interface SigningInput {
  /** The body exactly as it is sent. */
  body: Buffer | string;
  /** Id of the event; the same in every attempt, retry and replay. */
  eventId: string;
  /** Time of the attempt, whole seconds since the Unix epoch. */
  timestampSeconds: number;
  /** The endpoint's current secret as displayed, with its prefix. */
  secret: string;
  /** The previous secret, during its grace period. */
  previousSecret?: string | null;
}

/** The signature headers of one attempt. */
export interface SignatureHeaders extends Record<string, string> {
  'x-service-signature': string;
  'x-service-key-id': string;
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** A new endpoint secret: `whsec_` and 32 random bytes in base64. Shown once. */
export function generateSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Identifies a secret without revealing it, for attempt logs and for receivers with several secrets: 16 lower-case hex
 * digits, the start of the SHA-256 of `webhook-key-id:` and the displayed secret.
 * @throws Error if the secret was not created by {@link generateSecret}
 */
export function keyId(secret: string): string {
  return signingKey(secret).id;
}

/**
 * The headers that prove to a receiver that the delivery is authentic and unchanged.
 *
 * - `x-service-signature`: lower-case hex HMAC-SHA256 of the body, keyed with the displayed secret. Always a single
 *   value, with the current secret.
 * - `x-service-signature-previous`: the same with the previous secret; only during its grace period.
 * - `x-service-key-id`: identifies the current secret, see {@link keyId}.
 * - `webhook-id`, `webhook-timestamp`, `webhook-signature`: as in Standard Webhooks, keyed with the bytes after the
 *   prefix; `v1,<base64>`, during the grace period a second one after a space, the current one first.
 *
 * `Source:` Standard Webhooks 1.0.0.
 * @throws Error if a secret was not created by {@link generateSecret}
 */
export function signDelivery(input: SigningInput): SignatureHeaders {
  const { eventId, secret, previousSecret } = input;
  const timestamp = String(input.timestampSeconds);
  const body = typeof input.body === 'string' ? Buffer.from(input.body) : input.body; // encoded once for all signatures
  const current = signingKey(secret);
  const previous = previousSecret === undefined || previousSecret === null ? null : signingKey(previousSecret);
  const service = (key: SigningKey): string => createHmac('sha256', key.text).update(body).digest('hex');
  const standard = (key: SigningKey): string =>
    `v1,${createHmac('sha256', key.bytes).update(`${eventId}.${timestamp}.`).update(body).digest('base64')}`;
  return {
    'x-service-signature': service(current),
    ...(previous ? { 'x-service-signature-previous': service(previous) } : {}),
    'x-service-key-id': current.id,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': previous ? `${standard(current)} ${standard(previous)}` : standard(current),
  };
}

function signingKey(secret: string): SigningKey {
  const known = signingKeys.get(secret);
  if (known) return known;
  const bytes = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.alloc(0);
  if (bytes.length < MIN_SECRET_BYTES) throw new Error('not a webhook secret');
  const key = {
    text: createSecretKey(secret, 'utf8'),
    bytes: createSecretKey(bytes),
    id: createHash('sha256').update(`${KEY_ID_DOMAIN}${secret}`).digest('hex').slice(0, KEY_ID_LENGTH),
  };
  signingKeys.set(secret, key);
  return key;
}
