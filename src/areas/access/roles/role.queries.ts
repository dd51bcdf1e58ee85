import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

// Sources are kept: each source now grants the replacement instead.
const REPLACE = `
  with taken as (
    delete from data.role_assignments where tenant_id = $1 and role_id = $2 returning membership_id, source),
  given as (
    insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at)
    select $1, membership_id, $3, source, $4 from taken on conflict do nothing)
  update data.memberships m set version = m.version + 1, updated_at = $4
  where m.tenant_id = $1 and m.id in (select membership_id from taken)`;
/** Other lists of role ids, through which a role will be granted later. */
const LISTS = [
  { table: 'data.invitations', column: 'role_ids', where: `status = 'pending'` },
  { table: 'data.workspaces', column: 'default_role_ids', where: 'true' },
  { table: 'data.scim_configs', column: 'default_role_ids', where: 'deleted_at is null' },
  { table: 'data.scim_mappings', column: 'role_ids', where: 'true' },
];
const PROMISED = LISTS.map(
  ({ table, column, where }) =>
    `exists (select 1 from ${table} where tenant_id = $1 and ${where} and $2 = any(${column}))`,
);
const REPLACE_PROMISES = LISTS.map(
  ({ table, column, where }) =>
    `update ${table} set ${column} = case when $3 = any(${column}) then array_remove(${column}, $2::uuid)
       else array_replace(${column}, $2::uuid, $3::uuid) end where tenant_id = $1 and ${where} and $2 = any(${column})`,
);
const IS_PROMISED = `select where ${PROMISED.join(' or ')}`;

/** Returns a row if an invitation, a workspace or a SCIM configuration will grant a role. */
export const promised = (id: string): Statement => statement(IS_PROMISED, [currentTenant().id, id]);

/** Replaces a role wherever it is granted or will be. */
export function replacements(id: string, replacement: string, at: string): Statement[] {
  const values = [currentTenant().id, id, replacement];
  return [statement(REPLACE, [...values, at]), ...REPLACE_PROMISES.map((text) => statement(text, values))];
}
