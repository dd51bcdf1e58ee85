import { SettingsError } from './setting.js';

/** A failure that the operator can act on. The message is one clear line; entry points print it without a stack. */
export class OperatorError extends Error {}

/**
 * The text that an entry point prints to stderr on failure: the message of an expected failure, the stack of an
 * unexpected one.
 */
export function operatorText(error: unknown): string {
  if (error instanceof OperatorError || error instanceof SettingsError) return error.message.replace(/\s*\n\s*/g, ' ');
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
