import { DAY_MS } from '#libs/kernel/durations.js';
import { Problem } from './problem.js';

/**
 * Refuses a range of time that is empty or too long. Its end is exclusive.
 * @throws Problem 400 at `from`: `out_of_range`, `range_too_long`.
 */
export function requireRange(from: string | number, to: string | number, maxDays = Infinity): void {
  const spanMs = msOf(to) - msOf(from);
  if (spanMs <= 0) throw rangeFault('out_of_range', 'The range must begin before it ends.');
  if (spanMs > maxDays * DAY_MS) throw rangeFault('range_too_long', longest(maxDays));
}

/** The problem of a range in the query parameters `from` and `to`. */
export function rangeFault(code: string, detail: string): Problem {
  return Problem.validation([{ parameter: 'from', code, detail }]);
}

export const longest = (days: number): string => `The range can be at most ${days} days.`;

const msOf = (time: string | number): number => (typeof time === 'number' ? time : Date.parse(time));
