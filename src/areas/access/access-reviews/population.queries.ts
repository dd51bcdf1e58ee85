import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { AccessReviewScope } from './access-review.parts.js';

/** Maximum number of items per review. */
export const MAX_ITEMS = 10_000;

/** A role of a member and the time at which it was granted. */
export interface HeldRole {
  id: string;
  at: string;
}

export interface MemberRow {
  id: string;
  name: string;
  createdAt: string;
  lastActiveAt: string | null;
  source: string | null;
  mfa: boolean;
  terminated: boolean;
  managerId: string | null;
  roles: HeldRole[];
  workspaceIds: string[];
}

export interface KeyRow {
  id: string;
  name: string;
  createdAt: string;
  lastActiveAt: string | null;
  expiresAt: string | null;
  scopes: string[];
  allowProtected: boolean;
  /** Owner of a personal key. */
  memberId: string | null;
  workspaceIds: string[];
}

export interface GrantRow {
  id: string;
  name: string;
  level: string;
  createdAt: string;
  expiresAt: string | null;
  memberId: string | null;
  workspaceId: string | null;
}

export interface ConfigurationRow {
  id: string;
  name: string;
  createdAt: string;
  lastActiveAt: string | null;
  expiresAt: string | null;
  roleIds: string[];
}

// Workspaces of a member; an empty list of wanted workspaces matches everybody.
const inWorkspaces = (member: string, wanted: string) => `(cardinality(${wanted}::uuid[]) = 0 or exists (
    select 1 from data.workspace_members w where w.tenant_id = $1 and w.membership_id = ${member}
      and w.workspace_id = any(${wanted}::uuid[])))`;

const MEMBER = `select m.id, m.name, m.created_at as "createdAt", m.last_active_at as "lastActiveAt", m.source,
    a.multi_factor_at is not null as mfa, coalesce(e.status = 'terminated', false) as terminated,
    b.membership_id as "managerId",
    coalesce((select jsonb_agg(jsonb_build_object('id', r.role_id, 'at', r.at) order by r.role_id) from (
      select role_id, min(granted_at) as at from data.role_assignments
      where tenant_id = m.tenant_id and membership_id = m.id group by role_id) r), '[]') as roles,
    coalesce((select jsonb_agg(distinct w.workspace_id) from data.workspace_members w
      where w.tenant_id = m.tenant_id and w.membership_id = m.id), '[]') as "workspaceIds"
  from data.memberships m
    cross join lateral directory.member_access(array[m.id], $2::timestamptz) a
    left join data.people_employees e on e.tenant_id = m.tenant_id and e.membership_id = m.id and e.deleted_at is null
    left join data.people_employees b on b.tenant_id = e.tenant_id and b.id = e.manager_id and b.deleted_at is null
  where m.tenant_id = $1`;
const MEMBERS = `${MEMBER} and m.deleted_at is null and m.status in ('active', 'invited')
    and (case when cardinality($4::uuid[]) = 0 then $3 else exists (select 1 from data.role_assignments r
        where r.tenant_id = $1 and r.membership_id = m.id and r.role_id = any($4::uuid[])) end
      or ($5 and (exists (select 1 from data.role_assignments r where r.tenant_id = $1 and r.membership_id = m.id
          and r.source like 'scim:%:%')
        or exists (select 1 from data.workspace_members w where w.tenant_id = $1 and w.membership_id = m.id
          and w.source like 'scim:%:%'))))
    and ${inWorkspaces('m.id', '$6')}
  order by m.name, m.id limit ${MAX_ITEMS + 1}`;
const SOME_MEMBERS = `${MEMBER} and m.id = any($3::uuid[])`;

const KEYS = `select k.id, c.name, k.created_at as "createdAt", c.last_used_at as "lastActiveAt",
    c.expires_at as "expiresAt", c.scopes, c.allow_protected as "allowProtected", c.member_id as "memberId",
    to_jsonb(k.workspace_ids) as "workspaceIds"
  from data.api_keys k join directory.api_keys(null) c on c.id = k.id
  where k.tenant_id = $1 and k.deleted_at is null and c.revoked_at is null
    and (c.expires_at is null or c.expires_at > $2::timestamptz)
    and (cardinality($3::uuid[]) = 0 or k.workspace_ids && $3::uuid[]
      or (c.member_id is not null and ${inWorkspaces('c.member_id', '$3')}))
  order by c.name, k.id limit ${MAX_ITEMS + 1}`;

const GRANTS = `select g.id, g.level || ' on ' || g.object || ' for ' || g.principal_type
      || coalesce(' ' || m.name, '') as name,
    g.level, g.created_at as "createdAt", g.expires_at as "expiresAt", g.workspace_id as "workspaceId",
    m.id as "memberId"
  from data.resource_grants g left join data.memberships m
    on m.tenant_id = g.tenant_id and m.id = g.principal_id and g.principal_type = 'membership'
  where g.tenant_id = $1 and g.effect = 'allow' and (g.expires_at is null or g.expires_at > $2::timestamptz)
    and (cardinality($3::uuid[]) = 0 or g.workspace_id = any($3::uuid[])
      or (g.principal_type = 'workspace' and g.principal_id = any($3::uuid[])))
  order by g.id limit ${MAX_ITEMS + 1}`;

const CONFIGURATIONS = `select c.id, c.name, c.created_at as "createdAt", t.last_used_at as "lastActiveAt",
    t.expires_at as "expiresAt",
    coalesce((select jsonb_agg(distinct r.id) from (
      select unnest(c.default_role_ids) as id union select unnest(s.role_ids) from data.scim_mappings s
      where s.tenant_id = c.tenant_id and s.config_id = c.id) r), '[]') as "roleIds"
  from data.scim_configs c left join directory.scim_tokens() t on t.config_id = c.id
  where c.tenant_id = $1 and c.deleted_at is null
    and (cardinality($2::uuid[]) = 0 or exists (select 1 from data.scim_mappings s
      where s.tenant_id = c.tenant_id and s.config_id = c.id and s.workspace_ids && $2::uuid[]))
  order by c.name, c.id limit ${MAX_ITEMS + 1}`;

const EARLIER = `select distinct on (i.subject_id) i.subject_id as id, i.subject_type as type,
    i.snapshot #> '{roles}' as roles
  from data.access_review_items i join data.access_reviews r on r.tenant_id = i.tenant_id and r.id = i.review_id
  where i.tenant_id = $1 and r.status = 'completed' order by i.subject_id, r.started_at desc`;

/** The members that the scope selects, at an instant. */
export function members({ memberships, roleIds, scimGroups, workspaceIds }: AccessReviewScope, at: string): Statement {
  const values = [memberships ?? false, roleIds ?? [], scimGroups ?? false, workspaceIds ?? []];
  return statement(MEMBERS, [currentTenant().id, at, ...values]);
}

/** The members with these ids, whatever their status. */
export function someMembers(ids: readonly string[], at: string): Statement {
  return statement(SOME_MEMBERS, [currentTenant().id, at, ids]);
}

/** The valid API keys of the scope, at an instant. */
export function keys({ workspaceIds }: AccessReviewScope, at: string): Statement {
  return statement(KEYS, [currentTenant().id, at, workspaceIds ?? []]);
}

/** The exceptions of the scope that allow access, at an instant. */
export function grants({ workspaceIds }: AccessReviewScope, at: string): Statement {
  return statement(GRANTS, [currentTenant().id, at, workspaceIds ?? []]);
}

/** The connections to identity providers of the scope, each with all roles that it can grant. */
export function configurations({ workspaceIds }: AccessReviewScope): Statement {
  return statement(CONFIGURATIONS, [currentTenant().id, workspaceIds ?? []]);
}

/** What completed reviews contained: each subject as it was in the last of them. */
export function earlier(): Statement {
  return statement(EARLIER, [currentTenant().id]);
}
