import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#libs/kernel/is-object.js';
import { remove, write } from './edit.js';
import { type MemberChange, MemberChanges } from './member-changes.js';
import { parsePath, type PatchPath } from './parse-filter.js';
import type { ResourceSchema } from './resource-schema.js';
import { assignments, requireAll, type Resource, withActive } from './resource.js';
import { invalidPath, invalidSyntax, invalidValue, mutability, noTarget } from './scim-error.js';

export interface Patched {
  resource: Resource;
  /** Whether the resource has changed, not counting members. */
  changed: boolean;
  /** Changes to the members of a group, in order. */
  members: MemberChange[];
}

interface Operation {
  op: 'add' | 'replace' | 'remove';
  path: PatchPath | null;
  /** Undefined when the operation has none. */
  value: unknown;
}

/**
 * Applies a PATCH to a copy of a resource. Accepts what Entra, Okta and others send in practice. `Source:` RFC 7644
 * section 3.5.2.
 * @throws ScimError `invalidSyntax`, `invalidPath`, `invalidValue`, `mutability`, `noTarget`; no part of the PATCH is
 * applied then.
 */
export function applyPatch(schema: ResourceSchema, current: Resource, body: unknown): Patched {
  const resource = copyOf(current) as Resource;
  const members = new MemberChanges();
  for (const operation of readOperations(schema, body)) apply(schema, resource, members, operation);
  requireAll(schema, resource);
  const patched = withActive(resource, current);
  return { resource: patched, changed: !isDeepStrictEqual(patched, copyOf(current)), members: members.taken() };
}

function apply(schema: ResourceSchema, resource: Resource, members: MemberChanges, operation: Operation): void {
  const { op, path, value } = operation;
  if (op === 'remove') {
    if (!path) throw noTarget('A remove operation must have a path.');
    return take(schema, resource, members, path, value);
  }
  if (!path && !isObject(value)) throw invalidValue('Without a path, "value" must be an object.');
  const targets = path ? [{ target: path, value }] : assignments(schema, value as Resource);
  for (const { target, value: each } of targets) {
    requireWritable(target);
    if (isUnkept(target)) continue;
    if (target.path[0].name === schema.pairs) members.write(op, target, each);
    else write(resource, target, op, each);
  }
}

function take(
  schema: ResourceSchema,
  resource: Resource,
  members: MemberChanges,
  path: PatchPath,
  named: unknown,
): void {
  requireWritable(path);
  if (isUnkept(path)) return;
  if (path.path[0].name === schema.pairs) return members.remove(path, named);
  if (path.path.at(-1)!.required) throw mutability(`"${path.path.at(-1)!.name}" is required and cannot be removed.`);
  remove(resource, path, named ?? undefined);
}

function requireWritable({ path, sub }: PatchPath): void {
  for (const attribute of sub ? [...path, sub] : path)
    if (attribute.mutability === 'readOnly') throw mutability(`"${attribute.name}" cannot be changed.`);
}

/** A password is accepted but never stored. */
function isUnkept({ path }: PatchPath): boolean {
  return path[0].mutability === 'writeOnly';
}

function readOperations(schema: ResourceSchema, body: unknown): Operation[] {
  const operations = isObject(body) ? memberOf(body, 'operations') : undefined;
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalidSyntax('"Operations" must be a list with at least one operation.');
  return operations.map((operation: unknown) => readOperation(schema, operation));
}

function readOperation(schema: ResourceSchema, operation: unknown): Operation {
  if (!isObject(operation)) throw invalidSyntax('An operation must be an object.');
  const verb = memberOf(operation, 'op');
  const op = typeof verb === 'string' ? verb.toLowerCase() : verb;
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw invalidSyntax('"op" must be "add", "replace" or "remove".');
  const path = memberOf(operation, 'path') ?? '';
  if (typeof path !== 'string') throw invalidPath('"path" must be a string.');
  const value = memberOf(operation, 'value');
  if (op !== 'remove' && value === undefined) throw invalidValue(`An operation with "${op}" must have a "value".`);
  return { op, path: path.trim() === '' ? null : parsePath(schema, path), value };
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOf(each)]))
    : value;
}

/** The member with a name, ignoring case. */
function memberOf(object: Record<string, unknown>, name: string): unknown {
  const key = Object.keys(object).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : object[key];
}
