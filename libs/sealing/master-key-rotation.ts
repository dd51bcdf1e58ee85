import { type Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { MasterKeys, Wrapped } from './master-keys.js';
import type { WrappedKeys } from './wrapped-keys.js';

/** Keys that one transaction wraps again. */
const BATCH = 500;

const IN_USE = statement(`select id from directory.master_keys_in_use()`);
const FORGET = `delete from directory.master_keys where id <> $1`;
/** SQLSTATEs of a database that has not been migrated yet; health reports that. */
const NOT_MIGRATED = new Set(['42883', '3F000']);

/** Number of keys by table and id of the master key. */
export interface WrappedCount {
  table: string;
  masterKeyId: string;
  count: number;
}

/**
 * Verifies at the start of a process that it has the master keys with which keys in the database are wrapped.
 * @throws OperatorError naming the missing key.
 */
export async function assertMasterKeys(database: Database, masterKeys: MasterKeys): Promise<void> {
  try {
    const [answer] = await database.system([IN_USE]);
    masterKeys.require(answer!.rows.map(({ id }) => String(id)));
  } catch (error) {
    if (!NOT_MIGRATED.has(String((error as { code?: unknown }).code))) throw error;
  }
}

/**
 * Wraps all keys in the database with the current master key. Each batch is one transaction, so the rotation can be
 * interrupted and repeated, and readers always find a key that the previous or the current master key unwraps. Requires
 * the `system` role.
 */
export class MasterKeyRotation {
  constructor(
    private readonly database: Database,
    private readonly masterKeys: MasterKeys,
    private readonly tables: readonly WrappedKeys[],
  ) {}

  async counts(): Promise<WrappedCount[]> {
    const answers = await this.database.system(this.tables.map((keys) => statement(countOf(keys))));
    return answers.flatMap(({ rows }, index) =>
      rows.map(({ id, count }) => ({
        table: this.tables[index]!.table,
        masterKeyId: String(id),
        count: Number(count),
      })),
    );
  }

  /**
   * Wraps all keys again.
   * @param onBatch is called after each transaction.
   * @returns the number of keys by table.
   * @throws OperatorError if a key is wrapped with a master key that this process does not have.
   */
  async run(onBatch: () => void = () => undefined): Promise<Record<string, number>> {
    const rewrapped: Record<string, number> = {};
    for (const keys of this.tables) {
      rewrapped[keys.table] = 0;
      for (let count = BATCH; count === BATCH; onBatch()) {
        count = await this.batch(keys);
        rewrapped[keys.table]! += count;
      }
    }
    await this.forgetOthers();
    return rewrapped;
  }

  private async batch(keys: WrappedKeys): Promise<number> {
    const rows = await this.database.systemRead<WrappedRow>(statement(othersOf(keys), [this.masterKeys.id]));
    if (rows.length > 0) await this.database.system(rows.map((row) => this.rewrap(keys, row)));
    return rows.length;
  }

  /** Does nothing if another process was faster. */
  private rewrap(keys: WrappedKeys, row: WrappedRow): Statement {
    const { purpose } = keys;
    const place = keys.context(row.ids);
    const { sealed, masterKeyId } = this.masterKeys.wrap(purpose, this.masterKeys.unwrap(purpose, row, place), place);
    return statement(replacementOf(keys), [sealed, masterKeyId, row.masterKeyId, ...row.ids]);
  }

  /** Removes the other master keys from those in use. The lock excludes processes that still wrap with them. */
  private async forgetOthers(): Promise<void> {
    await this.database.acrossTenants(async (transaction) => {
      for (const keys of this.tables) await transaction.query(statement(lockOf(keys)));
      for (const keys of this.tables) {
        const others = await transaction.query(statement(othersOf(keys), [this.masterKeys.id]));
        if (others.length > 0) return;
      }
      transaction.write(statement(FORGET, [this.masterKeys.id]));
    });
  }
}

interface WrappedRow extends Wrapped {
  ids: string[];
}

function countOf({ table }: WrappedKeys): string {
  return `select master_key_id as id, count(*)::integer as count from ${table} group by 1 order by 1`;
}

function lockOf({ table }: WrappedKeys): string {
  return `lock table ${table} in share row exclusive mode`;
}

/** A batch of keys that are wrapped with other master keys. */
function othersOf({ table, identity, column }: WrappedKeys): string {
  const ids = identity.map((name) => `${name}::text`).join(', ');
  return `select array[${ids}] as ids, ${column} as sealed, master_key_id as "masterKeyId" from ${table}
    where master_key_id <> $1 limit ${BATCH}`;
}

function replacementOf({ table, identity, column }: WrappedKeys): string {
  const isRow = identity.map((name, index) => `${name} = $${index + 4}`).join(' and ');
  return `update ${table} set ${column} = $1, master_key_id = $2 where master_key_id = $3 and ${isRow}`;
}
