/** One run of something that is to run all the time. */
export interface Run {
  /** Resolves when it serves; may never do so. */
  up: Promise<unknown>;
  /** Resolves when it has ended, saying how. */
  ended: Promise<string>;
}

export interface AgainOptions {
  /** How lines name it, e.g. `worker`. */
  name: string;
  /** A rejection counts as an end. */
  start: () => Run | Promise<Run>;
  /** Told one line when it has ended, and one when it is back. */
  tell: (line: string) => void;
  /** Aborted when it is not to be started any more. */
  signal: AbortSignal;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** What has served for this long is back: one that crashes at once again is still the same outage. */
const STEADY_MS = 10_000;

/**
 * Starts something again whenever it has ended, for as long as it takes: after pauses that double up to 30 s, and begin
 * anew once it has served for 10 s. Of an outage each way to end is told once, however often it happens.
 * @param how it has ended the first time.
 */
export async function startAgain({ name, start, tell, signal }: AgainOptions, how: string): Promise<void> {
  let tries = 0;
  let sinceMs = Date.now();
  const told = new Set<string>();
  const isBack = (upMs: number) => {
    tell(`The ${name} runs again, after ${Math.round((upMs - sinceMs) / 1_000)} s`);
    tries = 0;
    told.clear();
  };
  while (!signal.aborted) {
    if (tries === 0) sinceMs = Date.now();
    if (!told.has(how)) tell(`The ${name} ended unexpectedly (${how}); it is started again until it stays up`);
    told.add(how);
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** tries++, LONGEST_PAUSE_MS), signal);
    if (signal.aborted) return;
    how = await Promise.resolve()
      .then(start)
      .then((run) => untilEnd(run, isBack), messageOf);
  }
}

async function untilEnd({ up, ended }: Run, isBack: (upMs: number) => void): Promise<string> {
  const over = new AbortController();
  void up.then(async () => {
    const upMs = Date.now();
    if (await pause(STEADY_MS, over.signal)) isBack(upMs);
  });
  const how = await ended;
  over.abort();
  return how;
}

/** Whether it was waited for to the end. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (inFull: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(inFull);
    };
    const abort = (): void => end(false);
    const timer = setTimeout(() => end(true), ms);
    signal.addEventListener('abort', abort);
  });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
