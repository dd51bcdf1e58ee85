import type { JsonObjectSchema } from './kind.js';

/** Maximum length of a text in a kind's input, in characters; jobs limit the whole input. */
export const LONG_TEXT = 250_000;

/** An object with exactly these members. */
export function object(required: Record<string, object>, optional: Record<string, object> = {}): JsonObjectSchema {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

/** Text that is not blank. */
export function text(description: string, maxLength = LONG_TEXT): object {
  return { type: 'string', description, minLength: 1, maxLength, pattern: '\\S' };
}

export function oneOf(description: string, values: readonly string[]): object {
  return { type: 'string', description, enum: values };
}

export function listOf(items: object, bounds: { description: string; min?: number; max: number }): object {
  const { description, min = 0, max } = bounds;
  return { type: 'array', description, items, minItems: min, maxItems: max };
}

export function whole(description: string, minimum: number, maximum: number): object {
  return { type: 'integer', description, minimum, maximum };
}

export function orNull(schema: object): object {
  return { anyOf: [schema, { type: 'null' }] };
}

/** Today's date. Set when a job is created, because what is approved must be what runs. */
export const AS_OF = {
  type: 'string',
  format: 'date',
  description: 'The day that counts as today; today if not given.',
};

/** The output language. */
export const LANGUAGE = {
  type: 'string',
  description: 'Language to write in, a BCP 47 tag; that of the material if not given.',
  pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$',
};

/** Values by name, for the placeholders of a template. */
export const VARIABLES = {
  type: 'object',
  description: 'Values for placeholders such as {{customer}}.',
  maxProperties: 100,
  propertyNames: { maxLength: 100 },
  additionalProperties: { type: ['string', 'number', 'boolean'], maxLength: 20_000 },
};
