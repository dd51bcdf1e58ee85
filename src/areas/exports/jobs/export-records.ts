import { Injectable } from '@nestjs/common';
import { every, type Guard } from '#libs/access/guard.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { includedIn } from '#libs/auth/rights.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type ExportJob, exportJobs, type ShownExport } from './export-job.js';

/** The exports of the tenant in scope. */
@Injectable()
export class ExportRecords {
  readonly objects: GovernedObjects<ExportJob, ShownExport>;

  constructor(kit: ResourceKit) {
    this.objects = new GovernedObjects(exportJobs, kit, this);
  }

  /**
   * Exports with the rights of the caller, and those that were sent to them; only those that had no scopes that the
   * credential of the caller lacks.
   */
  visible(): Guard {
    const { permissions } = currentPrincipal();
    const me = personOf(currentPrincipal());
    const own: Guard = (add) => `(t.requester_id = ${add(me)}::uuid or jsonb_exists(t.reader_ids, ${add(me)}::text))`;
    const included = includedIn(permissions);
    const covered: Guard | null = included && ((add) => `t.scopes <@ ${add(JSON.stringify(included))}::jsonb`);
    return every(own, covered)!;
  }

  /** Exports as the API shows them: without what they know for themselves. */
  show(rows: readonly ExportJob[]): ShownExport[] {
    return rows.map((row) => {
      const {
        plan: _p,
        guarantor: _g,
        scopes: _s,
        readerIds: _r,
        contentId: _c,
        isStale: _i,
        ...shown
      } = this.objects.view(row);
      return shown;
    });
  }
}
