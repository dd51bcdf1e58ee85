import { createHash } from 'node:crypto';
import { currentScope, type TenantFacts } from '#libs/tenancy/scope.js';

/**
 * Runs a public operation on a tenant. With an idempotency key, it runs once per secret that a caller presents. The
 * secret takes the place of a credential's lineage: callers with different secrets have separate keys.
 * @param again is called before a successful response is replayed; throws the error to return instead.
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
