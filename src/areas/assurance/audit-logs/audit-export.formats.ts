import { type Cell, cellOf, CRLF } from '#libs/kernel/csv.js';
import type { ExportedAuditEntry, ExportFormat, ExportManifest } from './audit-export.dto.js';

/** Writer for an export format. */
export interface ExportWriter {
  mediaType: string;
  begin: string;
  entry(entry: ExportedAuditEntry, index: number): string;
  end(manifest: ExportManifest): string;
}

/** RFC 4180. An empty cell is null; an empty string is quoted. */
const COLUMNS: Record<string, (entry: ExportedAuditEntry) => Cell> = {
  seq: ({ seq }) => seq,
  id: ({ id }) => id,
  occurredAt: ({ occurredAt }) => occurredAt,
  actorType: ({ actor }) => actor.type,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  allowedBy: ({ allowedBy }) => JSON.stringify(allowedBy),
  action: ({ action }) => action,
  targetType: ({ target }) => target?.type ?? null,
  targetId: ({ target }) => target?.id ?? null,
  targetName: ({ target }) => target?.name ?? null,
  outcome: ({ outcome }) => outcome,
  riskLevel: ({ riskLevel }) => riskLevel,
  reason: ({ reason }) => reason,
  changes: ({ changes }) => changes && JSON.stringify(changes),
  workspaceId: ({ workspaceId }) => workspaceId,
  requestId: ({ requestId }) => requestId,
  correlationId: ({ correlationId }) => correlationId,
  clientIp: ({ clientIp }) => clientIp,
  userAgent: ({ userAgent }) => userAgent,
  erasedAt: ({ erasedAt }) => erasedAt,
  leafHash: ({ leafHash }) => leafHash,
  contextSalt: ({ contextSalt }) => contextSalt,
  detailsSalt: ({ detailsSalt }) => detailsSalt,
  proof: ({ proof }) => (proof ? JSON.stringify(proof) : null),
  canonical: ({ canonical }) => canonical,
};

export const WRITERS: Record<ExportFormat, ExportWriter> = {
  json: {
    mediaType: 'application/json; charset=utf-8',
    begin: '{"entries":[',
    entry: (entry, index) => `${index === 0 ? '' : ','}${JSON.stringify(entry)}`,
    end: (manifest) => `],"manifest":${JSON.stringify(manifest)}}`,
  },
  ndjson: {
    mediaType: 'application/x-ndjson',
    begin: '',
    entry: (entry) => `${JSON.stringify(entry)}\n`,
    end: (manifest) => `${JSON.stringify({ manifest })}\n`,
  },
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    begin: `${Object.keys(COLUMNS).join(',')}${CRLF}`,
    entry: (entry) =>
      `${Object.values(COLUMNS)
        .map((cell) => cellOf(cell(entry)))
        .join(',')}${CRLF}`,
    end: (manifest) => `#manifest ${JSON.stringify(manifest)}${CRLF}`,
  },
};
