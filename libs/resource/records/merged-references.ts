import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { ResourceKit } from '../resource-kit.js';
import type { Merge } from './merge.js';

/**
 * What belongs to a record of any type and moves with it, as part of the merge. `$1`: tenant, `$2`: the merged record,
 * `$3`: the one that remains.
 */
const BELONGINGS = [
  'update data.comments set record_id = $3 where tenant_id = $1 and record_id = $2',
  'update data.attachments set record_id = $3 where tenant_id = $1 and record_id = $2',
  `delete from data.file_uses u where u.tenant_id = $1 and u.record_id = $2 and exists (
    select from data.file_uses o where o.tenant_id = $1 and o.file_id = u.file_id and o.object = u.object
      and o.record_id = $3 and o.place = u.place)`,
  'update data.file_uses set record_id = $3 where tenant_id = $1 and record_id = $2',
  // A link has one row for each side, both with its id. Those that the remaining record has too, or to itself, go.
  `delete from data.record_links l where l.tenant_id = $1 and l.id in (
    select a.id from data.record_links a where a.tenant_id = $1 and a.record_id = $2 and (a.other_id = $3 or exists (
      select from data.record_links b where b.tenant_id = $1 and b.record_id = $3 and b.relation = a.relation
        and b.other_id = a.other_id)))`,
  'update data.record_links set record_id = $3 where tenant_id = $1 and record_id = $2',
  'update data.record_links set other_id = $3 where tenant_id = $1 and other_id = $2',
  `delete from data.record_watchers w where w.tenant_id = $1 and w.record_id = $2 and exists (
    select from data.record_watchers o where o.tenant_id = $1 and o.record_id = $3 and o.id = w.id)`,
  'update data.record_watchers set record_id = $3 where tenant_id = $1 and record_id = $2',
  `update data.notifications set subject_id = $3, url = replace(url, ($2::uuid)::text, ($3::uuid)::text)
    where tenant_id = $1 and subject_id = $2`,
];

/** Custom fields that name records of a type, in records of all types. `$2`: the type, `$3`: the record. */
const NAMING = `
  select v.object, v.record_id as id, v.key from data.custom_field_values v
    join data.settings_custom_fields f on f.tenant_id = v.tenant_id and f.record_type = v.object and f.key = v.key
  where v.tenant_id = $1 and f.field_type = 'reference' and f.target = $2 and v.value = $3 order by v.record_id, v.key`;

/**
 * Lets everything that can name a record of any type name the one that remains after a merge: what belongs to it, custom
 * fields, and what services have registered with {@link ResourceRegistry.followMerges}. Fields of one type are the
 * concern of the service that merges. What says how things were keeps the merged record.
 */
export async function moveReferences(kit: ResourceKit, transaction: Transaction, merge: Merge): Promise<void> {
  const { id: tenantId } = currentTenant();
  const { object, from, into } = merge;
  for (const text of BELONGINGS) transaction.write(statement(text, [tenantId, from, into]));
  const named = statement(NAMING, [tenantId, object, from]);
  for (const { object: type, id, key } of await transaction.query<{ object: string; id: string; key: string }>(named)) {
    const { service } = kit.registry.ofType(type)!;
    const trashed = `update ${service.table} set custom_fields = custom_fields || jsonb_build_object($3::text, $4::text),
      version = version + 1 where tenant_id = $1 and id = $2 and deleted_at is not null returning id`;
    if ((await transaction.query(statement(trashed, [tenantId, id, key, into]))).length === 0)
      await service.amend(id, ({ customFields }) => ({ customFields: { ...customFields, [key]: into } }));
  }
  for (const follow of kit.registry.mergeFollowers()) await follow(transaction, merge);
}
