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

/**
 * As {@link storePortions}, for a file of an archive: rows of `data.data_export_parts`, numbered from 1. Returns nothing.
 */
export function storeSection(
  { text, values }: Statement,
  place: { tenantId: string; requestId: string; position: number; type: string },
  size: number,
): Statement {
  const [tenant, request, position, type, length] = [1, 2, 3, 4, 5].map((each) => `$${values.length + each}`);
  return statement(
    `insert into data.data_export_parts (tenant_id, request_id, position, number, type, ids)
      select ${tenant}::uuid, ${request}::uuid, ${position}::integer, 1 + (s.position - 1) / ${length}::integer,
        ${type}::text, array_agg(s.id order by s.position)
      from (${text}) s group by 4`,
    [...values, place.tenantId, place.requestId, place.position, place.type, size],
  );
}
