import { Injectable, Logger } from '@nestjs/common';
import { guarantorOf, Guarantors } from '#libs/auth/guarantors.js';
import { callerOrNull, requirePermission } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { personOf, type Principal } from '#libs/auth/principal.js';
import { Automations, type GivenUpRun, type RunFailure } from '#libs/automation/automations.js';
import { timerStatement } from '#libs/automation/timers.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { isUuid, uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { FAILED_JOB_EVENTS, JOB_PATH, JOB_TYPE, toldOf } from './failed-job.js';
import { Job, type JobKind, type JobStep } from './job.js';

const KEPT_DAYS = 30;

const FORGET = `delete from data.jobs where tenant_id = $1 and expires_at <= $2 and finished_at is not null`;

/** A job to start. */
export interface NewJob {
  kind: string;
  input: Record<string, unknown>;
  total: number | null;
  phase: string;
}

/** Why a job has failed, and after how many attempts. */
type Failed = Pick<GivenUpRun, 'failure' | 'attempts'>;

/** Tells somebody about a failed job, in the transaction that records it. */
export type Messenger = (transaction: Transaction, job: Job) => Promise<void>;

/**
 * Asynchronous jobs. A timer per kind takes one step per transaction, which also stores the progress, so an interrupted
 * step is rolled back and repeated. A job fails when the timer has no attempts left, or at once when who ordered it has
 * lost the right to.
 *
 * Every other flow or timer that is given up becomes a failed job, so nothing that the platform gives up is silent: it
 * is in the list of jobs, has an audit entry and an event, and somebody is told.
 */
@Injectable()
export class Jobs {
  readonly rows: ResourceRepository<Job>;
  private readonly logger = new Logger('jobs');
  private readonly kinds = new Map<string, JobKind>();
  private messenger: Messenger | null = null;

  constructor(
    private readonly automations: Automations,
    private readonly kit: ResourceKit,
    private readonly guarantors: Guarantors,
  ) {
    this.rows = kit.rows(Job);
    kit.registry.declareObject(FAILED_JOB_EVENTS);
    automations.whenGivenUp((transaction, run) => this.giveUp(transaction, run));
  }

  /** Tells of jobs that fail. If that fails too, it is only logged. */
  toldBy(messenger: Messenger): void {
    this.messenger = messenger;
  }

  /** @throws Error if the kind is registered already. */
  register(kind: JobKind): void {
    this.automations.timer({
      kind: kind.kind,
      onBehalf: kind.onBehalf,
      fire: (id) => this.carryOn(kind, id),
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
    const at = this.kit.clock.now().toISOString();
    const isByPlatform = actor.type === 'automation' || actor.type === 'system';
    const orderer = caller && !isByPlatform ? ordererOf(caller) : null;
    transaction.write(this.rows.insert({ ...this.blank(at), id, kind, total, phase, input, ...orderer }));
    transaction.write(timerStatement({ kind, key: id, dueAt: at }));
    return id;
  }

  /** The statement that deletes the expired jobs of the tenant in scope. */
  forgetExpired(): Statement {
    return statement(FORGET, [currentTenant().id, this.kit.clock.now().toISOString()]);
  }

  private carryOn(kind: JobKind, id: string): Promise<void> {
    return this.kit.database.transaction(async (transaction) => {
      const job = await this.rows.lock(transaction, id);
      if (job?.finishedAt !== null) return;
      const refusal = await this.refusalOf(kind, job);
      if (refusal !== null) return this.end(transaction, kind, job, { failure: refusal, attempts: 1 });
      const step = await kind.step(transaction, job);
      const at = this.kit.clock.now().toISOString();
      transaction.write(this.rows.replace(this.after(job, step, at)));
      if (!step.isDone) transaction.write(timerStatement({ kind: kind.kind, key: id, dueAt: at }));
    });
  }

  /** Why who ordered a job may not go on with it; null if they may. */
  private async refusalOf({ onBehalf }: JobKind, job: Job): Promise<RunFailure | null> {
    const { id, guarantor } = job;
    if (onBehalf.of !== 'requester' || guarantor === null) return null;
    const permission = typeof onBehalf.asks === 'string' ? onBehalf.asks : onBehalf.asks(job);
    try {
      await this.guarantors.check(guarantor, `job ${id}`, async () => {
        if (permission !== null) requirePermission(permission);
      });
      return null;
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return { code: error.code, detail: error.detail };
    }
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

  private async giveUp(transaction: Transaction, run: GivenUpRun): Promise<void> {
    const kind = this.kinds.get(run.kind);
    if (!kind) return this.fail(transaction, null, { ...this.blank(this.kit.now()), ...this.factsOf(run) }, run);
    const job = await this.rows.lock(transaction, run.key);
    if (job?.finishedAt !== null) return;
    await this.end(transaction, kind, job, run);
  }

  /** Records that a job of a kind has failed, with the consequences. */
  private async end(transaction: Transaction, kind: JobKind, job: Job, failed: Failed): Promise<void> {
    await this.fail(transaction, job, job, failed);
    for (const consequence of kind.gaveUp(job.id)) transaction.write(consequence);
  }

  /** Records that a job has failed, also one that is listed only since it was given up (`before` is null). */
  private async fail(
    transaction: Transaction,
    before: Job | null,
    job: Job,
    { failure, attempts }: Failed,
  ): Promise<void> {
    const { code, detail: message } = failure;
    const at = this.kit.now();
    const failed: Job = {
      ...job,
      status: 'failed',
      error: { code, message },
      finishedAt: at,
      expiresAt: this.expiry(),
    };
    this.kit.commits.add(transaction, {
      save: before === null ? this.rows.insert(failed) : this.rows.replace(failed),
      event: `${JOB_TYPE}.failed`,
      subject: {
        type: JOB_TYPE,
        id: job.id,
        version: 1,
        reference: null,
        url: `${JOB_PATH}/${job.id}`,
        name: job.kind,
      },
      about: isUuid(job.subject?.id) ? job.subject.id : null,
      before: null,
      after: toldOf(failed, attempts),
      at,
      riskLevel: 'medium',
    });
    try {
      await transaction.savepoint(async () => this.messenger?.(transaction, failed));
    } catch (error) {
      this.logger.error(`Nobody could be told that ${job.kind} was given up: ${String(error)}`);
    }
  }

  /** The kind of a flow or timer, and what it was about: the subject of the event, or the record that a timer names. */
  private factsOf({ kind, key, event }: GivenUpRun): Pick<Job, 'id' | 'kind' | 'subject'> {
    const type = kind.split('.', 2).join('.');
    const known = this.kit.registry.ofType(type) ?? this.kit.registry.allObjects().find((each) => each.type === type);
    const named = known && isUuid(key) ? { object: type, id: key } : null;
    return { id: uuidv7(), kind, subject: event ? { object: event.subject.type, id: event.subject.id } : named };
  }

  private blank(at: string): Job {
    return {
      ...this.rows.blank(),
      ...{ tenantId: currentTenant().id, status: 'queued', done: 0, input: {}, state: {} },
      ...{ requestedBy: currentScope().actor, createdAt: at, expiresAt: this.expiry() },
    };
  }

  private expiry(): string {
    return new Date(this.kit.clock.nowMs() + KEPT_DAYS * DAY_MS).toISOString();
  }
}

function ordererOf(caller: Principal): Pick<Job, 'requesterId' | 'guarantor'> {
  return { requesterId: personOf(caller), guarantor: { ...guarantorOf(caller), lineageId: caller.lineageId } };
}
