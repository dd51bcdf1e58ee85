import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { amongReadable } from '../access/readable.js';
import type { ResourceRegistry } from '../resource-registry.js';
import type { Label, Labels } from './record-page.js';

/**
 * The labels of all ids, which are given by table, in one statement. Whether the caller may see a record is decided as
 * for a request for the record itself.
 */
export async function labelsOf(
  database: Database,
  registry: ResourceRegistry,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Labels> {
  const values: unknown[] = [currentTenant().id];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const named = [...wanted].filter(([, ids]) => ids.size > 0);
  const selects = named.flatMap(([table, ids]) => selectLabels(registry, table, [...ids], add));
  const rows = selects.length > 0 ? await database.read<Label>(statement(selects.join(' union all '), values)) : [];
  const labels: Labels = {};
  for (const [, ids] of named) for (const id of ids) labels[id] = null;
  for (const row of rows) labels[row.id] = row;
  return labels;
}

/** SQL of the labels of a table, if the caller may see any. */
function selectLabels(
  registry: ResourceRegistry,
  table: string,
  ids: readonly string[],
  add: (value: unknown) => string,
): string[] {
  const resource = registry.ofTable(table);
  if (resource) {
    const found = amongReadable(resource, ids, add);
    return found === null ? [] : [`select '${resource.definition.type}' as object, t.id, t.reference, t.name ${found}`];
  }
  const objects = registry.labelledIn(table);
  if (!objects) throw new Error(`Nothing is known of the names in ${table}.`);
  const known = objects.known();
  return [
    `select '${objects.type}' as object, t.id, null as reference, t.name from ${table} t
    where t.tenant_id = $1 and t.id = any(${add(ids)}::uuid[]) ${known ? `and ${known(add)}` : ''}`,
  ];
}
