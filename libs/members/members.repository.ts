import { Injectable } from '@nestjs/common';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { byIds } from '#libs/database/by-ids.js';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Member, WorkspaceRole } from './member.js';

/**
 * SQL for whether a SCIM configuration manages the membership `m`. Not written as `exists`, because PostgreSQL may then
 * collect all users of the tenant first.
 */
export const MANAGED_BY_SCIM = `coalesce((select s.config_id is not null from data.scim_users s
  where s.tenant_id = m.tenant_id and s.id = m.id), false)`;

const SELECT = `
  select m.id, m.user_id as "userId", m.email, m.name, m.title, m.status, m.source, m.version,
    m.locale, m.timezone, case when m.delegate_id is not null then jsonb_build_object(
      'fromDate', m.away_from, 'toDate', m.away_to, 'delegateId', m.delegate_id) end as "outOfOffice",
    m.working_hours as "workingHours",
    m.away_on_leave as "awayOnLeave", m.notifications,
    m.session_epoch as "sessionEpoch", m.joined_at as "joinedAt", m.last_active_at as "lastActiveAt",
    m.created_at as "createdAt", m.updated_at as "updatedAt", ${MANAGED_BY_SCIM} as "managedByScim",
    coalesce((select jsonb_agg(jsonb_build_object('roleId', a.role_id, 'source', a.source) order by a.role_id, a.source)
      from data.role_assignments a where a.tenant_id = m.tenant_id and a.membership_id = m.id), '[]') as roles,
    coalesce((select jsonb_agg(jsonb_build_object('workspaceId', w.workspace_id, 'workspaceRole', w.workspace_role,
        'source', w.source) order by w.workspace_id, w.source)
      from data.workspace_members w where w.tenant_id = m.tenant_id and w.membership_id = m.id), '[]') as workspaces`;
const FIND = `${SELECT} from ${byIds('data.memberships', 'm', '*')} order by m.id`;
// Separate from the read: a statement that waits for row locks still reads other tables from its original snapshot.
const LOCK = `select m.id from ${byIds('data.memberships', 'm', 'id', 'for no key update')}`;
const ID_OF_EMAIL = `select id from data.memberships
  where tenant_id = $1 and email_lower = data.fold($2) and deleted_at is null`;
const INSERT = `
  insert into data.memberships (tenant_id, id, user_id, email, name, title, status, source, joined_at, created_at,
    updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`;
const SAVE = `
  update data.memberships set user_id = $3, email = $4, name = $5, title = $6, status = $7, version = $8,
    session_epoch = $9, joined_at = $10, updated_at = $11, locale = $12, timezone = $13, away_from = $14, away_to = $15,
    delegate_id = $16, notifications = $17, away_on_leave = $18,
    working_hours = $19 where tenant_id = $1 and id = $2`;
const BURY = `update data.memberships set status = 'deactivated', version = $3, session_epoch = $4, updated_at = $5,
    deleted_at = $5 where tenant_id = $1 and id = $2`;
const GIVE_ROLES = `
  insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at)
  select $1, $2, r.id, $4, $5 from unnest($3::uuid[]) as r (id) on conflict do nothing`;
const TAKE_ROLES = `delete from data.role_assignments
  where tenant_id = $1 and membership_id = $2 and role_id = any($3::uuid[]) and source = $4`;
/** Roles whose holders become lead of the default workspace when it has none. */
const RUN_TENANT = [SYSTEM_ROLE_IDS.owner, SYSTEM_ROLE_IDS.admin];
// Whoever joins a workspace without a lead becomes its lead, so a workspace with members always has one. The default
// workspace, which everybody joins, is led by the first owner or administrator, who may manage it anyway.
const JOIN_WORKSPACES = `
  with wanted as (
    select * from unnest($3::uuid[], $4::text[]) as w (id, role)),
  led as (
    update data.workspaces w set lead_id = $2, version = w.version + 1, updated_at = $6
    from wanted where w.tenant_id = $1 and w.id = wanted.id and w.lead_id is null and wanted.role <> 'guest'
      and (not w.is_default or exists (select 1 from data.role_assignments a
        where a.tenant_id = $1 and a.membership_id = $2 and a.role_id = any($8::uuid[])))
    returning w.id)
  insert into data.workspace_members as p (tenant_id, workspace_id, membership_id, workspace_role, source, added_at, added_by)
  select $1, id, $2, case when id in (select id from led) then 'lead' else role end, $5, $6, $7 from wanted
  on conflict (tenant_id, workspace_id, membership_id, source) do update set workspace_role = excluded.workspace_role`;
const LEAVE_WORKSPACES = `delete from data.workspace_members
  where tenant_id = $1 and membership_id = $2 and workspace_id = any($3::uuid[]) and source = $4`;
// The successor is another lead or the longest-standing member, active members first. Guests never succeed.
const SUCCEED = `
  with left_behind as (
    select w.id, (
      select p.membership_id from data.workspace_members p
        join data.memberships m on m.tenant_id = p.tenant_id and m.id = p.membership_id and m.deleted_at is null
      where p.tenant_id = $1 and p.workspace_id = w.id and p.workspace_role <> 'guest' and p.membership_id <> $2
      order by m.status = 'active' desc, p.workspace_role = 'lead' desc, p.added_at, p.membership_id limit 1) as heir
    from data.workspaces w where w.tenant_id = $1 and w.id = any($3::uuid[]) and w.lead_id = $2
      and not exists (select 1 from data.workspace_members p
        where p.tenant_id = $1 and p.workspace_id = w.id and p.membership_id = $2)),
  raised as (
    update data.workspace_members p set workspace_role = 'lead' from left_behind l
    where p.tenant_id = $1 and p.workspace_id = l.id and p.membership_id = l.heir)
  update data.workspaces w set lead_id = l.heir, version = w.version + 1, updated_at = $4
  from left_behind l where w.tenant_id = $1 and w.id = l.id`;
const DEFAULT_WORKSPACE = `select id from data.workspaces where tenant_id = $1 and is_default`;
const OTHER_OWNER = `
  select exists (select 1 from data.role_assignments a
      join data.memberships m on m.tenant_id = a.tenant_id and m.id = a.membership_id
    where a.tenant_id = $1 and a.role_id = $2 and a.membership_id <> $3 and m.status = 'active'
      and m.deleted_at is null) as found`;

/** Reads and writes memberships with their roles and workspaces. */
@Injectable()
export class MembersRepository {
  constructor(private readonly database: Database) {}

  async find(ids: readonly string[]): Promise<Member[]> {
    return this.database.read<Member>(statement(FIND, [currentTenant().id, ids]));
  }

  /** Locks the members with these ids, in the order of their ids, until the transaction ends. */
  async lock(transaction: Transaction, ids: readonly string[]): Promise<Member[]> {
    const values = [currentTenant().id, ids];
    const [, rows] = await transaction.queryAll([statement(LOCK, values), statement(FIND, values)]);
    return rows as unknown as Member[]; // the columns are selected under the names of its members
  }

  async idOfEmail(transaction: Transaction, email: string): Promise<string | null> {
    const [row] = await transaction.query<{ id: string }>(statement(ID_OF_EMAIL, [currentTenant().id, email]));
    return row?.id ?? null;
  }

  insert({ id, userId, email, name, title, status, source, joinedAt, createdAt }: Member): Statement {
    const values = [id, userId, email, name, title, status, source, joinedAt, createdAt];
    return statement(INSERT, [currentTenant().id, ...values]);
  }

  save(member: Member): Statement {
    const { id, userId, email, name, title, status, version, sessionEpoch, joinedAt, updatedAt } = member;
    const { locale, timezone, workingHours, outOfOffice: away, awayOnLeave, notifications } = member;
    const values = [id, userId, email, name, title, status, version, sessionEpoch, joinedAt, updatedAt];
    const absence = [away?.fromDate ?? null, away?.toDate ?? null, away?.delegateId ?? null];
    const hours = workingHours && JSON.stringify(workingHours);
    const own = [locale, timezone, ...absence, JSON.stringify(notifications), awayOnLeave, hours];
    return statement(SAVE, [currentTenant().id, ...values, ...own]);
  }

  /** Leaves a tombstone: the address can be used again, the id cannot. */
  bury({ id, version, sessionEpoch, updatedAt }: Member): Statement {
    return statement(BURY, [currentTenant().id, id, version, sessionEpoch, updatedAt]);
  }

  /** Serializes transactions that count seats or owners of the tenant. */
  oneByOne(): Statement {
    return oneByOne('memberships');
  }

  giveRoles(memberId: string, roleIds: readonly string[], source: string, at: string): Statement {
    return statement(GIVE_ROLES, [currentTenant().id, memberId, roleIds, source, at]);
  }

  takeRoles(memberId: string, roleIds: readonly string[], source: string): Statement {
    return statement(TAKE_ROLES, [currentTenant().id, memberId, roleIds, source]);
  }

  joinWorkspaces(
    memberId: string,
    places: readonly { workspaceId: string; workspaceRole: WorkspaceRole }[],
    given: { source: string; at: string; by: ActorStamp },
  ): Statement {
    const ids = places.map(({ workspaceId }) => workspaceId);
    const roles = places.map(({ workspaceRole }) => workspaceRole);
    const values = [memberId, ids, roles, given.source, given.at, JSON.stringify(given.by), RUN_TENANT];
    return statement(JOIN_WORKSPACES, [currentTenant().id, ...values]);
  }

  /** Revokes what a source granted. If the member led a workspace and is no longer in it, the lead passes on. */
  leaveWorkspaces(memberId: string, workspaceIds: readonly string[], source: string, at: string): Statement[] {
    const values = [currentTenant().id, memberId, workspaceIds];
    return [statement(LEAVE_WORKSPACES, [...values, source]), statement(SUCCEED, [...values, at])];
  }

  /** Id of the workspace that new members join by default. */
  async defaultWorkspace(transaction: Transaction): Promise<string> {
    const [row] = await transaction.query<{ id: string }>(statement(DEFAULT_WORKSPACE, [currentTenant().id]));
    if (!row) throw new Error('The tenant has no default workspace.');
    return row.id;
  }

  /** Whether the tenant has another active owner. Exact only after {@link oneByOne}. */
  async hasOtherOwner(transaction: Transaction, ownerRoleId: string, memberId: string): Promise<boolean> {
    const values = [currentTenant().id, ownerRoleId, memberId];
    const [row] = await transaction.query<{ found: boolean }>(statement(OTHER_OWNER, values));
    return row!.found;
  }
}
