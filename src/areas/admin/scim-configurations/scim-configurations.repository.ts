import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { countOf } from '#libs/members/member-counts.js';
import { fold } from '#libs/kernel/fold.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { ActorView } from '#libs/resource/record.dto.js';
import type { GroupMapping, ScimConfiguration, ScimConfigurationFacts } from './scim-configuration.dto.js';
import type { ScimEvent } from './scim-event.dto.js';

/** A configuration as it is kept, with its mapping. */
export interface StoredConfiguration extends Omit<ScimConfigurationFacts, 'object'> {
  tokenLast4: string;
  createdBy: ActorView;
}

/** What is known of its use besides. */
export type ConfigurationFigures = Pick<
  ScimConfiguration,
  'tokenPrefix' | 'tokenExpiresAt' | 'lastUsedAt' | 'userCount' | 'groupCount' | 'recentErrors'
>;

const MAPPING = `coalesce((select json_agg(json_build_object('group', m.group_name, 'roleIds', m.role_ids,
    'workspaceIds', m.workspace_ids) order by m.position)
  from data.scim_mappings m where m.tenant_id = c.tenant_id and m.config_id = c.id), '[]') as "groupRoleMap"`;
const COLUMNS = `c.id, c.name, c.status, c.default_role_ids as "defaultRoleIds", ${MAPPING},
  c.deprovision_action as "deprovisionAction", c.allowed_domains as "allowedDomains", c.version,
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.token_last4 as "tokenLast4", c.created_by as "createdBy"`;
const FIGURES = `'scim_' || t.key_id as "tokenPrefix", t.expires_at as "tokenExpiresAt", t.last_used_at as "lastUsedAt",
  ${countOf('scim_user', 'c.tenant_id', 'c.id')} as "userCount",
  ${countOf('scim_group', 'c.tenant_id', 'c.id')} as "groupCount",
  (select count(*)::int from data.scim_log l where l.tenant_id = c.tenant_id and l.config_id = c.id
    and l.status >= 400 and l.at > $2) as "recentErrors"`;
const LIST = `select ${COLUMNS}, ${FIGURES}
  from data.scim_configs c left join directory.scim_tokens() t on t.config_id = c.id
  where c.tenant_id = $1 and c.deleted_at is null and ($3::uuid is null or c.id = $3) order by c.created_at, c.id limit 200`;
const LOCK = `select ${COLUMNS} from data.scim_configs c
  where c.tenant_id = $1 and c.id = $2 and c.deleted_at is null for update of c`;
const COUNT = `select count(*)::int as count from data.scim_configs where tenant_id = $1 and deleted_at is null`;
const INSERT = `insert into data.scim_configs (tenant_id, id, name, status, default_role_ids, deprovision_action,
    allowed_domains, token_last4, version, created_at, created_by, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;
const SAVE = `update data.scim_configs set name = $3, status = $4, default_role_ids = $5, deprovision_action = $6,
    allowed_domains = $7, token_last4 = $8, version = $9, updated_at = $10 where tenant_id = $1 and id = $2`;
const BURY = `update data.scim_configs set status = 'disabled', deleted_at = $3, version = version + 1, updated_at = $3
  where tenant_id = $1 and id = $2`;
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

/** Configurations of identity providers of the tenant in scope. */
@Injectable()
export class ScimConfigurationsRepository {
  constructor(private readonly database: Database) {}

  /** All configurations, or the one with an id, the oldest first; errors are counted since an instant. */
  list(since: string, id: string | null): Promise<(StoredConfiguration & ConfigurationFigures)[]> {
    return this.database.read(statement(LIST, [currentTenant().id, since, id]));
  }

  /** The last 100 calls of all providers, the newest first. */
  events(): Promise<ScimEvent[]> {
    return this.database.read(statement(EVENTS, [currentTenant().id]));
  }

  /** A configuration that nobody else changes until the transaction ends; null when there is none. */
  async lock(transaction: Transaction, id: string): Promise<StoredConfiguration | null> {
    const [row] = await transaction.query<StoredConfiguration>(statement(LOCK, [currentTenant().id, id]));
    return row ?? null;
  }

  async count(transaction: Transaction): Promise<number> {
    const [row] = await transaction.query<{ count: number }>(statement(COUNT, [currentTenant().id]));
    return row!.count;
  }

  /** Those of the ids that name no workspace that can be joined. */
  async unknownWorkspaces(transaction: Transaction, ids: readonly string[]): Promise<Set<string>> {
    const rows = await transaction.query<{ id: string }>(statement(UNKNOWN_WORKSPACES, [currentTenant().id, ids]));
    return new Set(rows.map(({ id }) => id));
  }

  insert(config: StoredConfiguration): Statement {
    const { createdAt, createdBy, updatedAt } = config;
    return statement(INSERT, [...columnsOf(config), createdAt, JSON.stringify(createdBy), updatedAt]);
  }

  save(config: StoredConfiguration): Statement {
    return statement(SAVE, [...columnsOf(config), config.updatedAt]);
  }

  /** The row stays, for what names it. */
  bury(id: string, at: string): Statement {
    return statement(BURY, [currentTenant().id, id, at]);
  }

  /** The statements that give a configuration another mapping. */
  map(id: string, mapping: readonly GroupMapping[]): Statement[] {
    const rows = mapping.map(({ group, roleIds, workspaceIds }, place) => ({
      key: fold(group),
      name: group,
      place,
      roles: roleIds,
      places: workspaceIds,
    }));
    const own = [currentTenant().id, id];
    return [statement(UNMAP, own), statement(MAP, [...own, JSON.stringify(rows)])];
  }
}

function columnsOf(config: StoredConfiguration): unknown[] {
  const { id, name, status, defaultRoleIds, deprovisionAction, allowedDomains, tokenLast4, version } = config;
  return [currentTenant().id, id, name, status, defaultRoleIds, deprovisionAction, allowedDomains, tokenLast4, version];
}
