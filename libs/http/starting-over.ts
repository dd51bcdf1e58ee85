import { Problem } from '#libs/kernel/problem.js';
import { currentScope, currentTenant, type Scope, StaleTenantFacts } from '#libs/tenancy/scope.js';

type Handler = (this: unknown, ...args: unknown[]) => unknown;

/** Each retry means that another request has changed the tenant, so several in a row mean contention, not failure. */
const MAX_TRIES = 20;
/**
 * By tenant, the last request that starts over a second time in this process. Such requests run one after the other,
 * because they would otherwise disturb each other.
 */
const turns = new Map<string, Promise<void>>();

/**
 * Wraps a handler: it starts over if the cached facts about its tenant were outdated, as long as it has committed nothing,
 * because what it derived from them may be wrong. Its result and its refusals leave it only after PostgreSQL has
 * confirmed those facts; this costs a statement only if the handler has run none.
 */
export function startingOver(handler: Handler): Handler {
  const repeated = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
    const scope = currentScope();
    const attempt = async (): Promise<{ result: unknown } | null> => {
      scope.startsOver = true;
      try {
        return { result: await confirmed(scope, async () => handler.apply(this, args)) };
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

async function confirmed(scope: Scope, work: () => Promise<unknown>): Promise<unknown> {
  const confirm = () => (scope.confirmed ? null : scope.confirm?.());
  let result: unknown;
  try {
    result = await work();
  } catch (error) {
    if (isDecided(error, scope)) await confirm();
    throw error;
  }
  await confirm();
  return result;
}

/**
 * Whether an error may be a decision on cached facts. A failure is none, nor is a refusal of the credential, which has
 * just been read.
 */
function isDecided(error: unknown, { tenant }: Scope): boolean {
  if (error instanceof StaleTenantFacts || tenant === null) return false;
  return !(error instanceof Problem) || (error.status < 500 && error.status !== 401);
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
