import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Consumer, type Processor } from './consumer.js';
import { Producer } from './producer.js';
import { within } from './within.js';
import type { QueueName } from './queue-names.js';
import type { QueueStore, ReportError } from './queue-store.js';

/** How the queues of one process behave; the defaults are meant for production. */
export interface QueuesOptions {
  /** Longest wait for running jobs when the process stops, default 10 s. */
  drainMs?: number;
  /** How long a job is locked by a worker that shows no sign of life, default 10 s. */
  lockMs?: number;
  /** How often such jobs are searched for, default 5 s. */
  stalledCheckMs?: number;
  /** Called with background errors; by default {@link logErrors}. */
  report?: ReportError;
}

/** The cause of an error is over when it has not occurred for so long. */
const QUIET_MS = 60_000;

/** Maximum wait when closing connections to a server that does not respond. */
const CLOSE_MS = 2_000;

/**
 * The queues of this process, on PostgreSQL or Redis. Jobs are only hints: losing one must only cause a delay, and
 * running one a second time must change nothing.
 */
@Injectable()
export class Queues<Name extends string = QueueName> implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly producers = new Map<string, Producer<unknown>>();
  private readonly consumers: { stop(drainMs: number): Promise<void> }[] = [];
  private readonly report: ReportError;

  constructor(
    private readonly store: QueueStore,
    private readonly options: QueuesOptions = {},
  ) {
    this.report = options.report ?? logErrors();
  }

  /** Adds jobs to a queue; connects on first use. */
  queue<T>(name: Name): Producer<T> {
    let producer = this.producers.get(name);
    if (!producer) this.producers.set(name, (producer = new Producer<unknown>(this.store, name, this.report)));
    return producer;
  }

  /**
   * Processes the jobs of a queue, up to `concurrency` at once, until the process stops. An unreachable store is
   * retried every second.
   */
  consume<T>(name: Name, processor: Processor<T>, { concurrency }: { concurrency: number }): Consumer<T> {
    const { lockMs = 10_000, stalledCheckMs = 5_000 } = this.options;
    const consumer = new Consumer(this.store, name, processor, { concurrency, lockMs, stalledCheckMs }, this.report);
    this.consumers.push(consumer);
    return consumer;
  }

  /** Stops the consumers first, while everything that their jobs use is still open. */
  async beforeApplicationShutdown(): Promise<void> {
    const { drainMs = 10_000 } = this.options;
    await Promise.all(this.consumers.map((consumer) => consumer.stop(drainMs)));
  }

  /** Closes the producers, then the connections. */
  async onApplicationShutdown(): Promise<void> {
    await within(CLOSE_MS, Promise.allSettled([...this.producers.values()].map((producer) => producer.close())));
    await this.store.close();
  }

  /** Both shutdown steps, for users without Nest. */
  async close(): Promise<void> {
    await this.beforeApplicationShutdown();
    await this.onApplicationShutdown();
  }
}

/** Logs a reason once, whichever queues it befalls; again only after it has not occurred for a minute. */
export function logErrors(): ReportError {
  const log = new Logger('Queues');
  const lastMs = new Map<string, number>();
  return (queue, error) => {
    const now = performance.now();
    for (const [reason, ms] of lastMs) if (now - ms >= QUIET_MS) lastMs.delete(reason);
    const reason = error.message || error.name;
    if (!lastMs.has(reason)) log.error(`Queue ${queue}: ${reason}. This is said once, until it is over`);
    lastMs.set(reason, now);
  };
}
