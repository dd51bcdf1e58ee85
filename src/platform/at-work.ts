import { setFlagsFromString } from 'node:v8';

/** How often it is looked whether a process works, and how often at most. */
const LOOK_MS = 5_000;
const LOOKS = 12;
/** A process works that has taken this part of a core since the last look. */
const WORKING = 1 / 5;

/**
 * Calls the listener when this process has been at work for five seconds, if that comes within a minute. Until then V8
 * forgets nothing of what it has compiled: by then it may have no more of what only a start calls.
 */
export function whenAtWork(listener: () => void): void {
  setFlagsFromString('--no-flush-bytecode');
  let [looks, before] = [0, process.cpuUsage()];
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const isAtWork = user + system >= LOOK_MS * 1_000 * WORKING;
    if (!isAtWork && ++looks < LOOKS) return;
    clearInterval(timer);
    setFlagsFromString('--flush-bytecode'); // what is compiled is for processes with the same flags
    if (isAtWork) listener();
  }, LOOK_MS).unref();
}
