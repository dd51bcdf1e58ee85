import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CredentialKind } from '#libs/auth/api-key.js';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { CredentialRefused, Credentials } from '#libs/auth/credentials.js';
import { CredentialUses } from '#libs/auth/credential-uses.js';
import type { Principal } from '#libs/auth/principal.js';
import { bearerOf, type StrategyOptions } from '#libs/auth/strategies.js';
import { Problem, type ProblemCode } from '#libs/kernel/problem.js';
import { currentScope, type Scope } from '#libs/tenancy/scope.js';
import { adopt, identify, requireAgain } from '#libs/auth/current-principal.js';
import { AddressLimits } from '../address-limits.js';
import { routeOf, type RouteOptions } from '../route.js';

/** What a 401 says about how to authenticate. */
export const CHALLENGE = 'Bearer realm="platform", ApiKey realm="platform", header="x-api-key"';

/** The refusal of a valid credential that is sent where or how it does not belong, which is no failure of its address. */
class Misplaced extends CredentialRefused {}

/** Whether a kind of credential opens a route when it is sent like this. Nothing but API keys stands in `x-api-key`. */
function opens(kind: CredentialKind, { credential }: RouteOptions, inHeader: boolean): boolean {
  if (inHeader && kind !== 'api_key') return false;
  return credential === undefined ? kind !== 'scim_token' : kind === credential;
}

/** Why a credential does not belong to a request: by its kind, or by the tenant that the request names; null if it does. */
function misplacement(principal: Principal, { headers, route }: FastifyRequest): Misplaced | null {
  const { kind, tenant } = principal;
  const slug = headers['x-tenant-slug'];
  const inHeader = headers['x-api-key'] !== undefined;
  if (!opens(kind, route!, inHeader)) return misplaced('wrong_kind', 'The credential is missing or not valid.');
  if (slug === tenant.slug) return null;
  const isNone = slug === undefined;
  // A session or a SCIM token was made for one tenant, which need not be named again.
  if (isNone && (inHeader || kind !== 'api_key')) return null;
  const detail = isNone
    ? 'An API key that is sent as a bearer credential needs the slug of its tenant in x-tenant-slug.'
    : 'x-tenant-slug does not name the tenant of the credential.';
  return misplaced('tenant_mismatch', detail, inHeader ? 'tenant_mismatch' : 'unauthenticated');

  function misplaced(reason: string, text: string, code: ProblemCode = 'unauthenticated'): Misplaced {
    return new Misplaced(new Problem(code, text), reason, principal);
  }
}

/**
 * First guard: turns the credential into a tenant and an actor. Everything not declared public needs one.
 *
 * A failed credential counts against its address; a valid one is never refused because of the failures of others there.
 */
@Injectable()
export class CredentialGuard extends AuthGuard(['apiKey', 'bearerAuth']) {
  constructor(
    private readonly credentials: Credentials,
    private readonly uses: CredentialUses,
    private readonly audit: AuditTrail,
    private readonly addresses: AddressLimits,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = routeOf(context.getHandler());
    if (!route) throw new Error(`The handler ${context.getHandler().name} is not declared with @Route().`);
    const scope = currentScope();
    scope.operation = route.id;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    request.route = route;
    if (route.permission === 'public') return true;
    try {
      await super.canActivate(context);
      return true;
    } catch (error) {
      const reply = context.switchToHttp().getResponse<FastifyReply>();
      const refusal: unknown = await this.refuse(error, request, reply);
      throw refusal;
    }
  }

  override getAuthenticateOptions(context: ExecutionContext) {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const options: StrategyOptions = { accept: (text) => this.accept(text, request, reply) };
    return { session: false, ...options } as { session: boolean };
  }

  override handleRequest<T>(error: Error | null, principal: T): T {
    if (error) throw error;
    if (!principal)
      throw new CredentialRefused(new Problem('unauthenticated', 'A credential is required.'), 'no_credential');
    return principal;
  }

  private async accept(text: string, request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
    const header = request.headers['x-api-key'];
    const bearer = bearerOf(request.headers.authorization);
    if (header !== undefined && request.headers.authorization !== undefined && header !== bearer)
      throw new CredentialRefused(
        new Problem('unauthenticated', 'The request carries two different credentials.'),
        'two_credentials',
      );
    let principal = await this.credentials.accept(text, request.ip);
    if (misplacement(principal, request)) {
      // What is remembered may only let through: the credential may have ended since, or its tenant have another slug.
      principal = await this.credentials.acceptAnew(text, request.ip);
      const refusal = misplacement(principal, request);
      if (refusal) throw refusal;
    }
    const scope = currentScope();
    adopt(scope, principal);
    scope.refresh = () => this.refresh(scope, text, request, reply);
    this.uses.note(principal);
    return principal;
  }

  /** The tenant's facts changed after they were cached: accept the credential again, from the directory. */
  private async refresh(scope: Scope, text: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      const principal = await this.credentials.acceptAnew(text, request.ip);
      adopt(scope, principal);
      requireAgain();
    } catch (error) {
      const refusal: unknown = await this.refuse(error, request, reply);
      throw refusal;
    }
  }

  private async refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    if (!(error instanceof CredentialRefused)) return error;
    const { problem, reason, claims } = error;
    if (!(error instanceof Misplaced)) {
      const kind = reason === 'no_credential' ? 'unauthenticated' : 'failed';
      const limited = await this.addresses.count(request.ip, kind);
      if (limited) return limited;
    }
    if (problem.status === 401) void reply.header('www-authenticate', request.dialect?.challenge ?? CHALLENGE);
    const known = error.known ?? (claims === null ? null : await this.credentials.claimed(claims));
    if (known) {
      const scope = currentScope();
      identify(scope, known);
      await this.audit.record({
        action: 'auth.credential.refused',
        target: { type: 'auth.credential', id: known.credentialId, name: known.name },
        outcome: 'denied',
        riskLevel: 'medium',
        reason,
      });
      scope.tenant = null;
    }
    return problem;
  }
}
