import { Injectable } from '@nestjs/common';
import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { personOf } from '#libs/auth/principal.js';
import { Automations, type RunFailure } from '#libs/automation/automations.js';
import { timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { Job, type JobKind, type JobStep } from './job.js';

const KEPT_DAYS = 30;

const FAIL = `update data.jobs set status = 'failed', error = $3, finished_at = $4, expires_at = $5
  where tenant_id = $1 and id = $2 and finished_at is null`;
const FORGET = `delete from data.jobs where tenant_id = $1 and expires_at <= $2 and finished_at is not null`;

/** A job to start. */
export interface NewJob {
  kind: string;
  input: Record<string, unknown>;
  total: number | null;
  phase: string;
}

/**
 * Asynchronous jobs. A timer per kind takes one step per transaction, which also stores the progress, so an interrupted
 * step is rolled back and repeated. A job fails when the timer has no attempts left.
 */
@Injectable()
export class Jobs {
  readonly rows: ResourceRepository<Job>;
  private readonly kinds = new Map<string, JobKind>();

  constructor(
    private readonly automations: Automations,
    private readonly clock: Clock,
    private readonly database: Database,
    cursors: Cursors,
  ) {
    this.rows = new ResourceRepository(database, cursors, Job);
  }

  /** @throws Error if the kind is registered already. */
  register(kind: JobKind): void {
    this.automations.timer({
      kind: kind.kind,
      fire: (id) => this.carryOn(kind, id),
      gaveUp: (transaction, id, failure) => this.fail(transaction, kind, id, failure),
    });
    this.kinds.set(kind.kind, kind);
  }

  /** The permission with which callers see all jobs of a kind. */
  permissions(): ReadonlyMap<string, Permission> {
    return new Map([...this.kinds].map(([kind, { permission }]) => [kind, permission]));
  }

  /** Starts a job as part of a transaction; returns its id. */
  start(transaction: Pick<Transaction, 'write'>, { kind, input, total, phase }: NewJob): string {
    const caller = callerOrNull();
    const { actor } = currentScope();
    const id = uuidv7();
    const at = this.clock.now().toISOString();
    const isByPlatform = actor.type === 'automation' || actor.type === 'system';
    transaction.write(
      this.rows.insert({
        ...this.rows.blank(),
        ...{ tenantId: currentTenant().id, id, kind, status: 'queued', done: 0, total, phase, input, state: {} },
        requesterId: caller && !isByPlatform ? personOf(caller) : null,
        requestedBy: actor,
        createdAt: at,
        expiresAt: this.expiry(),
      }),
    );
    transaction.write(timerStatement({ kind, key: id, dueAt: at }));
    return id;
  }

  /** The statement that deletes the expired jobs of the tenant in scope. */
  forgetExpired(): Statement {
    return statement(FORGET, [currentTenant().id, this.clock.now().toISOString()]);
  }

  private carryOn(kind: JobKind, id: string): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const job = await this.rows.lock(transaction, id);
      if (job?.finishedAt !== null) return;
      const step = await kind.step(transaction, job);
      const at = this.clock.now().toISOString();
      transaction.write(this.rows.replace(this.after(job, step, at)));
      if (!step.isDone) transaction.write(timerStatement({ kind: kind.kind, key: id, dueAt: at }));
    });
  }

  private after(job: Job, { isDone, isCancelled = false, ...step }: JobStep, at: string): Job {
    return {
      ...job,
      ...step,
      status: !isDone ? 'running' : isCancelled ? 'cancelled' : 'succeeded',
      startedAt: job.startedAt ?? at,
      finishedAt: isDone ? at : null,
      expiresAt: this.expiry(),
    };
  }

  private fail(transaction: Transaction, kind: JobKind, id: string, { code, detail }: RunFailure): void {
    const at = this.clock.now().toISOString();
    const error = JSON.stringify({ code, message: detail });
    transaction.write(statement(FAIL, [currentTenant().id, id, error, at, this.expiry()]));
    for (const consequence of kind.gaveUp(id)) transaction.write(consequence);
  }

  private expiry(): string {
    return new Date(this.clock.nowMs() + KEPT_DAYS * DAY_MS).toISOString();
  }
}
