import { Injectable } from '@nestjs/common';
import { AuditTree } from '#libs/proof/audit-tree.js';
import { exportedEntry } from '../audit-logs/exported-entry.js';
import { AuditLogsRepository } from '../audit-logs/audit-logs.repository.js';
import type { Batch } from './destinations/destination.js';
import type { Claim } from './stream-claims.js';

const MAX_ENTRIES = 500;
const MAX_BYTES = 1_048_576;
const SEQ_DIGITS = 12;

/** Entries to send, up to a number. */
export interface NextBatch extends Batch {
  lastSeq: number;
}

/** Reads the batches of streams, in the tenant in scope. */
@Injectable()
export class StreamBatches {
  constructor(
    private readonly logs: AuditLogsRepository,
    private readonly tree: AuditTree,
  ) {}

  /** The entries after a cursor; null if all are delivered. A batch that was begun before has the same end again. */
  async after({ streamId, seq, batchTo }: Pick<Claim, 'streamId' | 'seq' | 'batchTo'>): Promise<NextBatch | null> {
    const size = (await this.tree.newest())?.size ?? 0;
    if (size <= seq) return null;
    const to = batchTo ?? Math.min(seq + MAX_ENTRIES, size);
    const rows = await this.logs.sealed(seq, to, null, null);
    const entries = rows.map((row) => ({
      seq: row.seq,
      occurredAt: row.occurredAt,
      json: JSON.stringify(exportedEntry(row)),
    }));
    const items = batchTo === null ? entries.slice(0, fitting(entries)) : entries;
    const lastSeq = items.length < entries.length ? items.at(-1)!.seq : to;
    const [first, last] = [seq + 1, lastSeq].map((each) => String(each).padStart(SEQ_DIGITS, '0'));
    return { id: `${streamId}.${seq + 1}-${lastSeq}`, key: `${first}-${last}`, items, lastSeq };
  }
}

/** Number of entries that fit into a batch, at least one. */
function fitting(entries: readonly { json: string }[]): number {
  let bytes = 0;
  const tooMuch = entries.findIndex(({ json }) => (bytes += Buffer.byteLength(json) + 1) > MAX_BYTES);
  return tooMuch === -1 ? entries.length : Math.max(tooMuch, 1);
}
