// Huge pages of the machine for the PostgreSQL of a benchmark, as one with gigabytes of buffers is given them.
import { readFileSync, writeFileSync } from 'node:fs';

const RESERVED = '/proc/sys/vm/nr_hugepages';

/**
 * Reserves as many MB of huge pages besides those that are there. Who may not, or has too little memory in one piece, measures
 * with small ones. Answers what gives them back, which also happens when this process is told to end.
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
