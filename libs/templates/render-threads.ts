import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Problem } from '#libs/kernel/problem.js';
import { TIME_MS } from './template.js';
import type { TemplateTask } from './thread.js';

const THREADS = 2;
const MAX_WAITING = 200;
/** Longest time for a rendering on a machine that is too busy to give it its CPU time. */
const PATIENCE_MS = 3_000;
const MEMORY_MB = 64;

/** A task took too much time or memory. */
export class TaskTooCostly extends Error {}

interface Task {
  owner: string;
  work: TemplateTask;
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * Threads that render templates of tenants. A thread whose task takes more than {@link TIME_MS} of CPU time, or too much
 * memory, is ended; another one takes its place. It has no environment variables. An owner has one task under way at a
 * time, so that others get their turn.
 */
export class RenderThreads {
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Task, Worker | null>();
  private readonly waiting: Task[] = [];
  private isClosed = false;

  /** @throws TaskTooCostly, Problem 503 if too many tasks are waiting. */
  run(owner: string, work: TemplateTask): Promise<unknown> {
    if (this.waiting.length >= MAX_WAITING || this.isClosed)
      throw new Problem('overloaded', 'Too many templates are waiting to be rendered; try again.', {
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
    if (this.busy.size >= THREADS) return;
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

  private async execute(task: Task): Promise<unknown> {
    const thread = this.idle.pop() ?? (await startThread());
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
    const startedMs = performance.now();
    for (let waitMs = TIME_MS; ; waitMs = TIME_MS / 5) {
      await pause(waitMs, undefined, { signal });
      const usedMs = await Promise.race([cpuMs(thread, before), pause(TIME_MS, Infinity, { signal })]);
      if (usedMs >= TIME_MS || performance.now() - startedMs > PATIENCE_MS)
        throw new TaskTooCostly(`It takes more than ${TIME_MS} ms.`);
    }
  }
}

/** CPU time that a thread has used since `before`. */
async function cpuMs(thread: Worker, before: NodeJS.CpuUsage): Promise<number> {
  const { user, system } = await thread.cpuUsage(before);
  return (user + system) / 1_000;
}

async function startThread(): Promise<Worker> {
  // Not relative to this file, which is also part of the bundled apps.
  const thread = new Worker(new URL(import.meta.resolve('#libs/templates/thread.js')), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: MEMORY_MB / 4 },
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
