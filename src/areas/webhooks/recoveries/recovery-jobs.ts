import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import type { Job, JobStep } from '#libs/jobs/job.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { carryOn } from '#libs/webhooks/recovery/recovery-job.js';
import { type NewRecovery, RecoveriesRepository } from './recoveries.repository.js';
import { RECOVERY_TYPE } from './recovery.dto.js';

/** Starts the job of a recovery as part of a transaction; returns its id. */
export function startRecoveryJob(
  jobs: Jobs,
  transaction: Transaction,
  { id: recoveryId, status: phase }: Pick<NewRecovery, 'id' | 'status'>,
): string {
  return jobs.start(transaction, { kind: RECOVERY_TYPE, input: { recoveryId }, total: null, phase });
}

/** Carries out recoveries, one batch per step. */
@Injectable()
export class RecoveryJobs implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly repository: RecoveriesRepository,
    private readonly events: EventCatalogue,
  ) {}

  onModuleInit(): void {
    this.jobs.register({
      kind: RECOVERY_TYPE,
      permission: 'webhooks:read',
      onBehalf: { of: 'requester', asks: 'webhooks:write' },
      step: (transaction, job) => this.step(transaction, job),
      ended: (transaction, { id }) => transaction.write(this.repository.close(id)),
    });
  }

  private async step(transaction: Transaction, job: Job): Promise<JobStep> {
    const { recoveryId } = job.input as { recoveryId: string };
    await carryOn(transaction, this.events, currentTenant().id, recoveryId);
    const recovery = await this.repository.lock(transaction, recoveryId);
    if (!recovery) throw new Error('A recovery is never deleted before its job.');
    const { status, examined: done, counted, recovered, finishedAt } = recovery;
    if (finishedAt === null)
      return { isDone: false, done, total: status === 'counting' ? null : counted, phase: status };
    const isCancelled = status === 'cancelled';
    return { isDone: true, isCancelled, done, total: counted, phase: null, result: { recoveryId, recovered } };
  }
}
