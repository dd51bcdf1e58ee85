import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-strategy';
import { Problem, type ProblemCode } from '#libs/kernel/problem.js';
import type { CredentialKind } from './api-key.js';
import { CredentialRefused, type Credentials, TenantRequired } from './credentials.js';
import type { Principal } from './principal.js';
import { sessionCookieOf } from './session-cookie.js';

/** What the guard asks of a strategy. */
export interface Verification {
  /** Those of the app that asks: passport keeps strategies for the whole process, in which there may be several apps. */
  credentials: Credentials;
  /** The one kind of credential that the route takes; undefined where all but SCIM tokens are for it. */
  only: CredentialKind | undefined;
  /** The directory is asked, whatever is remembered of the credential. */
  anew: boolean;
  /** Whether a page that may use the session of the browser has sent the request. */
  fromOurPages: (request: FastifyRequest) => boolean;
}

/** The refusal of a valid credential that is sent where or how it does not belong, which is no failure of its address. */
export class Misplaced extends CredentialRefused {
  constructor(principal: Principal, reason: string, detail: string, code: ProblemCode = 'unauthenticated') {
    super(new Problem(code, detail), reason, principal);
  }
}

/** Whether a route takes a kind of credential: the one that it names, else all but SCIM tokens. */
export function takesKind(only: CredentialKind | undefined, kind: CredentialKind): boolean {
  return only === undefined ? kind !== 'scim_token' : kind === only;
}

type Verify = (
  request: FastifyRequest,
  text: string,
  options: Verification,
  done: (error: Error | null, principal: Principal) => void,
) => void;

/** Finds a credential in one place of the request. A request without it is left to the next strategy. */
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

/** A credential in a header wins, whatever it is worth: the cookie is not looked at. */
class CookieCredential extends PresentedCredential {
  protected read({ headers }: FastifyRequest): string | null {
    if (headers.authorization !== undefined || headers['x-api-key'] !== undefined) return null;
    return sessionCookieOf(headers.cookie);
  }
}

/** The token of an `Authorization: Bearer` header; null for anything else. */
export function bearerOf(header: string | undefined): string | null {
  return /^bearer +([^\s]+) *$/i.exec(header ?? '')?.[1] ?? null;
}

/** `x-api-key: K`, an API key and nothing else. The name is the one of the security scheme in the OpenAPI document. */
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
    return verified(request, text, asked, (principal) => {
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
    return verified(request, text, asked, (principal) => {
      const { kind, tenant } = principal;
      if (!takesKind(asked.only, kind)) return wrongKind(principal);
      const slug = request.headers['x-tenant-slug'];
      if (slug === tenant.slug) return null;
      if (slug !== undefined) return otherTenant(principal, 'unauthenticated');
      // All others were made for one tenant, which need not be named again.
      if (kind !== 'api_key') return null;
      const detail = 'An API key that is sent as a bearer credential needs the slug of its tenant in x-tenant-slug.';
      return new Misplaced(principal, 'tenant_mismatch', detail);
    });
  }
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The cookie `session` of a browser, which it sends by itself: a write has to come from a page of ours besides. */
@Injectable()
export class CookieStrategy extends PassportStrategy(CookieCredential, 'cookieAuth') {
  /** @throws CredentialRefused */
  async validate(request: FastifyRequest, text: string, asked: Verification): Promise<Principal> {
    const isOurs = READS.has(request.method) || asked.fromOurPages(request);
    try {
      return await verified(request, text, asked, (principal) => {
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
  'A write with the cookie of the browser must come from a page of ours: an Origin of ours, or Sec-Fetch-Site: same-origin.';

/**
 * Whose a credential is, if it is good and belongs to the request. What is remembered of it may only let through: it may
 * have ended since, or its tenant have another slug.
 */
async function verified(
  { ip }: FastifyRequest,
  text: string,
  { credentials, anew }: Verification,
  misplaced: (principal: Principal) => Misplaced | null,
): Promise<Principal> {
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
