import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { BUCKET } from '../rate-limit/rate-limit.storage.js';
import { limitOf, rateClassOf } from '../rate-limit/throttlers.js';
import { routeOf } from '../route.js';
import { Admission } from '../server/admission.js';

/**
 * Second guard: prevents one tenant's burst from crowding out others. Refused requests do not count against the plan,
 * but they do count as failures of the service.
 */
@Injectable()
export class FairShareGuard implements CanActivate {
  constructor(
    private readonly admission: Admission,
    private readonly accounts: RequestAccounts,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { tenant } = currentScope();
    if (!tenant) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    try {
      this.admission.share(request, tenant.id);
    } catch (error) {
      this.countFailure(context, request);
      throw error;
    }
    return true;
  }

  private countFailure(context: ExecutionContext, { routeOptions, method }: FastifyRequest): void {
    const principal = callerOrNull();
    if (!principal) return;
    const limit = limitOf(context);
    const rateClass = rateClassOf(method, routeOf(context.getHandler())!);
    if (limit !== BUCKET) this.accounts.overloaded(principal, rateClass, routeOptions.url!, method);
  }
}
