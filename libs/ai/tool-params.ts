import { isObject } from '#libs/kernel/is-object.js';

/**
 * Tool parameters as written by a model. Anything but a JSON object becomes an object with an unknown member: the tool
 * then rejects it, and the model gets an error.
 */
export function parseParams(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Handled below, like JSON that is not an object.
  }
  return { unreadable: text };
}
