import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Problem } from '#libs/kernel/problem.js';

const MAX_WAITING = 200;

/** A task took too much time or memory. */
export class TaskTooCostly extends Error {}

export interface ThreadLimits {
  /** Compiled module that a thread runs. It answers each message with one, and sends one when it is ready. */
  module: string;
  threads: number;
  /** CPU time of a task, in milliseconds. */
  timeMs: number;
  /** Longest time for a task on a machine that is too busy to give it its CPU time. */
  patienceMs: number;
  /** Memory of a thread, without buffers. */
  memoryMb: number;
  /** What waits, in the plural, for messages. */
  what: string;
}

interface Task<Work> {
  owner: string;
  work: Work;
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * Threads that do tasks of tenants. A thread whose task takes too much CPU time or memory is ended; another one takes its
 * place. It has no environment variables. An owner has one task under way at a time, so that others get their turn.
 */
export class LimitedThreads<Work> {
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Task<Work>, Worker | null>();
  private readonly waiting: Task<Work>[] = [];
  private isClosed = false;

  constructor(private readonly limits: ThreadLimits) {}

  /** @throws TaskTooCostly, Problem 503 if too many tasks are waiting. */
  run(owner: string, work: Work): Promise<unknown> {
    if (this.waiting.length >= MAX_WAITING || this.isClosed)
      throw new Problem('overloaded', `Too many ${this.limits.what} are waiting to be rendered; try again.`, {
        headers: { 'retry-after': '1' },
      });
    return new Promise((resolve, reject) => {
      this.waiting.push({ owner, work, resolve, reject });
      this.startNext();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const threads = [...this.idle, ...this.busy.values()].filter((thread) => thread !== null);
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  private startNext(): void {
    if (this.busy.size >= this.limits.threads) return;
    const owners = new Set([...this.busy.keys()].map(({ owner }) => owner));
    const next = this.waiting.findIndex(({ owner }) => !owners.has(owner));
    const [task] = next < 0 ? [] : this.waiting.splice(next, 1);
    if (!task) return;
    this.busy.set(task, null);
    void this.execute(task)
      .then(task.resolve, task.reject)
      .finally(() => {
        this.busy.delete(task);
        this.startNext();
      });
  }

  private async execute(task: Task<Work>): Promise<unknown> {
    const thread = this.idle.pop() ?? (await startThread(this.limits));
    this.busy.set(task, thread);
    thread.ref();
    const limit = new AbortController();
    try {
      const before = await thread.cpuUsage();
      const answer = answerOf(thread);
      thread.postMessage(task.work);
      const result = await Promise.race([answer, this.end(thread, before, limit.signal)]);
      thread.unref(); // an idle thread does not keep the process alive
      this.idle.push(thread);
      return result;
    } catch (error) {
      await thread.terminate();
      throw error;
    } finally {
      limit.abort();
    }
  }

  /** Rejects when a thread has used up the time of its task. */
  private async end(thread: Worker, before: NodeJS.CpuUsage, signal: AbortSignal): Promise<never> {
    const { timeMs, patienceMs } = this.limits;
    const startedMs = performance.now();
    for (let waitMs = timeMs; ; waitMs = timeMs / 5) {
      await pause(waitMs, undefined, { signal });
      const usedMs = await Promise.race([cpuMs(thread, before), pause(timeMs, Infinity, { signal })]);
      if (usedMs >= timeMs || performance.now() - startedMs > patienceMs)
        throw new TaskTooCostly(`It takes more than ${timeMs} ms.`);
    }
  }
}

/** CPU time that a thread has used since `before`. */
async function cpuMs(thread: Worker, before: NodeJS.CpuUsage): Promise<number> {
  const { user, system } = await thread.cpuUsage(before);
  return (user + system) / 1_000;
}

async function startThread({ module, memoryMb }: ThreadLimits): Promise<Worker> {
  const thread = new Worker(new URL(module), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: memoryMb / 4 },
  });
  await answerOf(thread);
  return thread;
}

/** The next message of a thread. */
function answerOf(thread: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      thread.off('message', answered).off('error', failed).off('exit', ended);
      end();
    };
    const answered = (message: unknown) => settle(() => resolve(message));
    const failed = (error: Error) =>
      settle(() => reject(isOutOfMemory(error) ? new TaskTooCostly(error.message) : error));
    const ended = () => settle(() => reject(new TaskTooCostly('The thread was ended.')));
    thread.on('message', answered).on('error', failed).on('exit', ended);
  });
}

function isOutOfMemory(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
