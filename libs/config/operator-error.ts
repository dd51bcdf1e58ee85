import { SettingsError } from './setting.js';

/** A failure that the operator can act on. The message is one clear line; entry points print it without a stack. */
export class OperatorError extends Error {}

/**
 * What an entry point prints on stderr when it gives up: only the message for expected failures, the stack for
 * unexpected ones.
 */
export function operatorText(error: unknown): string {
  if (error instanceof OperatorError || error instanceof SettingsError) return error.message.replace(/\s*\n\s*/g, ' ');
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
