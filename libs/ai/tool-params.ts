import { isObject } from '#libs/kernel/is-object.js';

/**
 * Parameters of a tool as a model wrote them. What is not an object of JSON becomes one with a member that no tool takes, so
 * that the tool refuses it and the model is told.
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
