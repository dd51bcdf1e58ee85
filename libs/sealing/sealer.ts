import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Memory } from '#libs/database/memory.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant, isTransactionOpen } from '#libs/tenancy/scope.js';
import { decrypt, encrypt } from './cipher.js';
import { MasterKeys, type Wrapped } from './master-keys.js';
import type { SealedColumn } from './sealed-column.js';
import type { WrappedKeys } from './wrapped-keys.js';

/** Time for which a process may use a data key without reading it again. */
export const CACHE_MS = 5 * 60_000;

const COLUMNS = `version, wrapped as sealed, master_key_id as "masterKeyId"`;
const NEWEST_KEY = `select ${COLUMNS} from data.data_keys where tenant_id = $1 order by version desc limit 1`;
const KEY = `select ${COLUMNS} from data.data_keys where tenant_id = $1 and version = $2`;
// Another process may add the same version at the same time.
const ADD_KEY = `insert into data.data_keys (tenant_id, version, wrapped, master_key_id, created_at)
  values ($1, $2, $3, $4, now()) on conflict do nothing returning version`;

const placeOf = (tenantId: string, version: number): string => `${tenantId}|data key|${version}`;

/** The data keys of all tenants. */
export const DATA_KEYS: WrappedKeys = {
  table: 'data.data_keys',
  identity: ['tenant_id', 'version'],
  column: 'wrapped',
  purpose: 'wrap data keys',
  context: ([tenantId, version]) => placeOf(String(tenantId), Number(version)),
};

/** A data key of a tenant. */
interface DataKey {
  version: number;
  key: Buffer;
}

/**
 * Seals values of a tenant with the tenant's data key, which the master key wraps: `v<key version>.<base64url>`.
 *
 * The place of the value (table, column, row) and the tenant are authenticated with it, so a value copied to another
 * row or tenant cannot be decrypted. Data keys stay in memory for at most five minutes.
 */
@Injectable()
export class Sealer {
  private readonly keys = new Memory<DataKey>(1_000, CACHE_MS);
  /** Reads in progress, by cache key. */
  private readonly reading = new Map<string, Promise<DataKey>>();

  constructor(
    private readonly database: Database,
    private readonly masterKeys: MasterKeys,
  ) {}

  /** `ids` identify the row, see {@link SealedColumn}. */
  async seal(text: string, column: SealedColumn, ...ids: string[]): Promise<string> {
    return (await this.prepare(column, ...ids))(text);
  }

  /** Loads the key now, so that sealing during a commit needs no database access. */
  async prepare(column: SealedColumn, ...ids: string[]): Promise<(text: string) => string> {
    const tenantId = currentTenant().id;
    const key = await this.newestKey(tenantId);
    return (text) => sealWith(key, text, tenantId, column.place(ids));
  }

  /** @throws Error when the value was sealed for another place or tenant, or was changed. */
  async open(sealed: string, column: SealedColumn, ...ids: string[]): Promise<string> {
    const tenantId = currentTenant().id;
    const [, versionText, content] = /^v(\d+)\.([\w-]+)$/.exec(sealed) ?? [];
    if (!versionText || !content) throw new Error('The value is not sealed.');
    const version = Number(versionText);
    const { key } = await this.key(tenantId, version);
    const context = `${tenantId}|${column.place(ids)}|${version}`;
    return decrypt(key, Buffer.from(content, 'base64url'), context).toString();
  }

  /** The value of {@link seal} under another version of the data key. */
  async reseal(sealed: string, version: number, column: SealedColumn, ...ids: string[]): Promise<string> {
    const tenantId = currentTenant().id;
    const key = await this.key(tenantId, version);
    return sealWith(key, await this.open(sealed, column, ...ids), tenantId, column.place(ids));
  }

  private newestKey(tenantId: string): Promise<DataKey> {
    return this.cached(tenantId, async () => {
      const [row] = await this.database.read<KeyRow>(statement(NEWEST_KEY, [tenantId]));
      if (!row) throw new Error('The tenant has no data key.');
      return this.unwrap(tenantId, row);
    });
  }

  private key(tenantId: string, version: number): Promise<DataKey> {
    return this.cached(`${tenantId}|${version}`, async () => {
      const [row] = await this.database.read<KeyRow>(statement(KEY, [tenantId, version]));
      if (!row) throw new Error(`The tenant has no data key ${version}.`);
      return this.unwrap(tenantId, row);
    });
  }

  /**
   * Concurrent requests for a key share one read. If that fails, possibly because of its caller, each caller reads the
   * key itself. A caller with a transaction shares nothing: it may read what is not committed, or wait for a caller that
   * waits for a connection.
   */
  private async cached(name: string, read: () => Promise<DataKey>): Promise<DataKey> {
    const known = this.keys.get(name);
    if (known) return known;
    if (isTransactionOpen()) return this.remembered(name, read);
    const shared = this.reading.get(name);
    if (shared) return shared.catch(read);
    const reading = this.remembered(name, read);
    this.reading.set(name, reading);
    return reading.finally(() => this.reading.delete(name));
  }

  private async remembered(name: string, read: () => Promise<DataKey>): Promise<DataKey> {
    const found = await read();
    this.keys.keep(name, found);
    return found;
  }

  /** The statement that gives a new tenant its first data key. */
  firstKey(tenantId: string): Statement {
    return this.newKey(tenantId, 1);
  }

  /** The statement that adds a data key; new values are sealed with it after {@link CACHE_MS} at the latest. */
  newKey(tenantId: string, version: number): Statement {
    const { sealed, masterKeyId } = this.masterKeys.wrap('wrap data keys', randomBytes(32), placeOf(tenantId, version));
    return statement(ADD_KEY, [tenantId, version, sealed, masterKeyId]);
  }

  private unwrap(tenantId: string, row: KeyRow): DataKey {
    const { version } = row;
    return { version, key: this.masterKeys.unwrap('wrap data keys', row, placeOf(tenantId, version)) };
  }
}

interface KeyRow extends Wrapped {
  version: number;
}

function sealWith({ version, key }: DataKey, text: string, tenantId: string, place: string): string {
  return `v${version}.${encrypt(key, Buffer.from(text), `${tenantId}|${place}|${version}`).toString('base64url')}`;
}
