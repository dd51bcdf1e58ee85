import { Injectable } from '@nestjs/common';
import type { EntityClass } from '#libs/database/data-source.js';
import { Database } from '#libs/database/database.js';
import type { TenantRow } from '#libs/database/tenant-row.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { Clock } from '#libs/kernel/clock.js';
import { stamp } from '#libs/tenancy/scope.js';
import { Commits } from './records/commits.js';
import { CustomFields } from './records/custom-fields.js';
import { Gates } from './gates/gates.js';
import { NumberSeries } from './records/number-series.js';
import { ResourceRegistry } from './resource-registry.js';
import { ResourceRepository } from './lists/resource.repository.js';

/** The dependencies of all resource services, injected as one object, so that a service declares only its own. */
@Injectable()
export class ResourceKit {
  constructor(
    readonly database: Database,
    readonly commits: Commits,
    readonly numbers: NumberSeries,
    readonly clock: Clock,
    readonly registry: ResourceRegistry,
    readonly gates: Gates,
    readonly customFields: CustomFields,
    readonly cursors: Cursors,
  ) {}

  /** The timestamp of all changes in this request. */
  now(): string {
    return stamp(this.clock);
  }

  /** The rows of a type that needs no special queries. */
  rows<R extends Pick<TenantRow, 'tenantId' | 'id'>>(entity: EntityClass<R>): ResourceRepository<R> {
    return new ResourceRepository(this.database, this.cursors, entity);
  }
}
