import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { currentScope } from '#libs/tenancy/scope.js';
import { Admission } from '../server/admission.js';

/**
 * Second guard: prevents one tenant's burst from crowding out others. Refused requests do not count against the plan.
 */
@Injectable()
export class FairShareGuard implements CanActivate {
  constructor(private readonly admission: Admission) {}

  canActivate(context: ExecutionContext): boolean {
    const { tenant } = currentScope();
    if (tenant) this.admission.share(context.switchToHttp().getRequest<FastifyRequest>(), tenant.id);
    return true;
  }
}
