import { spawn } from 'node:child_process';

const SCRIPT = `
read -r _
kill -INT "$1" 2>/dev/null
[ -n "$2" ] || exit 0
left=60
while [ $left -gt 0 ] && kill -0 "$1" 2>/dev/null; do sleep 1; left=$((left - 1)); done
rm -rf "$2"
`;

/** A process that waits for this one to exit. */
export interface Guard {
  /** Ends the guard, because the server has stopped. */
  dismiss(): void;
}

/**
 * Stops a server if this process exits without stopping it, even by SIGKILL: a small shell waits for the end of a pipe
 * that only this process holds. Without a shell (Windows), the next start stops the server instead.
 * @param removeFolder removed after the server has ended; null keeps everything.
 */
export function guardServer(pid: number, removeFolder: string | null): Guard {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'postgres-guard', String(pid), removeFolder ?? ''], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return { dismiss: () => void shell.kill('SIGKILL') };
}
