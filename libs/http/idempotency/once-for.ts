import { createHash } from 'node:crypto';
import { currentScope, type TenantFacts } from '#libs/tenancy/scope.js';

/**
 * Does what somebody without a credential asks of a tenant. With an idempotency key it is done once for the secret that
 * they have shown, which stands for the lineage that a credential would have: somebody with another one has keys of their own.
 * @param again is asked before an answer of success is told again; throws what is due in its place.
 */
export function onceFor<T>(
  { tenant, secret }: { tenant: TenantFacts; secret: string },
  work: () => Promise<T>,
  again: (answer: T) => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  const scope = currentScope();
  scope.tenant = tenant;
  if (!scope.once) return work();
  scope.lineageId = createHash('sha256').update(secret).digest('hex').slice(0, 32); // as many digits as a UUID has
  return scope.once(work, again);
}
