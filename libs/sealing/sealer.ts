import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant, isTransactionOpen } from '#libs/tenancy/scope.js';

/** DI token of the master key: 32 bytes. */
export const MASTER_KEY = Symbol('master key');

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const CACHE_MS = 5 * 60_000;

const NEWEST_KEY = `select version, wrapped from data.data_keys where tenant_id = $1 order by version desc limit 1`;
const KEY = `select version, wrapped from data.data_keys where tenant_id = $1 and version = $2`;
const ADD_KEY = `insert into data.data_keys (tenant_id, version, wrapped, created_at) values ($1, 1, $2, now())`;

/** A data key of a tenant. */
interface DataKey {
  version: number;
  key: Buffer;
}

/** A key for one purpose, derived from the master key. */
export function deriveKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32));
}

/** AES-256-GCM; `context` says where the value belongs and is authenticated with it. */
export function encrypt(key: Buffer, plain: Buffer, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** The value of {@link encrypt}. @throws Error for another key or context, or when it was changed. */
export function decrypt(key: Buffer, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}

/**
 * Seals values of a tenant with the tenant's data key, which the master key wraps: `v<key version>.<base64url>`.
 *
 * The place of the value (table, column, row) and the tenant are authenticated with it, so a value copied to another
 * row or tenant cannot be decrypted. Data keys stay in memory for at most five minutes.
 */
@Injectable()
export class Sealer {
  private readonly keys = new LRUCache<string, DataKey>({ max: 1_000, ttl: CACHE_MS });
  /** Reads in progress, by cache key. */
  private readonly reading = new Map<string, Promise<DataKey>>();
  private readonly wrappingKey: Buffer;

  constructor(
    private readonly database: Database,
    @Inject(MASTER_KEY) masterKey: Buffer,
  ) {
    this.wrappingKey = deriveKey(masterKey, 'wrap data keys');
  }

  /** `place` is `table|column|row id`. */
  async seal(text: string, place: string): Promise<string> {
    return (await this.prepare(place))(text);
  }

  /** Loads the key now, so that sealing during a commit needs no database access. */
  async prepare(place: string): Promise<(text: string) => string> {
    const tenantId = currentTenant().id;
    const { version, key } = await this.newestKey(tenantId);
    const context = `${tenantId}|${place}|${version}`;
    return (text) => `v${version}.${encrypt(key, Buffer.from(text), context).toString('base64url')}`;
  }

  /** @throws Error when the value was sealed for another place or tenant, or was changed. */
  async open(sealed: string, place: string): Promise<string> {
    const tenantId = currentTenant().id;
    const [, versionText, content] = /^v(\d+)\.([\w-]+)$/.exec(sealed) ?? [];
    if (!versionText || !content) throw new Error('The value is not sealed.');
    const version = Number(versionText);
    const key = await this.key(tenantId, version);
    return decrypt(key, Buffer.from(content, 'base64url'), `${tenantId}|${place}|${version}`).toString();
  }

  private newestKey(tenantId: string): Promise<DataKey> {
    return this.cached(tenantId, async () => {
      const [row] = await this.database.read<KeyRow>(statement(NEWEST_KEY, [tenantId]));
      if (!row) throw new Error('The tenant has no data key.');
      return this.unwrap(tenantId, row);
    });
  }

  private async key(tenantId: string, version: number): Promise<Buffer> {
    const { key } = await this.cached(`${tenantId}|${version}`, async () => {
      const [row] = await this.database.read<KeyRow>(statement(KEY, [tenantId, version]));
      if (!row) throw new Error(`The tenant has no data key ${version}.`);
      return this.unwrap(tenantId, row);
    });
    return key;
  }

  /**
   * Concurrent requests for a key share one read. If that fails, possibly because of its caller, each caller reads the
   * key itself. A caller with a transaction does not wait for another one, which may be waiting for a connection.
   */
  private async cached(name: string, read: () => Promise<DataKey>): Promise<DataKey> {
    const known = this.keys.get(name);
    if (known) return known;
    const shared = isTransactionOpen() ? undefined : this.reading.get(name);
    if (shared) return shared.catch(read);
    const reading = read();
    this.reading.set(name, reading);
    try {
      const found = await reading;
      this.keys.set(name, found);
      return found;
    } finally {
      if (this.reading.get(name) === reading) this.reading.delete(name);
    }
  }

  /** The statement that gives a new tenant its first data key. */
  firstKey(tenantId: string): Statement {
    return statement(ADD_KEY, [tenantId, encrypt(this.wrappingKey, randomBytes(32), `${tenantId}|data key|1`)]);
  }

  private unwrap(tenantId: string, { version, wrapped }: KeyRow): DataKey {
    return { version, key: decrypt(this.wrappingKey, wrapped, `${tenantId}|data key|${version}`) };
  }
}

interface KeyRow {
  version: number;
  wrapped: Buffer;
}
