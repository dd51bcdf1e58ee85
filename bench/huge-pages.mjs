// Huge pages for the PostgreSQL of a benchmark, as used in production with gigabytes of buffers.
import { readFileSync, writeFileSync } from 'node:fs';

const RESERVED = '/proc/sys/vm/nr_hugepages';

/**
 * Reserves additional huge pages, in MB. Without permission or enough contiguous memory, small pages are used. Returns
 * a function that releases them, which also happens when this process is terminated.
 */
export function reserveHugePages(sizeMb) {
  let before;
  try {
    const [, pageKb] = /^Hugepagesize:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'));
    before = Number(readFileSync(RESERVED, 'utf8'));
    writeFileSync(RESERVED, String(before + Math.ceil((sizeMb * 1_024) / Number(pageKb))));
  } catch {
    return () => undefined; // not Linux, or not root
  }
  const giveBack = () => {
    process.off('exit', giveBack);
    writeFileSync(RESERVED, String(before));
  };
  process.on('exit', giveBack);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'])
    process.once(signal, (_name, number) => process.exit(128 + number));
  return giveBack;
}
