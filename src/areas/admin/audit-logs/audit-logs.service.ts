import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { AuditDetails, AuditEntry } from '#libs/audit/audit-entry.js';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { callingMember, toListRequest } from '#libs/resource/lists/list-query.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { auditList, type AuditEntryView } from './audit-log.dto.js';
import type { AuditLogRow } from './audit-log.entity.js';
import { AuditLogsRepository } from './audit-logs.repository.js';
import { auditWithin } from './audit-reach.js';

const READ_RECORD_MS = 60_000;

/** Reads the audit log. Reading is itself recorded, once a minute per actor. */
@Injectable()
export class AuditLogsService {
  private readonly lastRead = new LRUCache<string, number>({ max: 10_000 });

  constructor(
    private readonly repository: AuditLogsRepository,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
    private readonly registry: ResourceRegistry,
  ) {}

  async list(query: Record<string, unknown>): Promise<Page<AuditEntryView>> {
    const within = auditWithin(currentPrincipal(), this.registry.everything());
    const actor = () => currentScope().actor.id ?? callingMember(); // a key is a separate actor in the log
    const request = toListRequest(auditList, query, this.clock.now().toISOString(), actor);
    const { data, page } = await this.repository.page(request, auditList, within);
    await this.recordRead();
    return { data: data.map(present), page };
  }

  private async recordRead(): Promise<void> {
    const reader = `${currentTenant().id}|${currentScope().actor.id}`;
    const now = this.clock.nowMs();
    if (now - (this.lastRead.get(reader) ?? 0) < READ_RECORD_MS) return;
    this.lastRead.set(reader, now);
    await this.trail.record({ action: 'audit.read', target: null, outcome: 'success', riskLevel: 'low' });
  }
}

function present(row: AuditLogRow): AuditEntryView {
  const entry = JSON.parse(row.entry) as AuditEntry;
  const { actor, allowedBy = [], action, target, outcome, riskLevel, requestId } = entry;
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
    requestId,
    clientIp: row.clientIp,
    userAgent: row.userAgent,
    erasedAt: row.erasedAt,
    leafHash: row.leafHash.toString('hex'),
  };
}
