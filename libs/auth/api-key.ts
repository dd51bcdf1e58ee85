import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Kinds of credentials by prefix. Database constraints list the same kinds. */
const KINDS = { top_live: 'api_key', top_sess: 'session', top_oauth: 'oauth_token', scim: 'scim_token' } as const;
const BEGINNING = Object.keys(KINDS).join('|');
const FORM = new RegExp(`^(${BEGINNING})_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$`);
const RECOGNISABLE = new RegExp(`^(?:${BEGINNING})_([0-9A-Za-z]{12})_`);
const TOKEN = /^(top_invite|top_oper|top_client|top_code|top_refresh|top_link)_[0-9A-Za-z]{43}_([0-9A-Za-z]{6})$/;

export type CredentialKind = (typeof KINDS)[keyof typeof KINDS];

export const CREDENTIAL_KINDS: readonly CredentialKind[] = Object.values(KINDS);

/** Prefixes of credentials by kind. */
const BEGINNINGS = Object.fromEntries(Object.entries(KINDS).map(([beginning, kind]) => [kind, beginning])) as Record<
  CredentialKind,
  keyof typeof KINDS
>;

/** A parsed credential. Only `hash` is stored. */
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

/** As {@link base62} of the 32 bits, but without big integers because it runs on each request. */
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

/** Prefixes of tokens that do not belong to a tenant. They are looked up by hash. */
type TokenBeginning = 'top_invite' | 'top_oper' | 'top_link' | 'top_client' | OauthBeginning;
/** Prefixes of the secrets that a partner's server exchanges for access tokens. */
type OauthBeginning = 'top_code' | 'top_refresh';

function generateToken(beginning: TokenBeginning): { text: string; hash: Buffer } {
  const text = summed(`${beginning}_${random(32, 43)}`);
  return { text, hash: hashOf(text) };
}

function tokenHash(beginning: TokenBeginning, text: string): Buffer | null {
  const [, found, sum] = TOKEN.exec(text) ?? [];
  return found === beginning && checksum(text.slice(0, -7)) === sum ? hashOf(text) : null;
}

/** A new invitation token: `top_invite_<256-bit secret>_<CRC-32>`. It is valid for one invitation only. */
export function generateInvitationToken(): { text: string; hash: Buffer } {
  return generateToken('top_invite');
}

/** The stored hash of an invitation token; null when its format or checksum is wrong, which needs no look-up. */
export function invitationTokenHash(text: string): Buffer | null {
  return tokenHash('top_invite', text);
}

/**
 * A new operator key: `top_oper_<256-bit secret>_<CRC-32>`. It belongs to no tenant and gives no access to tenant data.
 */
export function generateOperatorKey(): { text: string; hash: Buffer } {
  return generateToken('top_oper');
}

/** The stored hash of an operator key; null when its format or checksum is wrong, which needs no look-up. */
export function operatorKeyHash(text: string): Buffer | null {
  return tokenHash('top_oper', text);
}

/** A new secret of a partner's client: `top_client_<256-bit secret>_<CRC-32>`. */
export function generateClientSecret(): { text: string; hash: Buffer } {
  return generateToken('top_client');
}

/** The stored hash of a client secret; null when its format or checksum is wrong. */
export function clientSecretHash(text: string): Buffer | null {
  return tokenHash('top_client', text);
}

/** A new code or refresh token of a grant: `top_code_...`, `top_refresh_...`. */
export function generateOauthToken(beginning: OauthBeginning): { text: string; hash: Buffer } {
  return generateToken(beginning);
}

/** The stored hash of a code or refresh token; null when its format or checksum is wrong, which needs no look-up. */
export function oauthTokenHash(beginning: OauthBeginning, text: string): Buffer | null {
  return tokenHash(beginning, text);
}

/** A new token of a public link: `top_link_<256-bit secret>_<CRC-32>`. It gives its holder access to one record. */
export function generateLinkToken(): { text: string; hash: Buffer } {
  return generateToken('top_link');
}

/** The stored hash of a public link's token; null when its format or checksum is wrong, which needs no look-up. */
export function linkTokenHash(text: string): Buffer | null {
  return tokenHash('top_link', text);
}

/** Parses a credential; null when its format or checksum is wrong, which needs no look-up. */
export function parseKey(text: string): PresentedKey | null {
  const parts = FORM.exec(text);
  if (!parts) return null;
  const [, kind, keyId, , sum] = parts;
  if (checksum(text.slice(0, -7)) !== sum) return null;
  return { kind: KINDS[kind as keyof typeof KINDS], keyId: keyId!, hash: hashOf(text) };
}

/** The key id of any text that looks like one of our credentials, valid or not, to be logged with the refusal. */
export function recognisableKeyId(text: string): string | null {
  return RECOGNISABLE.exec(text)?.[1] ?? null;
}

export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
