import { fieldsOf, type FieldSpec, type JsonSchema, type ModelClass } from '../field.js';

const BY_FORMAT: Record<string, string> = {
  uuid: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
  'date-time': '2026-11-21T09:15:02.114Z',
  date: '2026-12-18',
};

/** A response of a class, composed of its fields' examples. */
export function answerExample(model: ModelClass): Record<string, unknown> {
  return Object.fromEntries([...fieldsOf(model)].map(([name, spec]) => [name, fieldExample(spec)]));
}

/** A body of a class: required fields, and fields with an explicit example. */
export function bodyExample(model: ModelClass): Record<string, unknown> {
  const telling = [...fieldsOf(model)].filter(([, spec]) => !spec.optional || spec.example !== undefined);
  return Object.fromEntries(telling.map(([name, spec]) => [name, fieldExample(spec)]));
}

function fieldExample({ example, nullable, kind }: FieldSpec): unknown {
  if (example !== undefined) return example;
  if (nullable) return null;
  if (kind.model) return kind.schema['type'] === 'array' ? [answerExample(kind.model)] : answerExample(kind.model);
  return schemaExample(kind.schema);
}

function schemaExample(schema: JsonSchema): unknown {
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown;
  switch (schema['type']) {
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return Math.max(Number(schema['minimum'] ?? 0), Math.min(1, Number(schema['maximum'] ?? 1)));
    case 'array':
      return [schemaExample(schema['items'] as JsonSchema)];
    case 'object':
      return {};
    default:
      return BY_FORMAT[String(schema['format'])] ?? 'text';
  }
}
