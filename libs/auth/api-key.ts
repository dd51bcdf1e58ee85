import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The kinds of credentials, by how their text begins. Constraints of the database name the same. */
const KINDS = { top_live: 'api_key', top_sess: 'session', scim: 'scim_token' } as const;
const BEGINNING = Object.keys(KINDS).join('|');
const FORM = new RegExp(`^(${BEGINNING})_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$`);
const RECOGNISABLE = new RegExp(`^(?:${BEGINNING})_([0-9A-Za-z]{12})_`);
const TOKEN = /^(top_invite|top_oper|top_link)_[0-9A-Za-z]{43}_([0-9A-Za-z]{6})$/;

export type CredentialKind = (typeof KINDS)[keyof typeof KINDS];

export const CREDENTIAL_KINDS: readonly CredentialKind[] = Object.values(KINDS);

/** How a credential's text begins, by kind. */
const BEGINNINGS = Object.fromEntries(Object.entries(KINDS).map(([beginning, kind]) => [kind, beginning])) as Record<
  CredentialKind,
  keyof typeof KINDS
>;

/** A credential as text, taken apart. `hash` is what is stored of it. */
export interface PresentedKey {
  kind: CredentialKind;
  keyId: string;
  hash: Buffer;
}

function base62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text;
  return text;
}

function random(bytes: number, length: number): string {
  return base62(BigInt(`0x${randomBytes(bytes).toString('hex')}`), length);
}

/** As {@link base62} of the 32 bits, without big integers: it is worked out for each request. */
function checksum(text: string): string {
  let sum = '';
  for (let rest = crc32(text); sum.length < 6; rest = Math.floor(rest / 62)) sum = ALPHABET[rest % 62]! + sum;
  return sum;
}

const summed = (body: string): string => `${body}_${checksum(body)}`;
const hashOf = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * A new credential: `top_live_<key id>_<256-bit secret>_<CRC-32>` in letters and digits; SCIM tokens begin with `scim_`.
 * The text is shown once; its SHA-256 is stored, which is enough for a secret of that length.
 */
export function generateKey(kind: CredentialKind): { text: string; keyId: string; hash: Buffer } {
  const keyId = random(8, 12);
  const text = summed(`${BEGINNINGS[kind]}_${keyId}_${random(32, 43)}`);
  return { text, keyId, hash: hashOf(text) };
}

/** What is no credential of a tenant: found by its hash. */
type TokenBeginning = 'top_invite' | 'top_oper' | 'top_link';

function generateToken(beginning: TokenBeginning): { text: string; hash: Buffer } {
  const text = summed(`${beginning}_${random(32, 43)}`);
  return { text, hash: hashOf(text) };
}

function tokenHash(beginning: TokenBeginning, text: string): Buffer | null {
  const [, found, sum] = TOKEN.exec(text) ?? [];
  return found === beginning && checksum(text.slice(0, -7)) === sum ? hashOf(text) : null;
}

/** A new token of an invitation: `top_invite_<256-bit secret>_<CRC-32>`. It opens one invitation and nothing else. */
export function generateInvitationToken(): { text: string; hash: Buffer } {
  return generateToken('top_invite');
}

/** What is stored of an invitation's token; null when its form or checksum is wrong, which costs no look-up. */
export function invitationTokenHash(text: string): Buffer | null {
  return tokenHash('top_invite', text);
}

/** A new key of an operator: `top_oper_<256-bit secret>_<CRC-32>`. It belongs to no tenant, and opens none. */
export function generateOperatorKey(): { text: string; hash: Buffer } {
  return generateToken('top_oper');
}

/** What is stored of an operator's key; null when its form or checksum is wrong, which costs no look-up. */
export function operatorKeyHash(text: string): Buffer | null {
  return tokenHash('top_oper', text);
}

/** A new token of a public link: `top_link_<256-bit secret>_<CRC-32>`. It opens one thing to whoever has it. */
export function generateLinkToken(): { text: string; hash: Buffer } {
  return generateToken('top_link');
}

/** What is stored of a public link's token; null when its form or checksum is wrong, which costs no look-up. */
export function linkTokenHash(text: string): Buffer | null {
  return tokenHash('top_link', text);
}

/** Takes a credential apart; null when its form or checksum is wrong, which costs no look-up. */
export function parseKey(text: string): PresentedKey | null {
  const parts = FORM.exec(text);
  if (!parts) return null;
  const [, kind, keyId, , sum] = parts;
  if (checksum(text.slice(0, -7)) !== sum) return null;
  return { kind: KINDS[kind as keyof typeof KINDS], keyId: keyId!, hash: hashOf(text) };
}

/** The key id of anything that looks like one of our credentials, genuine or not, for the record of a refusal. */
export function recognisableKeyId(text: string): string | null {
  return RECOGNISABLE.exec(text)?.[1] ?? null;
}

export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
