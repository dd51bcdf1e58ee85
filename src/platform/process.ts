/** What a process of the platform does when it is told to stop: signals, or the supervisor that started it going away. */
export function onStop(stop: () => Promise<void>, limitMs = 30_000): void {
  let stopping = false;
  const begin = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), limitMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', begin);
  process.on('SIGINT', begin);
  process.on('disconnect', begin);
}

/** Ends the process with one clear line. */
export function fail(error: unknown): never {
  process.stderr.write(`${lineOf(error)}\n`);
  process.exit(1);
}

/** One line for an operator: what is wrong, without a stack. */
export function lineOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  if (code === 'EADDRINUSE') return 'The port is in use by another process; set PORT to another one.';
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === '57P03')
    return 'The database cannot be reached; check that it runs and that its URL is right.';
  if (code === '28P01' || code === '28000')
    return 'The database refuses the role or its password; run "npm run platform -- migrate" with this MASTER_KEY.';
  return String(message || error)
    .split('\n')[0]!
    .trim();
}

/** Tells the supervisor, if there is one, that the process serves. */
export function announceReady(message: Record<string, unknown> = {}): void {
  process.send?.({ ready: true, ...message });
}
