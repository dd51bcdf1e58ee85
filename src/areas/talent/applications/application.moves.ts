import { requirePermission } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import { mustExist } from '#libs/resource/access/references.js';
import type { Records } from '#libs/resource/records/records.js';
import { DEFAULT_STAGES, type JobStage } from '../jobs/job.stages.js';
import type { JobsService } from '../jobs/jobs.service.js';
import type {
  HireOnApplication,
  MoveApplication,
  RejectApplication,
  ReopenApplication,
} from './application.actions.js';
import { type ApplicationAction, applicationLifecycle } from './application.lifecycle.js';
import { type LiveOffer, liveOfferOf, ofCandidate } from './application.queries.js';
import { isActive, notOpen, openStage } from './application.rules.js';
import type { Application, ShownApplication } from './application.js';
import type { HeldCandidates } from './held-candidates.js';

const MAPPING_TEMPLATE = { table: 'data.talent_mapping_templates', where: 'true' };

/** Handles the records of an application that is about to end. */
export type EndListener = (applicationId: string) => Promise<void>;

/** Changes made by the actions on an application. */
export class ApplicationMoves {
  readonly endListeners: EndListener[] = [];

  constructor(
    private readonly records: Records<Application, ShownApplication, ApplicationAction>,
    private readonly jobs: JobsService,
    private readonly candidates: HeldCandidates,
  ) {}

  async move(row: Application, { stage: key }: MoveApplication): Promise<Partial<Application>> {
    const stage = openStage(await this.openJobOf(row), key);
    if (stage.key === row.stage) throw this.refusal(row, 'move', 'The application is in that stage already.');
    if (stage.category === 'hired') throw this.refusal(row, 'move', 'An application gets into this stage by hire.');
    if (stage.category === 'offer') await this.requireOffer(row.id);
    return this.enter(stage.key);
  }

  /** Moves a locked application to a stage that its job may not have yet. */
  place(transaction: Transaction, row: Application, stage: string): Promise<Application> {
    const { event } = applicationLifecycle.transitions.move;
    return this.records.rows.apply(transaction, row, this.enter(stage), event, { move: 'move' });
  }

  async reject(row: Application, input: RejectApplication): Promise<Partial<Application>> {
    const { rejectReason, notify = false, notifyAfterHours = 0 } = input;
    if (notify) {
      const candidate = await this.records.unit((transaction) => this.candidates.hold(transaction, row.candidateId));
      if (candidate.doNotContact) throw new Problem('do_not_contact', 'The candidate does not want to be contacted.');
    }
    const now = Date.parse(this.records.rows.now());
    const notifyAt = notify ? new Date(now + notifyAfterHours * HOUR_MS).toISOString() : null;
    return { ...(await this.end(row, 'rejected')), rejectReason, notifyAt };
  }

  withdraw(row: Application): Promise<Partial<Application>> {
    return this.end(row, 'withdrawn');
  }

  async reopen(row: Application, { stage: key }: ReopenApplication): Promise<Partial<Application>> {
    const stages = await this.openJobOf(row);
    const before = stages.find((stage) => stage.key === row.stageBefore);
    const stage = key === undefined ? (before ?? stages[0]!) : openStage(stages, key);
    const back = stage.category === 'offer' && key === undefined ? stages.findLast(isActive)! : stage;
    if (back.category === 'hired')
      throw this.refusal(row, 'reopen', 'An application is opened again into an open stage.');
    if (back.category === 'offer') await this.requireOffer(row.id);
    return { ...this.enter(back.key), stageBefore: null, rejectReason: null, notifyAt: null };
  }

  async hire(row: Application, input: HireOnApplication): Promise<Partial<Application>> {
    const offer = await this.liveOffer(row.id);
    const accepted = offer?.status === 'accepted' ? offer : null;
    if (!accepted && !input.force) throw new Problem('offer_missing', 'The candidate has accepted no offer.');
    if (!accepted) requirePermission('candidates:hire-without-offer');
    const job = row.jobId === null ? null : await this.jobs.hold(row.jobId);
    if (job) await this.jobs.countHire(job);
    const ended = await this.end(row, 'hired');
    await this.withdrawOthers(row);
    const { startDate, jobTitle, departmentId, managerId = null, mappingTemplateId = null } = input;
    if (mappingTemplateId !== null) await this.requireTemplate(mappingTemplateId);
    return {
      ...ended,
      hiredAt: this.records.rows.now(),
      startDate,
      jobTitle: jobTitle ?? accepted?.jobTitle ?? job?.name ?? null,
      departmentId: departmentId ?? job?.departmentId ?? null,
      managerId,
      mappingTemplateId,
    };
  }

  /** All applications of a candidate, locked. */
  async lockOfCandidate(candidateId: string): Promise<Application[]> {
    return this.records.unit(async (transaction) => {
      const locked: Application[] = [];
      for (const { id } of await transaction.query<{ id: string }>(ofCandidate(candidateId)))
        locked.push(await this.records.rows.lockPlainly(transaction, id));
      return locked;
    });
  }

  private async withdrawOthers({ id, candidateId }: Application): Promise<void> {
    for (const other of await this.lockOfCandidate(candidateId))
      if (other.id !== id && other.status === 'active')
        await this.records.follow('withdraw', other.id, { reason: 'The candidate was hired on another application.' });
  }

  private async end(row: Application, stage: string): Promise<Partial<Application>> {
    for (const listener of this.endListeners) await listener(row.id);
    return { ...this.enter(stage), stageBefore: row.stage };
  }

  private enter(stage: string): Partial<Application> {
    const at = this.records.rows.now();
    return { stage, stageEnteredAt: at, lastActivityAt: at };
  }

  /** The stages available to an open application. @throws Problem 409 `job_not_open`. */
  private async openJobOf({ jobId }: Application): Promise<JobStage[]> {
    if (jobId === null) return DEFAULT_STAGES;
    const job = await this.jobs.hold(jobId);
    if (job?.status !== 'open') throw notOpen();
    return job.stages;
  }

  private requireTemplate(id: string): Promise<void> {
    const check = mustExist(MAPPING_TEMPLATE, '/mappingTemplateId', [id]);
    return this.records.unit(async (transaction) => void (await transaction.query(check)));
  }

  private async requireOffer(id: string): Promise<void> {
    if (!(await this.liveOffer(id))) throw new Problem('offer_missing', 'The stage needs an offer; make one first.');
  }

  private async liveOffer(id: string): Promise<LiveOffer | null> {
    const offers = await this.records.unit((transaction) => transaction.query<LiveOffer>(liveOfferOf(id)));
    return offers[0] ?? null;
  }

  private refusal(row: Application, action: ApplicationAction, detail: string): Problem {
    return this.records.rules.refusal(row, action, detail);
  }
}
