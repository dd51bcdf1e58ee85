import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { callerOrNull, requireAll } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { demandsOf } from '../entry.js';
import { routeOf } from '../route.js';

/**
 * Third guard: the credential must have the route's permission with the required reach, and must allow protected
 * operations where the route is one. Checks the database before a refusal, because the right may have been granted
 * since the credential was cached.
 */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(private readonly clock: Clock) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (callerOrNull()) await requireAll(demandsOf(routeOf(context.getHandler())!, this.clock.nowMs()));
    return true;
  }
}
