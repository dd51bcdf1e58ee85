import type { Logger } from '@nestjs/common';
import { OutageProblem } from './failures.js';

/** Logs what failed in the background, and why. An outage of the database is left to `Database`, which logs it once. */
export function logFailure(logger: Pick<Logger, 'error'>, what: string, error: unknown): void {
  if (!(error instanceof OutageProblem)) logger.error(`${what}: ${String(error)}`);
}
