import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { assertNoOpenTransaction } from '#libs/outbound/transaction-probe.js';
import { SealedColumn } from '#libs/sealing/sealed-column.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { openBytes, sealBytes, sealedRange } from './content-cipher.js';
import { type ByteRange, FileStorage, storageProblem } from './file-storage.js';
import { type Received, Receiving } from './receiving.js';

const KEY_BYTES = 32;
/** How often, and how many times, storing looks whether the removal of the same bytes has ended. */
const REMOVAL_PAUSE_MS = 250;
const REMOVAL_TRIES = 40;

const COLUMNS = `id, sha256, size_bytes::float8 as "sizeBytes", mime_type as "mimeType"`;
const NOTE = `insert into data.file_contents
    (tenant_id, id, path, sha256, size_bytes, mime_type, sealed_key, is_unused, kept_until, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, true, $8, $9)
  on conflict (tenant_id, path) do update set kept_until = greatest(file_contents.kept_until, excluded.kept_until)
    where file_contents.removing_until is null or file_contents.removing_until <= excluded.created_at
  returning ${COLUMNS}, stored_at is not null and removing_until is null as "isStored"`;
const STORED = `update data.file_contents set stored_at = $3, removing_until = null where tenant_id = $1 and id = $2`;
const FIND = `select ${COLUMNS}, path, sealed_key as "sealedKey" from data.file_contents
  where tenant_id = $1 and id = $2 and stored_at is not null`;
const USE = `insert into data.file_content_uses (tenant_id, content_id, object, object_id, expires_at)
  values ($1, $2, $3, $4, $5)
  on conflict (tenant_id, content_id, object, object_id) do update set expires_at = excluded.expires_at`;
const RELEASE = `delete from data.file_content_uses where tenant_id = $1 and object = $2 and object_id = $3`;
const SUSPEND = `update data.file_content_uses set is_suspended = $4 where tenant_id = $1 and object = $2 and object_id = $3`;

/** The keys of sealed contents. */
export const CONTENT_KEY = new SealedColumn('data.file_contents', 'sealed_key');

/** Bytes that the platform keeps. They never change. */
export interface Content {
  id: string;
  /** SHA-256 of the bytes, hex. */
  sha256: string;
  sizeBytes: number;
  /** Media type by the bytes alone. */
  mimeType: string;
}

/** What uses a content: the type key and the id of a record, or another name and id. */
export interface ContentUse {
  object: string;
  id: string;
}

interface StoredContent extends Content {
  path: string;
  sealedKey: string | null;
}

/**
 * Bytes that the platform keeps for a tenant, in the {@link FileStorage}. To keep some: {@link receive} them, {@link store}
 * them, both outside of transactions, and {@link use} them in the transaction of the row that names them. What nobody
 * uses is removed: a day after it was stored at the earliest.
 */
@Injectable()
export class FileContents {
  constructor(
    private readonly database: Database,
    private readonly storage: FileStorage,
    private readonly receiving: Receiving,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  /** See {@link Receiving.receive}. {@link store} or {@link discard} what it returns. */
  receive(source: AsyncIterable<Buffer>, limits: { maxBytes: number }): Promise<Received> {
    assertNoOpenTransaction();
    return this.receiving.receive(source, limits);
  }

  /** Removes received bytes that are not stored. */
  async discard(received: Received): Promise<void> {
    await rm(received.path, { force: true });
  }

  /**
   * Stores received bytes, whose local file is gone afterwards. If it fails, try again or {@link discard} them. The same bytes are stored once for a tenant, unless they
   * are `sealed`: encrypted with a key of their own.
   * @throws Problem 503 `unavailable` if the store does not take them.
   */
  async store(received: Received, { sealed }: { sealed: boolean }): Promise<Content> {
    assertNoOpenTransaction();
    const content = sealed
      ? await this.storeSealed(received)
      : await this.keep(received, received.path, received.sha256, null);
    await this.discard(received);
    return content;
  }

  /** Stores bytes that are in memory already, as {@link store} does. */
  async storeBytes(bytes: Buffer, options: { sealed: boolean }): Promise<Content> {
    const received = await this.receive(Readable.from([bytes]), { maxBytes: bytes.length });
    try {
      return await this.store(received, options);
    } finally {
      await this.discard(received);
    }
  }

  /** A content; null if there is none. */
  async find(id: string): Promise<Content | null> {
    const found = await this.stored(id);
    if (!found) return null;
    const { sha256, sizeBytes, mimeType } = found;
    return { id, sha256, sizeBytes, mimeType };
  }

  /** Notes with the changes of a transaction that something uses a content, up to an instant or until it is released. */
  use(
    transaction: Transaction,
    contentId: string,
    { object, id, expiresAt }: ContentUse & { expiresAt: string | null },
  ): void {
    transaction.write(statement(USE, [currentTenant().id, contentId, object, id, expiresAt]));
  }

  /** Ends all that an object uses. */
  release(transaction: Transaction, { object, id }: ContentUse): void {
    transaction.write(statement(RELEASE, [currentTenant().id, object, id]));
  }

  /** Whether links to what an object uses open nothing for now. */
  suspend(transaction: Transaction, { object, id }: ContentUse, isSuspended: boolean): void {
    transaction.write(statement(SUSPEND, [currentTenant().id, object, id, isSuspended]));
  }

  /**
   * The bytes of a content, or a range within them, decrypted. `sizeBytes` is the size of the whole.
   * @throws Error if there is no such content; Problem 503 if the store does not answer.
   */
  async open(id: string, range?: ByteRange): Promise<Content & { stream: Readable }> {
    assertNoOpenTransaction();
    const found = await this.stored(id);
    if (!found) throw new Error(`There is no content ${id}.`);
    const { path, sealedKey, ...content } = found;
    if (sealedKey === null) return { ...content, stream: await this.storage.read(path, range) };
    const key = Buffer.from(await this.sealer.open(sealedKey, CONTENT_KEY, id), 'base64');
    const { sizeBytes } = content;
    const wanted = range ?? { first: 0, last: sizeBytes - 1 };
    const sealed = await this.storage.read(path, range && sealedRange(range, sizeBytes));
    return { ...content, stream: Readable.from(openBytes(sealed, key, wanted, sizeBytes), { objectMode: false }) };
  }

  private async storeSealed(received: Received): Promise<Content> {
    const key = randomBytes(KEY_BYTES);
    const path = await this.receiving.place();
    const hash = createHash('sha256');
    async function* sealed(): AsyncGenerator<Buffer> {
      for await (const bytes of sealBytes(createReadStream(received.path), key)) {
        hash.update(bytes);
        yield bytes;
      }
    }
    try {
      await pipeline(sealed, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch((error: unknown) => {
        throw storageProblem(error);
      });
      return await this.keep(received, path, hash.digest('hex'), key);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Notes the content before its bytes are stored, so that whatever is in the store is known. */
  private async keep(
    { sha256, sizeBytes, mimeType }: Received,
    localFile: string,
    storedSha256: string,
    key: Buffer | null,
  ): Promise<Content> {
    const tenantId = currentTenant().id;
    const path = `${tenantId}/${storedSha256}`;
    const id = uuidv7();
    const sealedKey = key && (await this.sealer.seal(key.toString('base64'), CONTENT_KEY, id));
    for (let tries = 1; ; tries++) {
      const now = this.clock.nowMs();
      const keptUntil = new Date(now + DAY_MS).toISOString();
      const at = new Date(now).toISOString();
      const values = [tenantId, id, path, sha256, sizeBytes, mimeType, sealedKey, keptUntil, at];
      const [answer] = await this.database.aside([statement(NOTE, values)]);
      const noted = answer!.rows[0] as (Content & { isStored: boolean }) | undefined; // as the statement selects it
      if (noted) {
        const { isStored, ...content } = noted;
        if (isStored) return content;
        await this.storage.put(path, localFile);
        await this.database.aside([statement(STORED, [tenantId, content.id, this.clock.now().toISOString()])]);
        return content;
      }
      if (tries === REMOVAL_TRIES) throw storageProblem(new Error(`The removal of ${path} does not end.`));
      await setTimeout(REMOVAL_PAUSE_MS);
    }
  }

  private async stored(id: string): Promise<StoredContent | null> {
    const [found] = await this.database.read<StoredContent>(statement(FIND, [currentTenant().id, id]));
    return found ?? null;
  }
}
