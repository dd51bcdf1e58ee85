/** One run of a supervised process. */
export interface Run {
  /** Resolves when it is ready; may never resolve. */
  up: Promise<unknown>;
  /** Resolves with the reason when it has ended. */
  ended: Promise<string>;
}

export interface AgainOptions {
  /** Name in messages, e.g. `worker`. */
  name: string;
  /** A rejection counts as the end of the run. */
  start: () => Run | Promise<Run>;
  /** Called with one line when it has ended, and one when it is back. */
  tell: (line: string) => void;
  /** Aborted when it must not be restarted any more. */
  signal: AbortSignal;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** Uptime after which an outage counts as over; a run that crashes earlier belongs to the same outage. */
const STEADY_MS = 10_000;

/**
 * Restarts a process whenever it ends. Pauses double up to 30 s and are reset after 10 s of uptime. Within an outage,
 * each reason is reported once.
 * @param how the reason of the first end.
 */
export async function startAgain({ name, start, tell, signal }: AgainOptions, how: string): Promise<void> {
  let tries = 0;
  let sinceMs = Date.now();
  const told = new Set<string>();
  const isBack = (upMs: number) => {
    tell(`The ${name} is up again after ${Math.round((upMs - sinceMs) / 1_000)} s`);
    tries = 0;
    told.clear();
  };
  while (!signal.aborted) {
    if (tries === 0) sinceMs = Date.now();
    if (!told.has(how)) tell(`The ${name} ended unexpectedly (${how}); restarting it until it stays up`);
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

/** Resolves with whether the full time has passed. */
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
