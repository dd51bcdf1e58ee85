import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Actor } from '#libs/tenancy/scope.js';

const SYSTEM_ROLES = Object.entries(SYSTEM_ROLE_IDS)
  .filter(([role]) => role !== 'owner')
  .map(([, id]) => `'${id}'`)
  .join(', ');

/** Existing roles of a list, sorted, without the owner role, which no provider can grant. `$1` is the tenant. */
export function existingRoles(ids: string): string {
  return `array(select distinct r from unnest(${ids}) r where r in (${SYSTEM_ROLES})
    or exists (select from data.roles k where k.tenant_id = $1 and k.id = r) order by r)`;
}

const OPEN_WORKSPACES = `array(select w.id from data.workspaces w
  where w.tenant_id = $1 and w.id = any(m.workspace_ids) and w.archived_at is null order by w.id)`;

/**
 * Serializes with changes of the mapping of the group `$2`. Otherwise a concurrent mapping change could miss a new
 * member, or a new member could miss the new mapping. A separate statement, so that the mapping is read after the lock.
 */
export const LOCK_MAPPING = `
  select 1 from data.scim_configs where tenant_id = $1
    and id = (select config_id from data.scim_groups where tenant_id = $1 and id = $2) for share`;

/** Grants of the mapping for the members of the group `$2`: none without a mapping or once it is deleted. */
export const GRANTS_OF_GROUP = `
  select g.config_id as "configId", g.display_name as "displayName",
    ${existingRoles('m.role_ids')} as "roleIds", ${OPEN_WORKSPACES} as "workspaceIds"
  from data.scim_groups g left join data.scim_mappings m on m.tenant_id = g.tenant_id and m.config_id = g.config_id
    and m.group_key = g.display_name_key and g.deleted_at is null
  where g.tenant_id = $1 and g.id = $2`;

export const GROUPS_OF_KEYS = `select id from data.scim_groups
  where tenant_id = $1 and config_id = $2 and display_name_key = any($3) and deleted_at is null order by id`;

interface Grants {
  roleIds: readonly string[];
  workspaceIds: readonly string[];
}

const DIFFERS = `coalesce(h.roles, '{}') <> case when w.id is null then '{}' else $4::uuid[] end
    or coalesce(p.places, '{}') <> case when w.id is null then '{}' else $5::uuid[] end`;
// Compares the members of the group with the holders of its grants, using the indexes on group and source.
const DIFFERING = `
  with wanted as (
    select user_id as id from data.scim_group_members where tenant_id = $1 and group_id = $2),
  held as (
    select membership_id as id, array_agg(role_id order by role_id) as roles from data.role_assignments
    where tenant_id = $1 and source = $3 group by 1),
  placed as (
    select membership_id as id, array_agg(workspace_id order by workspace_id) as places from data.workspace_members
    where tenant_id = $1 and source = $3 group by 1)
  select id, w.id is not null as "isMember"
  from wanted w full join held h using (id) full join placed p using (id) where ${DIFFERS} limit $6`;
// For a few users: looked up by user; `offset 0` makes PostgreSQL read by user before it filters by source.
const FEW_DIFFERING = `
  select u.id, w.id is not null as "isMember" from (select distinct unnest($7::uuid[]) as id) u
  left join lateral (
    select user_id as id from data.scim_group_members
    where tenant_id = $1 and group_id = $2 and user_id = u.id limit 1) w on true
  cross join lateral (
    select array_agg(role_id order by role_id) as roles from (
      select role_id, source from data.role_assignments where tenant_id = $1 and membership_id = u.id offset 0) a
    where source = $3) h
  cross join lateral (
    select array_agg(workspace_id order by workspace_id) as places from (
      select workspace_id, source from data.workspace_members where tenant_id = $1 and membership_id = u.id offset 0) a
    where source = $3) p
  where ${DIFFERS} limit $6`;

/** Members whose grants from a group are outdated, up to `limit`; `userIds` null for all. */
export function differing(
  tenantId: string,
  groupId: string,
  source: string,
  { roleIds, workspaceIds }: Grants,
  userIds: readonly string[] | null,
  limit: number,
): Statement {
  const values = [tenantId, groupId, source, roleIds, workspaceIds, limit];
  return userIds ? statement(FEW_DIFFERING, [...values, userIds]) : statement(DIFFERING, values);
}

const MEMBERS = `select user_id from data.scim_group_members where tenant_id = $1 and group_id = $2`;
const TAKE_ROLES = `delete from data.role_assignments where tenant_id = $1 and source = $3
  and (role_id <> all($4) or membership_id not in (${MEMBERS}))`;
const GIVE_ROLES = `
  insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at)
  select $1, m.user_id, r.id, $3, $5 from (${MEMBERS}) m, unnest($4::uuid[]) r (id) on conflict do nothing`;
const LEAVE_WORKSPACES = `delete from data.workspace_members where tenant_id = $1 and source = $3
  and (workspace_id <> all($4) or membership_id not in (${MEMBERS}))`;
const JOIN_WORKSPACES = `
  insert into data.workspace_members (tenant_id, workspace_id, membership_id, workspace_role, source, added_at, added_by)
  select $1, w.id, m.user_id, 'member', $3, $5, $6 from (${MEMBERS}) m, unnest($4::uuid[]) w (id) on conflict do nothing`;

/** Corrects the grants of all members of a group in one statement. */
export function giveAll(
  tenantId: string,
  groupId: string,
  source: string,
  { roleIds, workspaceIds, at, by }: Grants & { at: string; by: Actor },
): Statement[] {
  const group = [tenantId, groupId, source];
  return [
    statement(TAKE_ROLES, [...group, roleIds]),
    statement(GIVE_ROLES, [...group, roleIds, at]),
    statement(LEAVE_WORKSPACES, [...group, workspaceIds]),
    statement(JOIN_WORKSPACES, [...group, workspaceIds, at, JSON.stringify(by)]),
  ];
}
