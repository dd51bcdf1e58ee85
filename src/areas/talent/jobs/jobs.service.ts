import { Injectable } from '@nestjs/common';
import { NOTHING } from '#libs/access/guard.js';
import { reachOf } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import { placeAfter, rangeOf } from '../talent.parts.js';
import type { CreateJob, EndJob, JobView } from './job.dto.js';
import type { Job } from './job.entity.js';
import type { JobAction } from './job.lifecycle.js';
import { jobResource } from './job.resource.js';
import { checkedStages } from './job.stages.js';
import { JobsRepository } from './jobs.repository.js';

type Input = Record<string, unknown>;

const CANDIDATES = 'data.talent_candidates';
/** Deals with the open applications of a job that ends, inside the transaction that ends it. */
type EndListener = (jobId: string, input: EndJob) => Promise<void>;

/** Jobs to hire for. */
@Injectable()
export class JobsService extends ResourceService<Job, JobView, JobAction> {
  protected override readonly handlers: Partial<Record<Exclude<JobAction, StandardAction>, ActionHandler<Job>>> = {
    open: (row) => this.published({ ...row, status: 'open' }),
    fill: (row, { isHire }: { isHire?: true }) => (isHire ? { filledCount: row.filledCount + 1 } : {}),
    close: (row, input: EndJob) => this.end(row, input),
    cancel: (row, input: EndJob) => this.end(row, input),
  };
  private readonly endListeners: EndListener[] = [];

  constructor(
    kit: ResourceKit,
    protected override readonly repository: JobsRepository,
  ) {
    super(jobResource, kit, repository);
  }

  /** Has `listener` asked about the open applications of each job that ends. */
  whenEnded(listener: EndListener): void {
    this.endListeners.push(listener);
  }

  /** The job, which nobody else changes until the transaction ends; null when there is none. */
  async hold(id: string): Promise<Job | null> {
    return this.unit(async (transaction) => {
      const job = await this.repository.lock(transaction, id);
      return job?.deletedAt === null ? job : null;
    });
  }

  /** Counts a hire for a job that the transaction holds; the last one fills it. @throws Problem 409 `job_not_open`. */
  async countHire({ id, status, filledCount, openings }: Job): Promise<void> {
    if (status !== 'open' || filledCount >= openings)
      throw new Problem('job_not_open', 'The job has no opening to hire for.');
    if (filledCount + 1 === openings) await this.follow('fill', id, { isHire: true });
    else await this.amend(id, (row) => ({ filledCount: row.filledCount + 1 }));
  }

  /** The hiring team sees the private candidates of the job. */
  protected override async holdsOpened(row: Job | null, permission: Permission): Promise<boolean> {
    if (row === null) return true;
    const seen = reachOf(permission) === null ? NOTHING : this.kit.registry.visibleIn(CANDIDATES);
    return seen === null || !(await this.repository.hasPrivate(row.id, seen));
  }

  protected override async draft(input: Input): Promise<Draft<Job>> {
    return { ...input, ...this.checked(input, null) } as unknown as Draft<Job>; // members are columns
  }

  protected override async edit(row: Job, body: Input): Promise<Partial<Job>> {
    const patch = body as Partial<CreateJob>;
    if (patch.openings !== undefined && patch.openings < row.filledCount)
      throw Problem.validation([
        { pointer: '/openings', code: 'out_of_range', detail: `${row.filledCount} have been hired already.` },
      ]);
    const changes = { ...patch, ...this.checked(patch, row) };
    if (changes.stages) await this.refuseOccupied(row, changes.stages);
    return { ...changes, ...this.published({ ...row, ...changes }) };
  }

  private checked(input: Partial<CreateJob>, row: Job | null): Partial<Job> {
    const location = placeAfter(row?.location ?? null, input.location);
    const salaryRange = rangeOf(input.salaryRange, '/salaryRange');
    return {
      ...(location === undefined ? {} : { location }),
      ...(salaryRange === undefined ? {} : { salaryRange }),
      ...(input.stages ? { stages: checkedStages(input.stages) } : {}),
    };
  }

  private async refuseOccupied(row: Job, stages: Job['stages']): Promise<void> {
    await this.unit(async (transaction) => {
      const kept = stages.map(({ key }) => key);
      const occupied = await this.repository.occupiedBesides(transaction, row.id, kept);
      if (occupied.length > 0)
        throw new Problem('in_use', `Applications are in the stages ${occupied.join(', ')}; move them first.`);
    });
  }

  private published({ status, isPublic, publishedAt }: Job): Partial<Job> {
    return status === 'open' && isPublic && publishedAt === null ? { publishedAt: this.now() } : {};
  }

  private async end(row: Job, input: EndJob): Promise<Partial<Job>> {
    for (const listener of this.endListeners) await listener(row.id, input);
    return {};
  }
}
