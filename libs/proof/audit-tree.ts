import { Injectable } from '@nestjs/common';
import { ENTRY_IS_INTACT } from '#libs/audit/audit-integrity.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { consistencyPath, type HashOf, inclusionPath, type Range, rootOf, type Subtree, subtreesOf } from './merkle.js';

/** The newest checkpoint of a tree. */
export interface Checkpoint {
  size: number;
  rootHash: Buffer;
  /** A signed note. */
  note: string;
}

/** Position of an entry in the tree. */
export interface Leaf {
  entryId: string;
  /** From 1. */
  seq: number;
  /** As stored in the tree. */
  hash: Buffer;
}

const NEWEST = `select size, root_hash as "rootHash", note from data.audit_checkpoints
  where tenant_id = $1 order by size desc limit 1`;
/** One statement, so that the checkpoint covers a tree with these leaves. */
const LEAVES = `select c.size, c."rootHash", c.note, n.entry_id as "entryId", n.seq,
    substr(n.hashes, 1, 32) as hash
  from (${NEWEST}) c left join data.audit_tree n on n.tenant_id = $1 and n.entry_id = any($2::uuid[])`;
const CHANGED = `select t.id from data.audit_log t
  where t.tenant_id = $1 and t.id = any($2::uuid[]) and not ${ENTRY_IS_INTACT}`;
const NODES = `select seq, hashes from data.audit_tree where tenant_id = $1 and seq = any($2::bigint[])`;

const HASH_BYTES = 32;
/** Replaces a deleted row, so that every proof over it fails. */
const MISSING = Buffer.alloc(0);

/** The hash of one level, from the row of the last leaf of the subtree. */
export function hashAt(hashes: Buffer, level: number): Buffer {
  return hashes.subarray(level * HASH_BYTES, (level + 1) * HASH_BYTES);
}

/** The Merkle tree over the audit log of the tenant in scope. */
@Injectable()
export class AuditTree {
  constructor(private readonly database: Database) {}

  /** Null if nothing is sealed yet. */
  async newest(): Promise<Checkpoint | null> {
    const [row] = await this.database.read<Checkpoint>(statement(NEWEST, [currentTenant().id]));
    return row ?? null;
  }

  /** The newest checkpoint, and the leaves of the sealed entries by id. */
  async leavesOf(entryIds: readonly string[]): Promise<{ checkpoint: Checkpoint | null; leaves: Map<string, Leaf> }> {
    type Row = Checkpoint & (Leaf | { entryId: null });
    const rows = await this.database.read<Row>(statement(LEAVES, [currentTenant().id, entryIds]));
    const found = rows.filter((row): row is Checkpoint & Leaf => row.entryId !== null);
    return { checkpoint: rows[0] ?? null, leaves: new Map(found.map((leaf) => [leaf.entryId, leaf])) };
  }

  /** The entries whose stored data no longer matches what was recorded. */
  async changedOf(entryIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.read<{ id: string }>(statement(CHANGED, [currentTenant().id, entryIds]));
    return new Set(rows.map(({ id }) => id));
  }

  /** Proofs that leaves, counted from 0, are in the tree of the given size. */
  async inclusionProofs(leaves: readonly number[], size: number): Promise<Buffer[][]> {
    return this.proofs(leaves.map((leaf) => inclusionPath(leaf, size)));
  }

  /** The proof that the tree of one size is a prefix of the tree of another size. `older` is not 0. */
  async consistencyProof(older: number, newer: number): Promise<Buffer[]> {
    const [proof] = await this.proofs([consistencyPath(older, newer)]);
    return proof!;
  }

  /** Hashes of the complete subtrees of a range, from left to right. */
  async hashesOf(range: Range): Promise<Buffer[]> {
    const subtrees = subtreesOf(range);
    return subtrees.map(await this.read(subtrees));
  }

  private async proofs(paths: readonly Range[][]): Promise<Buffer[][]> {
    const hashOf = await this.read(paths.flat().flatMap(subtreesOf));
    return paths.map((path) => path.map((range) => rootOf(subtreesOf(range).map(hashOf))));
  }

  /** Reads the hashes of complete subtrees in one statement. */
  private async read(subtrees: readonly Subtree[]): Promise<HashOf> {
    const ends = [...new Set(subtrees.map(({ end }) => end))];
    const query = statement(NODES, [currentTenant().id, ends]);
    const rows = ends.length === 0 ? [] : await this.database.read<{ seq: number; hashes: Buffer }>(query);
    const found = new Map(rows.map(({ seq, hashes }) => [seq, hashes]));
    return ({ level, end }) => hashAt(found.get(end) ?? MISSING, level);
  }
}
