import { Inject, Injectable } from '@nestjs/common';
import { clientSecretHash, sameHash } from '#libs/auth/api-key.js';
import type { OauthClient } from '#libs/auth/oauth-clients.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { RATE_LIMITER } from '#libs/http/rate-limit/rate-limit.storage.js';
import { tooMany } from '#libs/http/rate-limit/too-many.js';
import type { RateLimiter } from '#libs/http/rate-limit/verdict.js';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import { isUuid } from '#libs/kernel/id.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { OauthError } from './oauth-error.js';
import { OauthRepository } from './oauth.repository.js';

/** Requests per client in any 60 seconds. */
const CALLS_PER_MINUTE = 600;
const REFUSED = 'The client is unknown, or its authentication failed.';

/** The fields of a form, not yet validated. */
export type Form = Readonly<Record<string, string | undefined>>;

interface Presented {
  id: string;
  secret: string | null;
}

/** Authenticates clients and applies their rate limit. Unauthenticated requests are limited by address. */
@Injectable()
export class ClientAuthenticationService {
  constructor(
    private readonly repository: OauthRepository,
    private readonly addresses: AddressLimits,
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter,
  ) {}

  /** @throws OauthError `invalid_client`, `invalid_request`; Problem 429. */
  async authenticate(authorization: string | undefined, form: Form): Promise<OauthClient> {
    const presented = presentedIn(authorization, form);
    const client = presented && isUuid(presented.id) ? await this.repository.client(presented.id) : null;
    if (client?.suspendedAt !== null || !isProven(client, presented!.secret)) {
      await this.count('failed');
      throw new OauthError('invalid_client', REFUSED);
    }
    if (client.secretHash === null) await this.count('unauthenticated');
    const verdict = await this.limiter.hit('oauth_client', client.id, CALLS_PER_MINUTE, MINUTE_MS);
    if (!verdict.allowed) throw tooMany(verdict, 'Too many requests from this client.');
    return client;
  }

  private async count(kind: 'failed' | 'unauthenticated'): Promise<void> {
    const limited = await this.addresses.count(currentScope().clientIp ?? '', kind);
    if (limited) throw limited;
  }
}

/** A public client must not send a secret. */
function isProven({ secretHash }: OauthClient, secret: string | null): boolean {
  if (secretHash === null) return secret === null;
  const hash = secret === null ? null : clientSecretHash(secret);
  return hash !== null && sameHash(hash, secretHash);
}

/** Client credentials from the form or from HTTP Basic. `Source:` RFC 6749 section 2.3.1. */
function presentedIn(authorization: string | undefined, form: Form): Presented | null {
  const basic = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization ?? '')?.[1];
  if (authorization !== undefined && basic === undefined) return null;
  if (basic === undefined) {
    const { client_id: id, client_secret: secret = null } = form;
    return id === undefined ? null : { id, secret };
  }
  const [id, secret, ...rest] = Buffer.from(basic, 'base64').toString().split(':').map(decoded);
  if (id == null || secret == null || rest.length > 0) return null;
  if (form['client_secret'] !== undefined || (form['client_id'] ?? id) !== id)
    throw new OauthError('invalid_request', 'The client must use only one authentication method.');
  return { id, secret };
}

/** Decodes a form-encoded value; null if the encoding is invalid. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
