import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { ScimCaller } from './scim-caller.js';

/** Path segment for searches within a resource type; not a resource id. */
const SEARCH = '.search';

/**
 * Last guard of SCIM routes: requires that the token's configuration exists and is enabled, and that a search path is
 * not treated as a resource.
 * @throws Problem 403, 405.
 */
@Injectable()
export class ScimConfigGuard implements CanActivate {
  constructor(private readonly caller: ScimCaller) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.requireEnabled();
    const { id } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { id?: string } }>>().params;
    if (id === SEARCH)
      throw new Problem('method_not_allowed', 'The resource takes POST.', { headers: { allow: 'POST' } });
    return true;
  }

  private async requireEnabled(): Promise<void> {
    if (await this.isEnabled()) return;
    // Cached data may only allow access: the configuration may have been enabled since it was cached.
    await currentScope().refresh?.();
    if (await this.isEnabled()) return;
    throw new Problem(
      'permission_denied',
      'The configuration of this token is disabled. An administrator can enable it.',
    );
  }

  private async isEnabled(): Promise<boolean> {
    return (await this.caller.config()).status === 'active';
  }
}
