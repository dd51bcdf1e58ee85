/** The answer to a request that was understood and is not done yet; it goes out with status 202. */
export abstract class Accepted {}

/** Status of a success; an operation that answers nothing has no content. */
export function statusOf(route: { status?: number }, result: unknown): number {
  if (result === undefined) return 204;
  return result instanceof Accepted ? 202 : (route.status ?? 200);
}
