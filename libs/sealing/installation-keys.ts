import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { MasterKeys, type Wrapped } from './master-keys.js';
import type { WrappedKeys } from './wrapped-keys.js';

/** Names of the keys. */
export type InstallationKeyName = 'fingerprints of secrets';

const PURPOSE = 'wrap installation keys';
const ADD = `insert into directory.installation_keys (name, wrapped, master_key_id) values ($1, $2, $3)
  on conflict do nothing`;
const READ = `select wrapped as sealed, master_key_id as "masterKeyId" from directory.installation_key($1)`;

const placeOf = (name: string): string => `installation_keys|wrapped|${name}`;

/** All keys of {@link InstallationKeys}. */
export const INSTALLATION_KEYS: WrappedKeys = {
  table: 'directory.installation_keys',
  identity: ['name'],
  column: 'wrapped',
  purpose: PURPOSE,
  context: ([name]) => placeOf(String(name)),
};

/** The statement that creates a key of the installation; does nothing if it exists. */
export function firstInstallationKey(
  masterKeys: MasterKeys,
  name: InstallationKeyName,
  key: Buffer = randomBytes(32),
): Statement {
  const { sealed, masterKeyId } = masterKeys.wrap(PURPOSE, key, placeOf(name));
  return statement(ADD, [name, sealed, masterKeyId]);
}

/**
 * Keys for values that are stored and compared for years. They are random and wrapped with the master key, so the values
 * survive its rotation. `migrate` creates them.
 */
@Injectable()
export class InstallationKeys {
  private readonly known = new Map<InstallationKeyName, Buffer>();

  constructor(
    private readonly database: Database,
    private readonly masterKeys: MasterKeys,
  ) {}

  async read(name: InstallationKeyName): Promise<Buffer> {
    const known = this.known.get(name);
    if (known) return known;
    const [row] = await this.database.systemRead<Wrapped>(statement(READ, [name]));
    if (!row) throw new Error(`There is no key for ${name}: run platform migrate.`);
    const key = this.masterKeys.unwrap(PURPOSE, row, placeOf(name));
    this.known.set(name, key);
    return key;
  }
}
