import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { EvidenceFormat, EvidenceLink } from './evidence.dto.js';

/** A stored bundle in both formats. */
export interface StoredBundle {
  id: string;
  previousId: string | null;
  framework: string;
  /** The requested controls, sorted; null for all. */
  controls: readonly string[] | null;
  contentHash: Buffer;
  rootHash: string;
  /** RFC 8785. */
  bundle: string;
  archive: Buffer;
  createdAt: string;
}

const CONTENT = { json: 'bundle', zip: 'archive' } as const satisfies Record<EvidenceFormat, keyof StoredBundle>;

/** Upper half of the lock keys, to avoid collisions with other advisory locks. */
const LOCK_CLASS = 0x65766964;
const LOCK = `select pg_advisory_xact_lock(${LOCK_CLASS}, hashtext($1))`;
const SAME = `select id from data.evidence_bundles
  where tenant_id = $1 and content_hash = $2 and created_at > $3 and ($4::uuid is null or previous_id = $4)
  order by created_at desc, id desc limit 1`;
const LAST = `select id, root_hash as "rootHash" from data.evidence_bundles
  where tenant_id = $1 and framework = $2 and controls is not distinct from $3::text[]
  order by created_at desc, id desc limit 1`;
const LINK = `select id, root_hash as "rootHash" from data.evidence_bundles where tenant_id = $1 and id = $2`;
const content = (column: string): string =>
  `select ${column} as content from data.evidence_bundles where tenant_id = $1 and id = $2`;
const INSERT = `insert into data.evidence_bundles
  (tenant_id, id, previous_id, framework, controls, content_hash, root_hash, bundle, archive, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
const OPENING = `select size, note from data.audit_checkpoints
  where tenant_id = $1 and created_at < $2 order by size desc limit 1`;

/** The stored bundles of the tenant in scope. */
@Injectable()
export class EvidenceRepository {
  constructor(private readonly database: Database) {}

  /** Locks the chain of bundles until the end of the transaction. */
  async lock(transaction: Transaction): Promise<void> {
    await transaction.query(statement(LOCK, [currentTenant().id]));
  }

  /** The id of the newest bundle with the same content. @param previousId null for any */
  async same(
    transaction: Transaction,
    { contentHash, since, previousId }: { contentHash: Buffer; since: string; previousId: string | null },
  ): Promise<string | null> {
    const values = [currentTenant().id, contentHash, since, previousId];
    const [row] = await transaction.query<{ id: string }>(statement(SAME, values));
    return row?.id ?? null;
  }

  /** The newest bundle with the same framework and controls. */
  async last(
    transaction: Transaction,
    { framework, controls }: Pick<StoredBundle, 'framework' | 'controls'>,
  ): Promise<EvidenceLink | null> {
    const [row] = await transaction.query<EvidenceLink & object>(
      statement(LAST, [currentTenant().id, framework, controls]),
    );
    return row ?? null;
  }

  async link(id: string): Promise<EvidenceLink | null> {
    const [row] = await this.database.read<EvidenceLink>(statement(LINK, [currentTenant().id, id]));
    return row ?? null;
  }

  /** Null for an unknown id. */
  async content(id: string, format: EvidenceFormat): Promise<Buffer | null> {
    const query = statement(content(CONTENT[format]), [currentTenant().id, id]);
    const [row] = await this.database.read<{ content: string | Buffer }>(query);
    return row ? Buffer.from(row.content as string) : null;
  }

  add(transaction: Transaction, row: StoredBundle): void {
    const { id, previousId, framework, controls, contentHash, rootHash, bundle, archive, createdAt } = row;
    const values = [id, previousId, framework, controls, contentHash, rootHash, bundle, archive, createdAt];
    transaction.write(statement(INSERT, [currentTenant().id, ...values]));
  }

  /** The last checkpoint of the audit log before a time; null if there is none. */
  async opening(before: string): Promise<{ size: number; note: string } | null> {
    const query = statement(OPENING, [currentTenant().id, before]);
    const [row] = await this.database.read<{ size: number; note: string }>(query);
    return row ?? null;
  }
}
