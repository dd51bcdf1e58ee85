import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOrNull, requireForSure } from '#libs/auth/current-principal.js';
import { isObject } from '#libs/kernel/is-object.js';
import { rightsIn } from '../command.js';
import { routeOf } from '../route.js';

/**
 * Runs after the body is known: the credential must have the rights that its action requires. Checks the database
 * before a refusal, as the guard of the route's permission does.
 */
@Injectable()
export class CommandGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!callerOrNull() || !isObject(body)) return true;
    for (const { permission, ...extent } of rightsIn(routeOf(context.getHandler())!.body, body))
      await requireForSure(permission, extent);
    return true;
  }
}
