import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';
import { currentRequestId } from '#libs/tenancy/scope.js';

/** Nest logs what ends the start, with its stack, and throws it. `fail` then tells it in one line. */
const THROWS = 'ExceptionHandler';

/** Writes Nest's log lines as structured ones, with the id of their request. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug(this.fields(rest), text(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn(this.fields(rest), text(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const level = rest.at(-1) === THROWS ? 'debug' : 'error';
    this.logger[level](this.fields(rest), text(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.fatal(this.fields(rest), text(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.logger.debug(this.fields(rest), text(message));
  }

  private fields(rest: unknown[]): Record<string, unknown> {
    const [context] = rest.slice(-1);
    const more = rest.slice(0, -1).filter((each) => each !== undefined);
    const requestId = currentRequestId();
    return {
      ...(typeof context === 'string' ? { context } : {}),
      ...(more.length > 0 ? { more: more.map(text) } : {}),
      ...(requestId ? { requestId } : {}),
    };
  }
}

function text(value: unknown): string {
  if (value instanceof Error) return value.stack ?? value.message;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
