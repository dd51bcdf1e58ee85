import type { Interruption } from './lease.js';

/** The job ends here, without an outcome. */
export class JobEnd extends Error {
  constructor(
    /** Action of the life cycle. */
    readonly action: 'fail' | 'cap_reached',
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The run is cut off. */
export class Interrupted extends Error {
  constructor(readonly interruption: Interruption) {
    super(`The run was cut off: ${interruption}.`);
  }
}

/** @throws Interrupted when the run has been cut off. */
export function goOn(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted(signal.reason as Interruption); // nobody else aborts it
}
