import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { hashAt } from './audit-tree.js';
import { signedCheckpoint, type TreeHead } from './checkpoint.js';
import { GrowingTree } from './merkle.js';
import { READ_SIGNING_KEYS, type SigningKeyRow, SigningKeys } from './signing-keys.js';

/** Maximum number of entries per transaction. */
const BATCH = 2_000;
/** Upper half of the lock keys, to avoid collisions with other advisory locks. */
const LOCK_CLASS = 0x61756474;
const RETRY_MS = 20;
const PATIENCE_MS = 10_000;

/** One sealer per tenant at a time; any other sealer skips the tenant. */
const LOCK = `select t.id as "tenantId" from unnest($1::uuid[]) t (id)
  where pg_try_advisory_xact_lock(${LOCK_CLASS}, hashtext(t.id::text))`;
/**
 * The size of each tree with the rows of its maximal complete subtrees, from left to right: one subtree per 1 bit of
 * the size. A subtree ends at the size with all lower bits set to 0.
 *
 * Each \`offset 0\` keeps PostgreSQL from merging the queries. Merged, the conditions contain functions that row-level
 * security does not allow in an index scan, and the API would read the whole tree for each level.
 */
const HEADS = `
  select t.id as "tenantId", h.size, p.level, p.hashes
  from unnest($1::uuid[]) t (id)
  cross join lateral (select coalesce((
    select n.seq from data.audit_tree n where n.tenant_id = t.id order by n.seq desc limit 1), 0) as size offset 0) h
  left join lateral (
    select b.level, n.seq, n.hashes from generate_series(0, 52) b (level)
    cross join lateral (
      select n.seq, n.hashes from data.audit_tree n
      where n.tenant_id = t.id and n.seq = (h.size >> b.level) << b.level offset 0) n
    where h.size & (1::bigint << b.level) <> 0) p on true
  order by t.id, p.seq`;
const PENDING = `
  select t.id as "tenantId", p.position, p.entry_id as "entryId", p.leaf_hash as "leafHash"
  from unnest($1::uuid[]) t (id)
  cross join lateral (
    select p.position, p.entry_id, p.leaf_hash from data.audit_pending p
    where p.tenant_id = t.id order by p.position limit $2) p
  order by t.id, p.position`;
const EXTEND = `insert into data.audit_tree (tenant_id, seq, entry_id, hashes)
  select * from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::bytea[])`;
const DONE = `delete from data.audit_pending p using unnest($1::uuid[], $2::bigint[]) d (tenant_id, position)
  where p.tenant_id = d.tenant_id and p.position = d.position`;
/** Only the last checkpoint of each hour is kept. */
const REPLACE = `delete from data.audit_checkpoints c using unnest($1::uuid[], $2::bigint[]) n (tenant_id, size)
  where c.tenant_id = n.tenant_id and c.size = n.size and date_trunc('hour', c.created_at) = date_trunc('hour', now())`;
/** The same for the tenant in scope, for the API, which may not delete checkpoints. */
const REPLACE_OWN = `select data.replace_audit_checkpoint(n.size) from unnest($2::bigint[]) n (size)
  where current_setting('app.tenant_id')::uuid = any($1::uuid[])`;
const APPEND = `insert into data.audit_checkpoints (tenant_id, size, root_hash, note)
  select * from unnest($1::uuid[], $2::bigint[], $3::bytea[], $4::text[])`;
const LAST_PENDING = `select max(position) as last from data.audit_pending where tenant_id = $1`;
const PENDING_UP_TO = `select exists (select from data.audit_pending where tenant_id = $1 and position <= $2) as pending`;

interface PeakRow {
  tenantId: string;
  size: number;
  level: number | null;
  hashes: Buffer | null;
}

interface PendingEntry {
  tenantId: string;
  position: number;
  entryId: string;
  leafHash: Buffer;
}

/**
 * Numbers the entries of audit logs and extends the Merkle trees over them. A batch of entries, the subtrees that they
 * complete and a signed checkpoint are written in one transaction, so a sealer may crash at any time.
 *
 * Entries are read from the rows that mark them as unsealed, which become visible on commit. Numbers therefore have no
 * gaps, no entry is missed, and writers never wait. The order of numbers is roughly the order of commits.
 * `Source:` ADR 0046.
 */
@Injectable()
export class AuditSealer {
  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeys,
  ) {}

  /**
   * Seals the next entries of some tenants; returns their number and whether more may remain. Requires the `system`
   * role.
   */
  async sealNext(tenantIds: readonly string[]): Promise<{ sealed: number; more: boolean }> {
    const most = Math.ceil(BATCH / tenantIds.length);
    return this.database.acrossTenants((transaction) => this.seal(transaction, tenantIds, { most, replace: REPLACE }));
  }

  /**
   * Seals all entries that the current tenant has committed so far, or waits until another sealer has done so.
   * @throws Problem 503 `unavailable` on timeout.
   */
  async sealAll(): Promise<void> {
    const tenantId = currentTenant().id;
    const [row] = await this.database.read<{ last: number | null }>(statement(LAST_PENDING, [tenantId]));
    if (row!.last === null) return;
    const remains = statement(PENDING_UP_TO, [tenantId, row!.last]);
    for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs;) {
      const { sealed } = await this.database.transaction((transaction) =>
        this.seal(transaction, [tenantId], { most: BATCH, replace: REPLACE_OWN }),
      );
      const [left] = await this.database.read<{ pending: boolean }>(remains);
      if (!left!.pending) return;
      if (sealed === 0) await setTimeout(RETRY_MS);
    }
    throw new Problem('unavailable', 'The audit log is still being sealed; try again.', {
      headers: { 'retry-after': '1' },
    });
  }

  private async seal(
    transaction: Transaction,
    tenantIds: readonly string[],
    { most, replace }: { most: number; replace: string },
  ) {
    // Statements after the lock see the changes of the previous sealer.
    const [locked, peaks, pending, keys] = (await transaction.queryAll([
      statement(LOCK, [tenantIds]),
      statement(HEADS, [tenantIds]),
      statement(PENDING, [tenantIds, most]),
      READ_SIGNING_KEYS,
    ])) as unknown as [{ tenantId: string }[], PeakRow[], PendingEntry[], SigningKeyRow[]]; // named as the members
    const own = new Set(locked.map(({ tenantId }) => tenantId));
    const entries = pending.filter(({ tenantId }) => own.has(tenantId));
    if (entries.length === 0) return { sealed: 0, more: false };
    const trees = treesOf(peaks);
    const before = Map.groupBy(entries, ({ tenantId }) => tenantId);
    const sizes = [...before.keys()].map((tenantId) => trees.get(tenantId)!.size);
    const hashes = entries.map(({ tenantId, leafHash }) => Buffer.concat(trees.get(tenantId)!.add(leafHash)));
    const numbers = [...before].flatMap(([, own], index) => own.map((_, at) => sizes[index]! + at + 1));
    const column = <K extends keyof PendingEntry>(name: K) => entries.map((entry) => entry[name]);
    transaction.write(statement(EXTEND, [column('tenantId'), numbers, column('entryId'), hashes]));
    transaction.write(statement(DONE, [column('tenantId'), column('position')]));
    const heads = [...before.keys()].map((tenantId): TreeHead => {
      const { size, root } = trees.get(tenantId)!;
      return { tenantId, size, rootHash: root };
    });
    const key = this.keys.activeOf(keys);
    const ids = heads.map(({ tenantId }) => tenantId);
    transaction.write(statement(replace, [ids, sizes]));
    transaction.write(
      statement(APPEND, [
        ids,
        heads.map(({ size }) => size),
        heads.map(({ rootHash }) => rootHash),
        heads.map((head) => signedCheckpoint(head, key)),
      ]),
    );
    return { sealed: entries.length, more: [...before.values()].some(({ length }) => length === most) };
  }
}

function treesOf(rows: readonly PeakRow[]): Map<string, GrowingTree> {
  const trees = new Map<string, GrowingTree>();
  for (const [tenantId, own] of Map.groupBy(rows, (row) => row.tenantId)) {
    const peaks = own.flatMap(({ level, hashes }) => (hashes === null ? [] : [hashAt(hashes, level!)]));
    trees.set(tenantId, new GrowingTree(own[0]!.size, peaks));
  }
  return trees;
}
