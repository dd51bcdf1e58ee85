import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Clock } from '#libs/kernel/clock.js';
import { Commits } from './commits.js';
import { CustomFields } from './custom-fields.js';
import { Gates } from './gates.js';
import { NumberSeries } from './number-series.js';
import { ResourceRegistry } from './resource-registry.js';

/** What every resource service is made of; injected as one, so that a service names only what is its own. */
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
  ) {}
}
