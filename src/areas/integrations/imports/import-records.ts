import { Injectable } from '@nestjs/common';
import { every, type Guard } from '#libs/access/guard.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { includedIn } from '#libs/auth/rights.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type ImportRun, imports, type ShownImport } from './import.js';

/** The imports of the tenant in scope. */
@Injectable()
export class ImportRecords {
  readonly objects: GovernedObjects<ImportRun, ShownImport>;

  constructor(kit: ResourceKit) {
    this.objects = new GovernedObjects(imports, kit, this);
  }

  /** Imports with the rights of the caller; only those that had no scopes that the credential of the caller lacks. */
  visible(): Guard {
    const { permissions } = currentPrincipal();
    const me = personOf(currentPrincipal());
    const own: Guard = (add) => `t.requester_id = ${add(me)}::uuid`;
    const included = includedIn(permissions);
    const covered: Guard | null = included && ((add) => `t.scopes <@ ${add(JSON.stringify(included))}::jsonb`);
    return every(own, covered)!;
  }

  /** Imports as the API shows them: without what they know for themselves. */
  show(rows: readonly ImportRun[]): ShownImport[] {
    return rows.map((row) => {
      const {
        guarantor: _g,
        requester: _r,
        scopes: _s,
        contentId: _c,
        source: _o,
        rowsId: _i,
        refusedId: _u,
        offsets: _f,
        ...shown
      } = this.objects.view(row);
      return shown;
    });
  }
}
