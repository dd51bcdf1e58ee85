import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CredentialRefused, Credentials, TenantRequired } from '#libs/auth/credentials.js';
import { CredentialUses } from '#libs/auth/credential-uses.js';
import type { Principal } from '#libs/auth/principal.js';
import { Misplaced, type Verification } from '#libs/auth/strategies.js';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { adopt, identify, requireAgain } from '#libs/auth/current-principal.js';
import { AddressLimits } from '../address-limits.js';
import { challengeOf } from '../problems/challenge.js';
import { OwnPages } from '../own-pages.js';
import { RefusalTrail } from '../problems/refusal-trail.js';
import { routeOf } from '../route.js';

/**
 * First guard: resolves the credential to a tenant and an actor. Every route that is not declared public requires a
 * credential.
 *
 * A failed credential counts against its address. A valid one is never refused because of other failures from that
 * address.
 */
@Injectable()
export class CredentialGuard extends AuthGuard(['apiKey', 'bearerAuth', 'cookieAuth']) {
  constructor(
    private readonly database: Database,
    private readonly credentials: Credentials,
    private readonly uses: CredentialUses,
    private readonly refusals: RefusalTrail,
    private readonly addresses: AddressLimits,
    private readonly pages: OwnPages,
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
    const principal = await this.verify(context, request);
    if (!principal) return true;
    adopt(scope, principal);
    scope.refresh = async () => {
      adopt(scope, (await this.verify(context, request))!);
      requireAgain();
    };
    scope.confirm = () => this.database.confirm();
    this.uses.note(principal, request.scope.clientIp ?? '');
    return true;
  }

  override getAuthenticateOptions(context: ExecutionContext) {
    const { route, user } = context.switchToHttp().getRequest<FastifyRequest>();
    // Verified again if the tenant has changed since the credential was cached.
    const asked: Verification = {
      credentials: this.credentials,
      only: route!.credential,
      anew: user !== null,
      fromOurPages: (request) => this.pages.sent(request),
    };
    return { session: false, ...asked };
  }

  override handleRequest<T>(error: Error | null, principal: T): T {
    if (error) throw error;
    if (!principal)
      throw new CredentialRefused(new Problem('unauthenticated', 'A credential is required.'), 'no_credential');
    return principal;
  }

  /**
   * The principal of the request's credential, as determined by passport's strategies; null for a session without a
   * tenant, where that is sufficient.
   */
  private async verify(context: ExecutionContext, request: FastifyRequest): Promise<Principal | null> {
    try {
      await super.canActivate(context);
      return request.user!;
    } catch (error) {
      if (error instanceof TenantRequired && request.route!.tenantless) {
        await this.letIn(error, request.scope.clientIp ?? '');
        return null;
      }
      const reply = context.switchToHttp().getResponse<FastifyReply>();
      const refusal: unknown = await this.refuse(error, request, reply);
      throw refusal;
    }
  }

  /**
   * A session without a tenant has no plan limits, so its address is limited like that of a caller without a
   * credential.
   */
  private async letIn({ session }: TenantRequired, ip: string): Promise<void> {
    const limited = await this.addresses.count(ip, 'unauthenticated');
    if (limited) throw limited;
    currentScope().person = session;
    this.uses.note({ credentialId: session.id, membershipId: null, tenant: null }, ip);
  }

  private async refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    if (!(error instanceof CredentialRefused)) return error;
    const { problem, reason, claims } = error;
    if (!(error instanceof Misplaced) && !(error instanceof TenantRequired)) {
      const kind = reason === 'no_credential' ? 'unauthenticated' : 'failed';
      const limited = await this.addresses.count(request.scope.clientIp ?? '', kind);
      if (limited) return limited;
    }
    if (problem.status === 401) void reply.header('www-authenticate', challengeOf(error, request));
    const known = error.known ?? (claims === null ? null : await this.credentials.claimed(claims));
    if (known) {
      const scope = currentScope();
      identify(scope, known);
      await this.refusals.record({
        action: 'auth.credential.refused',
        target: { type: 'auth.credential', id: known.credentialId, name: known.name },
        reason,
      });
      scope.tenant = null;
    }
    return problem;
  }
}
