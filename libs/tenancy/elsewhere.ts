import { currentScope, runInScope, Scope, type TenantFacts } from './scope.js';

/**
 * Runs `work` in a tenant other than that of the running request, initially without an actor: `work` must set it.
 * @param again reads the tenant again if its facts have changed in the meantime.
 */
export function elsewhere<T>(
  tenant: TenantFacts,
  again: () => Promise<TenantFacts | null>,
  work: () => Promise<T>,
): Promise<T> {
  const outer = currentScope();
  const scope = new Scope(outer.requestId);
  scope.tenant = tenant;
  scope.clientIp = outer.clientIp;
  scope.userAgent = outer.userAgent;
  scope.correlationId = outer.correlationId;
  scope.traceparent = outer.traceparent;
  scope.operation = outer.operation;
  scope.refresh = async () => {
    scope.tenant = (await again()) ?? scope.tenant;
  };
  return runInScope(scope, work);
}
