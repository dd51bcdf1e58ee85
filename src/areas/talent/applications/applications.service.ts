import { Injectable } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import type { Transaction } from '#libs/database/transaction.js';
import { bodyViolations } from '#libs/http/validation.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import type { Guard } from '#libs/resource/table.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { wordlessStanding } from '../candidates/candidate.erasure.js';
import { ofApplications, ofCandidates, ofSeenCandidates } from '../candidate.visibility.js';
import { ErasableService } from '../erasable.service.js';
import type { Job } from '../jobs/job.entity.js';
import { DEFAULT_STAGES, type JobStage } from '../jobs/job.stages.js';
import { JobsService } from '../jobs/jobs.service.js';
import {
  type ApplicationView,
  type CreateApplication,
  type HireOnApplication,
  MoveApplication,
  type RejectApplication,
  type ReopenApplication,
} from './application.dto.js';
import type { Application } from './application.entity.js';
import { type ApplicationAction, applicationLifecycle } from './application.lifecycle.js';
import { applicationResource } from './application.resource.js';
import { isActive, notOpen, openStage, unknown } from './application.rules.js';
import { ApplicationsRepository, type HeldCandidate } from './applications.repository.js';

type Input = Record<string, unknown>;
type OwnAction = Exclude<ApplicationAction, StandardAction>;
/** Hears what a caller did to an application, inside the transaction. `event` is the verb of its event. */
type MoveListener = (application: ApplicationView, event: string) => Promise<void>;
/** Deals with what hangs on an application that is about to end. */
type EndListener = (applicationId: string) => Promise<void>;

const HOUR_MS = 3_600_000;

/**
 * Applications of candidates for jobs. Locks are taken in the order job, candidate, application, offer.
 */
@Injectable()
export class ApplicationsService extends ErasableService<Application, ApplicationView, ApplicationAction> {
  protected override readonly handlers: Record<OwnAction, ActionHandler<Application>> = {
    move: (row, input: MoveApplication) => this.move(row, input),
    reject: (row, input: RejectApplication) => this.reject(row, input),
    withdraw: (row) => this.end(row, 'withdrawn'),
    reopen: (row, input: ReopenApplication) => this.reopen(row, input),
    hire: (row, input: HireOnApplication) => this.hire(row, input),
  };
  protected override readonly constraints = { talent_applications_job_open: notOpen };
  private readonly moveListeners: MoveListener[] = [];
  private readonly endListeners: EndListener[] = [];

  constructor(
    kit: ResourceKit,
    protected override readonly repository: ApplicationsRepository,
    private readonly jobs: JobsService,
    private readonly settings: TenantSettings,
  ) {
    super(applicationResource, kit, repository);
  }

  /** Has `listener` told of everything that callers do to applications. */
  whenMoved(listener: MoveListener): void {
    this.moveListeners.push(listener);
  }

  /** Has `listener` called before an application is rejected, withdrawn or hired on. */
  whenEnding(listener: EndListener): void {
    this.endListeners.push(listener);
  }

  override async create(input: Input): Promise<ApplicationView> {
    const row = await this.prepare(input);
    return this.unit(async (transaction) => {
      if (row.jobId !== null) await this.jobs.hold(row.jobId);
      await this.holdCandidate(transaction, row.candidateId);
      return this.tell(this.add(transaction, row), 'updated');
    });
  }

  /** A patch of `stage` is shorthand for a move; one of `status` for the action that leads there. */
  override async update(id: string, patch: Input): Promise<ApplicationView> {
    if ('status' in patch) return this.unit(async () => (await this.holdAround(id), super.update(id, patch)));
    if (!('stage' in patch)) return super.update(id, patch);
    const violations = bodyViolations(MoveApplication, patch);
    if (violations.length > 0) throw Problem.validation(violations);
    return this.act('move', id, patch);
  }

  override async act(action: ApplicationAction, id: string, input: Input): Promise<ApplicationView> {
    return this.unit(async () => (await this.holdAround(id), super.act(action, id, input)));
  }

  /** The application that is made together with a candidate. */
  prepareFirst(input: Partial<CreateApplication> & { candidateId: string }): Promise<Application> {
    return this.prepare(input as object as Input);
  }

  /** Saves one of {@link prepareFirst}. */
  addFirst(transaction: Transaction, row: Application): void {
    this.addPlainly(transaction, row);
  }

  /**
   * Locks the candidate of an application that something is about to happen to.
   * @throws Problem 400 for one that the caller may not see, 409 `record_locked` for one that is archived or anonymised.
   */
  async holdCandidate(transaction: Transaction, id: string): Promise<HeldCandidate> {
    const candidate = await this.repository.holdCandidate(transaction, id, ofCandidates());
    if (!candidate) throw unknown('/candidateId');
    if (candidate.isClosed) throw new Problem('record_locked', 'The candidate is archived or anonymised.');
    return candidate;
  }

  /**
   * Locks an application with its candidate, for what hangs on it.
   * @throws Problem 400 at /applicationId for one that the caller may not see, 409 `record_locked`.
   */
  async holdAny(transaction: Transaction, id: string): Promise<Application & HeldCandidate> {
    const found = await this.repository.find(id, this.visible());
    if (!found) throw unknown('/applicationId');
    const candidate = await this.holdCandidate(transaction, found.candidateId);
    return { ...(await this.lockPlainly(transaction, id)), ...candidate };
  }

  /** As {@link holdAny} for an open application. @throws also Problem 409 `application_closed`. */
  async holdOpen(transaction: Transaction, id: string): Promise<Application & HeldCandidate> {
    const row = await this.holdAny(transaction, id);
    if (row.status !== 'active') throw new Problem('application_closed', `The application is ${row.status}.`);
    return row;
  }

  /** Rejects or withdraws the open applications of a job that has ended; answers what became of each. */
  async endAllOf(jobId: string, action: 'reject' | 'withdraw', input: Input): Promise<ApplicationView[]> {
    return this.unit(async (transaction) => {
      const ended: ApplicationView[] = [];
      for (const { id, candidateId } of await this.repository.openOfJob(transaction, jobId)) {
        await this.repository.holdCandidate(transaction, candidateId, null);
        const row = await this.lockPlainly(transaction, id);
        if (row.status === 'active') ended.push(await this.transit(transaction, row, action, input));
      }
      return ended;
    });
  }

  /** Gives all applications of one candidate to another; where both have applied for one job, one application is left. */
  async giveAll(fromId: string, intoId: string): Promise<Application[]> {
    return this.unit(async (transaction) => {
      const kept = await this.repository.lockOfCandidate(transaction, intoId);
      for (const row of await this.repository.lockOfCandidate(transaction, fromId)) {
        const isTwice = row.jobId !== null && kept.some((each) => each.status === 'active' && each.jobId === row.jobId);
        if (row.status === 'active' && isTwice)
          await this.follow('withdraw', row.id, { reason: 'The candidate was merged into another one.' });
        await this.amend(row.id, () => ({ candidateId: intoId }));
      }
      return this.repository.lockOfCandidate(transaction, intoId);
    });
  }

  /** Erases what the applications of a candidate say about them; answers their ids. */
  async forget(candidateId: string): Promise<string[]> {
    return this.unit(async (transaction) => {
      const rows = await this.repository.lockOfCandidate(transaction, candidateId);
      for (const row of rows)
        this.erase(transaction, row, { ...wordlessStanding(row), name: 'Anonymised application', notifyAt: null });
      return rows.map(({ id }) => id);
    });
  }

  protected override guard(): Guard {
    return ofApplications();
  }

  protected override secrecy(): Guard | null {
    return ofSeenCandidates();
  }

  /** Who is hired gets a manager, who may see more of them than others do. */
  protected override async holdsOpened(row: Application | null, permission: Permission): Promise<boolean> {
    const { people } = await this.settings.get();
    return !people.managersSeePersonal || super.holdsOpened(row, permission);
  }

  protected override stageOf({ stage }: Application): { stage: string } {
    return { stage };
  }

  protected override derive({ rating }: Application): Partial<ApplicationView> {
    return { rating: rating === null ? null : rating / 100 };
  }

  protected override async draft(input: Input): Promise<Draft<Application>> {
    const { name, jobId = null } = input as unknown as CreateApplication; // validated against it
    const job = jobId === null ? null : await this.jobs.find(jobId);
    const at = this.now();
    const standing = { stage: 'applied', stageEnteredAt: at, appliedAt: at, lastActivityAt: at };
    const label = name ?? job?.name ?? 'General application';
    return { ...input, ...standing, name: label, jobId } as unknown as Draft<Application>; // the rest are columns
  }

  protected override async transitAsCaller(
    transaction: Transaction,
    row: Application,
    action: ApplicationAction,
    input: Input,
  ): Promise<ApplicationView> {
    const view = await super.transitAsCaller(transaction, row, action, input);
    return this.tell(view, applicationLifecycle.transitions[action].event);
  }

  private async tell(view: ApplicationView, event: string): Promise<ApplicationView> {
    for (const listener of this.moveListeners) await listener(view, event);
    return view;
  }

  private async holdAround(id: string): Promise<void> {
    await this.unit(async (transaction) => {
      const { jobId, candidateId } = await this.read(id);
      if (jobId !== null) await this.jobs.hold(jobId);
      await this.holdCandidate(transaction, candidateId);
    });
  }

  private async move(row: Application, { stage: key }: MoveApplication): Promise<Partial<Application>> {
    const stage = openStage(await this.openJobOf(row), key);
    if (stage.key === row.stage) throw this.refusal(row, 'move', 'The application is in that stage already.');
    if (stage.category === 'hired') throw this.refusal(row, 'move', 'An application gets into this stage by hire.');
    if (stage.category === 'offer') await this.unit((transaction) => this.requireOffer(transaction, row.id));
    return this.enter(stage.key);
  }

  private async reject(row: Application, input: RejectApplication): Promise<Partial<Application>> {
    const { rejectReason, notify = false, notifyAfterHours = 0 } = input;
    if (notify) {
      const candidate = await this.unit((transaction) => this.holdCandidate(transaction, row.candidateId));
      if (candidate.doNotContact) throw new Problem('do_not_contact', 'The candidate does not want to be contacted.');
    }
    const notifyAt = notify ? new Date(Date.parse(this.now()) + notifyAfterHours * HOUR_MS).toISOString() : null;
    return { ...(await this.end(row, 'rejected')), rejectReason, notifyAt };
  }

  private async reopen(row: Application, { stage: key }: ReopenApplication): Promise<Partial<Application>> {
    const stages = await this.openJobOf(row);
    const before = stages.find((stage) => stage.key === row.stageBefore);
    const stage = key === undefined ? (before ?? stages[0]!) : openStage(stages, key);
    const back = stage.category === 'offer' && key === undefined ? stages.findLast(isActive)! : stage;
    if (back.category === 'hired')
      throw this.refusal(row, 'reopen', 'An application is opened again into an open stage.');
    if (back.category === 'offer') await this.unit((transaction) => this.requireOffer(transaction, row.id));
    return { ...this.enter(back.key), stageBefore: null, rejectReason: null, notifyAt: null };
  }

  private async hire(row: Application, input: HireOnApplication): Promise<Partial<Application>> {
    return this.unit(async (transaction) => {
      const offer = await this.repository.liveOffer(transaction, row.id);
      const accepted = offer?.status === 'accepted' ? offer : null;
      if (!accepted && !input.force) throw new Problem('offer_missing', 'The candidate has accepted no offer.');
      if (!accepted) requirePermission('candidates:hire-without-offer');
      const job = row.jobId === null ? null : await this.jobs.hold(row.jobId);
      if (job) await this.jobs.countHire(job);
      const ended = await this.end(row, 'hired');
      for (const other of await this.repository.lockOfCandidate(transaction, row.candidateId))
        if (other.id !== row.id && other.status === 'active')
          await this.follow('withdraw', other.id, { reason: 'The candidate was hired on another application.' });
      const { startDate, jobTitle, departmentId, managerId = null } = input;
      return {
        ...ended,
        hiredAt: this.now(),
        startDate,
        jobTitle: jobTitle ?? accepted?.jobTitle ?? job?.name ?? null,
        departmentId: departmentId ?? job?.departmentId ?? null,
        managerId,
      };
    });
  }

  private async end(row: Application, stage: string): Promise<Partial<Application>> {
    for (const listener of this.endListeners) await listener(row.id);
    return { ...this.enter(stage), stageBefore: row.stage };
  }

  private enter(stage: string): Partial<Application> {
    return { stage, stageEnteredAt: this.now(), lastActivityAt: this.now() };
  }

  /** The stages that an open application can be in. @throws Problem 409 `job_not_open`. */
  private async openJobOf({ jobId }: Application): Promise<JobStage[]> {
    if (jobId === null) return DEFAULT_STAGES;
    const job: Job | null = await this.jobs.hold(jobId);
    if (job?.status !== 'open') throw notOpen();
    return job.stages;
  }

  private async requireOffer(transaction: Transaction, id: string): Promise<void> {
    if (!(await this.repository.liveOffer(transaction, id)))
      throw new Problem('offer_missing', 'The stage needs an offer; make one first.');
  }
}
