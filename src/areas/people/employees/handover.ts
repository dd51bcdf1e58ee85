import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import type { Job, JobStep } from '#libs/jobs/job.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { Transfers } from '#libs/members/transfers.js';
import { TasksService } from '#src/areas/work/tasks/tasks.service.js';
import type { Employee } from './employee.js';
import { EmployeesRepository } from './employees.repository.js';

const JOB = 'people.employee.handover';
/** Records changed per transaction. */
const BATCH = 100;
const PHASE = 'handing_over';

/** What a terminated employee leaves behind. */
interface Legacy extends Record<string, unknown> {
  employeeId: string;
  membershipId: string;
}

/**
 * Moves the open records of terminated employees, and the open tasks assigned to them, to their nearest manager with
 * an active membership. A job that changes one batch per step.
 */
@Injectable()
export class Handover implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly transfers: Transfers,
    private readonly tasks: TasksService,
    private readonly repository: EmployeesRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.register({
      kind: JOB,
      permission: 'employees:manage',
      onBehalf: { of: 'tenant', because: 'consequence' },
      step: (transaction, job) => this.step(transaction, job),
      ended: () => undefined,
    });
  }

  /** Starts the job as part of the transaction. Without a membership there is nothing to move. */
  begin(transaction: Transaction, { id: employeeId, membershipId }: Employee): void {
    if (membershipId === null) return;
    const input: Legacy = { employeeId, membershipId };
    this.jobs.start(transaction, { kind: JOB, input, total: null, phase: PHASE });
  }

  /** The manager is determined for each step, because the manager may leave in the meantime. */
  private async step(transaction: Transaction, job: Job): Promise<JobStep> {
    const { employeeId, membershipId: from } = job.input as Legacy;
    const to = await this.repository.activeManagerOf(transaction, employeeId);
    const moved = to === null ? 0 : await this.move(transaction, from, to);
    const done = job.done + moved;
    if (moved === BATCH) return { isDone: false, done, phase: PHASE };
    return { isDone: true, done, phase: null, result: { from, to, moved: done } };
  }

  private async move(transaction: Transaction, from: string, to: string): Promise<number> {
    const owned = await this.transfers.move(transaction, { from, to, workspaceId: null }, BATCH);
    if (owned === BATCH) return owned;
    return owned + (await this.tasks.reassign(transaction, { from, to }, BATCH - owned));
  }
}
