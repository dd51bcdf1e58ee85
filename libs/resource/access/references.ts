import { existence } from '#libs/access/guard.js';
import type { Permission } from '#libs/auth/permissions.js';
import { type Statement, statement } from '#libs/database/statement.js';
import { escapePointer } from '#libs/http/field.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Reference } from '../types/definition.js';
import type { ResourceRegistry } from '../resource-registry.js';

type References = Readonly<Record<string, Reference>>;

/** References that every record has. */
export const ENVELOPE_REFERENCES: Record<string, Reference> = {
  workspaceId: { table: 'data.workspaces', where: 'archived_at is null' },
  ownerId: { table: 'data.memberships', where: `status <> 'deactivated'` },
};

/** A reference to a person, as in `ownerId`. */
export const MEMBER: Reference = ENVELOPE_REFERENCES['ownerId']!;

/**
 * Statements that fail if a field refers to a record that does not exist or is in the trash. They are sent with the
 * write, so they cost no round trip. Foreign keys are the second safeguard. `values` are the written fields.
 */
export function referenceChecks(own: References | undefined, values: object): Statement[] {
  return Object.entries({ ...ENVELOPE_REFERENCES, ...own }).flatMap(([field, reference]) => {
    const ids = idsIn(values, field);
    return ids.length > 0 ? [mustExist(reference, pointerTo(field), ids)] : [];
  });
}

/**
 * The queries that find referenced records in the trash, by field. They lock the rows that they find until the
 * transaction ends.
 */
export function trashQueries(named: Record<string, Reference>, row: object): [field: string, query: Statement][] {
  return Object.entries(named).flatMap(([field, { table }]) => {
    const ids = idsIn(row, field);
    if (ids.length === 0 || table === MEMBER.table) return [];
    const text = `select deleted_at as "deletedAt" from ${table} where tenant_id = $1 and id = any($2::uuid[])
      order by id for key share`;
    return [[field, statement(text, [currentTenant().id, ids])]];
  });
}

/**
 * Statements that fail like {@link referenceChecks} if a field refers to a record that the caller may not see.
 * References that `before` already has are not checked. `input` is the caller's body; derived references are not
 * checked. Returns none for callers who see everything.
 */
export function visibilityChecks(
  registry: ResourceRegistry,
  own: References = {},
  input: object,
  before: object = {},
): Statement[] {
  return Object.entries(own).flatMap(([field, reference]) => {
    const known = idsIn(before, field);
    const ids = idsIn(input, field).filter((id) => !known.includes(id));
    return visibilityChecksOf(registry, reference, pointerTo(field), ids);
  });
}

/** Fields that give access to people who did not have it in `before`. */
export function openings(
  own: References = {},
  input: object,
  before: object,
): { field: string; permission: Permission }[] {
  return Object.entries(own).flatMap(([field, { opens }]) => {
    const known = idsIn(before, field);
    const isOpening = opens !== undefined && idsIn(input, field).some((id) => !known.includes(id));
    return isOpening ? [{ field, permission: opens }] : [];
  });
}

/** Like {@link visibilityChecks}, for ids at `pointer`. */
export function visibilityChecksOf(
  registry: ResourceRegistry,
  reference: Reference,
  pointer: string,
  ids: string[],
): Statement[] {
  const isLimited = ids.length > 0 && registry.visibleIn(reference.table) !== null;
  return isLimited ? [mustBeVisible(registry, reference, pointer, [...new Set(ids)])] : [];
}

const UNSAID = Symbol('unsaid');

/** Marks a create body as a consequence of another change: the caller need not be able to see its references. */
export function unsaid<T extends object>(input: T): T {
  return { ...input, [UNSAID]: true };
}

/** Whether a body was marked with {@link unsaid}. */
export function isUnsaid(input: object): boolean {
  return UNSAID in input;
}

/** The statement that fails with a 400 at `pointer` unless all ids exist. For people and workspaces. */
export function mustExist(reference: Reference, pointer: string, ids: string[]): Statement {
  return existence(reference, [currentTenant().id, pointer, ids], null);
}

/** The statement that fails with a 400 at `pointer` unless all ids exist and are visible to the caller. For records. */
export function mustBeVisible(
  registry: ResourceRegistry,
  reference: Reference,
  pointer: string,
  ids: string[],
): Statement {
  return existence(reference, [currentTenant().id, pointer, ids], registry.visibleIn(reference.table));
}

/** The ids in a field: one, several or none. */
export function idsIn(values: object, field: string): string[] {
  const value = (values as Record<string, unknown>)[field];
  return [...new Set([value].flat().filter((id): id is string => typeof id === 'string'))];
}

function pointerTo(field: string): string {
  return `/${escapePointer(field)}`;
}
