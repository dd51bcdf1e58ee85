import { setTimeout } from 'node:timers/promises';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, StaleTenantFacts } from '#libs/tenancy/scope.js';

type Handler = (this: unknown, ...args: unknown[]) => unknown;

/** Each one means that another request has changed the tenant, so that several in a row are contention and no failure. */
const MAX_TRIES = 20;
/** Requests that change the tenant side by side step aside for each other, by chance and longer each time. */
const STEP_ASIDE_MS = 5;

/**
 * A handler that begins anew when the credential that it went by turns out to have changed, as long as it has committed
 * nothing: what it has worked out from the caller's rights until then may be wrong.
 */
export function startingOver(handler: Handler): Handler {
  const repeated = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
    const scope = currentScope();
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      scope.startsOver = true;
      try {
        return await handler.apply(this, args);
      } catch (error) {
        if (!(error instanceof StaleTenantFacts)) throw error;
      } finally {
        scope.startsOver = false;
      }
      await setTimeout(Math.random() * STEP_ASIDE_MS * (tries - 1));
    }
    throw new Problem('unavailable', 'The rights of the caller change too often; try again.', {
      headers: { 'retry-after': '1' },
    });
  };
  Object.defineProperty(repeated, 'name', { value: handler.name });
  for (const key of Reflect.getMetadataKeys(handler) as unknown[])
    Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), repeated);
  return repeated;
}
