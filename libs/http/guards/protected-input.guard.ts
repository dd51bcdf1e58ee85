import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { requirePermission, requireProtectedForSure } from '#libs/auth/current-principal.js';
import { isObject } from '#libs/kernel/is-object.js';
import { Clock } from '#libs/kernel/clock.js';
import { routeOf } from '../route.js';

/** After the body is known: an operation that is protected for some of its members asks for it where one is there. */
@Injectable()
export class ProtectedInputGuard implements CanActivate {
  constructor(private readonly clock: Clock) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { permission, protected: members } = routeOf(context.getHandler())!;
    if (members === undefined || members === true) return true;
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isObject(body) || !members.some((member) => Object.hasOwn(body, member))) return true;
    requirePermission(permission); // who lacks it is not sent to prove more
    await requireProtectedForSure(this.clock.nowMs());
    return true;
  }
}
