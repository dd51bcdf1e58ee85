import { Problem } from '#libs/kernel/problem.js';
import { currentScope, currentTenant, StaleTenantFacts } from '#libs/tenancy/scope.js';

type Handler = (this: unknown, ...args: unknown[]) => unknown;

/** Each retry means that another request has changed the tenant, so several in a row mean contention, not failure. */
const MAX_TRIES = 20;
/**
 * By tenant, the last request that starts over a second time in this process. Such requests run one after the other,
 * because they would otherwise disturb each other.
 */
const turns = new Map<string, Promise<void>>();

/**
 * Wraps a handler: it starts over if its credential has changed, as long as it has committed nothing, because what it
 * derived from the caller's rights may be wrong.
 */
export function startingOver(handler: Handler): Handler {
  const repeated = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
    const scope = currentScope();
    const attempt = async (): Promise<{ result: unknown } | null> => {
      scope.startsOver = true;
      try {
        return { result: await handler.apply(this, args) };
      } catch (error) {
        if (error instanceof StaleTenantFacts) return null;
        throw error;
      } finally {
        scope.startsOver = false;
      }
    };
    const again = async () => {
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        const done = await attempt();
        if (done) return done;
      }
      throw new Problem('unavailable', 'The rights of the caller change too often; try again.', {
        headers: { 'retry-after': '1' },
      });
    };
    const { result } = (await attempt()) ?? (await attempt()) ?? (await inTurn(currentTenant().id, again));
    return result;
  };
  Object.defineProperty(repeated, 'name', { value: handler.name });
  for (const key of Reflect.getMetadataKeys(handler) as unknown[])
    Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), repeated);
  return repeated;
}

/** Runs work after all earlier work for the same tenant. */
function inTurn<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
  const done = (turns.get(tenantId) ?? Promise.resolve()).then(work);
  const over: Promise<void> = done.then(
    () => undefined,
    () => undefined,
  );
  turns.set(tenantId, over);
  void over.then(() => {
    if (turns.get(tenantId) === over) turns.delete(tenantId);
  });
  return done;
}
