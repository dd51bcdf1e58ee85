import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requireAll } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { demandsOf } from '../entry.js';
import { routeOf } from '../route.js';

/**
 * Third guard: the credential must hold the route's permission with the required reach, and for protected operations
 * must allow those. Before a refusal the database is checked, because the right may have been granted since the
 * credential was cached.
 */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(private readonly clock: Clock) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await requireAll(demandsOf(routeOf(context.getHandler())!, this.clock.nowMs()));
    return true;
  }
}
