import type { Attribute } from './attribute.js';
import type { AttributePath, ResourceSchema } from './resource-schema.js';
import type { AttributeValues } from './values.js';

/** The attributes of a response. `Source:` RFC 7644 section 3.9. */
export interface Projection {
  /** Null for the default attributes. */
  included: readonly AttributePath[] | null;
  excluded: readonly AttributePath[];
}

/** Reads `attributes` and `excludedAttributes`: comma-separated names or lists of names. Unknown names are ignored. */
export function readProjection(
  schema: ResourceSchema,
  attributes?: string | readonly string[],
  excludedAttributes?: string | readonly string[],
): Projection {
  const included = namesOf(attributes);
  return {
    included: included.length > 0 ? pathsOf(schema, included) : null,
    excluded: pathsOf(schema, namesOf(excludedAttributes)),
  };
}

/** Whether any part of an attribute is in the response, so that it must be read. */
export function wants({ included, excluded }: Projection, name: string): boolean {
  if (excluded.some((path) => path.length === 1 && path[0].name === name)) return false;
  return included === null || included.some(([first]) => first.name === name);
}

/** The resource, with `id`, `schemas` and `meta`, reduced to the attributes of the response. */
export function project(schema: ResourceSchema, projection: Projection, resource: AttributeValues): AttributeValues {
  return projected(schema.attributes, projection.included, projection.excluded, resource);
}

function projected(
  attributes: readonly Attribute[],
  included: readonly AttributePath[] | null,
  excluded: readonly AttributePath[],
  members: AttributeValues,
): AttributeValues {
  const result: AttributeValues = {};
  for (const attribute of attributes) {
    const value = members[attribute.name];
    if (value === undefined || attribute.returned === 'never') continue;
    const shown = attribute.returned === 'always' ? value : shownPart(attribute, included, excluded, value);
    if (shown !== undefined) result[attribute.name] = shown;
  }
  return result;
}

function shownPart(
  attribute: Attribute,
  included: readonly AttributePath[] | null,
  excluded: readonly AttributePath[],
  value: unknown,
): unknown {
  const wanted = included?.filter(([first]) => first === attribute) ?? null;
  const unwanted = excluded.filter(([first]) => first === attribute);
  if (wanted?.length === 0 || unwanted.some((path) => path.length === 1)) return undefined;
  const inner = wanted === null || wanted.some((path) => path.length === 1) ? null : below(wanted);
  if (inner === null && unwanted.length === 0) return value;
  const part = (each: AttributeValues) => projected(attribute.subAttributes ?? [], inner, below(unwanted), each);
  if (!Array.isArray(value)) return filled(part(value as AttributeValues));
  return (value as AttributeValues[]).flatMap((each) => filled(part(each)) ?? []);
}

function below(paths: readonly AttributePath[]): AttributePath[] {
  return paths.flatMap(([, first, ...rest]) => (first ? [[first, ...rest] as AttributePath] : []));
}

function filled(members: AttributeValues): AttributeValues | undefined {
  return Object.keys(members).length === 0 ? undefined : members;
}

function namesOf(names: string | readonly string[] | undefined): string[] {
  const list = typeof names === 'string' ? names.split(',') : (names ?? []);
  return list.map((name) => name.trim()).filter((name) => name !== '');
}

function pathsOf(schema: ResourceSchema, names: readonly string[]): AttributePath[] {
  return names.flatMap((name) => {
    const path = schema.resolve(name);
    return path ? [path] : [];
  });
}
