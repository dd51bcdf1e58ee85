import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type Feature, FEATURES } from './features.js';
import { powersOf } from './permission-risk.js';
import { type RoleGrant, grantsOf, parseGrants, SYSTEM_ROLE_IDS, systemRoleOf } from './roles.js';

/** Summary of the exceptions that apply to a principal for records of one type. */
export interface GrantSummary {
  /** Type key, e.g. `sales.deal`. */
  object: string;
  effect: 'allow' | 'deny';
  /** From 1 (view) to 4 (manage). */
  rank: number;
  /** Whether at least one is for a single record. */
  single: boolean;
  /** Whether at least one is for all records of the type in a workspace. */
  wide: boolean;
  /** When the last of them expires; null for never. */
  until: string | null;
}

/** The position of a principal in the tenant, which determines the reach of their rights. */
export interface Authority {
  /** Null for a service key and for the platform itself. */
  membershipId: string | null;
  roleIds: readonly string[];
  /** Workspaces that they belong to, except as a guest. */
  workspaceIds: readonly string[];
  /** Those of the workspaces that they lead. */
  leads: readonly string[];
  /** Workspaces that the credential is confined to; null for all. */
  confinedTo: readonly string[] | null;
  /** The workspace of records without one; null when the tenant has no default workspace. */
  defaultWorkspaceId: string | null;
  /** Ids that grants can name: the member, their roles and workspaces, or the service key. */
  granted: readonly string[];
  /** Ids that denials can name: all of `granted`, and the key even when it acts for a member. */
  denied: readonly string[];
  /** Exceptions by record type. */
  exceptions: ReadonlyMap<string, readonly GrantSummary[]>;
  /**
   * Privileged permissions. Denials issued by somebody with fewer of them, for a role or workspace, do not apply; see
   * `powersOf`.
   */
  powers: readonly string[];
}

/** The authority of the platform itself, which has no position in a tenant. */
export const NO_AUTHORITY: Authority = {
  membershipId: null,
  roleIds: [],
  workspaceIds: [],
  leads: [],
  confinedTo: null,
  defaultWorkspaceId: null,
  granted: [],
  denied: [],
  exceptions: new Map(),
  powers: [],
};

/** Settings of the tenant that apply to each of its credentials. */
export interface TenantRules {
  /** Addresses and networks that credentials may be used from; any if empty. */
  ipAllowList: readonly string[];
  switchedOff: ReadonlySet<Feature>;
}

/** Status, grants and authority of a member or a service key. */
export interface Standing {
  /** Status of the membership, `deleted` when it was removed; null for a service key. */
  status: string | null;
  grants: readonly RoleGrant[];
  authority: Authority;
  rules: TenantRules;
}

interface Row {
  status: string | null;
  roleIds: string[];
  permissions: string[];
  places: { id: string; role: 'lead' | 'member' | 'guest' }[];
  confinedTo: string[] | null;
  defaultWorkspaceId: string | null;
  exceptions: GrantSummary[];
  ipAllowList: string[] | null;
  features: Partial<Record<Feature, boolean>> | null;
}

// $1 tenant, $2 membership or null, $3 ids of the key.
const READ = `
  with roles as materialized (
    select distinct role_id as id from data.role_assignments where tenant_id = $1 and membership_id = $2),
  places as materialized (
    select workspace_id as id, min(array_position(array['lead', 'member', 'guest'], workspace_role)) as place
    from data.workspace_members where tenant_id = $1 and membership_id = $2 group by workspace_id),
  principals as materialized (
    select $2::uuid as id where $2 is not null union all select id from roles
    union all select id from places where place < 3 union all select unnest($3::uuid[]))
  select
    (select case when m.deleted_at is null then m.status else 'deleted' end
      from data.memberships m where m.tenant_id = $1 and m.id = $2) as status,
    array(select id::text from roles) as "roleIds",
    array(select distinct p.permission from data.roles r cross join unnest(r.permissions) p (permission)
      where r.tenant_id = $1 and r.id in (select id from roles)) as permissions,
    (select coalesce(jsonb_agg(jsonb_build_object(
      'id', id, 'role', (array['lead', 'member', 'guest'])[place])), '[]') from places) as places,
    (select nullif(workspace_ids, '{}')::text[] from data.api_keys where tenant_id = $1 and id = any($3::uuid[])) as "confinedTo",
    (select id from data.workspaces where tenant_id = $1 and is_default) as "defaultWorkspaceId",
    (select coalesce(jsonb_agg(e), '[]') from (
      select g.object, g.effect, g.rank, bool_or(g.object_id is not null) as single, bool_or(g.object_id is null) as wide,
        nullif(max(coalesce(g.expires_at, 'infinity')), 'infinity') as until
      from data.resource_grants g
      where g.tenant_id = $1 and g.principal_id in (select id from principals)
        and (g.expires_at is null or g.expires_at > now())
        and (g.principal_type <> 'api_key' or g.effect = 'deny' or $2 is null)
      group by g.object, g.effect, g.rank) e) as exceptions,
    (select s.values #> '{security,ipAllowList}' from data.tenant_settings s where s.tenant_id = $1) as "ipAllowList",
    (select s.values -> 'features' from data.tenant_settings s where s.tenant_id = $1) as features`;

/** Reads the standing of members and service keys of the tenant in scope. */
@Injectable()
export class Authorities {
  constructor(private readonly database: Database) {}

  /** @param keyIds of the credential: its own and its lineage; empty to read the member regardless of credential. */
  async read(membershipId: string | null, keyIds: readonly string[]): Promise<Standing> {
    const [row] = await this.database.read<Row>(statement(READ, [currentTenant().id, membershipId, [...keyIds]]));
    const { roleIds, permissions, confinedTo, defaultWorkspaceId, exceptions, ipAllowList, features } = row!;
    const places = row!.places.filter(({ id }) => confinedTo?.includes(id) ?? true);
    const own = places.filter(({ role }) => role !== 'guest').map(({ id }) => id);
    const workspaceIds = membershipId === null ? (confinedTo ?? []) : own;
    const person = [...(membershipId === null ? [] : [membershipId]), ...roleIds, ...workspaceIds];
    const grants = [...roleIds.flatMap(ofSystemRole), ...parseGrants(permissions)];
    const holds = (wanted: string) =>
      grants.some(({ permission, reach }) => permission === wanted && reach === 'tenant');
    return {
      status: membershipId === null ? null : (row!.status ?? 'deleted'),
      grants,
      rules: {
        ipAllowList: ipAllowList ?? [],
        switchedOff: new Set(FEATURES.filter((each) => features?.[each] === false)),
      },
      authority: {
        membershipId,
        roleIds,
        workspaceIds,
        confinedTo,
        leads: places.filter(({ role }) => role === 'lead').map(({ id }) => id),
        defaultWorkspaceId,
        granted: membershipId === null ? keyIds : person,
        denied: [...person, ...keyIds],
        exceptions: Map.groupBy(exceptions, ({ object }) => object),
        powers: powersOf(holds, roleIds.includes(SYSTEM_ROLE_IDS.owner)),
      },
    };
  }
}

function ofSystemRole(id: string): readonly RoleGrant[] {
  const role = systemRoleOf(id);
  return role ? grantsOf(role) : [];
}
