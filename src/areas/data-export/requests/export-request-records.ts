import { Injectable } from '@nestjs/common';
import { every, type Guard } from '#libs/access/guard.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { includedIn } from '#libs/auth/rights.js';
import { Job } from '#libs/jobs/job.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type DataExportRequest, exportRequests, type ShownRequest } from './export-request.js';
import { APPROVE, requestLife } from './export-request.lifecycle.js';

const MOVING: ReadonlySet<string> = new Set(['queued', 'running']);

/** The requested exports of data of the tenant in scope. */
@Injectable()
export class ExportRequestRecords {
  readonly objects: GovernedObjects<DataExportRequest, ShownRequest>;
  private readonly jobs: ResourceRepository<Job>;

  constructor(kit: ResourceKit) {
    this.objects = new GovernedObjects(exportRequests, kit, this);
    this.jobs = kit.rows(Job);
  }

  /** Those of the caller that had no scopes which the credential lacks; all for who approves. */
  visible(): Guard | null {
    const { permissions } = currentPrincipal();
    if (permissions.reach(APPROVE) === 'tenant') return null;
    return this.own();
  }

  /** Those of the caller. */
  own(): Guard {
    const { permissions } = currentPrincipal();
    const me = personOf(currentPrincipal());
    const own: Guard = (add) => `t.requester_id = ${add(me)}::uuid`;
    const included = includedIn(permissions);
    const covered: Guard | null = included && ((add) => `t.scopes <@ ${add(JSON.stringify(included))}::jsonb`);
    return every(own, covered)!;
  }

  stateOf({ status }: DataExportRequest): string {
    return status;
  }

  /** Requests as the API shows them, with the progress of those that are carried out. */
  async show(rows: readonly DataExportRequest[]): Promise<ShownRequest[]> {
    const moving = rows.flatMap(({ status, jobId }) => (jobId !== null && MOVING.has(status) ? [jobId] : []));
    const found = moving.length > 0 ? await this.jobs.among(moving, null) : [];
    const jobs = new Map(found.map((job) => [job.id, job]));
    return rows.map((row) => {
      const {
        requesterId: _r,
        requesterBehind: _b,
        guarantor: _g,
        scopes: _c,
        quorum: _q,
        fullGuarantor: _f,
        expiresInHours: _e,
        contentId: _i,
        isStale: _t,
        ...view
      } = this.objects.view(row);
      const job = row.jobId === null ? undefined : jobs.get(row.jobId);
      return {
        ...view,
        approvals: row.approvals.map(({ person: _p, ...approval }) => approval) as ShownRequest['approvals'],
        progress: job ? { done: job.done, total: job.total, phase: job.phase } : null,
      };
    });
  }
}

/** Whether a request is over. */
export function isOver({ status }: Pick<DataExportRequest, 'status'>): boolean {
  return !MOVING.has(status) && status !== requestLife.initial;
}
