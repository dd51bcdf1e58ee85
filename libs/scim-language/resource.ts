import { isObject } from '#libs/kernel/is-object.js';
import type { Attribute } from './attribute.js';
import { write } from './edit.js';
import { readMemberIds } from './member-changes.js';
import { parsePath, type PatchPath } from './parse-filter.js';
import type { AttributePath, ResourceSchema } from './resource-schema.js';
import { invalidSyntax, invalidValue, ScimError } from './scim-error.js';
import { comparable, type AttributeValues } from './values.js';

/**
 * A stored resource: the writable attributes under their schema names, extensions under their URN, without empty
 * values. It contains neither `id`, `schemas`, `meta` and other read-only attributes nor the members of a group.
 */
export type Resource = AttributeValues;

export interface Written {
  resource: Resource;
  /** Ids of the members of the group as sent by the client; null when it sent none, and for users. */
  members: string[] | null;
}

/**
 * Reads the resource from the body of a POST. Names are case-insensitive. Read-only, unknown and unstored attributes
 * are ignored.
 * @throws ScimError `invalidSyntax`, `invalidValue`.
 */
export function readResource(schema: ResourceSchema, body: unknown): Written {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object.');
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
 * Applies a PUT: attributes missing from the body are cleared. Only `active` stays if missing, so that a deactivated
 * user is not reactivated by accident.
 * @throws ScimError as {@link readResource}.
 */
export function replaceResource(schema: ResourceSchema, current: Resource, body: unknown): Written {
  const { resource, members } = readResource(schema, body);
  return { resource: withActive(resource, current), members };
}

/** The resource with the previous `active` if it has none. */
export function withActive(resource: Resource, current: Resource): Resource {
  return resource['active'] === undefined && current['active'] !== undefined
    ? { ...resource, active: current['active'] }
    : resource;
}

/**
 * Members of a body or of a PATCH value without a path, each with its resolved name. Members that cannot be written are
 * left out.
 */
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

/**
 * The resource for filtering and sorting: case-insensitive text is folded; `active` is left out because it is a column.
 */
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
