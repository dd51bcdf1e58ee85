import type { EntityClass } from '#libs/database/data-source.js';
import { statement } from '#libs/database/statement.js';
import type { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { MergeFollower } from './merge.js';

/** Records that reference other records. Both functions run in the open transaction. */
export interface Referrer {
  /** Plural noun for the records. */
  noun: string;
  /** Whether a record outside the trash references the given one, which then cannot be deleted. */
  isUsed: (id: string) => Promise<boolean>;
  /** Moves references from `from` to `into`. */
  move: (from: string, into: string) => Promise<void>;
}

/** A service whose records reference other records by id. */
export interface ReferringService {
  readonly definition: { entity: EntityClass; collection: string };
  readonly kit: ResourceKit;
  amend(id: string, change: (row: object) => object): Promise<unknown>;
}

/**
 * References in one field. Each moved reference is a separate change with version, audit entry and event; records in
 * the trash only get the new id, so that they can be restored.
 */
export function fieldReferrer(
  service: ReferringService,
  field: string,
  changeOf: (row: object, into: string) => object = (_, into) => ({ [field]: into }),
): Referrer {
  const { definition, kit } = service;
  const { database } = kit;
  const metadata = database.source.getMetadata(definition.entity);
  const table = metadata.tablePath;
  const column = metadata.findColumnWithPropertyName(field)!.databaseName;
  const used = `select from ${table} where tenant_id = $1 and ${column} = $2 and deleted_at is null limit 1`;
  const found = `select id from ${table} where tenant_id = $1 and ${column} = $2 and deleted_at is null order by id`;
  const trash = `update ${table} set ${column} = $3, version = version + 1
    where tenant_id = $1 and ${column} = $2 and deleted_at is not null`;
  return {
    noun: definition.collection.replaceAll('-', ' '),
    async isUsed(id) {
      return (await database.read(statement(used, [currentTenant().id, id]))).length > 0;
    },
    async move(from, into) {
      const { id: tenantId } = currentTenant();
      for (const { id } of await database.read<{ id: string }>(statement(found, [tenantId, from])))
        await service.amend(id, (row) => changeOf(row, into));
      await database.transaction(async (transaction) => transaction.write(statement(trash, [tenantId, from, into])));
    },
  };
}

/** Lets a field with ids of records of any type follow merges. */
export function followerOf(service: ReferringService, field: string): MergeFollower {
  const { move } = fieldReferrer(service, field);
  return (_transaction, { from, into }) => move(from, into);
}
