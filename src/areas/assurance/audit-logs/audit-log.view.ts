import type { AuditDetails, AuditEntry } from '#libs/audit/audit-entry.js';
import type { AuditEntryView } from './audit-log.dto.js';
import type { AuditLogRow } from './audit-log.entity.js';

/** What an entry is shown from. */
export type ViewedRow = Pick<
  AuditLogRow,
  | 'id'
  | 'occurredAt'
  | 'entry'
  | 'details'
  | 'detailsSalt'
  | 'erasedAt'
  | 'leafHash'
  | 'clientIp'
  | 'userAgent'
  | 'contextSalt'
>;

/** An entry as shown, including erasable data. @param seq null until it is sealed. */
export function viewOf(row: ViewedRow, seq: number | null): AuditEntryView {
  const entry = JSON.parse(row.entry) as AuditEntry;
  const { actor, allowedBy = [], action, target, outcome, riskLevel, requestId } = entry;
  const { workspaceId = null, correlationId = null } = entry;
  const { targetName: name, reason, changes } = JSON.parse(row.details) as AuditDetails;
  return {
    id: row.id,
    occurredAt: row.occurredAt,
    actor,
    allowedBy,
    action,
    target: target && { ...target, name },
    outcome,
    riskLevel,
    reason,
    changes,
    workspaceId,
    requestId,
    correlationId,
    clientIp: row.clientIp,
    userAgent: row.userAgent,
    erasedAt: row.erasedAt,
    seq,
    leafHash: row.leafHash.toString('hex'),
  };
}
