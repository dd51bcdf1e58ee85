import type { Kind } from '#libs/http/field.js';
import { cut } from '#libs/kernel/cut.js';
import { attributesOf, type AttributeSpec } from '../types/attribute.js';
import type { ResourceDefinition } from '../types/definition.js';
import type { RecordRow } from '../types/record.entity.js';

const TEXT = 'Anonymised';

/** Values that replace the personal and sensitive fields of a record, valid for their kinds. Ids that it needs stay. */
export function fillersOf({ entity, data, noun, defaults = {} }: ResourceDefinition): Partial<RecordRow> {
  const attributes = attributesOf(entity);
  const fillers: Record<string, unknown> = {};
  for (const field of Object.keys(data.privacy)) {
    const attribute = attributes.get(field);
    if (field === 'name') fillers[field] = `Anonymised ${noun}`;
    else if (attribute?.isStored && !isNeeded(attribute)) fillers[field] = defaults[field] ?? fillerOf(attribute);
  }
  return fillers;
}

/** Whether the record needs what it names. The one who is named is anonymised there. */
function isNeeded({ names, nullable = false }: AttributeSpec): boolean {
  return names !== undefined && (nullable === false || nullable === 'given');
}

function fillerOf({ nullable = false, kind, example }: AttributeSpec): unknown {
  if (nullable === true || nullable === 'shown') return null;
  return plainFiller(kind) ?? example;
}

/** Undefined if only an example is certain to be valid. */
function plainFiller({ schema, model }: Kind): unknown {
  const {
    type,
    format,
    pattern,
    maxLength = TEXT.length,
    minLength = 0,
    minimum = 0,
    minItems = 0,
  } = schema as Record<string, never> & {
    type?: string;
    format?: string;
    pattern?: string;
    maxLength?: number;
    minLength?: number;
    minimum?: number;
    minItems?: number;
  };
  if (model || pattern !== undefined || schema['enum'] !== undefined) return undefined;
  if (type === 'array') return minItems === 0 ? [] : undefined;
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return Math.max(minimum, 0);
  if (format === 'date') return '1970-01-01';
  if (format === 'date-time') return '1970-01-01T00:00:00.000Z';
  if (type === 'string' && format === undefined && minLength <= TEXT.length) return cut(TEXT, maxLength);
  return undefined;
}
