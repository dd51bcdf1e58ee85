import { Problem } from '#libs/kernel/problem.js';

/** 400 for one field. */
export function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}

/** 409 when a new open record is added to a closed project. */
export function closedProject(): Problem {
  return new Problem('record_locked', 'The project is completed or cancelled; reopen it first.');
}

/** @throws Problem 400 when the second day is before the first; either may be null. */
export function requireOrder(from: string | null, to: string | null, pointer: string): void {
  if (from !== null && to !== null && to < from)
    throw invalid(pointer, 'out_of_range', 'The end cannot be before the start.');
}
