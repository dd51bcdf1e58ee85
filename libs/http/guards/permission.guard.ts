import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import {
  callerOrNull,
  requireFactorForSure,
  requireForSure,
  requireProtectedForSure,
} from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { routeOf } from '../route.js';

/**
 * Third guard: the credential must hold the permission that the route declares, as far as the route says, and may have to
 * be one for protected operations. A refusal is only given by what the database says now: the right may have been granted
 * since the credential was remembered.
 */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(private readonly clock: Clock) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { id, permission, object, withinReach, parts, protected: isProtected } = routeOf(context.getHandler())!;
    if (permission === 'public' || !callerOrNull()) return true;
    if (!id.startsWith('auth.')) await requireFactorForSure(this.clock.nowMs());
    if (permission !== 'any') await requireForSure(permission, { object, withinReach, parts });
    if (isProtected === true) await requireProtectedForSure(this.clock.nowMs());
    return true;
  }
}
