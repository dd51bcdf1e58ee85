import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function findProgram(): string | null {
  const places = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return places.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether this machine has Chromium: `(chromiumAvailable() ? describe : describe.skip)(...)`. */
export function chromiumAvailable(): boolean {
  return findProgram() !== null;
}

/**
 * Chromium without a window, with a new profile. Close it after the suite.
 * @throws Error when there is none.
 */
export async function startChromium(): Promise<Browser> {
  const executablePath = findProgram();
  if (executablePath === null) throw new Error('chromium is not on the PATH');
  return chromium.launch({ executablePath, chromiumSandbox: false, args: FLAGS });
}
