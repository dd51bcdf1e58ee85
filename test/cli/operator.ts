import { randomBytes } from 'node:crypto';
import type { Settings } from '#libs/config/settings.js';
import { type Ended, runCommandLine } from '#src/cli/command-line.js';

/** An operator at the command line, on the database of the settings. */
export interface Operator {
  /** Runs a command line. */
  run(...argv: string[]): Promise<Ended>;
  /** Runs a command line with `--json`; it must succeed and print one JSON document on one line. */
  json<T = Record<string, unknown>>(...argv: string[]): Promise<T>;
  /** Creates a tenant with a unique slug. */
  tenant(plan?: string): Promise<NewTenant>;
}

/** The output of `tenant create --json` that tests need. */
export interface NewTenant {
  tenantId: string;
  slug: string;
  apiKey: string;
  apiKeyId: string;
}

export function operatorOf(settings: Settings): Operator {
  const run = (...argv: string[]) => runCommandLine(argv, { settings: () => settings });
  const json = async <T>(...argv: string[]): Promise<T> => {
    const { exitCode, stdout, stderr } = await run(...argv, '--json');
    if (exitCode !== 0 || stderr !== '') throw new Error(`${argv.join(' ')} ended with ${exitCode}: ${stderr}`);
    expect(stdout).toMatch(/^[^\n]+\n$/);
    return JSON.parse(stdout) as T;
  };
  const tenant = (plan = 'business') =>
    json<NewTenant>('tenant', 'create', '--slug', newSlug(), '--name', 'Acme', '--plan', plan);
  return { run, json, tenant };
}

/** A slug that no other test uses. */
export function newSlug(): string {
  return `c-${randomBytes(6).toString('hex')}`;
}
