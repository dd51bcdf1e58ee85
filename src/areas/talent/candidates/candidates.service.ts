import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { bodyViolations } from '#libs/http/validation.js';
import { Problem } from '#libs/kernel/problem.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { mergedRefs } from '#libs/resource/carrying.js';
import { examplePathOf } from '#libs/resource/definition.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { visibilityChecks } from '#libs/resource/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import type { Guard } from '#libs/resource/table.js';
import { eraseTraces } from '#libs/resource/traces.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { MoveApplication } from '../applications/application.dto.js';
import { HIRE_REFERENCES } from '../applications/application.resource.js';
import type { ApplicationAction } from '../applications/application.lifecycle.js';
import { ApplicationsService } from '../applications/applications.service.js';
import { ofCandidates } from '../candidate.visibility.js';
import { ErasableService } from '../erasable.service.js';
import type { EndJob } from '../jobs/job.dto.js';
import { JobsService } from '../jobs/jobs.service.js';
import type { CandidateView, CreateCandidate } from './candidate.dto.js';
import type { Candidate } from './candidate.entity.js';
import { anonymous } from './candidate.erasure.js';
import { checkedColumns } from './candidate.input.js';
import { type CandidateAction, candidateLifecycle } from './candidate.lifecycle.js';
import { addressesOf, intoFault } from './candidate.merging.js';
import { CONSENT_EXPIRES, mirrorOf, nameOf } from './candidate.mirror.js';
import { candidateResource } from './candidate.resource.js';
import { CandidatesRepository } from './candidates.repository.js';

type Input = Record<string, unknown>;
/** Candidates and applications name each other: while they move to another one, which goes first makes no difference. */
const DEFER = statement('set constraints data.talent_candidates_application_id_fkey deferred');
const MONTH_MS = 30 * 86_400_000;
/** Erases what hangs on applications of somebody who wants to be forgotten. */
type EraseListener = (applicationIds: string[]) => Promise<void>;

/** Candidates, who mirror the application that was last acted on. */
@Injectable()
export class CandidatesService extends ErasableService<Candidate, CandidateView, CandidateAction> {
  protected override readonly handlers: Partial<
    Record<Exclude<CandidateAction, StandardAction>, ActionHandler<Candidate>>
  > = {
    move: (row, input: Input) => this.actOnApplication('move', row, input),
    reject: (row, input: Input) => this.actOnApplication('reject', row, input),
    withdraw: (row, input: Input) => this.actOnApplication('withdraw', row, input),
    reopen: (row, input: Input) => this.actOnApplication('reopen', row, input),
    hire: (row, input: Input) => this.actOnApplication('hire', row, input),
    anonymize: (row) => this.forget(row),
  };
  protected override readonly constraints = {
    talent_applications_job_open: () => new Problem('job_not_open', 'The job is not open.'),
  };
  private readonly eraseListeners: EraseListener[] = [];

  constructor(
    kit: ResourceKit,
    protected override readonly repository: CandidatesRepository,
    private readonly applications: ApplicationsService,
    private readonly jobs: JobsService,
    private readonly settings: TenantSettings,
    private readonly events: EventCatalogue,
  ) {
    super(candidateResource, kit, repository);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.events.add({
      type: 'talent.candidate.merged',
      version: 1,
      description: 'A candidate was merged into another one.',
      data: inlineSchemaOf(candidateResource.view),
      example: candidateResource.example,
      subjectType: candidateResource.type,
      exampleUrl: examplePathOf(candidateResource),
    });
    this.applications.whenMoved(async (application, event) => {
      await this.amend(application.candidateId, () => mirrorOf(application), event);
    });
    this.jobs.whenEnded((jobId, input) => this.endApplicationsOf(jobId, input));
  }

  /** Has `listener` called with the applications of each candidate that is anonymised. */
  whenErased(listener: EraseListener): void {
    this.eraseListeners.push(listener);
  }

  override async create(input: Input): Promise<CandidateView> {
    return this.withExisting(input['email'], null, () => super.create(input));
  }

  /** A patch of `stage` is shorthand for a move; one of `status` for the action that leads there. */
  override async update(id: string, patch: Input): Promise<CandidateView> {
    if ('status' in patch) return this.unit(async () => (await this.holdJob(id), super.update(id, patch)));
    if (!('stage' in patch)) return this.withExisting(patch['email'], id, () => super.update(id, patch));
    const violations = bodyViolations(MoveApplication, patch);
    if (violations.length > 0) throw Problem.validation(violations);
    return this.act('move', id, patch);
  }

  override async act(action: CandidateAction, id: string, input: Input): Promise<CandidateView> {
    if (!(action in this.handlers) || action === 'anonymize') return super.act(action, id, input);
    return this.unit(async () => (await this.holdJob(id), super.act(action, id, input)));
  }

  /**
   * Merges a candidate into another one, who takes over the applications and whatever addresses are new; the candidate is
   * archived for good.
   * @throws Problem 400 for a target that is not there, 404, 409 `record_locked` for one hired, archived or anonymised.
   */
  async merge(id: string, { intoId }: { intoId: string }): Promise<CandidateView> {
    if (intoId === id) throw intoFault('invalid_value', 'A candidate cannot be merged into themselves.');
    return this.unit(async (transaction) => {
      await this.repository.lockInOrder(transaction, [id, intoId]);
      const row = await this.lock(transaction, id);
      const into = await this.repository.lock(transaction, intoId, this.visible(), this.rights.marks());
      if (into?.deletedAt !== null) throw intoFault('unknown_reference', 'There is no such candidate to merge into.');
      this.rights.require(into, this.definition.permissions.write);
      for (const each of [row, into]) this.refuseClosed(each);
      if (row.status === 'hired') throw new Problem('record_locked', 'A hired candidate cannot be merged away.');
      transaction.write(DEFER);
      const applications = await this.applications.giveAll(id, intoId);
      const { ofCandidate: rating } = await this.repository.ratings(transaction, intoId, null);
      const refs = mergedRefs(into, row);
      const gone = { archivedAt: this.now(), mergedIntoId: intoId, applicationId: null, externalRefs: refs.from };
      const view = this.apply(transaction, row, gone, 'merged', { riskLevel: 'medium' });
      const own = applications.find((each) => each.id === into.applicationId)!; // every candidate has one
      const latest = applications.reduce((a, b) => (b.lastActivityAt > a.lastActivityAt ? b : a), own);
      const standing = into.status === 'hired' ? {} : mirrorOf(latest);
      this.apply(
        transaction,
        into,
        { ...standing, ...addressesOf(into, row), externalRefs: refs.into, rating },
        'updated',
      );
      return view;
    });
  }

  /** Works out the ratings again of an application and of its candidate, whom the transaction holds. */
  async rate(applicationId: string, candidateId: string): Promise<void> {
    await this.unit(async (transaction) => {
      const ratings = await this.repository.ratings(transaction, candidateId, applicationId);
      await this.applications.amend(applicationId, () => ({ rating: ratings.ofApplication }));
      await this.amend(candidateId, () => ({ rating: ratings.ofCandidate }));
    });
  }

  /**
   * Ties a hired candidate to the employee that `make` makes; once for an application, however often it is called.
   */
  async becomeEmployee(id: string, applicationId: string, make: (row: Candidate) => Promise<string>): Promise<void> {
    await this.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.status !== 'hired' || row.applicationId !== applicationId || row.employeeId !== null) return;
      this.apply(transaction, row, { employeeId: await make(row) }, 'updated');
    });
  }

  /**
   * Anonymises a candidate whose consent has run out, unless there is another reason to keep what is known: another basis,
   * employment, or an application that is still open, which is looked at again later.
   */
  async endConsent(id: string): Promise<void> {
    await this.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.consent?.basis !== 'consent' || row.anonymizedAt !== null || row.status === 'hired') return;
      if (row.consentExpiresAt === null || row.consentExpiresAt > this.now()) return;
      if (row.status === 'active' && row.deletedAt === null && row.archivedAt === null)
        this.setTimer(transaction, { id, consentExpiresAt: this.aMonthOn() });
      else this.apply(transaction, row, await this.forget(row), 'anonymized');
    });
  }

  protected override guard(): Guard | null {
    return ofCandidates();
  }

  /** What is said of a hire stands on the application. */
  protected override expectVisible(transaction: Transaction, input: Input, before: Partial<Candidate> = {}): void {
    super.expectVisible(transaction, input, before);
    for (const check of visibilityChecks(this.kit.registry, HIRE_REFERENCES, input, before)) transaction.write(check);
  }

  protected override stageOf({ stage }: Candidate): { stage: string } {
    return { stage };
  }

  protected override derive({ rating }: Candidate): Partial<CandidateView> {
    return { rating: rating === null ? null : rating / 100 };
  }

  protected override async draft(body: Input): Promise<Draft<Candidate>> {
    const input = body as unknown as CreateCandidate; // validated against it
    return { ...input, name: nameOf(input), ...(await this.checked(input, null)) } as unknown as Draft<Candidate>; // columns
  }

  protected override async prepare(input: Input): Promise<Candidate> {
    const row = await super.prepare(input);
    const { id: candidateId, jobId, source, ownerId, workspaceId } = row;
    const first = { candidateId, jobId, source, ownerId, workspaceId };
    const firstApplication = await this.applications.prepareFirst(first);
    return { ...row, ...mirrorOf(firstApplication), firstApplication };
  }

  protected override add(transaction: Transaction, row: Candidate): CandidateView {
    const view = super.add(transaction, row);
    this.applications.addFirst(transaction, row.firstApplication!);
    transaction.write(this.repository.tie(row));
    if (row.consentExpiresAt !== null) this.setTimer(transaction, row);
    return view;
  }

  protected override async edit(row: Candidate, body: Input): Promise<Partial<Candidate>> {
    if (row.anonymizedAt !== null) throw new Problem('record_locked', 'The candidate was anonymised.');
    const patch = body as Partial<CreateCandidate>;
    return { ...patch, ...(await this.checked(patch, row)) };
  }

  protected override apply(
    transaction: Transaction,
    row: Candidate,
    changes: Partial<Candidate>,
    event: string,
    why?: { riskLevel?: 'low' | 'medium' | 'high' | undefined },
  ): CandidateView {
    if ('consentExpiresAt' in changes) this.setTimer(transaction, { ...row, ...changes });
    if (changes.anonymizedAt) return this.erase(transaction, row, changes, event);
    return super.apply(transaction, row, changes, event, why);
  }

  protected override async transit(
    transaction: Transaction,
    row: Candidate,
    action: CandidateAction,
    input: Input,
  ): Promise<CandidateView> {
    if (action === 'unarchive' && row.mergedIntoId !== null)
      throw new Problem('record_locked', 'The candidate was merged into another one.');
    return super.transit(transaction, row, action, input);
  }

  /** Locks the job of the application that a candidate mirrors, which comes before the candidate. */
  private async holdJob(id: string): Promise<void> {
    const { jobId } = await this.read(id);
    if (jobId !== null) await this.jobs.hold(jobId);
  }

  private async actOnApplication(action: ApplicationAction, row: Candidate, input: Input): Promise<Partial<Candidate>> {
    this.refuseClosed(row);
    return mirrorOf(await this.applications.follow(action, row.applicationId!, input));
  }

  private async endApplicationsOf(jobId: string, { openApplications, rejectReason }: EndJob): Promise<void> {
    if (openApplications === 'keep') return;
    const why = 'The job has ended.';
    const input = openApplications === 'reject' ? { rejectReason: rejectReason ?? why } : { reason: why };
    const { event } = candidateLifecycle.transitions[openApplications];
    for (const application of await this.applications.endAllOf(jobId, openApplications, input))
      await this.amend(application.candidateId, (row) => (row.applicationId === application.id ? mirrorOf(application) : {}), event); // prettier-ignore
  }

  /** Erases everything that is recorded about a candidate, also as those who turned out to be the same. */
  private async forget(row: Candidate): Promise<Partial<Candidate>> {
    if (row.anonymizedAt !== null) throw new Problem('record_locked', 'The candidate was anonymised already.');
    return this.unit(async (transaction) => {
      const { recordIds, duplicateIds } = await this.repository.everythingOf(transaction, row.id);
      await eraseTraces(transaction, recordIds, this.now());
      for (const id of duplicateIds) {
        const duplicate = (await this.repository.lock(transaction, id))!; // candidates are never deleted for good
        if (duplicate.anonymizedAt === null)
          this.apply(transaction, duplicate, anonymous(duplicate, this.now()), 'anonymized');
      }
      const applicationIds = await this.applications.forget(row.id);
      for (const listener of this.eraseListeners) await listener(applicationIds);
      return anonymous(row, this.now());
    });
  }

  private refuseClosed({ archivedAt, anonymizedAt }: Candidate): void {
    if (archivedAt !== null || anonymizedAt !== null)
      throw new Problem('record_locked', 'The candidate is archived or anonymised.');
  }

  private async checked(input: Partial<CreateCandidate>, row: Candidate | null): Promise<Partial<Candidate>> {
    const { consentMonths: months } = (await this.settings.get()).talent;
    return checkedColumns(input, row, { now: this.now(), months });
  }

  private setTimer(
    transaction: Transaction,
    { id, consentExpiresAt: dueAt }: Pick<Candidate, 'id' | 'consentExpiresAt'>,
  ): void {
    const name = { kind: CONSENT_EXPIRES, key: id };
    if (dueAt !== null) transaction.write(timerStatement({ ...name, dueAt }));
    else transaction.write(cancelStatement(name));
  }

  private aMonthOn(): string {
    return new Date(this.kit.clock.nowMs() + MONTH_MS).toISOString();
  }

  /**
   * Names the candidate that has the e-mail address already in a refusal, if the caller may see them. One that somebody had
   * who was merged is the address of who they were merged into.
   */
  private async withExisting<T>(email: unknown, id: string | null, run: () => Promise<T>): Promise<T> {
    if (typeof email === 'string') {
      const known = await this.repository.idOfMergedEmail(email);
      if (known !== null && known !== id)
        throw emailTaken((await this.repository.find(known, this.visible())) && known);
    }
    try {
      return await run();
    } catch (error) {
      const isTaken =
        error instanceof Problem && error.code === 'duplicate' && error.more.extensions?.['field'] === 'email';
      if (!isTaken || typeof email !== 'string' || currentScope().transaction) throw error;
      const existingId = await this.repository.idOfEmail(email, this.visible());
      if (existingId === null) throw error;
      throw emailTaken(existingId);
    }
  }
}

function emailTaken(existingId: string | null): Problem {
  const named = existingId === null ? {} : { existingId };
  return new Problem('duplicate', 'Another candidate has the same email.', {
    extensions: { field: 'email', ...named },
  });
}
