import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { canonical } from '#libs/kernel/canonical.js';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { Clock } from '#libs/kernel/clock.js';
import { requireRange } from '#libs/kernel/time-range.js';
import { AuditSealer } from '#libs/proof/audit-sealer.js';
import { AuditTree, type Checkpoint } from '#libs/proof/audit-tree.js';
import { SigningKeys } from '#libs/proof/signing-keys.js';
import { callingMember, toListRequest } from '#libs/resource/lists/list-query.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentScope, runInScope } from '#libs/tenancy/scope.js';
import { type ExportedAuditEntry, type ExportFormat, type ExportManifest, MOST_DAYS } from './audit-export.dto.js';
import { WRITERS } from './audit-export.formats.js';
import { auditList } from './audit-log.dto.js';
import { wholeLog } from './audit-reach.js';
import { AuditLogsRepository, type SealedRow, type SeqRange } from './audit-logs.repository.js';
import { hexOf, treeView } from './audit-proofs.service.js';
import { exportedEntry } from './exported-entry.js';

/** Entries per read. */
const WINDOW = 500;
const IS_RANGE = new Set(['from', 'to']);

/** Exports parts of the audit log in a verifiable form. */
@Injectable()
export class AuditExports {
  constructor(
    private readonly repository: AuditLogsRepository,
    private readonly tree: AuditTree,
    private readonly sealer: AuditSealer,
    private readonly keys: SigningKeys,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
    private readonly registry: ResourceRegistry,
  ) {}

  /**
   * A stream with a few hundred entries in memory at a time. The export itself is logged before it starts.
   * @throws Problem 400 `validation_failed` for an impossible range, 503 `unavailable`.
   */
  async write({
    format = 'json',
    ...query
  }: { format?: ExportFormat } & Record<string, unknown>): Promise<StreamableFile> {
    requireRange(query['from'] as string, query['to'] as string, MOST_DAYS);
    const actor = () => currentScope().actor.id ?? callingMember();
    const request = toListRequest(auditList, query, this.clock.now().toISOString(), actor);
    const guard = wholeLog(this.registry);
    const isFiltered =
      guard !== null || request.q !== null || request.filters.some(({ field }) => !IS_RANGE.has(field));
    const changes = Object.fromEntries(
      Object.entries({ format, ...query }).map(([name, to]) => [name, { from: null, to }]),
    );
    await this.trail.record({ action: 'audit.exported', target: null, outcome: 'success', riskLevel: 'high', changes });
    await this.sealer.sealAll();
    const checkpoint = await this.tree.newest();
    // Others may have sealed more since: what the checkpoint does not cover, it cannot prove.
    const range = within(await this.repository.rangeOf(request, guard), checkpoint?.size ?? 0);
    const filter = isFiltered ? request : null;
    const scope = currentScope();
    // The stream is read outside the context of the request.
    const inScope = <T>(work: () => Promise<T>): Promise<T> => runInScope(scope, work);
    const read = (after: number, to: number): Promise<ExportedAuditEntry[]> =>
      inScope(async () =>
        this.entriesOf(await this.repository.sealed(after, to, filter, guard), isFiltered ? checkpoint : null),
      );
    const sign = (seen: Seen): Promise<ExportManifest> =>
      inScope(() => this.manifestOf(seen, checkpoint, isFiltered ? null : range));
    return new StreamableFile(Readable.from(written(format, range, read, sign), { objectMode: false }), {
      type: WRITERS[format].mediaType,
      disposition: `attachment; filename="audit-log.${format}"`,
    });
  }

  /** Entries with inclusion proofs, if there is a checkpoint. */
  private async entriesOf(rows: readonly SealedRow[], checkpoint: Checkpoint | null): Promise<ExportedAuditEntry[]> {
    const leaves = rows.map(({ seq }) => seq - 1);
    const proofs = checkpoint ? await this.tree.inclusionProofs(leaves, checkpoint.size) : null;
    return rows.map((row, index) => ({
      ...exportedEntry(row),
      ...(proofs && {
        proof: {
          leafIndex: row.seq - 1,
          treeSize: checkpoint!.size,
          rootHash: checkpoint!.rootHash.toString('hex'),
          hashes: hexOf(proofs[index]!),
        },
      }),
    }));
  }

  private async manifestOf(seen: Seen, newest: Checkpoint | null, proven: SeqRange | null): Promise<ExportManifest> {
    const { size, rootHash, checkpoint } = treeView(newest);
    const key = await this.keys.active();
    const manifest = {
      count: seen.count,
      firstSeq: seen.firstSeq,
      lastSeq: seen.lastSeq,
      tree: { size, rootHash },
      checkpoint,
      rangeProof: proven && {
        before: hexOf(await this.tree.hashesOf({ from: 0, to: proven.firstSeq - 1 })),
        after: hexOf(await this.tree.hashesOf({ from: proven.lastSeq, to: size })),
      },
      sha256: seen.canonical.digest('hex'),
      entriesSha256: seen.entries.digest('hex'),
      keyId: key.kid,
    };
    const signature = key.sign(Buffer.from(canonical(manifest))).toString('base64url');
    return { ...manifest, signature };
  }
}

/** The part of a range inside a tree of a given size; null if there is none. */
function within(range: SeqRange | null, size: number): SeqRange | null {
  return range && range.firstSeq <= size ? { ...range, lastSeq: Math.min(range.lastSeq, size) } : null;
}

/** Summary of the entries written so far. */
interface Seen {
  count: number;
  firstSeq: number | null;
  lastSeq: number | null;
  canonical: ReturnType<typeof createHash>;
  entries: ReturnType<typeof createHash>;
}

async function* written(
  format: ExportFormat,
  range: SeqRange | null,
  read: (after: number, to: number) => Promise<ExportedAuditEntry[]>,
  sign: (seen: Seen) => Promise<ExportManifest>,
): AsyncGenerator<string> {
  const writer = WRITERS[format];
  const seen: Seen = {
    ...{ count: 0, firstSeq: null, lastSeq: null },
    canonical: createHash('sha256'),
    entries: createHash('sha256'),
  };
  yield writer.begin;
  for (let after = range ? range.firstSeq - 1 : 0; range && after < range.lastSeq; after += WINDOW) {
    const entries = await read(after, Math.min(after + WINDOW, range.lastSeq));
    let text = '';
    for (const entry of entries) {
      text += writer.entry(entry, seen.count++);
      seen.firstSeq ??= entry.seq;
      seen.lastSeq = entry.seq;
      seen.canonical.update(`${entry.canonical}\n`);
      seen.entries.update(`${canonical(entry)}\n`);
    }
    if (text !== '') yield text;
  }
  yield writer.end(await sign(seen));
}
