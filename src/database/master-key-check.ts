import { createHmac } from 'node:crypto';
import type pg from 'pg';
import { OperatorError } from '#libs/config/operator-error.js';
import { type MasterKeys } from '#libs/sealing/master-keys.js';

const TABLES = `select to_regclass('directory.installation') is not null as legacy,
  to_regclass('directory.master_keys') is not null as current`;

/**
 * Verifies before a migration that the database was set up with one of these keys.
 * @returns the key of a database of a release before key ids; null for others.
 * @throws OperatorError if a key is missing, because its data could not be decrypted.
 */
export async function checkMasterKeys(client: pg.Client, masterKeys: MasterKeys): Promise<Buffer | null> {
  const { rows } = await client.query<{ legacy: boolean; current: boolean }>(TABLES);
  if (rows[0]!.current) {
    const found = await client.query<{ id: string }>('select id from directory.master_keys');
    masterKeys.require(found.rows.map(({ id }) => id));
  }
  if (!rows[0]!.legacy) return null;
  const { rows: known } = await client.query<{ check: Buffer }>(
    'select key_check as check from directory.installation',
  );
  const [row] = known;
  if (!row) return null;
  const key = masterKeys.keys.find((each) => row.check.equals(keyCheckOf(each)));
  if (!key)
    throw new OperatorError(
      'This database was set up with another MASTER_KEY; use that key (or the DATA_DIR with its master.key).',
    );
  return key;
}

function keyCheckOf(masterKey: Buffer): Buffer {
  return createHmac('sha256', masterKey).update('installation').digest();
}
