import { Injectable } from '@nestjs/common';
import { reachOf } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Asked, Change, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Guard } from '#libs/resource/lists/table.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { ofApplications, ofSeenCandidates } from '../candidate.visibility.js';
import { wordlessStanding } from '../candidates/candidate.erasure.js';
import { Candidate } from '../candidates/candidate.js';
import { JobsService } from '../jobs/jobs.service.js';
import { CANDIDATE_MAILS, type Recipient, TalentLetters } from '../talent.letters.js';
import type {
  HireOnApplication,
  MoveApplication,
  RejectApplication,
  ReopenApplication,
} from './application.actions.js';
import type { ApplicationAction } from './application.lifecycle.js';
import { ApplicationMoves, type EndListener } from './application.moves.js';
import { openOfJob } from './application.queries.js';
import { isForAction, moveOf, notOpen, unknown } from './application.rules.js';
import { starsOf } from './application.standing.js';
import { Application, applications, type ShownApplication } from './application.js';
import { type HeldCandidate, HeldCandidates } from './held-candidates.js';

type ApplicationDecisions = Decisions<Application, ShownApplication, ApplicationAction>;
/** Called in the transaction in which a caller changes an application. `event` is the verb of the event. */
type MoveListener = (application: ShownApplication, event: string) => Promise<void>;

/** Kind of the timer for the mail about a rejection. */
export const REJECTION_DUE = 'talent.application.rejection_due';

/**
 * Applications of candidates for jobs. Locks are taken in the order job, candidate, application, offer.
 */
@Injectable()
export class ApplicationsService implements ApplicationDecisions {
  readonly actions: ApplicationDecisions['actions'] = {
    move: (row, input: MoveApplication) => this.moves.move(row, input),
    reject: (row, input: RejectApplication) => this.moves.reject(row, input),
    withdraw: (row) => this.moves.withdraw(row),
    reopen: (row, input: ReopenApplication) => this.moves.reopen(row, input),
    hire: (row, input: HireOnApplication) => this.moves.hire(row, input),
  };
  readonly constraints = { talent_applications_job_open: notOpen };
  readonly records: Records<Application, ShownApplication, ApplicationAction>;
  readonly candidates: HeldCandidates;
  private readonly moves: ApplicationMoves;
  private readonly repository: ResourceRepository<Application>;
  private readonly moveListeners: MoveListener[] = [];

  constructor(
    kit: ResourceKit,
    private readonly jobs: JobsService,
    private readonly settings: TenantSettings,
    private readonly letters: TalentLetters,
  ) {
    this.repository = kit.rows(Application);
    this.records = Records.of(applications, kit, this, this.repository);
    this.candidates = new HeldCandidates(kit.rows(Candidate));
    this.moves = new ApplicationMoves(this.records, jobs, this.candidates);
  }

  /** Registers a listener for all changes by callers. */
  whenMoved(listener: MoveListener): void {
    this.moveListeners.push(listener);
  }

  /** Registers a listener that runs before an application is rejected, withdrawn or hired. */
  whenEnding(listener: EndListener): void {
    this.moves.endListeners.push(listener);
  }

  /** Prepares the application that is created together with a candidate. */
  async prepareFirst(input: Partial<Application> & { candidateId: string }): Promise<Application> {
    return { ...(await this.records.rows.draft(input)), isFirst: true };
  }

  /** Saves an application prepared by {@link prepareFirst}. */
  async addFirst(transaction: Transaction, row: Application): Promise<void> {
    await this.records.rows.addPlainly(transaction, row);
  }

  /**
   * Locks an application and its candidate before a change to the application's records.
   * @throws Problem 400 at /applicationId if it is not visible to the caller, 409 `record_locked`.
   */
  async holdAny(transaction: Transaction, id: string): Promise<Application & HeldCandidate> {
    const found = await this.records.find(id);
    if (!found) throw unknown('/applicationId');
    const candidate = await this.candidates.hold(transaction, found.candidateId);
    return { ...(await this.records.rows.lockPlainly(transaction, id)), ...candidate };
  }

  /** Like {@link holdAny}, for open applications only. @throws also Problem 409 `application_closed`. */
  async holdOpen(transaction: Transaction, id: string): Promise<Application & HeldCandidate> {
    const row = await this.holdAny(transaction, id);
    if (row.status !== 'active') throw new Problem('application_closed', `The application is ${row.status}.`);
    return row;
  }

  /** Rejects or withdraws the open applications of a closed job; returns the outcomes. */
  async endAllOf(jobId: string, action: 'reject' | 'withdraw', input: Input): Promise<Application[]> {
    return this.records.unit(async (transaction) => {
      const ended: Application[] = [];
      const open = await transaction.query<{ id: string; candidateId: string }>(openOfJob(jobId));
      for (const { id, candidateId } of open) {
        await this.candidates.holdPlainly(transaction, candidateId);
        const row = await this.records.rows.lockPlainly(transaction, id);
        if (row.status === 'active') ended.push(await this.records.transit(transaction, row, action, input));
      }
      return ended;
    });
  }

  /** Moves the open applications of a job in stages outside `kept` to another stage; returns the outcomes. */
  async moveAllOf(jobId: string, kept: readonly string[], to: string): Promise<Application[]> {
    return this.records.unit(async (transaction) => {
      const moved: Application[] = [];
      const open = await transaction.query<{ id: string; candidateId: string }>(openOfJob(jobId));
      for (const { id, candidateId } of open) {
        await this.candidates.holdPlainly(transaction, candidateId);
        const row = await this.records.rows.lockPlainly(transaction, id);
        if (row.status === 'active' && !kept.includes(row.stage))
          moved.push(await this.moves.place(transaction, row, to));
      }
      return moved;
    });
  }

  /** Moves all applications to another candidate. If both have applied for the same job, one application remains. */
  async giveAll(fromId: string, intoId: string): Promise<Application[]> {
    return this.records.unit(async () => {
      const kept = await this.moves.lockOfCandidate(intoId);
      for (const row of await this.moves.lockOfCandidate(fromId)) {
        const isTwice = row.jobId !== null && kept.some((each) => each.status === 'active' && each.jobId === row.jobId);
        if (row.status === 'active' && isTwice)
          await this.records.follow('withdraw', row.id, { reason: 'The candidate was merged into another one.' });
        await this.records.amend(row.id, () => ({ candidateId: intoId }));
      }
      return this.moves.lockOfCandidate(intoId);
    });
  }

  /** Erases personal data from the applications of a candidate; returns their ids. */
  async forget(candidateId: string): Promise<string[]> {
    return this.records.unit(async (transaction) => {
      const rows = await this.moves.lockOfCandidate(candidateId);
      for (const row of rows) {
        await this.records.rows.erase(transaction, row, { name: 'Anonymised application', ...this.erased(row) });
      }
      return rows.map(({ id }) => id);
    });
  }

  /** What was hired for, and the rating, identify no one and are kept for statistics. */
  erased(row: Application): Partial<Application> {
    const { startDate, jobTitle } = row;
    return { ...wordlessStanding(row), startDate, jobTitle, notifyAt: null };
  }

  guard(): Guard {
    return ofApplications();
  }

  secrecy(): Guard | null {
    return ofSeenCandidates();
  }

  /** The manager of a hired candidate can see more of their data than other members. */
  async holdsOpened(_row: Application | null, permission: Permission): Promise<boolean> {
    const { people } = await this.settings.get();
    return !people.managersSeePersonal || reachOf(permission) === 'tenant';
  }

  derive({ rating }: Application): Partial<ShownApplication> {
    return { rating: starsOf(rating), mailStatus: null };
  }

  async detail(view: ShownApplication): Promise<ShownApplication> {
    return { ...view, mailStatus: await this.letters.stateOf(view.id) };
  }

  async draft(input: Partial<Application>): Promise<Draft<Application>> {
    const { name, jobId = null } = input;
    const job = jobId === null ? null : await this.jobs.records.find(jobId);
    const at = this.records.rows.now();
    const standing = { stage: 'applied', stageEnteredAt: at, appliedAt: at, lastActivityAt: at };
    return { ...input, ...standing, name: name ?? job?.name ?? 'General application', jobId } as Draft<Application>; // the rest are columns
  }

  shorthand(patch: Input): { action: ApplicationAction; input: Input } | null {
    return moveOf(patch);
  }

  /** Every action on an application locks the job and the candidate first. */
  around<T>({ verb, id, input }: Asked, work: (input: Input) => Promise<T>): Promise<T> {
    if (id === null || (verb === 'update' && !isForAction(input))) return work(input);
    return this.records.unit(async (transaction) => {
      await this.holdAround(transaction, await this.records.read(id));
      return work(input);
    });
  }

  admit(transaction: Transaction, row: Application): Promise<void> {
    return this.holdAround(transaction, row);
  }

  async saved(transaction: Transaction, { before, after }: Change<Application>): Promise<void> {
    this.followRejection(transaction, before, after);
    if (before !== null || after.isFirst) return;
    await this.acknowledge(transaction, after);
    await this.told(this.records.rules.show(after), 'updated');
  }

  /** Queues a mail that confirms an application through the page of open jobs. */
  async acknowledge(transaction: Transaction, { id, source }: Application, recipient?: Recipient): Promise<void> {
    if (source !== 'careers_page') return;
    await this.mail(transaction, id, 'acknowledgement', recipient);
  }

  /** Queues the mail about a rejection, if the application is still rejected and the candidate is still to be told. */
  async tellRejected(id: string): Promise<void> {
    await this.records.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.status !== 'rejected' || row.deletedAt !== null || row.notifyAt === null) return;
      if (row.notifyAt <= this.records.rows.now()) await this.mail(transaction, id, 'rejection');
    });
  }

  async told(application: ShownApplication, event: string): Promise<void> {
    for (const listener of this.moveListeners) await listener(application, event);
  }

  private mail(
    transaction: Transaction,
    id: string,
    purpose: 'acknowledgement' | 'rejection',
    recipient?: Recipient,
  ): Promise<void> {
    const letter = {
      kind: CANDIDATE_MAILS[purpose],
      about: { object: applications.type, path: pathOf(applications), id },
      applicationId: id,
      ...{ purpose, subject: 'Your application' },
      ...(recipient ? { recipient } : {}),
    };
    return this.letters.send(transaction, letter, this.records.rows.now());
  }

  /** Sets the timer for the mail about a rejection. It is cancelled with what it has queued when it is not needed. */
  private followRejection(transaction: Transaction, before: Application | null, after: Application): void {
    const { id: key, notifyAt } = after;
    if (notifyAt === (before?.notifyAt ?? null)) return;
    const timer = { kind: REJECTION_DUE, key };
    transaction.write(notifyAt === null ? cancelStatement(timer) : timerStatement({ ...timer, dueAt: notifyAt }));
    if (notifyAt === null) this.letters.cancel(transaction, [key], after.updatedAt);
  }

  private async holdAround(transaction: Transaction, { jobId, candidateId }: Application): Promise<void> {
    if (jobId !== null) await this.jobs.hold(jobId);
    await this.candidates.hold(transaction, candidateId);
  }
}
