import { pino, type Logger } from 'pino';
import type { ProcessOptions } from './platform.module.js';

const BUFFER_BYTES = 4_096;
const FLUSH_MS = 500;

/**
 * The log of a process: JSON lines on stdout, `time` in milliseconds since the epoch. Fields are logged selectively;
 * headers, bodies and credentials never are. Lines are written in blocks, at the latest after half a second and on
 * exit.
 */
export function createLogger({ settings, name }: Pick<ProcessOptions, 'settings' | 'name'>): Logger {
  const destination = pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES });
  setInterval(() => destination.flush(), FLUSH_MS).unref();
  process.on('exit', () => destination.flushSync());
  return pino({ name, level: settings.LOG_LEVEL, timestamp: pino.stdTimeFunctions.epochTime }, destination);
}
