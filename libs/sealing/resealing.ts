import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { SealedColumn } from './sealed-column.js';
import { CACHE_MS, Sealer } from './sealer.js';

/** Values that one transaction seals again; their rows are locked until it ends. */
const BATCH = 100;

/**
 * A process may seal with an older key for as long as it caches the key. A version is therefore removed only if nothing
 * uses it after twice that time.
 */
const REMOVE = `delete from data.data_keys
  where tenant_id = $1 and version < $2 and unused_since < now() - ${2 * CACHE_MS} * interval '1 millisecond'`;
const NOTE_UNUSED = `update data.data_keys set unused_since = now()
  where tenant_id = $1 and version < $2 and unused_since is null`;
const NOTE_USED = `update data.data_keys set unused_since = null
  where tenant_id = $1 and version < $2 and unused_since is not null`;

/** Seals values of the current tenant again under the newest data key, and removes keys that no value uses. */
@Injectable()
export class Resealing {
  constructor(
    private readonly database: Database,
    private readonly sealer: Sealer,
  ) {}

  /**
   * Seals all values of a column again whose key is older than `newest`; returns their number. A value that changes
   * meanwhile keeps the change.
   */
  async seal(column: SealedColumn, newest: number): Promise<number> {
    let total = 0;
    for (let count = BATCH; count === BATCH; total += count) count = await this.batch(column, newest);
    return total;
  }

  /** Removes keys older than `newest`, after a round of {@link seal} over all columns found `used` values. */
  async removeUnused(newest: number, used: number): Promise<void> {
    const values = [currentTenant().id, newest];
    const statements = used > 0 ? [NOTE_USED] : [REMOVE, NOTE_UNUSED];
    await this.database.aside(statements.map((text) => statement(text, values)));
  }

  private async batch(column: SealedColumn, newest: number): Promise<number> {
    const tenantId = currentTenant().id;
    const found = await this.database.read<{ ids: string[]; sealed: string }>(
      statement(olderOf(column), [tenantId, newest]),
    );
    const update = replacementOf(column);
    const updates = await Promise.all(
      found.map(async ({ ids, sealed }) =>
        statement(update, [await this.sealer.reseal(sealed, newest, column, ...ids), tenantId, sealed, ...ids]),
      ),
    );
    if (updates.length > 0) await this.database.aside(updates);
    return found.length;
  }
}

/** A batch of values whose data key is older than `$2`. */
function olderOf({ table, column, identity }: SealedColumn): string {
  const ids = identity.map((name) => `${name}::text`).join(', ');
  return `select array[${ids}] as ids, ${column} as sealed from ${table}
    where tenant_id = $1 and substring(${column} from '^v([0-9]{1,9})[.]')::integer < $2 limit ${BATCH}`;
}

function replacementOf({ table, column, identity }: SealedColumn): string {
  const isRow = identity.map((name, index) => `${name} = $${index + 4}`).join(' and ');
  return `update ${table} set ${column} = $1 where tenant_id = $2 and ${column} = $3 and ${isRow}`;
}
