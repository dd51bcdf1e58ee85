import type { DataSource } from 'typeorm';
import { every, type Guard, some } from '#libs/access/guard.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { Transition } from '#libs/kernel/lifecycle.js';
import { Table } from '../lists/table.js';
import type { ListRequest } from '../lists/list-query.js';
import type { ResourceDefinition, RetentionBasis } from '../types/definition.js';
import type { Relation } from './relations.js';

export const DISPOSITIONS = ['delete', 'anonymize', 'archive'] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

/** Which records of a type expire, and what happens to them. */
export interface ExpiryRule {
  disposition: Disposition;
  /** Days after the basis, or in the trash. */
  days: number;
  /** Filters of the list of the type; null for none. */
  filter: ListRequest | null;
  /** Only records in the trash, counted from their deletion. */
  isTrash: boolean;
  /** The present (RFC 3339). */
  at: string;
}

/** A record type among those that it has parts of, and parts in. */
export interface Family {
  definition: ResourceDefinition;
  table: string;
  parts: { column: string; family: Family }[];
}

/**
 * The conditions of a rule on rows `t`. Preview and run are built from the same conditions. The first parameter of
 * statements with them is the tenant.
 */
export interface Expiry {
  /** The period has passed, and the filters match. */
  due: Guard;
  /** A legal hold covers the record or one of its parts. */
  held: Guard;
  /** Other records refer to it, or it is in a state that excludes it, so the rule cannot dispose of it yet. */
  used: Guard;
  /** The part of `used` that a run of the rule cannot end: references from records of other types. */
  usedByOthers: Guard;
  /** Select of the other part: references (`id`) from records of the same type (`owner`), which may go before. */
  references: string;
}

/** Builds the conditions of a rule. */
export function expiryOf(source: DataSource, family: Family, rule: ExpiryRule, relations: readonly Relation[]): Expiry {
  const uses = rule.disposition === 'delete' ? usesOf(family, relations) : [];
  const own = uses.filter(({ owner }) => owner !== null);
  const kept = keptBy(source, family.definition, rule);
  return {
    due: dueBy(source, family.definition, rule),
    held: heldIn(family, 't'),
    used: usedBy(uses, kept),
    usedByOthers: usedBy(
      uses.filter(({ owner }) => owner === null),
      kept,
    ),
    references: own.length === 0 ? NO_REFERENCES : own.map(referencesSql).join(' union all '),
  };
}

function dueBy(source: DataSource, definition: ResourceDefinition, rule: ExpiryRule): Guard {
  const { data, entity, list } = definition;
  const basis = basisSql(source, definition, data.retention);
  if (rule.isTrash) {
    const trashed: Guard = (add) => `t.deleted_at <= ${add(before(rule.at, rule.days))}::timestamptz`;
    if (data.retainAtLeast === 0) return trashed;
    return every(
      trashed,
      (add) => `(${basis} is null or ${basis} <= ${add(before(rule.at, data.retainAtLeast))}::timestamptz)`,
    )!;
  }
  const past: Guard = (add) => `${basis} <= ${add(before(rule.at, rule.days))}::timestamptz`;
  const filtered = rule.filter && new Table(source, entity).filtered(rule.filter, list);
  return every(every(past, filtered), pending(source, definition, rule.disposition))!;
}

/** Excludes rows that have been archived or anonymised already. */
function pending(source: DataSource, { entity }: ResourceDefinition, disposition: Disposition): Guard | null {
  if (disposition === 'archive') return () => 't.archived_at is null and t.deleted_at is null';
  if (disposition === 'delete') return null;
  const isMarked = source.getMetadata(entity).findColumnWithPropertyName('anonymizedAt') !== undefined;
  if (isMarked) return () => 't.anonymized_at is null and t.deleted_at is null';
  return () => `not exists (select from data.retention_tombstones b where b.tenant_id = t.tenant_id
    and b.record_id = t.id and b.disposition = 'anonymize' and b.at >= t.updated_at)`;
}

function basisSql(source: DataSource, { entity }: ResourceDefinition, basis: readonly RetentionBasis[]): string {
  const metadata = source.getMetadata(entity);
  const values = basis.map((each) => {
    if (typeof each !== 'string') return each.sql;
    const column = metadata.findColumnWithPropertyName(each);
    if (!column) throw new Error(`${metadata.tablePath} has no column for ${each}.`);
    const sql = `t.${column.databaseName}`;
    return column.type === 'date' ? `(${sql}::timestamp at time zone 'UTC')` : sql;
  });
  return values.length === 1 ? values[0]! : `coalesce(${values.join(', ')})`;
}

function heldIn(family: Family, alias: string): Guard {
  const conditions = heldSql(family, alias);
  return () => `(data.has_holds(${alias}.tenant_id) and (${conditions}))`;
}

function heldSql({ definition, parts }: Family, alias: string): string {
  const own = `data.is_held(${alias}.tenant_id, '${definition.type}', to_jsonb(${alias}))`;
  const ofParts = parts.map(({ column, family }, i) => {
    const part = `${alias}${i}`;
    return `exists (select from ${family.table} ${part} where ${part}.tenant_id = ${alias}.tenant_id
      and ${part}.${column} = ${alias}.id and (${heldSql(family, part)}))`;
  });
  return [own, ...ofParts].join(' or ');
}

/** A reference that keeps a record of a type. */
interface Use {
  child: string;
  column: string;
  /** Column with the id of the record of the same type that the referring row is, or goes with; null if it does not. */
  owner: string | null;
}

const NO_REFERENCES = 'select null::uuid as owner, null::uuid as id where false';

function usesOf({ table, parts }: Family, relations: readonly Relation[]): Use[] {
  const partColumns = new Map(parts.map(({ column, family }) => [family.table, column]));
  const owners = new Map([
    ...relations.flatMap(({ child, column, parent, goes }) =>
      goes && parent === table ? [[child, column] as const] : [],
    ),
    ...partColumns,
    [table, 'id'] as const,
  ]);
  return relations
    .filter(({ keeps, parent, child, column }) => keeps && parent === table && partColumns.get(child) !== column)
    .map(({ child, column }) => ({ child, column, owner: owners.get(child) ?? null }));
}

/** Conditions of the type, and states from which the action of the rule is impossible. */
function keptBy(source: DataSource, definition: ResourceDefinition, { disposition, at }: ExpiryRule): Guard | null {
  const { data, entity, lifecycle, stateField = 'status' } = definition;
  const sql = data.keptWhile[disposition];
  const kept: Guard | null =
    sql === undefined ? null : (add) => sql.replaceAll(':now', () => `${add(at)}::timestamptz`);
  if (disposition === 'delete' || lifecycle.states.length === 1) return kept;
  const transition = disposition === 'archive' ? lifecycle.transitions['archive'] : erasureOf(definition)?.transition;
  const state = source.getMetadata(entity).findColumnWithPropertyName(stateField);
  const elsewhere: Guard | null =
    transition && state ? (add) => `t.${state.databaseName} <> all(${add(transition.from)}::text[])` : null;
  return some(kept, elsewhere);
}

/** The action of a type that erases the personal data of a record; null if fillers replace it. */
export function erasureOf({
  lifecycle,
}: ResourceDefinition): { action: string; transition: Transition<string> } | null {
  const found = Object.entries(lifecycle.transitions).find(([, { isErasure }]) => isErasure);
  return found ? { action: found[0], transition: found[1] } : null;
}

function usedBy(uses: readonly Use[], kept: Guard | null): Guard {
  const conditions = uses.map(
    ({ child, column }): Guard =>
      () =>
        `exists (select from ${child} u where u.tenant_id = t.tenant_id and u.${column} = t.id)`,
  );
  return some(kept, ...conditions) ?? (() => 'false');
}

function referencesSql({ child, column, owner }: Use): string {
  return `select u.${owner} as owner, u.${column} as id from ${child} u where u.tenant_id = $1 and u.${column} is not null`;
}

function before(at: string, days: number): string {
  return new Date(Date.parse(at) - days * DAY_MS).toISOString();
}
