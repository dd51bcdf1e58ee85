import { type Statement, statement } from '#libs/database/statement.js';
import { escapePointer } from '#libs/http/field.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Reference } from './definition.js';
import { existence } from './table.js';

/** What the fields of every record name. */
const ENVELOPE_REFERENCES: Record<string, Reference> = {
  workspaceId: { table: 'data.workspaces', where: 'archived_at is null' },
  ownerId: { table: 'data.memberships', where: `status <> 'deactivated'` },
};

/** A reference to a person, as in `ownerId`. */
export const MEMBER: Reference = ENVELOPE_REFERENCES['ownerId']!;

/**
 * Statements that fail when a field names what does not exist or is in the trash; they travel with the write, so that
 * they cost no round trip. Foreign keys stand behind them. `values` are the fields that are written.
 */
export function referenceChecks(own: Record<string, Reference> | undefined, values: object): Statement[] {
  const known = { ...ENVELOPE_REFERENCES, ...own };
  return Object.entries(known).flatMap(([field, reference]) => {
    const ids = idsIn((values as Record<string, unknown>)[field]);
    return ids.length > 0 ? [mustExist(reference, `/${escapePointer(field)}`, ids)] : [];
  });
}

/**
 * The queries for what a record names and what is in the trash, by field. What is found is held where it is until the
 * transaction ends.
 */
export function trashQueries(named: Record<string, Reference>, row: object): [field: string, query: Statement][] {
  return Object.entries(named).flatMap(([field, { table }]) => {
    const ids = idsIn((row as Record<string, unknown>)[field]);
    if (ids.length === 0 || table === MEMBER.table) return [];
    const text = `select deleted_at as "deletedAt" from ${table} where tenant_id = $1 and id = any($2::uuid[])
      order by id for key share`;
    return [[field, statement(text, [currentTenant().id, ids])]];
  });
}

/** The statement that fails with a 400 at `pointer` unless all the ids exist. */
export function mustExist(
  { table, where = 'deleted_at is null' }: Reference,
  pointer: string,
  ids: string[],
): Statement {
  return existence(table, where, [currentTenant().id, pointer, ids]);
}

function idsIn(value: unknown): string[] {
  return [...new Set([value].flat().filter((id): id is string => typeof id === 'string'))];
}
