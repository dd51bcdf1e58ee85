import { createHmac, timingSafeEqual } from 'node:crypto';

const MAC_BYTES = 16;

/** A text for an address that says something, signed. */
export function signedToken(key: Buffer, payload: Buffer): string {
  return Buffer.concat([macOf(key, payload), payload]).toString('base64url');
}

/** What a text of {@link signedToken} says; null if it was not made with one of the keys. */
export function readToken(keys: readonly Buffer[], token: string): Buffer | null {
  if (!/^[\w-]{1,500}$/.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const [mac, payload] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES)];
  if (mac.length < MAC_BYTES || bytes.toString('base64url') !== token) return null;
  return keys.some((key) => timingSafeEqual(mac, macOf(key, payload))) ? payload : null;
}

function macOf(key: Buffer, payload: Buffer): Buffer {
  return createHmac('sha256', key).update(payload).digest().subarray(0, MAC_BYTES);
}

/** A UUID as bytes. */
export const bytesOfId = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

/** The UUID of {@link bytesOfId}. */
export function idOfBytes(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
