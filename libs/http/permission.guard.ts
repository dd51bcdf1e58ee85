import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { routeOf } from './route.js';

/** Third guard: the credential must hold the permission that the route declares. */
@Injectable()
export class PermissionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const permission = routeOf(context.getHandler())!.permission;
    if (permission !== 'public' && permission !== 'any') requirePermission(permission);
    return true;
  }
}
