import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** What a delivery is signed with. */
export interface SigningInput {
  /** The body exactly as it is sent. */
  body: Buffer | string;
  /** Id of the event; the same in every attempt, retry and replay. */
  eventId: string;
  /** Time of the attempt, whole seconds since the Unix epoch. */
  timestampSeconds: number;
  /** The endpoint's current secret as it was shown, with its prefix. */
  secret: string;
  /** The secret before it, while its grace lasts. */
  previousSecret?: string | null;
}

/** The signature headers of one attempt. */
export interface SignatureHeaders extends Record<string, string> {
  'x-service-signature': string;
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** A new endpoint secret: `whsec_` and 32 random bytes in base64. Shown once. */
export function generateSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers by which a receiver knows that the delivery is ours and unchanged.
 *
 * - `x-service-signature`: lower-case hex HMAC-SHA256 of the body, keyed with the secret's displayed text. Always one
 *   value, of the current secret.
 * - `x-service-signature-previous`: the same with the previous secret; only while there is one.
 * - `webhook-id`, `webhook-timestamp`, `webhook-signature`: as Standard Webhooks, keyed with the bytes behind the
 *   prefix; `v1,<base64>`, during the grace a second one after a space, the current first.
 *
 * `Source:` contract section 8, Standard Webhooks 1.0.0.
 * @throws Error when a secret was not made by {@link generateSecret}
 */
export function signDelivery(input: SigningInput): SignatureHeaders {
  const { body, eventId, secret, previousSecret } = input;
  const timestamp = String(input.timestampSeconds);
  const standard = (key: string): string =>
    `v1,${createHmac('sha256', keyBytes(key)).update(`${eventId}.${timestamp}.`).update(body).digest('base64')}`;
  const hasPrevious = previousSecret !== undefined && previousSecret !== null;
  return {
    'x-service-signature': bodySignature(body, secret),
    ...(hasPrevious ? { 'x-service-signature-previous': bodySignature(body, previousSecret) } : {}),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': hasPrevious ? `${standard(secret)} ${standard(previousSecret)}` : standard(secret),
  };
}

function bodySignature(body: Buffer | string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function keyBytes(secret: string): Buffer {
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : null;
  if (key === null || key.length < 24) throw new Error('not a webhook secret');
  return key;
}
