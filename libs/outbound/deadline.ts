/** The time limit passed before the promise settled. */
export class DeadlineError extends Error {
  constructor(readonly limitMs: number) {
    super(`not settled within ${limitMs} ms`);
    this.name = 'DeadlineError';
  }
}

/**
 * The promise's outcome, if it settles within the limit. The work itself continues; only the wait ends.
 * @throws DeadlineError
 */
export function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DeadlineError(limitMs)), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
