import { currentScope } from '#libs/tenancy/scope.js';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-strategy';
import { Problem, type ProblemCode } from '#libs/kernel/problem.js';
import type { CredentialKind } from './api-key.js';
import { CredentialRefused, type Credentials, TenantRequired } from './credentials.js';
import type { Principal } from './principal.js';
import { sessionCookiesOf } from './sessions/session-cookie.js';

/** Options that the guard passes to a strategy. */
export interface Verification {
  /** Passed by each app, because passport registers strategies per process and a process may run several apps. */
  credentials: Credentials;
  /** The only kind of credential that the route accepts; undefined for all kinds but SCIM tokens. */
  only: CredentialKind | undefined;
  /** Whether to read the directory even if the credential is cached. */
  anew: boolean;
  /** Whether the request comes from a page that may use the browser's session. */
  fromOurPages: (request: FastifyRequest) => boolean;
}

/**
 * The refusal of a valid credential that was sent to the wrong route or in the wrong way. It does not count as a failed
 * attempt of the IP address.
 */
export class Misplaced extends CredentialRefused {
  constructor(principal: Principal, reason: string, detail: string, code: ProblemCode = 'unauthenticated') {
    super(new Problem(code, detail), reason, principal);
  }
}

/** Whether a route accepts a kind of credential. By default it accepts all kinds except SCIM tokens. */
export function takesKind(only: CredentialKind | undefined, kind: CredentialKind): boolean {
  return only === undefined ? kind !== 'scim_token' : kind === only;
}

type Verify = (
  request: FastifyRequest,
  text: string,
  options: Verification,
  done: (error: Error | null, principal: Principal) => void,
) => void;

/** Reads the credential from one place of the request. Without one, the next strategy is tried. */
abstract class PresentedCredential extends Strategy {
  constructor(private readonly verify: Verify) {
    super();
  }

  protected abstract read(request: FastifyRequest): string | null;

  override authenticate(request: object, options: unknown): void {
    const text = this.read(request as FastifyRequest);
    if (text === null) {
      this.fail(401);
      return;
    }
    this.verify(request as FastifyRequest, text, options as Verification, (error, principal) => {
      if (error) this.error(error);
      else this.success(principal);
    });
  }
}

class HeaderCredential extends PresentedCredential {
  protected read(request: FastifyRequest): string | null {
    const text = request.headers['x-api-key'];
    return typeof text === 'string' ? text : null;
  }
}

class BearerCredential extends PresentedCredential {
  protected read(request: FastifyRequest): string | null {
    return bearerOf(request.headers.authorization);
  }
}

/** A credential in a header takes precedence even if it is invalid; the cookie is ignored then. */
class CookieCredential extends PresentedCredential {
  protected read({ headers }: FastifyRequest): string | null {
    if (headers.authorization !== undefined || headers['x-api-key'] !== undefined) return null;
    return sessionCookiesOf(headers.cookie)[0] ?? null;
  }
}

/** The token of an `Authorization: Bearer` header; null for anything else. */
export function bearerOf(header: string | undefined): string | null {
  return /^bearer +([^\s]+) *$/i.exec(header ?? '')?.[1] ?? null;
}

/** `x-api-key: K` with an API key only. The name is that of the security scheme in the OpenAPI document. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(HeaderCredential, 'apiKey') {
  /** @throws CredentialRefused */
  async validate(request: FastifyRequest, text: string, asked: Verification): Promise<Principal> {
    const { authorization } = request.headers;
    if (authorization !== undefined && bearerOf(authorization) !== text)
      throw new CredentialRefused(
        new Problem('unauthenticated', 'The request carries two different credentials.'),
        'two_credentials',
      );
    return verified(text, asked, (principal) => {
      if (principal.kind !== 'api_key' || !takesKind(asked.only, 'api_key')) return wrongKind(principal);
      const slug = request.headers['x-tenant-slug'];
      return slug === undefined || slug === principal.tenant.slug ? null : otherTenant(principal, 'tenant_mismatch');
    });
  }
}

/** `Authorization: Bearer K`: a session, an access token, a SCIM token, or an API key together with `x-tenant-slug`. */
@Injectable()
export class BearerStrategy extends PassportStrategy(BearerCredential, 'bearerAuth') {
  /** @throws CredentialRefused */
  validate(request: FastifyRequest, text: string, asked: Verification): Promise<Principal> {
    return verified(text, asked, (principal) => {
      const { kind, tenant } = principal;
      if (!takesKind(asked.only, kind)) return wrongKind(principal);
      const slug = request.headers['x-tenant-slug'];
      if (slug === tenant.slug) return null;
      if (slug !== undefined) return otherTenant(principal, 'unauthenticated');
      // Every other kind identifies its tenant, so the header is optional.
      if (kind !== 'api_key') return null;
      const detail = 'An API key sent as a bearer token requires the slug of its tenant in x-tenant-slug.';
      return new Misplaced(principal, 'tenant_mismatch', detail);
    });
  }
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The cookie `session`, which browsers send automatically. Writes must therefore come from one of our own pages. */
@Injectable()
export class CookieStrategy extends PassportStrategy(CookieCredential, 'cookieAuth') {
  /** @throws CredentialRefused */
  async validate(request: FastifyRequest, first: string, asked: Verification): Promise<Principal> {
    const { headers, scope } = request;
    const text = (await asked.credentials.chosen(sessionCookiesOf(headers.cookie), scope.clientIp ?? '')) ?? first;
    const isOurs = READS.has(request.method) || asked.fromOurPages(request);
    try {
      return await verified(text, asked, (principal) => {
        if (principal.kind !== 'session' || !takesKind(asked.only, 'session')) return wrongKind(principal);
        const slug = request.headers['x-tenant-slug'];
        if (slug !== undefined && slug !== principal.tenant.slug) return otherTenant(principal, 'unauthenticated');
        return isOurs ? null : new Misplaced(principal, 'csrf_refused', FOREIGN_PAGE, 'csrf_refused');
      });
    } catch (error) {
      if (!(error instanceof TenantRequired) || isOurs) throw error;
      throw new CredentialRefused(new Problem('csrf_refused', FOREIGN_PAGE), 'csrf_refused');
    }
  }
}

const FOREIGN_PAGE =
  'A write with the session cookie must come from an allowed Origin or with Sec-Fetch-Site: same-origin.';

/**
 * The principal of a valid credential that belongs to the request. A cached entry may only accept, never refuse,
 * because it may be outdated: the credential may have changed, or the tenant may have a new slug.
 */
async function verified(
  text: string,
  { credentials, anew }: Verification,
  misplaced: (principal: Principal) => Misplaced | null,
): Promise<Principal> {
  const ip = currentScope().clientIp ?? '';
  if (!anew) {
    const principal = await credentials.accept(text, ip);
    if (!misplaced(principal)) return principal;
  }
  const principal = await credentials.acceptAnew(text, ip);
  const refusal = misplaced(principal);
  if (refusal) throw refusal;
  return principal;
}

function wrongKind(principal: Principal): Misplaced {
  return new Misplaced(principal, 'wrong_kind', 'The credential is missing or not valid.');
}

function otherTenant(principal: Principal, code: ProblemCode): Misplaced {
  return new Misplaced(principal, 'tenant_mismatch', 'x-tenant-slug does not name the tenant of the credential.', code);
}
