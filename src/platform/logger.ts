import { pino, type Logger } from 'pino';
import type { ProcessOptions } from './platform.module.js';
import { readable } from './readable-log.js';

const BUFFER_BYTES = 4_096;
const FLUSH_MS = 500;

/**
 * The log of a process on stdout: on a terminal one short line for each event, otherwise JSON lines, `time` in
 * milliseconds since the epoch. Fields are logged selectively; headers, bodies and credentials never are. JSON lines are
 * written in blocks, at the latest after half a second and on exit.
 */
export function createLogger({ settings, name }: Pick<ProcessOptions, 'settings' | 'name'>): Logger {
  const options = { name, level: settings.LOG_LEVEL, timestamp: pino.stdTimeFunctions.epochTime };
  if (process.stdout.isTTY) return pino(options, { write: (line) => void process.stdout.write(readable(line)) });
  const destination = pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES });
  setInterval(() => destination.flush(), FLUSH_MS).unref();
  process.on('exit', () => destination.flushSync());
  return pino(options, destination);
}
