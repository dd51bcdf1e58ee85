import { Injectable, type OnModuleInit } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { Job, JobStep } from '#libs/jobs/job.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { Clock } from '#libs/kernel/clock.js';
import { closedStates } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { Table } from '#libs/resource/lists/table.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { type Member, MEMBERSHIP_TYPE } from './member.js';

const JOB = 'core.membership.transfer';
/** Records moved per transaction. */
const BATCH = 100;
const PHASE = 'transferring';

/** Moves the open records of one member to another; only those of one workspace if it is given. */
interface Transfer extends Record<string, unknown> {
  from: string;
  to: string;
  workspaceId: string | null;
}

/** The job that carries out a transfer. */
export interface TransferJob {
  jobId: string;
  /** Number of records to move, counted at the start. */
  records: number;
}

/**
 * Transfers the open records of all types from one member to another, as a job that moves one batch per step, with an
 * audit entry and event for each record.
 */
@Injectable()
export class Transfers implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly registry: ResourceRegistry,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.jobs.register({
      kind: JOB,
      permission: 'members:read',
      onBehalf: {
        of: 'requester',
        asks: ({ input }) => ((input as Transfer).workspaceId === null ? 'members:manage' : null), // leads of workspaces lack it
      },
      step: (transaction, job) => this.step(transaction, job),
      ended: () => undefined,
    });
  }

  /**
   * Starts a transfer as part of the transaction. @throws Problem 400 at `pointer` for a member who cannot own records.
   */
  async begin(
    transaction: Transaction,
    { id: from, name }: Pick<Member, 'id' | 'name'>,
    wanted: { to: string; workspaceId: string | null; pointer: string },
  ): Promise<TransferJob> {
    const { to, workspaceId, pointer } = wanted;
    if (from === to)
      throw Problem.validation([{ pointer, code: 'same_member', detail: 'The member already owns the records.' }]);
    transaction.write(mustExist(MEMBER, pointer, [to]));
    const input: Transfer = { from, to, workspaceId };
    const records = await this.count(input);
    const jobId = this.jobs.start(transaction, { kind: JOB, input, total: records, phase: PHASE });
    const at = this.clock.now().toISOString();
    const changes = { ownerOfRecords: { from, to } };
    const target = { type: MEMBERSHIP_TYPE, id: from, name };
    const fact = { action: `${MEMBERSHIP_TYPE}.transfer_started`, target, changes } as const;
    transaction.write(auditStatement(currentScope(), { ...fact, outcome: 'success', riskLevel: 'medium' }, at));
    return { jobId, records };
  }

  /** Moves open records as part of the transaction; returns their number, at most `limit`. */
  async move(transaction: Transaction, transfer: Transfer, limit: number): Promise<number> {
    let moved = 0;
    for (const definition of this.registry.all()) {
      const rows = await transaction.query<{ id: string }>(this.owned(definition, transfer, limit - moved));
      const { service } = this.registry.ofType(definition.type)!;
      for (const { id } of rows) await service.amend(id, () => ({ ownerId: transfer.to }));
      moved += rows.length;
      if (moved === limit) break;
    }
    return moved;
  }

  private async step(transaction: Transaction, job: Job): Promise<JobStep> {
    const transfer = job.input as Transfer;
    const moved = await this.move(transaction, transfer, BATCH);
    const done = job.done + moved;
    if (moved === BATCH) return { isDone: false, done, phase: PHASE };
    return { isDone: true, done, phase: null, result: { ...transfer, moved: done } };
  }

  private async count(transfer: Transfer): Promise<number> {
    let records = 0;
    for (const definition of this.registry.all()) {
      const [row] = await this.database.read<{ count: number }>(this.owned(definition, transfer, null));
      records += row!.count;
    }
    return records;
  }

  /** The open records of a type; `limit` null counts them. */
  private owned(definition: ResourceDefinition, { from, workspaceId }: Transfer, limit: number | null): Statement {
    const { entity, stateField = 'status', lifecycle } = definition;
    const open = { stateField, closed: closedStates(lifecycle), workspaceId };
    return new Table(this.database.source, entity).openOf(currentTenant().id, from, open, limit);
  }
}
