import type { Interruption } from './lease.js';

/** Ends the job without an outcome. */
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

/** The run was aborted. */
export class Interrupted extends Error {
  constructor(readonly interruption: Interruption) {
    super(`The run was cut off: ${interruption}.`);
  }
}

/** @throws Interrupted if the run was aborted. */
export function goOn(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted(signal.reason as Interruption); // nobody else aborts it
}
