import { Injectable } from '@nestjs/common';
import { every, type Guard, guarded } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import type { ListRequest } from '#libs/resource/lists/list-query.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { auditList } from './audit-log.dto.js';
import { AuditLogRow } from './audit-log.entity.js';
import type { ViewedRow } from './audit-log.view.js';

/** A range of sequence numbers. */
export interface SeqRange {
  firstSeq: number;
  lastSeq: number;
}

/** The fields that an entry is shown from, and its sequence number. */
export type SealedRow = ViewedRow & { seq: number };

const RANGE = `select min(n.seq) as "firstSeq", max(n.seq) as "lastSeq"
  from data.audit_log t join data.audit_tree n on n.tenant_id = t.tenant_id and n.entry_id = t.id
  where t.tenant_id = $1`;
const SEALED = `
  select t.id, t.occurred_at as "occurredAt", t.entry, t.details, t.details_salt as "detailsSalt",
    t.erased_at as "erasedAt", t.leaf_hash as "leafHash", t.client_ip as "clientIp", t.user_agent as "userAgent",
    t.context_salt as "contextSalt", n.seq
  from data.audit_tree n join data.audit_log t on t.tenant_id = n.tenant_id and t.id = n.entry_id
  where n.tenant_id = $1 and n.seq > $2 and n.seq <= $3`;

@Injectable()
export class AuditLogsRepository extends ResourceRepository<AuditLogRow> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, AuditLogRow);
  }

  /** The smallest range that contains all sealed entries matching filters and guard; null if there are none. */
  async rangeOf(request: ListRequest, guard: Guard | null): Promise<SeqRange | null> {
    const wanted = every(this.table.filtered(request, auditList), guard);
    const [row] = await this.database.read<SeqRange | { firstSeq: null }>(guarded(RANGE, [currentTenant().id], wanted));
    return row!.firstSeq === null ? null : row!;
  }

  /**
   * Sealed entries after one number and up to another, sorted by number, that match the guard and, with a request, its
   * filters.
   */
  async sealed(after: number, to: number, request: ListRequest | null, guard: Guard | null): Promise<SealedRow[]> {
    const wanted = every(request && this.table.filtered(request, auditList), guard);
    const values = [currentTenant().id, after, to];
    return this.database.read<SealedRow>(guarded(SEALED, values, wanted, ' order by n.seq'));
  }
}
