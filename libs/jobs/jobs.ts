import { Injectable, Logger } from '@nestjs/common';
import { guarantorOf, Guarantors } from '#libs/auth/guarantors.js';
import { callerOrNull, requirePermission } from '#libs/auth/current-principal.js';
import { personOf, type Principal } from '#libs/auth/principal.js';
import { Automations, type GivenUpRun, type RunFailure } from '#libs/automation/automations.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { isUuid, uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { ENDED_JOB_EVENTS, JOB_PATH, JOB_TYPE, toldOf } from './ended-job.js';
import { Job, type JobEnd, type JobKind, type JobStep } from './job.js';
import { type JobLease, queueStatement, unqueueStatement } from './job-queue.js';

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
 * Asynchronous jobs. The worker takes one step per transaction, which also stores the progress, so an interrupted step
 * is rolled back and repeated. A job fails when no attempts are left, or at once when who ordered it has lost the right
 * to.
 *
 * Every flow or timer that is given up becomes a failed job, so nothing that the platform gives up is silent: it
 * is in the list of jobs, has an audit entry and an event, and somebody is told.
 */
@Injectable()
export class Jobs {
  readonly rows: ResourceRepository<Job>;
  private readonly logger = new Logger('jobs');
  private readonly known = new Map<string, JobKind>();
  private messenger: Messenger | null = null;

  constructor(
    automations: Automations,
    private readonly kit: ResourceKit,
    private readonly guarantors: Guarantors,
  ) {
    this.rows = kit.rows(Job);
    kit.registry.declareObject(ENDED_JOB_EVENTS);
    automations.whenGivenUp((transaction, run) => this.list(transaction, run));
  }

  /** Tells of jobs that fail. If that fails too, it is only logged. */
  toldBy(messenger: Messenger): void {
    this.messenger = messenger;
  }

  /** @throws Error if the kind is registered already. */
  register<Prepared>(kind: JobKind<Prepared>): void {
    if (this.known.has(kind.kind)) throw new Error(`The kind of job ${kind.kind} is registered twice.`);
    this.known.set(kind.kind, kind); // its steps get what its work returns
  }

  /** All kinds, by name. */
  get kinds(): ReadonlyMap<string, JobKind> {
    return this.known;
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
    transaction.write(queueStatement({ id, kind, dueAt: at }));
    return id;
  }

  /** The statement that deletes the expired jobs of the tenant in scope. */
  forgetExpired(): Statement {
    return statement(FORGET, [currentTenant().id, this.kit.clock.now().toISOString()]);
  }

  /**
   * Does the work of the next step that needs no transaction. It is asked before whether who ordered the job still may;
   * if not, the step says so.
   */
  async prepare({ jobId, kind }: JobLease, signal: AbortSignal): Promise<unknown> {
    const known = this.kindOf(kind);
    if (!known.work) return undefined;
    const job = await this.rows.find(jobId);
    if (job?.finishedAt !== null || (await this.refusalOf(known, job)) !== null) return undefined;
    return known.work(job, signal);
  }

  /** Takes the next step of a locked job, with what was prepared for it; returns whether the job is over. */
  async takeStep(transaction: Transaction, job: Job, prepared: unknown): Promise<boolean> {
    const kind = this.kindOf(job.kind);
    const refusal = await this.refusalOf(kind, job);
    if (refusal !== null) {
      await this.giveUp(transaction, job, { failure: refusal, attempts: 1 });
      return true;
    }
    const step = await kind.step(transaction, job, prepared);
    transaction.write(this.rows.replace(this.after(job, step, this.kit.now())));
    if (step.isDone) transaction.write(unqueueStatement(job.id));
    return step.isDone;
  }

  /** Records that a locked job has failed, with the consequences. */
  async giveUp(transaction: Transaction, job: Job, failed: Failed): Promise<void> {
    await this.fail(transaction, job, job, failed);
    await this.close(transaction, job, { status: 'failed', failure: failed.failure });
  }

  /**
   * Ends a job that is not over, as part of a transaction that has locked it. What its steps have done stays. Whoever
   * works on it notices within a second, and commits nothing more.
   */
  async cancel(transaction: Transaction, job: Job): Promise<void> {
    const at = this.kit.now();
    const cancelled: Job = { ...job, status: 'cancelled', finishedAt: at, expiresAt: this.expiry() };
    this.tell(transaction, { save: this.rows.replace(cancelled), job: cancelled, attempts: 0, at });
    await this.close(transaction, job, { status: 'cancelled' });
  }

  /** Checks that the caller may end a job that others have ordered. @throws Problem 403. */
  requireEnding(job: Job): void {
    const kind = this.kindOf(job.kind);
    requirePermission(askedAgain(kind, job) ?? kind.permission);
  }

  private async close(transaction: Transaction, job: Job, end: JobEnd): Promise<void> {
    transaction.write(unqueueStatement(job.id));
    await this.kindOf(job.kind).ended(transaction, job, end);
  }

  private kindOf(name: string): JobKind {
    const kind = this.known.get(name);
    if (!kind) throw new Error(`The kind of job ${name} is not registered.`);
    return kind;
  }

  /** Why who ordered a job may not go on with it; null if they may. */
  private async refusalOf(kind: JobKind, job: Job): Promise<RunFailure | null> {
    const { id, guarantor } = job;
    if (kind.onBehalf.of !== 'requester' || guarantor === null) return null;
    const permission = askedAgain(kind, job);
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

  /** Lists a flow or timer that was given up as a failed job. */
  private list(transaction: Transaction, run: GivenUpRun): Promise<void> {
    return this.fail(transaction, null, { ...this.blank(this.kit.now()), ...this.factsOf(run) }, run);
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
    const save = before === null ? this.rows.insert(failed) : this.rows.replace(failed);
    this.tell(transaction, { save, job: failed, attempts, at });
    try {
      await transaction.savepoint(async () => this.messenger?.(transaction, failed));
    } catch (error) {
      this.logger.error(`Nobody could be told that ${job.kind} was given up: ${String(error)}`);
    }
  }

  /** Saves a job that has ended without success, with its audit entry and event. */
  private tell(
    transaction: Transaction,
    { save, job, attempts, at }: { save: Statement; job: Job; attempts: number; at: string },
  ): void {
    const { id, kind, status, subject } = job;
    this.kit.commits.add(transaction, {
      save,
      event: `${JOB_TYPE}.${status}`,
      subject: { type: JOB_TYPE, id, version: 1, reference: null, url: `${JOB_PATH}/${id}`, name: kind },
      about: isUuid(subject?.id) ? subject.id : null,
      before: null,
      after: toldOf(job, attempts),
      at,
      riskLevel: 'medium',
    });
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

/** The permission of whoever ordered a job that is asked again; null if none is. */
function askedAgain({ onBehalf }: JobKind, job: Job): string | null {
  if (onBehalf.of !== 'requester') return null;
  return typeof onBehalf.asks === 'string' ? onBehalf.asks : onBehalf.asks(job);
}
