import { listOf, object, oneOf, text } from './schema.js';

/** Types of an extracted field. */
export const FIELD_TYPES = [
  'text',
  'number',
  'integer',
  'boolean',
  'date',
  'email',
  'phone',
  'url',
  'amount',
  'choice',
] as const;

/** A field to extract from a text. */
export interface ExtractField {
  name: string;
  type?: (typeof FIELD_TYPES)[number];
  description?: string;
  /** Alternative labels before its value. */
  labels?: string[];
  /** Values of a choice. */
  choices?: string[];
  /** Whether all values are extracted, as a list. */
  many?: boolean;
}

const FIELD = {
  ...object(
    {
      name: {
        type: 'string',
        description: 'Name of the member of the answer.',
        pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$',
      },
    },
    {
      type: oneOf('What its value is; text if not given. An amount is `{ value, currency }`.', FIELD_TYPES),
      description: text('What it means.', 1_000),
      labels: listOf(text('A word or two that stand before the value.', 100), {
        description: 'Other names of it in the text.',
        max: 20,
      }),
      choices: listOf(text('A value.', 200), { description: 'Of a choice: what it can be.', min: 1, max: 50 }),
      many: { type: 'boolean', description: 'Whether all values are wanted, as a list; false if not given.' },
    },
  ),
  if: { properties: { type: { const: 'choice' } }, required: ['type'] },
  then: { required: ['choices'] },
};

/** JSON Schema of the requested fields. */
export const FIELDS = listOf(FIELD, { description: 'Fields to extract.', min: 1, max: 50 });

/** JSON Schema of the result of an extraction. It contains every field; null if the text has no value. */
export function answerSchemaOf(input: Record<string, unknown>): object {
  const fields = input['fields'] as ExtractField[];
  return object(Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])));
}

function fieldSchema(field: ExtractField): object {
  const one = valueSchema(field);
  if (field.many) return listOf(one, { description: field.description ?? field.name, max: 100 });
  return { anyOf: [one, { type: 'null' }], ...(field.description ? { description: field.description } : {}) };
}

function valueSchema({ type = 'text', choices = [] }: ExtractField): object {
  switch (type) {
    case 'number':
    case 'integer':
    case 'boolean':
      return { type };
    case 'amount':
      return object({ value: { type: 'number' }, currency: { type: ['string', 'null'], maxLength: 3 } });
    case 'date':
      return { type: 'string', format: 'date' };
    case 'choice':
      return { type: 'string', enum: [...new Set(choices)] };
    default:
      return { type: 'string', minLength: 1, maxLength: 10_000 };
  }
}
