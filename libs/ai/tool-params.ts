import { isObject } from '#libs/kernel/is-object.js';

/**
 * Parameters of a tool as a model wrote them. Anything but a JSON object becomes an object with an unknown member, so
 * that the tool refuses it and the model gets an error.
 */
export function parseParams(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below, as for JSON that is no object.
  }
  return { unreadable: text };
}
