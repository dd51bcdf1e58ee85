import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { Database } from '#libs/database/database.js';
import type { Job } from '#libs/jobs/job.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { Clock } from '#libs/kernel/clock.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { type About, disclosing } from '#libs/resource/access/disclosure.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { jobList, type AsyncJob } from './job.dto.js';

/** With this permission callers see the flows and timers that were given up. */
const GIVEN_UP = 'settings:manage';
/** The record that a job `t` is about. */
const ABOUT: About = { type: `(t.subject ->> 'object')`, id: `(t.subject ->> 'id')` };

type Add = Parameters<Guard>[0];

/** The caller's own jobs (for a partner, those that it has started under the same consent), all jobs of the kinds that they manage, and what the platform has given up about records that they may see. */
@Injectable()
export class BackgroundJobsService {
  constructor(
    private readonly jobs: Jobs,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly registry: ResourceRegistry,
  ) {}

  /** @throws Problem 404. */
  async get(id: string): Promise<AsyncJob> {
    const job = await this.jobs.rows.find(id, this.visible());
    if (!job) throw Problem.notFound();
    return this.present(job);
  }

  /** Ends a job. @throws Problem 404, 403, 409 `invalid_transition`. */
  async cancel(id: string): Promise<AsyncJob> {
    return this.database.transaction(async (transaction) => {
      const visible = await this.jobs.rows.find(id, this.visible());
      const job = visible && (await this.jobs.rows.lock(transaction, id));
      if (!job) throw Problem.notFound();
      if (job.finishedAt !== null) throw invalidTransition('cancel', { state: job.status }, []);
      if (!(await this.jobs.rows.find(id, own()))) this.jobs.requireEnding(job);
      await this.jobs.cancel(transaction, job);
      return this.get(id);
    });
  }

  async list(query: Record<string, unknown>): Promise<Page<AsyncJob>> {
    const request = toListRequest(jobList, query, this.clock.now().toISOString());
    const { data, page } = await this.jobs.rows.page(request, jobList, this.visible());
    return { data: data.map((job) => this.present(job)), page };
  }

  private visible(): Guard {
    const isOwn = own();
    const { kinds } = this.jobs;
    const managed = [...kinds.values()].filter(({ permission }) => holds(permission)).map(({ kind }) => kind);
    const known = disclosing(this.registry, ABOUT);
    const others = holds(GIVEN_UP)
      ? (add: Add) => ` or t.kind <> all(${add([...kinds.keys()])}::text[])${known ? ` and ${known(add)}` : ''}`
      : () => '';
    return (add) => `(${isOwn(add)} or t.kind = any(${add(managed)}::text[])${others(add)})`;
  }

  private present(row: Job): AsyncJob {
    const { done, total, phase, tenantId: _t, input: _i, state: _s, requesterId: _r, guarantor: _g, ...job } = row;
    return { ...job, progress: { done, total, phase, estimatedFinishAt: estimateOf(row, this.clock.nowMs()) } };
  }
}

/** The caller's own jobs: for a partner, those that it has started under the same consent. */
function own(): Guard {
  const caller = currentPrincipal();
  return (add) =>
    caller.delegation
      ? `t.guarantor ->> 'lineageId' = ${add(caller.lineageId)}`
      : `t.requester_id = ${add(personOf(caller))}`;
}

/** Time at which a running job will end if it goes on as fast as since its start; null if that is unknown. */
function estimateOf({ status, startedAt, done, total }: Job, nowMs: number): string | null {
  if (status !== 'running' || startedAt === null || total === null || done === 0) return null;
  const sinceMs = Math.max(0, nowMs - Date.parse(startedAt));
  return new Date(nowMs + (sinceMs * Math.max(0, total - done)) / done).toISOString();
}
