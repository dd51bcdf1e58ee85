import { fieldsOf, type FieldSpec, type JsonSchema, type ModelClass } from '#libs/http/field.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { attributesOf } from '#libs/resource/types/attribute.js';
import type { KnownType } from './type-catalogue.js';
import type { DiscoveredField, DiscoveredFilter } from './type.dto.js';

/** The fields of a type: first those in responses, then those that only request bodies have. */
export function fieldsOfType(type: KnownType): DiscoveredField[] {
  const { view, create, update, list, privacy, restricted, entity } = type;
  const [shown, set, changed] = [view, create, update].map(fieldsOf) as [Specs, Specs, Specs];
  const attributes = attributesOf(entity);
  const schemas = [update, create, view].map(membersOf).reduce((all, some) => ({ ...all, ...some }), {});
  return [...new Set([...shown.keys(), ...set.keys()])].map((name) => {
    const spec = shown.get(name) ?? set.get(name)!;
    const filter = list?.filters[name];
    const { description: about, examples: _, ...schema } = schemas[name]!;
    return {
      name,
      about: String(about),
      type: typeOf(schema),
      schema,
      class: attributes.get(name)?.privacy ?? privacy[name] ?? 'public',
      readable: shown.has(name),
      required: set.has(name) && !set.get(name)!.optional,
      creatable: set.has(name),
      editable: changed.has(name),
      canBeNull: spec.nullable ?? false,
      unique: attributes.get(name)?.unique ?? false,
      filterable: filter !== undefined,
      operators: [...(filter?.operators ?? [])],
      sortable: list?.sorts.includes(name) ?? false,
      permission: restricted.find(({ fields }) => fields.includes(name))?.permission ?? null,
    };
  });
}

type Specs = ReadonlyMap<string, FieldSpec>;

/** List filters that are not fields. */
export function filtersOf({ list, view }: KnownType): DiscoveredFilter[] {
  const fields = fieldsOf(view);
  return Object.entries(list?.filters ?? {})
    .filter(([name]) => !fields.has(name))
    .map(([name, { operators }]) => ({ name, operators: [...operators] }));
}

/** Schemas of the members of a model, without references. */
function membersOf(model: ModelClass): Record<string, JsonSchema> {
  return inlineSchemaOf(model)['properties'] as Record<string, JsonSchema>;
}

/** The type of a value as a single word. */
function typeOf(schema: JsonSchema): string {
  const { anyOf, allOf, type, format, enum: words, const: word } = schema as Record<string, unknown>;
  const [inner] = (anyOf ?? allOf ?? []) as JsonSchema[];
  if (inner) return typeOf(inner);
  const types = [type].flat().filter((each) => each !== 'null');
  const plain = types.length === 1 ? String(types[0]) : 'object';
  if (plain === 'array') return 'list';
  if (plain !== 'string') return plain;
  if (words !== undefined || word !== undefined) return 'select';
  return { uuid: 'id', date: 'date', 'date-time': 'datetime' }[String(format)] ?? 'text';
}
