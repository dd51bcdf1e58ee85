import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { AuditSealer } from '#libs/proof/audit-sealer.js';
import { AuditTree, type Checkpoint, type Leaf } from '#libs/proof/audit-tree.js';
import { isCheckpointOf } from '#libs/proof/checkpoint.js';
import { EMPTY_ROOT, rootFromInclusion } from '#libs/proof/merkle.js';
import { SigningKeys } from '#libs/proof/signing-keys.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { AuditTreeView, ConsistencyProof, InclusionProof } from './audit-log.dto.js';
import type { AuditLogRow } from './audit-log.entity.js';

/** Whether entries are unchanged since they were sealed. */
type Verdict = Required<Pick<AuditTreeView, 'verified' | 'firstBroken'>>;

/** Creates and verifies proofs for the audit log of a tenant. */
@Injectable()
export class AuditProofs {
  constructor(
    private readonly tree: AuditTree,
    private readonly sealer: AuditSealer,
    private readonly keys: SigningKeys,
  ) {}

  /** The newest checkpoint, and the leaves of the sealed entries by id. */
  async sealedOf(rows: readonly AuditLogRow[]): ReturnType<AuditTree['leavesOf']> {
    return this.tree.leavesOf(rows.map(({ id }) => id));
  }

  /** Verifies each sealed entry against the stored data and the newest checkpoint. */
  async verify(
    rows: readonly AuditLogRow[],
    leaves: ReadonlyMap<string, Leaf>,
    checkpoint: Checkpoint | null,
  ): Promise<Verdict> {
    const changed = await this.tree.changedOf(rows.map(({ id }) => id));
    const verified = changed.size === 0;
    if (!checkpoint) return { verified, firstBroken: null };
    const sealed = rows.flatMap((row) => (leaves.has(row.id) ? [{ row, leaf: leaves.get(row.id)! }] : []));
    const { size, rootHash, note } = checkpoint;
    const proofs = await this.tree.inclusionProofs(
      sealed.map(({ leaf }) => leaf.seq - 1),
      size,
    );
    const broken = sealed.filter(({ row, leaf: { seq, hash } }, index) => {
      const root = rootFromInclusion(hash, seq - 1, size, proofs[index]!);
      return changed.has(row.id) || !hash.equals(row.leafHash) || !root.equals(rootHash);
    });
    const isSigned = isCheckpointOf({ tenantId: currentTenant().id, size, rootHash }, note, await this.keys.all());
    return {
      verified: verified && broken.length === 0 && isSigned,
      firstBroken: broken.length === 0 ? null : Math.min(...broken.map(({ leaf }) => leaf.seq)),
    };
  }

  /** The inclusion proof of an entry, which is sealed first if necessary. @throws Problem 503 `unavailable`. */
  async inclusion(row: AuditLogRow): Promise<{ seq: number; proof: InclusionProof }> {
    await this.sealer.sealAll();
    const { leaves, checkpoint } = await this.sealedOf([row]);
    const { seq } = leaves.get(row.id)!;
    const { size, rootHash } = checkpoint!;
    const [hashes] = await this.tree.inclusionProofs([seq - 1], size);
    return {
      seq,
      proof: { leafIndex: seq - 1, treeSize: size, rootHash: rootHash.toString('hex'), hashes: hexOf(hashes!) },
    };
  }

  /** @throws Problem 400 `validation_failed` for sizes that the tree never had, or in the wrong order. */
  async consistency(from: number, to: number): Promise<ConsistencyProof> {
    const size = (await this.tree.newest())?.size ?? 0;
    const fault = (parameter: string, detail: string) =>
      Problem.validation([{ parameter, code: 'out_of_range', detail }]);
    if (to > size) throw fault('to', `The tree has ${size} entries.`);
    if (from > to) throw fault('from', 'The older tree cannot be the larger one.');
    return { hashes: hexOf(await this.tree.consistencyProof(from, to)) };
  }
}

export const hexOf = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'));

export function treeView(checkpoint: Checkpoint | null): AuditTreeView {
  if (!checkpoint) return { size: 0, rootHash: EMPTY_ROOT.toString('hex'), checkpoint: null };
  const { size, rootHash, note } = checkpoint;
  return { size, rootHash: rootHash.toString('hex'), checkpoint: note };
}
