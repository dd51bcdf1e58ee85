import { Injectable } from '@nestjs/common';
import type { Permission } from '#libs/auth/permissions.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Asked, Change, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { type ApplicationAction, applicationLifecycle } from '../applications/application.lifecycle.js';
import type { Application } from '../applications/application.js';
import { isForAction, moveOf, notOpen } from '../applications/application.rules.js';
import { starsOf } from '../applications/application.standing.js';
import { ApplicationsService } from '../applications/applications.service.js';
import { ofCandidates } from '../candidate.visibility.js';
import { TalentLetters } from '../talent.letters.js';
import type { EndJob } from '../jobs/job.actions.js';
import { JobsService } from '../jobs/jobs.service.js';
import { namingExisting } from './candidate.emails.js';
import { CandidateForgetting, type EraseListener } from './candidate.forgetting.js';
import { checkedColumns, nameOf } from './candidate.input.js';
import { type CandidateAction, candidateLifecycle } from './candidate.lifecycle.js';
import { CandidateMerging, refuseClosed } from './candidate.merging.js';
import { mirrorOf } from './candidate.mirror.js';
import { DEFER_APPLICATION, everythingOf, type Ratings, ratingsOf } from './candidate.queries.js';
import { Candidate, candidates, type MergeCandidate, type ShownCandidate } from './candidate.js';

type CandidateDecisions = Decisions<Candidate, ShownCandidate, CandidateAction>;

/** Candidates, which mirror their most recently changed application. */
@Injectable()
export class CandidatesService implements CandidateDecisions {
  readonly actions: CandidateDecisions['actions'] = {
    move: (row, input: Input) => this.actOnApplication('move', row, input),
    reject: (row, input: Input) => this.actOnApplication('reject', row, input),
    withdraw: (row, input: Input) => this.actOnApplication('withdraw', row, input),
    reopen: (row, input: Input) => this.actOnApplication('reopen', row, input),
    hire: (row, input: Input) => this.actOnApplication('hire', row, input),
    anonymize: (row) => this.forgetting.forget(row),
  };
  readonly constraints = { talent_applications_job_open: notOpen };
  readonly records: Records<Candidate, ShownCandidate, CandidateAction>;
  private readonly repository: ResourceRepository<Candidate>;
  private readonly merging: CandidateMerging;
  private readonly forgetting: CandidateForgetting;

  constructor(
    kit: ResourceKit,
    private readonly applications: ApplicationsService,
    private readonly jobs: JobsService,
    private readonly settings: TenantSettings,
    private readonly letters: TalentLetters,
  ) {
    this.repository = kit.rows(Candidate);
    this.records = Records.of(candidates, kit, this, this.repository);
    this.merging = new CandidateMerging(this.records, this.repository, applications);
    this.forgetting = new CandidateForgetting(this.records, this.repository, applications, letters);
    applications.whenMoved(async (application, event) => {
      await this.records.amend(application.candidateId, () => mirrorOf(application), event);
    });
    jobs.whenEnded((jobId, input) => this.endApplicationsOf(jobId, input));
    jobs.movedBy(async (...stages) => this.follow(await applications.moveAllOf(...stages), 'move'));
  }

  /** Registers a listener for anonymised candidates. It receives the ids of their applications. */
  whenErased(listener: EraseListener): void {
    this.forgetting.listeners.push(listener);
  }

  /** See {@link CandidateMerging.merge}. */
  merge(id: string, { intoId }: MergeCandidate): Promise<ShownCandidate> {
    return this.merging.merge(id, intoId);
  }

  /** See {@link CandidateForgetting.endConsent}. */
  endConsent(id: string): Promise<void> {
    return this.forgetting.endConsent(id);
  }

  /** Notes that a candidate has consented anew, unless they must not be contacted. */
  async renewConsent(id: string): Promise<void> {
    const { consentMonths: months } = (await this.settings.get()).talent;
    const given = { basis: 'consent', givenAt: null, expiresAt: null, doNotContact: false } as const;
    const facts = { now: this.records.rows.now(), months };
    await this.records.amend(id, (row) =>
      row.consent?.doNotContact ? {} : checkedColumns({ consent: given }, row, facts),
    );
  }

  /** Recalculates the ratings of an application and its candidate. Both must be locked. */
  async rate(applicationId: string, candidateId: string): Promise<void> {
    await this.records.unit(async (transaction) => {
      const [ratings] = await transaction.query<Ratings>(ratingsOf(candidateId, applicationId));
      await this.applications.records.amend(applicationId, () => ({ rating: ratings!.ofApplication }));
      await this.records.amend(candidateId, () => ({ rating: ratings!.ofCandidate }));
    });
  }

  /**
   * Links a hired candidate to the employee that `make` creates; returns the id of the employee.
   * @throws Problem 409 `candidate_not_hired`, or `record_locked` for a candidate who is an employee already.
   */
  async becomeEmployee(id: string, applicationId: string, make: () => Promise<string>): Promise<string> {
    return this.records.unit(async (transaction) => {
      const row = await this.records.rows.lockPlainly(transaction, id);
      requireHired(row, applicationId);
      if (row.employeeId !== null) throw new Problem('record_locked', 'The candidate is an employee already.');
      const employeeId = await make();
      await this.records.rows.apply(transaction, row, { employeeId }, 'updated');
      return employeeId;
    });
  }

  /** Unlinks a candidate from an employee. */
  async leaveEmployee(id: string, employeeId: string): Promise<void> {
    await this.records.amend(id, (row) => (row.employeeId === employeeId ? { employeeId: null } : {}));
  }

  guard(): Guard | null {
    return ofCandidates();
  }

  holdsOpened(_row: Candidate | null, permission: Permission): Promise<boolean> {
    return this.applications.holdsOpened(null, permission);
  }

  derive({ rating }: Candidate): Partial<ShownCandidate> {
    return { rating: starsOf(rating), mailStatus: null };
  }

  async detail(view: ShownCandidate): Promise<ShownCandidate> {
    const { applicationId } = view;
    return { ...view, mailStatus: applicationId === null ? null : await this.letters.stateOf(applicationId) };
  }

  async draft(input: Partial<Candidate>): Promise<Draft<Candidate>> {
    return { ...input, name: nameOf(input), ...(await this.checked(input, null)) } as Draft<Candidate>; // columns
  }

  async complete(row: Candidate): Promise<Candidate> {
    const { id: candidateId, jobId, source, ownerId, workspaceId } = row;
    const first = { candidateId, jobId, source, ownerId, workspaceId };
    const firstApplication = await this.applications.prepareFirst(first);
    return { ...row, ...mirrorOf(firstApplication), firstApplication };
  }

  async edit(row: Candidate, patch: Partial<Candidate>): Promise<Partial<Candidate>> {
    if (row.anonymizedAt !== null) throw new Problem('record_locked', 'The candidate was anonymised.');
    return { ...patch, ...(await this.checked(patch, row)) };
  }

  shorthand(patch: Input): { action: CandidateAction; input: Input } | null {
    return moveOf(patch);
  }

  /** Actions on the application lock its job, which precedes the candidate in the lock order. */
  around<T>({ verb, id, input }: Asked, work: (input: Input) => Promise<T>): Promise<T> {
    if (id !== null && (verb in applicationLifecycle.transitions || (verb === 'update' && isForAction(input))))
      return this.records.unit(async () => (await this.holdJob(id), work(input)));
    if (verb !== 'create' && verb !== 'update') return work(input);
    return namingExisting(this.records, { email: input['email'], id }, () => work(input));
  }

  checks(_after: Candidate, before: Candidate | null): Statement[] {
    return before === null ? [DEFER_APPLICATION] : [];
  }

  prepare(_transaction: Transaction, row: Candidate, action: CandidateAction): Candidate {
    if ((action === 'unarchive' || action === 'anonymize') && row.mergedIntoId !== null)
      throw new Problem('record_locked', 'The candidate was merged into another one.');
    return row;
  }

  async saved(transaction: Transaction, { before, after }: Change<Candidate>): Promise<void> {
    if (before === null) await this.addFirst(transaction, after, after.firstApplication!);
    if (after.consent?.doNotContact && !before?.consent?.doNotContact) await this.withholdMails(transaction, after.id);
    this.forgetting.follow(transaction, before, after);
  }

  private async addFirst(transaction: Transaction, row: Candidate, first: Application): Promise<void> {
    await this.applications.addFirst(transaction, first);
    const { email, name, firstName, consent } = row;
    if (email === null || consent?.doNotContact) return;
    const recipient = { email, name, firstName, jobName: first.jobId === null ? null : first.name };
    await this.applications.acknowledge(transaction, first, recipient);
  }

  /** Mails about the candidate that are still queued are not sent. */
  private async withholdMails(transaction: Transaction, id: string): Promise<void> {
    const known = await transaction.query<{ id: string }>(everythingOf(id));
    const ids = known.map((each) => each.id);
    this.letters.cancel(transaction, ids, this.records.rows.now());
  }

  /** Locks the job of the mirrored application. */
  private async holdJob(id: string): Promise<void> {
    const { jobId } = await this.records.read(id);
    if (jobId !== null) await this.jobs.hold(jobId);
  }

  private async actOnApplication(action: ApplicationAction, row: Candidate, input: Input): Promise<Partial<Candidate>> {
    refuseClosed(row);
    return mirrorOf(await this.applications.records.follow(action, row.applicationId!, input));
  }

  private async endApplicationsOf(jobId: string, { openApplications, rejectReason }: EndJob): Promise<void> {
    if (openApplications === 'keep') return;
    const why = 'The job has ended.';
    const input = openApplications === 'reject' ? { rejectReason: rejectReason ?? why } : { reason: why };
    await this.follow(await this.applications.endAllOf(jobId, openApplications, input), openApplications);
  }

  /** Shows on candidates what happened to the applications that they mirror. */
  private async follow(changed: readonly Application[], action: 'move' | 'reject' | 'withdraw'): Promise<void> {
    const { event } = candidateLifecycle.transitions[action];
    for (const application of changed) {
      const change = (row: Candidate) => (row.applicationId === application.id ? mirrorOf(application) : {});
      await this.records.amend(application.candidateId, change, event);
    }
  }

  private async checked(input: Partial<Candidate>, row: Candidate | null): Promise<Partial<Candidate>> {
    const { consentMonths: months } = (await this.settings.get()).talent;
    return checkedColumns(input, row, { now: this.records.rows.now(), months });
  }
}

/** @throws Problem 409 `candidate_not_hired` for a candidate who is not hired on the application. */
export function requireHired({ status, applicationId }: Candidate, hiredOn: string): void {
  if (status !== 'hired' || applicationId !== hiredOn)
    throw new Problem('candidate_not_hired', 'The candidate has not been hired on the application.');
}
