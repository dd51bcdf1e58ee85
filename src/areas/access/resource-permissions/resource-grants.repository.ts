import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { denialReaches } from '#libs/access/pieces.js';
import type { Authority } from '#libs/auth/authority.js';
import { keysOfCaller } from '#libs/auth/second-person.js';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { GRANT_VERSION, type PrincipalType, ResourceGrant } from './resource-grant.js';

/** Records and principal of an exception, which together are unique. */
export type GrantKey = Pick<ResourceGrant, 'object' | 'objectId' | 'workspaceId' | 'principalType' | 'principalId'>;

const ID_OF = `select id from data.resource_grants where tenant_id = $1 and object = $2
  and object_id is not distinct from $3 and workspace_id is not distinct from $4
  and principal_type = $5 and principal_id = $6`;
const ROLES = `select id, key, permissions from data.roles where tenant_id = $1 and id = any($2::uuid[])`;
const IS_WORKSPACE = `select 1 from data.workspaces where tenant_id = $1 and id = $2 and archived_at is null`;
const KNOWN: Record<PrincipalType, string> = {
  membership: `select 1 from data.memberships
    where tenant_id = $1 and id = $2 and deleted_at is null and status <> 'deactivated'`,
  role: `select 1 from data.roles where tenant_id = $1 and id = $2`,
  workspace: IS_WORKSPACE,
  api_key: `select 1 where directory.is_service_key($2) and $1::uuid is not null`,
  agent: `select 1 from data.intelligence_agents where tenant_id = $1 and id = $2 and deleted_at is null`,
};
/** Exceptions in force for the row `$2` of a table, with workspace `place`, for a principal with the powers `$5`. */
const inForceAt = (table: string, type: string, place: string) => `
  select g.id, g.effect, g.level from ${table} t join data.resource_grants g on g.tenant_id = t.tenant_id
    and g.object = '${type}' and (g.object_id = t.id or g.workspace_id = coalesce(${place}, $4))
  where t.tenant_id = $1 and t.id = $2 and g.principal_id = any($3::uuid[])
    and (g.expires_at is null or g.expires_at > now()) and (g.effect = 'allow' or ${denialReaches('$5::text[]')})
  order by g.created_at, g.id`;

@Injectable()
export class ResourceGrantsRepository extends ResourceRepository<ResourceGrant> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, ResourceGrant);
  }

  /** Whether an exception is for a key that the person behind the caller owns, has made or has rotated. */
  async isForOwnKey({ principalType, principalId }: Pick<ResourceGrant, 'principalType' | 'principalId'>) {
    return principalType === 'api_key' && (await keysOfCaller(this.database, [principalId])).size > 0;
  }

  /** Serializes changes of the tenant's exceptions. */
  oneByOne(): Statement {
    return oneByOne('resource_grants');
  }

  async idOf(transaction: Transaction, key: GrantKey): Promise<string | null> {
    const { object, objectId, workspaceId, principalType, principalId } = key;
    const values = [currentTenant().id, object, objectId, workspaceId, principalType, principalId];
    const [row] = await transaction.query<{ id: string }>(statement(ID_OF, values));
    return row?.id ?? null;
  }

  override async lock(transaction: Transaction, id: string): Promise<ResourceGrant | null> {
    const row = await super.lock(transaction, id);
    return row && { ...row, version: GRANT_VERSION };
  }

  override async lockAll(transaction: Transaction, guard: Guard): Promise<ResourceGrant[]> {
    return (await super.lockAll(transaction, guard)).map((row) => ({ ...row, version: GRANT_VERSION }));
  }

  /** Whether a principal exists that an exception can be granted to. System roles are not rows and not covered here. */
  async isKnown(type: PrincipalType, id: string): Promise<boolean> {
    return (await this.database.read(statement(KNOWN[type], [currentTenant().id, id]))).length > 0;
  }

  /** Whether a workspace exists and accepts records. */
  async isWorkspace(id: string): Promise<boolean> {
    return (await this.database.read(statement(IS_WORKSPACE, [currentTenant().id, id]))).length > 0;
  }

  /** The custom roles among these. */
  roles(ids: readonly string[]): Promise<{ id: string; key: string; permissions: string[] }[]> {
    return this.database.read(statement(ROLES, [currentTenant().id, ids]));
  }

  /** The exceptions in force for a record and a principal. */
  async inForce(
    { type, entity, reach }: ResourceDefinition,
    recordId: string,
    { denied, powers, defaultWorkspaceId }: Pick<Authority, 'denied' | 'powers' | 'defaultWorkspaceId'>,
  ): Promise<Pick<ResourceGrant, 'id' | 'effect' | 'level'>[]> {
    const { tablePath } = this.database.source.getMetadata(entity);
    const place = reach?.workspace ?? 't.workspace_id';
    const values = [currentTenant().id, recordId, denied, defaultWorkspaceId, powers];
    return this.database.read(statement(inForceAt(tablePath, type, place), values));
  }
}
