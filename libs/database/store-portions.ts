import { statement, type Statement } from './statement.js';

/**
 * Stores ids as portions of `size`: rows of `data.export_parts`, numbered from 0. Returns the `size` of each.
 * @param selection finds them as `id` and `position`, counted from 1
 */
export function storePortions(
  { text, values }: Statement,
  tenantId: string,
  exportId: string,
  size: number,
): Statement {
  const [tenant, owner, length] = [1, 2, 3].map((each) => `$${values.length + each}`);
  return statement(
    `insert into data.export_parts (tenant_id, export_id, number, ids)
      select ${tenant}::uuid, ${owner}::uuid, (s.position - 1) / ${length}::integer, array_agg(s.id order by s.position)
      from (${text}) s group by 3
      returning cardinality(ids) as size`,
    [...values, tenantId, exportId, size],
  );
}
