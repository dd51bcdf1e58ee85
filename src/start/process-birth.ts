import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process began, as a text to compare: numbers of processes are given out again, births are not.
 * @returns null when there is no such process.
 */
export function processBirth(pid: number): string | null {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim() || null;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything; after it come the state and, as the 20th, the time of the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`;
  } catch {
    return null;
  }
}
