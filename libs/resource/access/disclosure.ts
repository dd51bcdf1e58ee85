import { every, type Guard, NOTHING } from '#libs/access/guard.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { PartType, ResourceRegistry } from '../resource-registry.js';
import type { ResourceDefinition } from '../types/definition.js';

/** SQL of the type and id of the record that a row is about. */
export interface About {
  type: string;
  id: string;
}

/** The record that a row `e` of `data.events` is about. */
export const EVENT_ABOUT: About = { type: 'e.subject_type', id: 'e.subject_id' };
/** The record that a row `t` of `data.webhook_deliveries` is about. */
export const DELIVERY_ABOUT: About = { type: 't.subject_type', id: 't.subject_id' };

/** A record type of which the caller may not know all records. */
interface HiddenType {
  object: string;
  table: string;
  disclosed: Guard;
}

/**
 * The condition for all rows that say something about records: excludes rows about records that the caller may not
 * see, about objects that belong to such records, and everything about types that the caller may not read at all. Keeps
 * rows about anything else, and rows about deleted records of types that the caller may read. Null if nothing is hidden
 * from the caller; the platform itself sees everything.
 */
export function disclosing(registry: ResourceRegistry, about: About): Guard | null {
  return hiding(registry, about, hiddenTypes(registry));
}

/**
 * As {@link disclosing}, for a right that covers the rows regardless of the record, such as reading the whole audit
 * log: excludes only rows about types that the caller may not read at all.
 */
export function ofReadableTypes(registry: ResourceRegistry, about: About): Guard | null {
  const closed = hiddenTypes(registry).filter(({ disclosed }) => disclosed === NOTHING);
  return hiding(registry, about, closed);
}

/** The types of records whose read permission the scopes of the caller's credential include; null for all. */
export function typesInScope(registry: ResourceRegistry): string[] | null {
  const caller = callerOrNull();
  const all = registry.all();
  const open = all.filter(({ permissions }) => caller?.permissions.inScope(permissions.read) ?? true);
  return open.length === all.length ? null : open.map(({ type }) => type);
}

/**
 * Only rows about records that exist, that the caller may know, and that match the condition of their type, if one is
 * given.
 */
export function aboutKnownRecord(
  registry: ResourceRegistry,
  { type, id }: About,
  limitsOf: (definition: ResourceDefinition) => Guard | null = () => null,
): Guard {
  return (add) => {
    const tenant = `${add(currentTenant().id)}::uuid`;
    // The record is looked up in the table of its type: `o` is the row, `t` is the record in the subquery.
    const cases = registry.everything().map(({ definition, service }) => {
      const limits = every(limitsOf(definition), service.disclosed());
      return `when '${definition.type}' then exists (select 1 from (select ${id}::uuid as id) o,
        ${service.table} t where t.tenant_id = ${tenant} and t.id = o.id${limits ? ` and ${limits(add)}` : ''})`;
    });
    return `(case ${type} ${cases.join(' ')} else false end)`;
  };
}

function hiddenTypes(registry: ResourceRegistry): HiddenType[] {
  return registry.everything().flatMap(({ definition, service }) => {
    const disclosed = service.disclosed();
    return disclosed ? [{ object: definition.type, table: service.table, disclosed }] : [];
  });
}

function hiding(registry: ResourceRegistry, about: About, hidden: readonly HiddenType[]): Guard | null {
  if (hidden.length === 0) return null;
  const inScope = typesInScope(registry);
  const parts = registry.parts();
  return (add) => {
    const tenant = `${add(currentTenant().id)}::uuid`;
    const isKnown = ({ type, id }: About) => {
      // Looks up the record in the table of its type: `o` is the row, `t` is the record in the subquery.
      const cases = hidden.map(({ object, table, disclosed }) =>
        disclosed === NOTHING
          ? `when '${object}' then false`
          : `when '${object}' then not exists (select 1 from (select ${id}::uuid as id) o, ${table} t
              where t.tenant_id = ${tenant} and t.id = o.id and (${disclosed(add)}) is not true)`,
      );
      return `(case ${type} ${cases.join(' ')} else true end)`;
    };
    const isPartKnown = (kind: readonly PartType[], condition: () => string): string => {
      if (kind.length === 0) return '';
      const names = kind.map(({ type }) => `'${type}'`).join(', ');
      const records = kind.map(
        ({ type, recordsOf }) =>
          `select r.type, r.id from (${recordsOf(tenant, 'o.id')}) r where ${about.type} = '${type}'`,
      );
      // All its records must be known. An object that no longer exists is not.
      return `when ${about.type} in (${names}) then (select coalesce(bool_and(${condition()}), false)
        from (select ${about.id}::uuid as id) o cross join lateral (${records.join(' union all ')}) b)`;
    };
    const [concerned, others] = [
      parts.filter(({ ofConcerned }) => ofConcerned),
      parts.filter((each) => !each.ofConcerned),
    ];
    const cases = [
      isPartKnown(others, () => isKnown({ type: 'b.type', id: 'b.id' })),
      inScope === null ? '' : isPartKnown(concerned, () => `(b.type is null or b.type = any(${add(inScope)}::text[]))`),
    ].join(' ');
    return cases.trim() === '' ? isKnown(about) : `(case ${cases} else ${isKnown(about)} end)`;
  };
}
