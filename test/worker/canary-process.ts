import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestPlatform, TestTenant } from '../harness/platform.js';
import { until } from '#libs/testing/until.js';

/** One output line of the canary: a check and its result. */
export interface CanaryCheck {
  at: string;
  way: 'direct' | 'queue';
  outcome: string;
  delayMs?: number;
  detail?: string;
}

const running = new Set<ChildProcess>();

/** Runs `scripts/canary.mjs` as a process. */
export class CanaryProcess {
  private printed = '';
  private said = '';
  private readonly ended: Promise<number | null>;

  private constructor(private readonly child: ChildProcess) {
    running.add(child);
    child.stdout!.on('data', (text: Buffer) => (this.printed += text.toString()));
    child.stderr!.on('data', (text: Buffer) => (this.said += text.toString()));
    this.ended = once(child, 'close').then(([code]: (number | null)[]) => {
      running.delete(child);
      return code!;
    });
  }

  /** @param env settings that override the defaults for the tenant */
  static start(
    platform: TestPlatform,
    tenant: TestTenant,
    env: Record<string, string> = {},
    ...args: string[]
  ): CanaryProcess {
    const settings = { CANARY_API: platform.url, CANARY_KEY: tenant.apiKey, CANARY_PORT: '0', CANARY_NAME: 'one' };
    const options = { env: { ...settings, ...env } };
    return new CanaryProcess(spawn(process.execPath, ['scripts/canary.mjs', ...args], options));
  }

  /** Stops the remaining ones. */
  static async endAll(): Promise<void> {
    await Promise.all(
      [...running].map(async (child) => {
        child.kill('SIGKILL');
        await once(child, 'close');
      }),
    );
  }

  /** The checks that it printed. */
  get checks(): CanaryCheck[] {
    return this.printed
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as CanaryCheck);
  }

  /** Its stderr output. */
  get complaints(): string {
    return this.said.replace(/^Listening on .*\n/, '');
  }

  /** Waits until it listens; returns its URL. */
  async url(): Promise<string> {
    return until(() => /^Listening on (\S+)$/m.exec(this.said)?.[1]);
  }

  /** Its metrics, by name and labels. */
  async metrics(): Promise<Record<string, number>> {
    const text = await (await fetch(`${await this.url()}/metrics`)).text();
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return Object.fromEntries(samples.map((line) => line.split(' ')).map(([name, value]) => [name!, Number(value)]));
  }

  /** Waits until it exits; returns the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal) this.child.kill(signal);
    return this.ended;
  }
}
