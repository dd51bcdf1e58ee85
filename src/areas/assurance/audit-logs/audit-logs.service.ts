import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { callingMember, type ListRequest, toListRequest } from '#libs/resource/lists/list-query.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { type AuditEntryDetail, auditList, type AuditLogPage, type ConsistencyProof } from './audit-log.dto.js';
import { viewOf } from './audit-log.view.js';
import { AuditLogsRepository } from './audit-logs.repository.js';
import { AuditProofs, treeView } from './audit-proofs.service.js';
import { auditWithin } from './audit-reach.js';

const READ_RECORD_MS = 60_000;

/** Reads the audit log. Reads are themselves logged, once a minute per actor. */
@Injectable()
export class AuditLogsService {
  private readonly lastRead = new LRUCache<string, number>({ max: 10_000 });

  constructor(
    private readonly repository: AuditLogsRepository,
    private readonly proofs: AuditProofs,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
    private readonly registry: ResourceRegistry,
  ) {}

  async list(query: Record<string, unknown>): Promise<AuditLogPage> {
    const { data: rows, page } = await this.repository.page(this.requestOf(query), auditList, this.within());
    const { leaves, checkpoint } = await this.proofs.sealedOf(rows);
    const verdict = query['verify'] === true ? await this.proofs.verify(rows, leaves, checkpoint) : {};
    await this.recordRead();
    const data = rows.map((row) => viewOf(row, leaves.get(row.id)?.seq ?? null));
    return { data, page, tree: { ...treeView(checkpoint), ...verdict } };
  }

  /** @throws Problem 404. */
  async get(id: string, include: readonly string[]): Promise<AuditEntryDetail> {
    const row = await this.repository.find(id, this.within());
    if (!row) throw Problem.notFound();
    await this.recordRead();
    if (include.includes('proof')) {
      const { seq, proof } = await this.proofs.inclusion(row);
      return { ...viewOf(row, seq), canonical: row.entry, proof };
    }
    const { leaves } = await this.proofs.sealedOf([row]);
    return viewOf(row, leaves.get(id)?.seq ?? null);
  }

  /** @throws Problem 400 `validation_failed` for sizes that the tree never had, or in the wrong order. */
  async consistency(from: number, to: number): Promise<ConsistencyProof> {
    const proof = await this.proofs.consistency(from, to);
    await this.recordRead();
    return proof;
  }

  private requestOf(query: Record<string, unknown>): ListRequest {
    const actor = () => currentScope().actor.id ?? callingMember(); // a key stands in the log by itself
    return toListRequest(auditList, query, this.clock.now().toISOString(), actor);
  }

  private within() {
    return auditWithin(currentPrincipal(), this.registry);
  }

  private async recordRead(): Promise<void> {
    const reader = `${currentTenant().id}|${currentScope().actor.id}`;
    const now = this.clock.nowMs();
    if (now - (this.lastRead.get(reader) ?? 0) < READ_RECORD_MS) return;
    this.lastRead.set(reader, now);
    await this.trail.record({ action: 'audit.read', target: null, outcome: 'success', riskLevel: 'low' });
  }
}
