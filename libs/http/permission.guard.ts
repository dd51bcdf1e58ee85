import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requireForSure } from '#libs/auth/current-principal.js';
import { routeOf } from './route.js';

/**
 * Third guard: the credential must hold the permission that the route declares. A refusal is only given by what the
 * database says now: the scope may have been granted since the credential was remembered.
 */
@Injectable()
export class PermissionGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const permission = routeOf(context.getHandler())!.permission;
    if (permission === 'public' || permission === 'any') return true;
    await requireForSure(permission);
    return true;
  }
}
