import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { errors, type JWTPayload, jwtVerify, type JWTVerifyResult } from 'jose';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { storableText } from '#libs/kernel/storable.js';
import { isMultiFactor, methodsOf } from './authentication-methods.js';
import { ProviderFailure } from './bounded-document.js';
import { IdentityProvider } from './identity-provider.js';

/** Asymmetric ones only: nobody but the provider can have signed. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** How far the clocks of the provider and of this machine may be apart. */
const TOLERANCE_SECONDS = 60;
/** Age past which a token is refused whatever it says itself, so that used ones need not be remembered for longer. */
const MAX_AGE_SECONDS = 86_400;
const MAX_NAME = 200;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

/** What a token proves about the person who brings it. */
export interface ProvenPerson {
  issuer: string;
  subject: string;
  /** Null unless the provider says that it is verified. */
  email: string | null;
  name: string | null;
  /** How they signed in, as the provider names it (`amr`). */
  methods: string[];
  /** When they signed in (`auth_time`); null if the provider does not say, or names an instant that has not come. */
  authenticatedAt: string | null;
  /** The same if several factors were seen: one whose age is not known proves nothing. */
  multiFactorAt: string | null;
  token: { hash: Buffer; expiresAt: string };
}

/** A sign-in that is refused. `reason` is for the audit log; `detail` tells whoever brought the token what is wrong with it. */
export class SignInRefused extends Error {
  constructor(
    readonly reason: string,
    readonly detail = 'The sign-in was refused.',
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

/** Believes ID tokens of the configured OpenID provider. `Source:` OpenID Connect Core 1.0 section 3.1.3.7. */
@Injectable()
export class IdTokens {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly clock: Clock,
  ) {}

  /**
   * What a token proves. Not inside a transaction: keys may have to be fetched.
   * @param nonce that the app sent with its sign-in; the token must have it then.
   * @throws SignInRefused; Problem 404 when there is no provider, 503 when it cannot be asked.
   */
  async verify(text: string, nonce: string | null): Promise<ProvenPerson> {
    const { issuer, audiences } = this.provider;
    if (issuer === null)
      throw new Problem('sign_in_not_configured', 'The operator has configured no identity provider.');
    const { payload, protectedHeader } = await this.read(text, issuer);
    if (!isIdTokenType(protectedHeader.typ)) throw new SignInRefused('token_wrong_type', 'The token is no ID token.');
    if (!isForUs(payload, audiences))
      throw new SignInRefused('token_wrong_party', 'The ID token was issued for another app.');
    if (nonce !== null && payload['nonce'] !== nonce)
      throw new SignInRefused('token_wrong_nonce', 'The ID token does not belong to this sign-in.');
    return personOf(payload, issuer, text, this.clock.nowMs());
  }

  private async read(text: string, issuer: string): Promise<JWTVerifyResult> {
    try {
      return await jwtVerify(text, this.provider.keyOf, {
        algorithms: ALGORITHMS,
        issuer,
        audience: [...this.provider.audiences],
        requiredClaims: ['sub', 'iat', 'exp'],
        maxTokenAge: MAX_AGE_SECONDS,
        clockTolerance: TOLERANCE_SECONDS,
        currentDate: this.clock.now(),
      });
    } catch (error) {
      throw refusalOf(error);
    }
  }
}

/** A token that is for several parties names the one that it was issued to, which must be ours. */
function isForUs({ aud, azp }: JWTPayload, audiences: readonly string[]): boolean {
  if (Array.isArray(aud) && aud.length > 1 && azp === undefined) return false;
  return azp === undefined || (typeof azp === 'string' && audiences.includes(azp));
}

/** What a token says about its type is not checked by the library, and need not even be a text. */
function isIdTokenType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && typ.toUpperCase() === 'JWT');
}

function personOf(payload: JWTPayload, issuer: string, text: string, nowMs: number): ProvenPerson {
  const { iat = 0, exp = 0, email, email_verified: isVerified, name, amr, auth_time: authTime } = payload;
  const sub: unknown = payload.sub; // of whatever type the provider has written
  if (typeof sub !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(sub))
    throw new SignInRefused('token_malformed', 'The ID token names no person.');
  const methods = methodsOf(amr);
  const authenticatedAt = signInInstant(authTime, nowMs);
  return {
    issuer,
    subject: sub,
    email: isVerified === true && typeof email === 'string' && isEmail(email) ? email : null,
    name: typeof name === 'string' ? nameOf(name) : null,
    methods,
    authenticatedAt,
    multiFactorAt: isMultiFactor(methods) ? authenticatedAt : null,
    token: {
      hash: hash('sha256', text, 'buffer'),
      expiresAt: instantOf(Math.min(exp, iat + MAX_AGE_SECONDS) + TOLERANCE_SECONDS)!,
    },
  };
}

/** Whether an address is one, of characters that can be stored: another one is nobody's. */
function isEmail(text: string): boolean {
  return EMAIL.test(text) && storableText(text) === text;
}

function nameOf(text: string): string | null {
  return storableText(text.trim(), MAX_NAME) || null;
}

/** When somebody signed in: as far ahead as clocks may be apart that is now, and further ahead nothing that is known. */
function signInInstant(authTime: unknown, nowMs: number): string | null {
  const at = instantOf(authTime);
  if (at === null || Date.parse(at) <= nowMs) return at;
  return Date.parse(at) <= nowMs + TOLERANCE_SECONDS * 1_000 ? new Date(nowMs).toISOString() : null;
}

function instantOf(seconds: unknown): string | null {
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds < 253_402_300_800)) return null;
  return new Date(Math.floor(seconds) * 1_000).toISOString();
}

/** What is wrong with a token in words of ours; a failure of the provider is none of the token's. */
function refusalOf(error: unknown): unknown {
  if (error instanceof ProviderFailure || error instanceof errors.JWKSInvalid || error instanceof errors.JWKSTimeout)
    return new Problem('unavailable', 'The identity provider did not answer; try again.', {
      headers: { 'retry-after': '2' },
      cause: error,
    });
  if (error instanceof errors.JWTExpired) return new SignInRefused('token_expired', 'The ID token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new SignInRefused(`token_wrong_${error.claim}`, `The ID token has a wrong "${error.claim}".`);
  return new SignInRefused('token_invalid', 'The ID token is not one of the configured identity provider.');
}
