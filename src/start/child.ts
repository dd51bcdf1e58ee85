import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { OperatorError } from '#libs/config/operator-error.js';
import { type Run, startAgain } from './again.js';

/** One process of the platform. */
export interface ChildOptions {
  /** Name in messages, e.g. `API`. */
  name: string;
  /** Absolute path of its compiled entry. */
  entry: string;
  env: NodeJS.ProcessEnv;
  /** Node options. */
  flags: readonly string[];
  /** Called whenever its process id changes. */
  onSpawn(): void;
  /** Called with one line when it has crashed, and one when it is back. */
  tell: (line: string) => void;
}

const READY_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 35_000;

/** A child that failed to start and has already reported the reason on stderr. */
export class ChildStartError extends OperatorError {}

/**
 * A process of the platform. After its first successful start it is restarted whenever it ends ({@link startAgain}), so
 * that a crash does not affect the others. It sends `{ ready: true, url? }` over IPC when it is ready, and exits when
 * the IPC channel closes.
 */
export class Child {
  private process: ChildProcess | null = null;
  private readonly stopping = new AbortController();

  constructor(private readonly options: ChildOptions) {}

  get pid(): number | null {
    return this.process?.pid ?? null;
  }

  /**
   * Starts it for the first time.
   * @returns its base URL; null if it serves none.
   * @throws ChildStartError when it exits before it is ready, OperatorError when it takes longer than 60 s.
   */
  async start(): Promise<string | null> {
    const { up, ended } = this.spawn();
    const timer = new AbortController();
    const late = wait(READY_LIMIT_MS, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const);
    const outcome = await Promise.race([up, ended.then((how) => ({ how })), late]);
    timer.abort();
    if (outcome === 'late') throw new OperatorError(`The ${this.options.name} is not ready after 60 s`);
    if ('how' in outcome) {
      const text = `The ${this.options.name} ended during its start (${outcome.how})`;
      throw outcome.how === 'exit 1' ? new ChildStartError(text) : new OperatorError(text);
    }
    if (outcome.url) this.options.env['PORT'] = new URL(outcome.url).port || this.options.env['PORT'];
    const { name, tell } = this.options;
    const again = { name, tell, start: () => this.spawn(), signal: this.stopping.signal };
    void ended.then((how) => startAgain(again, how));
    return outcome.url;
  }

  /** Asks it to stop, and kills it after 35 s. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const child = this.process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(timer);
  }

  private spawn(): Run & { up: Promise<{ url: string | null }> } {
    const child = fork(this.options.entry, [], {
      env: this.options.env,
      execArgv: [...this.options.flags],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // In a separate session: Ctrl-C in the terminal reaches only the supervisor, which stops all processes in order.
      detached: true,
    });
    this.process = child;
    const up = new Promise<{ url: string | null }>((resolve) => {
      child.on('message', (message: { ready?: boolean; url?: string }) => {
        if (message.ready) resolve({ url: message.url ?? null });
      });
    });
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
    });
    this.options.onSpawn();
    return { up, ended };
  }
}
