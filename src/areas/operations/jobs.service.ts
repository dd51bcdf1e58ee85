import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import type { Job } from '#libs/jobs/job.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { Clock } from '#libs/kernel/clock.js';
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
    private readonly clock: Clock,
    private readonly registry: ResourceRegistry,
  ) {}

  /** @throws Problem 404. */
  async get(id: string): Promise<AsyncJob> {
    const job = await this.jobs.rows.find(id, this.visible());
    if (!job) throw Problem.notFound();
    return present(job);
  }

  async list(query: Record<string, unknown>): Promise<Page<AsyncJob>> {
    const request = toListRequest(jobList, query, this.clock.now().toISOString());
    const { data, page } = await this.jobs.rows.page(request, jobList, this.visible());
    return { data: data.map(present), page };
  }

  private visible(): Guard {
    const caller = currentPrincipal();
    const own = (add: Add) =>
      caller.delegation
        ? `t.guarantor ->> 'lineageId' = ${add(caller.lineageId)}`
        : `t.requester_id = ${add(personOf(caller))}`;
    const kinds = this.jobs.permissions();
    const managed = [...kinds].filter(([, permission]) => holds(permission)).map(([kind]) => kind);
    const known = disclosing(this.registry, ABOUT);
    const others = holds(GIVEN_UP)
      ? (add: Add) => ` or t.kind <> all(${add([...kinds.keys()])}::text[])${known ? ` and ${known(add)}` : ''}`
      : () => '';
    return (add) => `(${own(add)} or t.kind = any(${add(managed)}::text[])${others(add)})`;
  }
}

function present({
  done,
  total,
  phase,
  tenantId: _t,
  input: _i,
  state: _s,
  requesterId: _r,
  guarantor: _g,
  ...job
}: Job): AsyncJob {
  return { ...job, progress: { done, total, phase } };
}
