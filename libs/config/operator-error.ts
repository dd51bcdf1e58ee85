import { SettingsError } from './setting.js';

/** A failure that the operator can act on. The message is one clear line; entry points print it without a stack. */
export class OperatorError extends Error {}

/**
 * What an entry point prints on stderr when it gives up: the message alone where that says it all, and the stack for
 * a failure that nobody foresaw.
 */
export function operatorText(error: unknown): string {
  if (error instanceof OperatorError || error instanceof SettingsError) return error.message.replace(/\s*\n\s*/g, ' ');
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
