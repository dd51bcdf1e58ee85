import { Injectable, type OnModuleInit } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { Automations } from '#libs/automation/automations.js';
import { timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { closedStates } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { Table } from '#libs/resource/lists/table.js';
import { type Actor, currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { type Member, MEMBERSHIP_TYPE } from './member.js';

const JOB = 'core.membership.transfer';
/** Records moved per transaction. */
const BATCH = 100;

const INSERT = `
  insert into data.member_transfers (tenant_id, id, from_id, to_id, workspace_id, matched, created_at, created_by, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $7)`;
const LOCK = `
  select from_id as "from", to_id as "to", workspace_id as "workspaceId" from data.member_transfers
  where tenant_id = $1 and id = $2 and finished_at is null for update`;
const PROGRESS = `
  update data.member_transfers set moved = moved + $3, updated_at = $4, finished_at = case when $5 then $4::timestamptz end
  where tenant_id = $1 and id = $2`;
const READ = `
  select t.id, t.from_id as "fromMembershipId", t.to_id as "toMembershipId", t.workspace_id as "workspaceId",
    case when t.finished_at is not null then 'completed' when r.state in ('waiting', 'ready') then 'running'
      else 'failed' end as status,
    t.matched, t.moved, t.created_at as "createdAt", t.created_by as "createdBy", t.updated_at as "updatedAt",
    t.finished_at as "finishedAt"
  from data.member_transfers t left join data.automation_runs r
    on r.tenant_id = t.tenant_id and r.kind = '${JOB}' and r.key = t.id::text
  where t.tenant_id = $1 and t.id = $2`;

/** Moves the open records of one member to another; only those of one workspace if it is given. */
interface Transfer {
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

/** Progress of a transfer. */
export interface TransferState {
  id: string;
  fromMembershipId: string;
  toMembershipId: string;
  workspaceId: string | null;
  /** `failed` when the worker has given up; records moved by then stay moved. */
  status: 'running' | 'completed' | 'failed';
  matched: number;
  moved: number;
  createdAt: string;
  createdBy: Actor;
  updatedAt: string;
  finishedAt: string | null;
}

/**
 * Transfers the open records of all types from one member to another. The worker moves one batch per transaction, with
 * an audit entry and event for each record. An interrupted batch is rolled back and retried.
 */
@Injectable()
export class Transfers implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly registry: ResourceRegistry,
    private readonly automations: Automations,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.automations.timer({ kind: JOB, fire: (key) => this.carryOn(key) });
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
    const jobId = uuidv7();
    const at = this.clock.now().toISOString();
    const records = await this.count({ from, to, workspaceId });
    const { actor } = currentScope();
    const row = [currentTenant().id, jobId, from, to, workspaceId, records, at, JSON.stringify(actor)];
    transaction.write(statement(INSERT, row));
    transaction.write(timerStatement({ kind: JOB, key: jobId, dueAt: at }));
    const changes = { ownerOfRecords: { from, to } };
    const target = { type: MEMBERSHIP_TYPE, id: from, name };
    const fact = { action: `${MEMBERSHIP_TYPE}.transfer_started`, target, changes } as const;
    transaction.write(auditStatement(currentScope(), { ...fact, outcome: 'success', riskLevel: 'medium' }, at));
    return { jobId, records };
  }

  /** Progress of a transfer; null when the tenant has none with the id. */
  async find(id: string): Promise<TransferState | null> {
    const [row] = await this.database.read<TransferState>(statement(READ, [currentTenant().id, id]));
    return row ?? null;
  }

  private async carryOn(jobId: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const [transfer] = await transaction.query<Transfer>(statement(LOCK, [currentTenant().id, jobId]));
      if (!transfer) return;
      let moved = 0;
      for (const definition of this.registry.all()) {
        const rows = await transaction.query<{ id: string }>(this.owned(definition, transfer, BATCH - moved));
        const { service } = this.registry.ofType(definition.type)!;
        for (const { id } of rows) await service.amend(id, () => ({ ownerId: transfer.to }));
        moved += rows.length;
        if (moved === BATCH) break;
      }
      const at = this.clock.now().toISOString();
      const isDone = moved < BATCH;
      transaction.write(statement(PROGRESS, [currentTenant().id, jobId, moved, at, isDone]));
      if (!isDone) transaction.write(timerStatement({ kind: JOB, key: jobId, dueAt: at }));
    });
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
