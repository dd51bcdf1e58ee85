import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Identifies the start of a process, for comparison: process ids are reused, start times are not.
 * @returns null when there is no such process.
 */
export function processBirth(pid: number): string | null {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim() || null;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything. It is followed by the state and, as the 20th field, the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`;
  } catch {
    return null;
  }
}
