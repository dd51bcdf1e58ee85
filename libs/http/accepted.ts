/** The response to an accepted request whose work is not finished; sent with status 202. */
export abstract class Accepted {}

class Job extends Accepted {}

/** Marks the object that stands for the work, where the same operation can also respond at once. */
export function accepted<T extends object>(answer: T): T {
  return Object.assign(new Job(), answer);
}

/** The response to a create request that is not one new record; sent with status 200. */
export abstract class Otherwise {}

/** Response to a create request whose record already exists. */
class AlreadyThere extends Otherwise {}

class Results extends Otherwise {}

/** Marks such a response. */
export function alreadyThere<T extends object>(answer: T): T {
  return Object.assign(new AlreadyThere(), answer);
}

/** Marks what became of several records that one request creates. */
export function resultsOf<T>(results: T[]): { results: T[] } {
  return Object.assign(new Results(), { results });
}

/** Status of a successful response; 204 for an operation without a response body. */
export function statusOf(route: { status?: number }, result: unknown): number {
  if (result === undefined) return 204;
  if (result instanceof Otherwise) return 200;
  return result instanceof Accepted ? 202 : (route.status ?? 200);
}
