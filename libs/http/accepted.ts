/** The response to a request that was accepted and is not done yet; sent with status 202. */
export abstract class Accepted {}

/** Status of a success; 204 for an operation without a response body. */
export function statusOf(route: { status?: number }, result: unknown): number {
  if (result === undefined) return 204;
  return result instanceof Accepted ? 202 : (route.status ?? 200);
}
