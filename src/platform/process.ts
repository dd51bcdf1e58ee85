/** Stops the process on signals, or when its supervisor exits. */
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

/** Exits with a one-line message. */
export function fail(error: unknown): never {
  process.stderr.write(`${lineOf(error)}\n`);
  process.exit(1);
}

/** A one-line message for the operator, without a stack. */
export function lineOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  if (code === 'EADDRINUSE') return 'The port is in use by another process; set PORT to a different one.';
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === '57P03')
    return 'The database is unavailable; check that it runs and that its URL is correct.';
  if (code === '28P01' || code === '28000')
    return 'The database refuses the role or its password; check the URL, or run "npm run platform -- migrate" with it.';
  return String(message || error)
    .split('\n')[0]!
    .trim();
}

/** Tells the supervisor, if there is one, that the process is ready. */
export function announceReady(message: Record<string, unknown> = {}): void {
  process.send?.({ ready: true, ...message });
}
