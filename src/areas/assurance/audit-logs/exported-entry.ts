import type { ExportedAuditEntry } from './audit-export.dto.js';
import { viewOf } from './audit-log.view.js';
import type { SealedRow } from './audit-logs.repository.js';

/** An entry with everything that is needed to verify it. */
export function exportedEntry(row: SealedRow): ExportedAuditEntry {
  return {
    ...viewOf(row, row.seq),
    contextSalt: row.contextSalt?.toString('hex') ?? null,
    detailsSalt: row.detailsSalt?.toString('hex') ?? null,
    canonical: row.entry,
  };
}
