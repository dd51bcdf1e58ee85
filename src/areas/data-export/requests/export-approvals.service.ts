import { Injectable } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { guarantorOf } from '#libs/auth/guarantors.js';
import { personBehind } from '#libs/auth/principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { ArchiveRuns } from '../archive/archive-runs.js';
import { ExportGate } from './export-gate.js';
import type { DataExportRequest, ShownRequest } from './export-request.js';
import { ExportRequestNotices } from './export-request-notices.js';
import { ExportRequestRecords } from './export-request-records.js';
import type { ExportAction } from './export-request.lifecycle.js';
import type { ChangeExportRequest } from './export-request.requests.js';

/** Only owners have it: who may let restricted fields leave. */
const OF_OWNERS = 'tenant:close';

type Deciding = (
  transaction: Transaction,
  row: DataExportRequest,
  input: ChangeExportRequest,
) => Promise<DataExportRequest>;

/** What those who approve exports of data decide about them. */
@Injectable()
export class ExportApprovalsService {
  private readonly deciding: Record<ExportAction, Deciding> = {
    approve: (transaction, row, input) => this.approve(transaction, row, input),
    reject: (transaction, row, { reason }) => this.reject(transaction, row, reason!),
    cancel: (transaction, row, { reason }) => this.runs.cancel(transaction, row, reason ?? null),
    retry: (transaction, row) => Promise.resolve(this.runs.restart(transaction, row, {}, 'retried')),
    extend: (transaction, row, input) => this.extend(transaction, row, input),
    revoke_download: (transaction, row, { reason }) => this.revoke(transaction, row, reason ?? null),
  };

  constructor(
    private readonly records: ExportRequestRecords,
    private readonly gate: ExportGate,
    private readonly runs: ArchiveRuns,
    private readonly notices: ExportRequestNotices,
    private readonly kit: ResourceKit,
  ) {}

  /** @throws Problem 403, 404, 409 `invalid_transition`, 412. */
  decide(id: string, input: ChangeExportRequest): Promise<ShownRequest> {
    const { objects } = this.records;
    return objects.unit(async (transaction) => {
      const row = await objects.lock(transaction, id);
      objects.refuseImpossible(row, input.action);
      return objects.show(await this.deciding[input.action](transaction, row, input));
    });
  }

  private async approve(
    transaction: Transaction,
    row: DataExportRequest,
    { full = false, reason, expiresInHours = row.expiresInHours }: ChangeExportRequest,
  ): Promise<DataExportRequest> {
    await this.gate.requireApprover(row);
    if (full) requirePermission(OF_OWNERS);
    const caller = currentPrincipal();
    const { actor: by } = currentScope();
    const approvals = [...row.approvals, { by, at: this.kit.now(), full, person: personBehind(caller) }];
    const decision = {
      ...{ approvals, decisionReason: reason ?? null, expiresInHours, isFull: row.isFull || full },
      fullGuarantor: full ? guarantorOf(caller) : row.fullGuarantor,
    };
    const isEnough = approvals.length >= row.quorum;
    const after = isEnough
      ? this.runs.restart(transaction, row, decision, 'approved')
      : this.records.objects.change(transaction, row, decision, 'approved');
    await this.notices.decided(transaction, after, isEnough ? 'approved' : 'approved by one of several');
    return after;
  }

  private async reject(transaction: Transaction, row: DataExportRequest, reason: string): Promise<DataExportRequest> {
    const over = { status: 'rejected', decisionReason: reason, finishedAt: this.kit.now() } as const;
    const after = this.records.objects.change(transaction, row, over, 'rejected');
    await this.notices.decided(transaction, after, 'rejected');
    return after;
  }

  /** Whoever has requested an export does not prolong it alone. */
  private async extend(
    transaction: Transaction,
    row: DataExportRequest,
    { expiresInHours, reason }: ChangeExportRequest,
  ): Promise<DataExportRequest> {
    await this.gate.requireAnother(row);
    const downloadExpiresAt = new Date(this.kit.clock.nowMs() + expiresInHours! * HOUR_MS).toISOString();
    this.runs.keep(transaction, row.id, row.contentId!, downloadExpiresAt);
    const changes = { downloadExpiresAt, decisionReason: reason ?? row.decisionReason };
    return this.records.objects.change(transaction, row, changes, 'extended');
  }

  private async revoke(
    transaction: Transaction,
    row: DataExportRequest,
    reason: string | null,
  ): Promise<DataExportRequest> {
    const after = this.runs.removeArchive(transaction, row, 'revoked', reason);
    await this.notices.decided(transaction, after, 'removed');
    return after;
  }
}
