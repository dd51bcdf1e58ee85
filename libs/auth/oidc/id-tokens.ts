import { addressSpelling } from '#libs/kernel/domain.js';
import { isVisible, oneLineOf } from '#libs/kernel/line.js';
import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { errors, type JWTPayload, jwtVerify, type JWTVerifyResult } from 'jose';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { storableText } from '#libs/kernel/storable.js';
import { isMultiFactor, methodsOf } from './authentication-methods.js';
import { ProviderFailure } from './bounded-document.js';
import { IdentityProvider } from './identity-provider.js';

/** Asymmetric algorithms only, so that nobody but the provider can have signed. */
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
/** Maximum clock difference between the provider and this machine. */
const TOLERANCE_SECONDS = 60;
/** Maximum age of a token regardless of its `exp`; it limits how long used tokens must be remembered. */
const MAX_AGE_SECONDS = 86_400;
const MAX_NAME = 200;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

/** What a verified token states about the person. */
export interface ProvenPerson {
  issuer: string;
  subject: string;
  /** Null unless the provider has verified it. */
  email: string | null;
  name: string | null;
  /** Sign-in methods as named by the provider (`amr`). */
  methods: string[];
  /** Time of the sign-in (`auth_time`); null when it is missing, in the future or later than the token itself. */
  authenticatedAt: string | null;
  /**
   * The same when several factors were used. Null without `auth_time`, because a factor of unknown age proves nothing.
   */
  multiFactorAt: string | null;
  token: { hash: Buffer; expiresAt: string };
}

/**
 * A refused sign-in. `reason` is for the audit log; `detail` is shown to the caller;
 * by default it is the same for a tenant that does not exist and one that the person does not belong to.
 */
export class SignInRefused extends Error {
  constructor(
    readonly reason: string,
    readonly detail = 'The sign-in was refused. Check which tenant the link names, or ask its administrator for access.',
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

/** Verifies ID tokens of the configured OpenID provider. `Source:` OpenID Connect Core 1.0 section 3.1.3.7. */
@Injectable()
export class IdTokens {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly clock: Clock,
  ) {}

  /**
   * Verifies a token. Do not call inside a transaction, because keys may have to be fetched.
   * @param nonce that the app sent with its sign-in; if given, the token must contain it.
   * @throws SignInRefused; Problem 404 when no provider is configured, 503 when it cannot be reached.
   */
  async verify(text: string, nonce: string | null): Promise<ProvenPerson> {
    const { issuer, audiences } = this.provider;
    if (issuer === null) throw new Problem('sign_in_not_configured', 'No identity provider is configured.');
    const { payload, protectedHeader } = await this.read(text, issuer);
    if (!isIdTokenType(protectedHeader.typ))
      throw new SignInRefused('token_wrong_type', 'The token is not an ID token.');
    if (!isForUs(payload, audiences))
      throw new SignInRefused('token_wrong_party', 'The ID token was issued for another app.');
    if (nonce !== null && payload['nonce'] !== nonce)
      throw new SignInRefused('token_wrong_nonce', 'The ID token does not belong to this sign-in.');
    return this.personOf(payload, issuer, text);
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

  private personOf(payload: JWTPayload, issuer: string, text: string): ProvenPerson {
    const { iat = 0, exp = 0, name, amr, acr, auth_time: authTime } = payload;
    const { trustsEmail, multiFactorAcr } = this.provider;
    const sub: unknown = payload.sub; // may be of any JSON type
    if (typeof sub !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(sub))
      throw new SignInRefused('token_malformed', 'The ID token has no valid "sub".');
    const methods = methodsOf(amr);
    const authenticatedAt = signInInstant(authTime, iat, this.clock.nowMs());
    const isSecond = isMultiFactor(methods) || multiFactorAcr.some((each) => each === acr);
    return {
      issuer,
      subject: sub,
      email: verifiedEmail(payload, trustsEmail),
      name: typeof name === 'string' ? nameOf(name) : null,
      methods,
      authenticatedAt,
      multiFactorAt: isSecond ? authenticatedAt : null,
      token: {
        hash: hash('sha256', text, 'buffer'),
        expiresAt: instantOf(Math.min(exp, iat + MAX_AGE_SECONDS) + TOLERANCE_SECONDS)!,
      },
    };
  }
}

/** A token with several audiences must name an authorized party (`azp`), which must be one of ours. */
function isForUs({ aud, azp }: JWTPayload, audiences: readonly string[]): boolean {
  if (Array.isArray(aud) && aud.length > 1 && azp === undefined) return false;
  return azp === undefined || (typeof azp === 'string' && audiences.includes(azp));
}

/** The library does not check `typ`, which may be of any JSON type. */
function isIdTokenType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && typ.toUpperCase() === 'JWT');
}

/**
 * The address of a token if the provider has verified it. Entra states this in `xms_edov`, some providers as text.
 * @param trusts whether the address also counts if the token does not say; a "no" always stands.
 */
function verifiedEmail({ email, email_verified: verified, xms_edov: ownedDomain }: JWTPayload, trusts: boolean) {
  if (typeof email !== 'string' || !isEmail(email)) return null;
  const said = [verified, ownedDomain].filter((each) => each != null);
  return (said.length === 0 ? trusts : said.every(isYes)) ? addressSpelling(email) : null;
}

function isYes(claim: unknown): boolean {
  return /^(true|1)$/i.test(String(claim));
}

/** Whether a text is an e-mail address that can be stored. Any other value is ignored. */
function isEmail(text: string): boolean {
  return EMAIL.test(text) && storableText(text) === text;
}

function nameOf(text: string): string | null {
  const line = storableText(oneLineOf(text), MAX_NAME);
  return isVisible(line) ? line : null;
}

/**
 * Time of the sign-in; unknown if it is later than the token, whose time is of the same clock. A time in the future
 * counts as now within the clock tolerance, and as unknown beyond it.
 */
function signInInstant(authTime: unknown, issuedAt: number, nowMs: number): string | null {
  const at = instantOf(authTime);
  if (at === null || Date.parse(at) > issuedAt * 1_000) return null;
  if (Date.parse(at) <= nowMs) return at;
  return Date.parse(at) <= nowMs + TOLERANCE_SECONDS * 1_000 ? new Date(nowMs).toISOString() : null;
}

function instantOf(seconds: unknown): string | null {
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds < 253_402_300_800)) return null;
  return new Date(Math.floor(seconds) * 1_000).toISOString();
}

/** Maps a failure to our own message. A failure of the provider is not reported as a fault of the token. */
function refusalOf(error: unknown): unknown {
  if (error instanceof ProviderFailure || error instanceof errors.JWKSInvalid || error instanceof errors.JWKSTimeout)
    return new Problem('unavailable', 'The identity provider did not respond; try again.', {
      headers: { 'retry-after': '2' },
      cause: error,
    });
  if (error instanceof errors.JWTExpired) return new SignInRefused('token_expired', 'The ID token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new SignInRefused(`token_wrong_${error.claim}`, `The ID token has an invalid "${error.claim}".`);
  return new SignInRefused('token_invalid', 'The ID token was not issued by the configured identity provider.');
}
