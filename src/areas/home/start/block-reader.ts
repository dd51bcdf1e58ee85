import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { asProblem } from '#libs/database/failures.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { StaleTenantFacts } from '#libs/tenancy/scope.js';
import type { Block, BlockError } from './home.dto.js';

/** Blocks that one request reads at the same time, so that it does not use all connections of the process. */
const AT_ONCE = 4;

/** Reads the content of a block. */
type Read = () => Promise<unknown>;

class Timeout extends Error {}

/** Reads blocks independently of each other: a slow or failing one gets an error instead of its data. */
@Injectable()
export class BlockReader {
  /** Time limit of a block. PostgreSQL ends its statement somewhat later. */
  timeoutMs = 5_000;
  private readonly logger = new Logger('home');

  constructor(private readonly clock: Clock) {}

  /** @throws Problem 401, 403 if the credential is no longer sufficient. */
  async read(blocks: readonly (readonly [key: string, read: Read])[]): Promise<Record<string, Block<unknown>>> {
    const found: Record<string, Block<unknown>> = {};
    const waiting = blocks.values();
    const readSome = async () => {
      for (const [key, read] of waiting) found[key] = await this.one(read);
    };
    const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, readSome));
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
    return found;
  }

  private async one(read: Read): Promise<Block<unknown>> {
    const asOf = this.clock.now().toISOString();
    try {
      return { data: await within(this.timeoutMs, read()), asOf, error: null };
    } catch (error) {
      return { data: null, asOf, error: this.errorOf(error) };
    }
  }

  /** @throws the error if it concerns the whole request. */
  private errorOf(error: unknown): BlockError {
    if (error instanceof StaleTenantFacts) throw error;
    if (error instanceof Timeout)
      return { code: 'timeout', detail: `The block took longer than ${this.timeoutMs / 1_000} seconds.` };
    const problem = asProblem(error);
    if (!(problem instanceof Problem)) {
      this.logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return {
        code: 'internal_error',
        detail: 'An unexpected error occurred. It has been logged with the request id.',
      };
    }
    if (problem.status === 401 || problem.status === 403) throw problem;
    return { code: problem.code, detail: problem.detail };
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = setTimeout(ms, null, { signal: timer.signal }).then(() => {
    throw new Timeout();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
