import { Injectable, type OnModuleInit } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { Automations } from '#libs/automation/automations.js';
import { timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { closedStates } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { MEMBER, mustExist } from '#libs/resource/references.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { Table } from '#libs/resource/table.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { type Member, MEMBERSHIP_TYPE } from './member.js';

const JOB = 'core.membership.transfer';
/** Records that one transaction moves. */
const BATCH = 100;

/** Whose open records go to whom; those of one workspace if it is named. */
interface Transfer {
  from: string;
  to: string;
  workspaceId: string | null;
}

/** What is asked of a transfer, and the job that does it. */
export interface TransferJob {
  jobId: string;
  /** Records that are to be moved, as many as there were when it began. */
  records: number;
}

/**
 * Gives the open records of a member to another one: all types, in the worker, a batch per transaction with an audit entry
 * and event for each record. What dies in between has done nothing, and is done again.
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

  /** Begins a transfer with the transaction. @throws Problem 400 at `pointer` for somebody who can own nothing. */
  async begin(
    transaction: Transaction,
    { id: from, name }: Pick<Member, 'id' | 'name'>,
    wanted: { to: string; workspaceId: string | null; pointer: string },
  ): Promise<TransferJob> {
    const { to, workspaceId, pointer } = wanted;
    if (from === to)
      throw Problem.validation([{ pointer, code: 'same_member', detail: 'The records are theirs already.' }]);
    transaction.write(mustExist(MEMBER, pointer, [to]));
    const key = keyOf({ from, to, workspaceId });
    const at = this.clock.now().toISOString();
    const records = await this.count({ from, to, workspaceId });
    transaction.write(timerStatement({ kind: JOB, key, dueAt: at }));
    const changes = { ownerOfRecords: { from, to } };
    const target = { type: MEMBERSHIP_TYPE, id: from, name };
    const fact = { action: `${MEMBERSHIP_TYPE}.transfer_started`, target, changes } as const;
    transaction.write(auditStatement(currentScope(), { ...fact, outcome: 'success', riskLevel: 'medium' }, at));
    return { jobId: key, records };
  }

  private async carryOn(key: string): Promise<void> {
    const transfer = transferOf(key);
    await this.database.transaction(async (transaction) => {
      let left = BATCH;
      for (const definition of this.registry.all()) {
        const rows = await transaction.query<{ id: string }>(this.owned(definition, transfer, left));
        const { service } = this.registry.ofType(definition.type)!;
        for (const { id } of rows) await service.amend(id, () => ({ ownerId: transfer.to }));
        left -= rows.length;
        if (left > 0) continue;
        transaction.write(timerStatement({ kind: JOB, key, dueAt: this.clock.now().toISOString() }));
        return;
      }
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

function keyOf({ from, to, workspaceId }: Transfer): string {
  return [from, to, workspaceId ?? '*'].join(':');
}

function transferOf(key: string): Transfer {
  const [from = '', to = '', workspaceId = '*'] = key.split(':');
  return { from, to, workspaceId: workspaceId === '*' ? null : workspaceId };
}
