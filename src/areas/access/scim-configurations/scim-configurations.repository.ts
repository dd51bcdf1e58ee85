import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { countOf } from '#libs/members/member-counts.js';
import { comparisonKey } from '#libs/kernel/domain.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type Guard, type Marks } from '#libs/resource/lists/table.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { type GroupMapping, ScimConfiguration } from './scim-configuration.js';
import type { ScimEvent } from './scim-event.js';

const LIVE: Guard = () => 't.deleted_at is null';
const MAPPING = `select config_id as id, json_agg(json_build_object('group', group_name, 'roleIds', role_ids,
    'workspaceIds', workspace_ids) order by position) as mapping
  from data.scim_mappings where tenant_id = $1 and config_id = any($2::uuid[]) group by config_id`;
const FIGURES = `select c.id, 'scim_' || t.key_id as "tokenPrefix", t.expires_at as "tokenExpiresAt", t.last_used_at as "lastUsedAt",
  ${countOf('scim_user', 'c.tenant_id', 'c.id')} as "userCount",
  ${countOf('scim_group', 'c.tenant_id', 'c.id')} as "groupCount",
  (select count(*)::int from data.scim_log l where l.tenant_id = c.tenant_id and l.config_id = c.id
    and l.status >= 400 and l.at > $2) as "recentErrors"
  from data.scim_configs c left join directory.scim_tokens() t on t.config_id = c.id
  where c.tenant_id = $1 and c.id = any($3::uuid[])`;
const UNMAP = `delete from data.scim_mappings where tenant_id = $1 and config_id = $2`;
const MAP = `insert into data.scim_mappings (tenant_id, config_id, group_key, group_name, position, role_ids, workspace_ids)
  select $1, $2, m.key, m.name, m.place, array(select jsonb_array_elements_text(m.roles)::uuid),
    array(select jsonb_array_elements_text(m.places)::uuid)
  from jsonb_to_recordset($3) as m (key text, name text, place smallint, roles jsonb, places jsonb)`;
const EVENTS = `select config_id as "configurationId", method, path, status::int, subject, error, at,
    request_id as "requestId"
  from data.scim_log where tenant_id = $1 order by id desc limit 100`;
const UNKNOWN_WORKSPACES = `select w.id from unnest($2::uuid[]) w (id)
  where not exists (select from data.workspaces k where k.tenant_id = $1 and k.id = w.id and k.archived_at is null)`;

/** Configurations that have not been removed, each with its group mapping. */
@Injectable()
export class ScimConfigurationsRepository extends ResourceRepository<ScimConfiguration> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, ScimConfiguration);
  }

  override async all(guard: Guard = LIVE): Promise<ScimConfiguration[]> {
    return this.mapped(await super.all(guard));
  }

  override async find(id: string, guard: Guard | null = null): Promise<ScimConfiguration | null> {
    const row = await super.find(id, guard ?? LIVE);
    return row && (await this.mapped([row]))[0]!;
  }

  override async lock(
    transaction: Transaction,
    id: string,
    guard: Guard | null = null,
    marks: Marks | null = null,
  ): Promise<ScimConfiguration | null> {
    const row = await super.lock(transaction, id, guard ?? LIVE, marks);
    return row && (await this.mapped([row]))[0]!;
  }

  /** Configurations with usage figures; errors are counted from `since`. */
  async withFigures(rows: readonly ScimConfiguration[], since: string): Promise<ScimConfiguration[]> {
    const query = statement(FIGURES, [currentTenant().id, since, rows.map(({ id }) => id)]);
    const known = await this.database.read<{ id: string }>(query);
    return rows.map((row) => ({ ...row, ...known.find(({ id }) => id === row.id) }));
  }

  /** The last 100 calls of all providers, newest first. */
  events(): Promise<ScimEvent[]> {
    return this.database.read(statement(EVENTS, [currentTenant().id]));
  }

  /** Those of the ids that are not workspaces open for members. */
  async unknownWorkspaces(transaction: Transaction, ids: readonly string[]): Promise<Set<string>> {
    const rows = await transaction.query<{ id: string }>(statement(UNKNOWN_WORKSPACES, [currentTenant().id, ids]));
    return new Set(rows.map(({ id }) => id));
  }

  /** The statements that replace the mapping of a configuration. */
  map(id: string, mapping: readonly GroupMapping[]): Statement[] {
    const rows = mapping.map(({ group, roleIds, workspaceIds }, place) => ({
      key: comparisonKey(group),
      name: group,
      place,
      roles: roleIds,
      places: workspaceIds,
    }));
    const own = [currentTenant().id, id];
    return [statement(UNMAP, own), statement(MAP, [...own, JSON.stringify(rows)])];
  }

  private async mapped(rows: readonly ScimConfiguration[]): Promise<ScimConfiguration[]> {
    const query = statement(MAPPING, [currentTenant().id, rows.map(({ id }) => id)]);
    const known = await this.database.read<{ id: string; mapping: GroupMapping[] }>(query);
    return rows.map((row) => ({ ...row, groupRoleMap: known.find(({ id }) => id === row.id)?.mapping ?? [] }));
  }
}
