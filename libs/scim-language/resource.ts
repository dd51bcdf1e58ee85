import { isObject } from '#libs/kernel/is-object.js';
import type { Attribute } from './attribute.js';
import { write } from './edit.js';
import { readMemberIds } from './member-changes.js';
import { parsePath, type PatchPath } from './parse-filter.js';
import type { AttributePath, ResourceSchema } from './resource-schema.js';
import { invalidSyntax, invalidValue, ScimError } from './scim-error.js';
import { comparable, type AttributeValues } from './values.js';

/**
 * A resource as it is kept: what clients may write, under the names of the schema, extensions under their URN, without
 * empty values. `id`, `schemas`, `meta` and other read-only attributes are not in it, nor are the members of a group.
 */
export type Resource = AttributeValues;

export interface Written {
  resource: Resource;
  /** Ids of the members of the group, as the client named them; null when it named none, and for users. */
  members: string[] | null;
}

/**
 * The resource that the body of a POST describes. Names in any case; read-only, unknown and never kept attributes are left
 * aside.
 * @throws ScimError `invalidSyntax`, `invalidValue`.
 */
export function readResource(schema: ResourceSchema, body: unknown): Written {
  if (!isObject(body)) throw invalidSyntax('The body has to be a JSON object.');
  const resource: Resource = {};
  let members: string[] | null = null;
  for (const { target, value } of assignments(schema, body)) {
    if (target.path[0].name === schema.pairs) members = readMemberIds(value);
    else write(resource, target, 'replace', value);
  }
  requireAll(schema, resource);
  return { resource, members };
}

/**
 * What a resource becomes by PUT: attributes that the body lacks are cleared. Only `active` stays without a word about it,
 * so that nobody who was shut out comes back unnoticed.
 * @throws ScimError as {@link readResource}.
 */
export function replaceResource(schema: ResourceSchema, current: Resource, body: unknown): Written {
  const { resource, members } = readResource(schema, body);
  return { resource: withActive(resource, current), members };
}

/** The resource, `active` as before if it has lost it. */
export function withActive(resource: Resource, current: Resource): Resource {
  return resource['active'] === undefined && current['active'] !== undefined
    ? { ...resource, active: current['active'] }
    : resource;
}

/** Members of a body or of a pathless PATCH value, each with what its name means; those that nobody may write are left out. */
export function assignments(schema: ResourceSchema, body: AttributeValues): { target: PatchPath; value: unknown }[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const target = targetOf(schema, name);
    return target && isWritable(target.path) ? [{ target, value }] : [];
  });
}

/** @throws ScimError `invalidValue` when a required attribute is missing. */
export function requireAll(schema: ResourceSchema, resource: Resource): void {
  for (const { name, required } of schema.attributes)
    if (required && resource[name] === undefined) throw invalidValue(`"${name}" is required.`);
}

/** The resource as filters and sorting see it: text folded where case does not count, without `active`, which is a column. */
export function foldedDocument(schema: ResourceSchema, resource: Resource): Resource {
  const { active: _, ...document } = folded(schema.attributes, resource);
  return document;
}

function folded(attributes: readonly Attribute[], members: AttributeValues): AttributeValues {
  const result: AttributeValues = {};
  for (const attribute of attributes) {
    const value = members[attribute.name];
    if (value === undefined) continue;
    result[attribute.name] = Array.isArray(value)
      ? value.map((each) => foldedValue(attribute, each))
      : foldedValue(attribute, value);
  }
  return result;
}

function foldedValue(attribute: Attribute, value: unknown): unknown {
  return isObject(value) ? folded(attribute.subAttributes ?? [], value) : comparable(attribute, value);
}

function targetOf(schema: ResourceSchema, name: string): PatchPath | null {
  try {
    return parsePath(schema, name);
  } catch (error) {
    if (error instanceof ScimError) return null;
    throw error;
  }
}

function isWritable(path: AttributePath): boolean {
  return path.every(({ mutability }) => mutability !== 'readOnly' && mutability !== 'writeOnly');
}
