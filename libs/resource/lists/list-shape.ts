import { fieldsOf, flag, type Kind, listOf, type ModelClass, oneOf, text, type FieldSpec } from '#libs/http/field.js';
import { didYouMean } from '#libs/http/problems/hints.js';
import { ENVELOPE_REFERENCES } from '../access/references.js';
import type { Reference, ResourceDefinition } from '../types/definition.js';
import { model } from '../types/record.dto.js';
import { listQuery, type ListOptions } from './list-query.js';

/** How an answer shows records; which ones it has is up to the other parameters. */
export interface Shape {
  /** Names of the fields to show, and `customFields.{key}`; null for all fields. */
  fields: readonly string[] | null;
  /** Names from {@link includedReferences}, `customFields` and `allowedActions`. */
  include: readonly string[];
  count: boolean;
}

const MAX_NAMES = 100;
/** In `include`: the actions that the caller may take on each record. */
export const ACTIONS = 'allowedActions';
/** In `include`: what custom fields with ids point to. */
export const CUSTOM = 'customFields';
const CUSTOM_PREFIX = `${CUSTOM}.`;
/** What every answer about a record has. */
const ALWAYS = ['id', 'object'];

/** Fields with ids whose names a list can include, by the name of the field without `Id` or `Ids`. */
export function includedReferences({
  references,
  named,
  labels,
  view,
}: Pick<ResourceDefinition, 'references' | 'named' | 'labels' | 'view'>): Map<string, Reference & { field: string }> {
  const shown = fieldsOf(view);
  const all = Object.entries({ ...ENVELOPE_REFERENCES, ...references, ...named, ...labels });
  const own = all.filter(([field]) => shown.has(field));
  return new Map(own.map(([field, reference]) => [field.replace(/Ids?$/, ''), { ...reference, field }]));
}

/** The query model of a list of records: its filters, and how the answer shows the records. */
export function recordQuery(
  className: string,
  definition: ResourceDefinition<never> | ResourceDefinition,
  list: ListOptions = definition.list,
): ModelClass {
  const { view } = definition;
  const included = [...includedReferences(definition).keys(), ACTIONS];
  if (fieldsOf(view).has(CUSTOM)) included.push(CUSTOM);
  const shape: Record<string, FieldSpec> = {
    ...fieldsParameter(view),
    include: {
      kind: listOf(oneOf(included), { min: 1, max: MAX_NAMES }),
      description:
        'What to add to the records: in `included`, the names of what their ids point to; and the `allowedActions` of each.',
      optional: true,
    },
    count: {
      kind: flag(),
      description: 'Also the exact number of records on all pages, as `page.total`. Reads all of them.',
      optional: true,
    },
  };
  return model(className, { ...Object.fromEntries(fieldsOf(listQuery(className, list))), ...shape });
}

/** The query model of a single record. */
export function itemQuery({ view }: Pick<ResourceDefinition, 'view'>): ModelClass {
  return model(`${view.name}Query`, fieldsParameter(view));
}

function fieldsParameter(view: ModelClass): Record<string, FieldSpec> {
  return {
    fields: {
      kind: listOf(fieldName(view), { min: 1, max: MAX_NAMES }),
      description:
        'Only these fields, and `id` and `object`; `customFields.{key}` for single custom fields. All others are absent, including those that the schema of the answer requires.',
      optional: true,
    },
  };
}

/** The schema is the same for all types, so that they share one parameter of the document. */
function fieldName(view: ModelClass): Kind {
  const name = text({ min: 1, max: 60, pattern: /^[a-zA-Z]\w*(\.[a-zA-Z]\w*)?$/ });
  const known = [...fieldsOf(view).keys()];
  return {
    ...name,
    check: (value) => {
      const faults = name.check(value);
      const field = String(value);
      if (faults.length > 0 || known.includes(field)) return faults;
      if (field.startsWith(CUSTOM_PREFIX) && known.includes(CUSTOM)) return [];
      return [{ code: 'unknown_field', detail: `The record has no field ${field}.${didYouMean(field, known)}` }];
    },
  };
}

/** The shape that a validated query asks for. */
export function shapeOf(query: Record<string, unknown>): Shape {
  return {
    fields: (query['fields'] as string[] | undefined) ?? null,
    include: (query['include'] as string[] | undefined) ?? [],
    count: query['count'] === true,
  };
}

/** Keys of the custom fields that `fields` names one by one. */
export function customKeysIn(fields: readonly string[] | null): string[] {
  return (fields ?? [])
    .filter((field) => field.startsWith(CUSTOM_PREFIX))
    .map((field) => field.slice(CUSTOM_PREFIX.length));
}

/** Those fields of a record that were asked for, as far as the record shows them. */
export function pick<V extends object>(view: V, fields: readonly string[]): V {
  const shown = view as Record<string, unknown>;
  const names = new Set([...ALWAYS, ...fields]);
  const picked = Object.fromEntries([...names].flatMap((name) => (name in shown ? [[name, shown[name]]] : [])));
  const keys = customKeysIn(fields);
  if (keys.length > 0 && !names.has(CUSTOM)) {
    const values = (shown[CUSTOM] ?? {}) as Record<string, unknown>;
    picked[CUSTOM] = Object.fromEntries(
      keys.flatMap((key) => (Object.hasOwn(values, key) ? [[key, values[key]]] : [])),
    );
  }
  return picked as V; // lacks the members that were not asked for: the answer is marked as sparse
}
