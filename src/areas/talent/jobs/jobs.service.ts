import { Injectable } from '@nestjs/common';
import { NOTHING } from '#libs/access/guard.js';
import { reachOf } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { placeAfter, rangeOf } from '../talent.parts.js';
import type { EndJob } from './job.actions.js';
import type { JobAction } from './job.lifecycle.js';
import { moveTrash, occupiedBesides, unseenOf } from './job.queries.js';
import { checkedStages } from './job.stages.js';
import { Job, type JobPatch, jobs, type ShownJob } from './job.js';

const CANDIDATES = 'data.talent_candidates';
/** Handles the open applications of a job in the transaction that closes it. */
type EndListener = (jobId: string, input: EndJob) => Promise<void>;
/** Moves the open applications of a job in stages outside `kept` to another stage, in the transaction that removes these. */
type Mover = (jobId: string, kept: readonly string[], to: string) => Promise<void>;
/** Applications that one request moves out of removed stages. */
const MAX_MOVED = 1_000;

/** Job openings. */
@Injectable()
export class JobsService implements Decisions<Job, ShownJob, JobAction> {
  readonly actions: Decisions<Job, ShownJob, JobAction>['actions'] = {
    open: (row) => this.published({ ...row, status: 'open' }),
    fill: (row, { isHire }: { isHire?: true }) => (isHire ? { filledCount: row.filledCount + 1 } : {}),
    close: (row, input: EndJob) => this.end(row, input),
    cancel: (row, input: EndJob) => this.end(row, input),
  };
  readonly records: Records<Job, ShownJob, JobAction>;
  private readonly repository: ResourceRepository<Job>;
  private readonly endListeners: EndListener[] = [];
  private mover: Mover | null = null;

  constructor(private readonly kit: ResourceKit) {
    this.repository = kit.rows(Job);
    this.records = Records.of(jobs, kit, this, this.repository);
  }

  /** Registers a listener that handles the open applications of closed jobs. */
  whenEnded(listener: EndListener): void {
    this.endListeners.push(listener);
  }

  /** Registers what moves applications out of removed stages. */
  movedBy(mover: Mover): void {
    this.mover = mover;
  }

  /** Locks the job until the transaction ends; null if it does not exist. */
  async hold(id: string): Promise<Job | null> {
    return this.records.unit(async (transaction) => {
      const job = await this.repository.lock(transaction, id);
      return job?.deletedAt === null ? job : null;
    });
  }

  /** Counts a hire for a locked job; the last opening sets the job to filled. @throws Problem 409 `job_not_open`. */
  async countHire({ id, status, filledCount, openings }: Job): Promise<void> {
    if (status !== 'open' || filledCount >= openings)
      throw new Problem('job_not_open', 'The job has no opening to hire for.');
    if (filledCount + 1 === openings) await this.records.follow('fill', id, { isHire: true });
    else await this.records.amend(id, (row) => ({ filledCount: row.filledCount + 1 }));
  }

  /** Members of the hiring team see private candidates for the job. */
  async holdsOpened(row: Job | null, permission: Permission): Promise<boolean> {
    if (row === null) return true;
    const seen = reachOf(permission) === null ? NOTHING : this.kit.registry.visibleIn(CANDIDATES);
    return seen === null || (await this.kit.database.read(unseenOf(row.id, seen))).length === 0;
  }

  draft(input: Partial<Job>): Draft<Job> {
    return { ...input, ...checked(input, null) } as Draft<Job>; // members of the body are columns
  }

  async edit(row: Job, { moveTo, ...patch }: JobPatch): Promise<Partial<Job>> {
    if (patch.openings !== undefined && patch.openings < row.filledCount)
      throw invalid('/openings', 'out_of_range', `${row.filledCount} have been hired already.`);
    const changes = { ...patch, ...checked(patch, row) };
    if (changes.stages) await this.vacate(row, changes.stages, moveTo);
    else if (moveTo !== undefined) throw invalid('/moveTo', 'invalid_value', 'Send `moveTo` with `stages`.');
    return { ...changes, ...this.published({ ...row, ...changes }) };
  }

  /** Moves the open applications of removed stages to another one, those of candidates in the trash to the first one. */
  private vacate(row: Job, stages: Job['stages'], moveTo: string | undefined): Promise<void> {
    const target = stages.find(({ key }) => key === moveTo);
    if (moveTo !== undefined && target?.category !== 'new' && target?.category !== 'active')
      throw invalid('/moveTo', 'invalid_value', 'Name the first stage or an active one of those that the job gets.');
    const kept = stages.map(({ key }) => key);
    return this.records.unit(async (transaction) => {
      const occupied = await transaction.query<{ stage: string; count: number }>(occupiedBesides(row.id, kept));
      const names = occupied.map(({ stage }) => stage).join(', ');
      if (occupied.length > 0 && !target)
        throw new Problem('in_use', `Applications are in the stages ${names}: name another one in \`moveTo\`.`);
      if (occupied.reduce((sum, { count }) => sum + count, 0) > MAX_MOVED)
        throw new Problem('in_use', `More than ${MAX_MOVED} applications are in ${names}; move some of them first.`);
      if (occupied.length > 0) await this.mover!(row.id, kept, target!.key);
      transaction.write(moveTrash(row.id, kept, stages[0]!.key));
    });
  }

  private published({ status, isPublic, publishedAt }: Job): Partial<Job> {
    return status === 'open' && isPublic && publishedAt === null ? { publishedAt: this.records.rows.now() } : {};
  }

  private async end(row: Job, input: EndJob): Promise<Partial<Job>> {
    for (const listener of this.endListeners) await listener(row.id, input);
    return {};
  }
}

/** Columns for the nested values in a body, completed. @throws Problem 400. */
function checked(input: Partial<Job>, row: Job | null): Partial<Job> {
  const location = placeAfter(row?.location ?? null, input.location);
  const salaryRange = rangeOf(input.salaryRange, '/salaryRange');
  return {
    ...(location === undefined ? {} : { location }),
    ...(salaryRange === undefined ? {} : { salaryRange }),
    ...(input.stages ? { stages: checkedStages(input.stages) } : {}),
  };
}

function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}
