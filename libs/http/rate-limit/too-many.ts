import { Problem } from '#libs/kernel/problem.js';
import type { Verdict } from './verdict.js';

/** The 429 for a refused hit, with the time to wait in whole seconds. */
export function tooMany({ retryAfterMs }: Pick<Verdict, 'retryAfterMs'>, detail: string): Problem {
  return new Problem('rate_limit_exceeded', detail, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) },
  });
}
