import { fieldsOf, id, integer, listOf, nested, type FieldSpec, type ModelClass } from '#libs/http/field.js';
import { model } from '../types/record.dto.js';

/** Maximum number of records that one request creates, changes or deletes. */
export const MAX_ITEMS = 100;

/** The body of PATCH on a collection path: `id` with a merge patch, or several in `items`. */
export function collectionPatch(className: string, update: ModelClass): ModelClass {
  const fields = Object.fromEntries([...fieldsOf(update)]);
  const item = model(`${className}Item`, {
    id: { kind: id(), description: 'The record to change.' },
    version: {
      kind: integer({ min: 1, max: 2_147_483_647 }),
      description: 'Change it only if this is its version, as with If-Match.',
      optional: true,
    },
    ...fields,
  });
  const own: Record<string, FieldSpec> = {
    id: { kind: id(), description: 'The record to change; the other members are its merge patch.', optional: true },
    items: {
      kind: listOf(nested(item), { min: 1, max: MAX_ITEMS }),
      description: 'Several patches in place of one.',
      optional: true,
    },
  };
  return model(className, { ...own, ...fields });
}

/** The body of POST on a collection path that creates several records. */
export function severalOf(create: ModelClass, noun: string): ModelClass {
  return model(`${create.name}Items`, {
    items: {
      kind: listOf(nested(create), { min: 1, max: MAX_ITEMS }),
      description: `Several new records in place of one ${noun}.`,
    },
  });
}
