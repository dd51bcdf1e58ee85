/** The response to an accepted request whose work is not finished; sent with status 202. */
export abstract class Accepted {}

class Job extends Accepted {}

/** Marks the object that stands for the work, where the same operation can also respond at once. */
export function accepted<T extends object>(answer: T): T {
  return Object.assign(new Job(), answer);
}

/** Response to a create request whose record already exists; sent with status 200. */
export class AlreadyThere {}

/** Marks such a response. */
export function alreadyThere<T extends object>(answer: T): T {
  return Object.assign(new AlreadyThere(), answer);
}

/** Status of a successful response; 204 for an operation without a response body. */
export function statusOf(route: { status?: number }, result: unknown): number {
  if (result === undefined) return 204;
  if (result instanceof AlreadyThere) return 200;
  return result instanceof Accepted ? 202 : (route.status ?? 200);
}
