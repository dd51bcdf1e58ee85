import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { requirePermission, requireProtectedForSure } from '#libs/auth/current-principal.js';
import { isObject } from '#libs/kernel/is-object.js';
import { Clock } from '#libs/kernel/clock.js';
import { routeOf } from '../route.js';

/** Runs after the body is known: checks operations that are protected only if the body has certain members. */
@Injectable()
export class ProtectedInputGuard implements CanActivate {
  constructor(private readonly clock: Clock) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { permission, protected: members } = routeOf(context.getHandler())!;
    if (members === undefined || members === true) return true;
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isObject(body) || !members.some((member) => Object.hasOwn(body, member))) return true;
    requirePermission(permission); // callers without the permission are not asked for a second factor
    await requireProtectedForSure(this.clock.nowMs());
    return true;
  }
}
