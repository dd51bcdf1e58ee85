import { currentScope, runInScope, Scope, type TenantFacts } from './scope.js';

/**
 * Does something in a tenant that the running request is not in, as nobody yet: whoever acts there is for `work` to say.
 * @param again reads the tenant again when something about it has changed meanwhile.
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
  scope.traceId = outer.traceId;
  scope.operation = outer.operation;
  scope.refresh = async () => {
    scope.tenant = (await again()) ?? scope.tenant;
  };
  return runInScope(scope, work);
}
