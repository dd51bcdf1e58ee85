import { randomBytes } from 'node:crypto';
import type { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import type { Clock } from '#libs/kernel/clock.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/records/commits.js';
import { CustomFields } from '#libs/resource/records/custom-fields.js';
import { Gates } from '#libs/resource/gates/gates.js';
import { NumberSeries } from '#libs/resource/records/number-series.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { Pipeline } from '#src/areas/sales/pipelines/pipeline.js';
import { PipelinesService } from '#src/areas/sales/pipelines/pipelines.service.js';

/**
 * The default pipeline of the tenant in scope, created by the area's service if missing. Built without dependency
 * injection, because an application context would start timers and queues that a command does not need.
 */
export async function defaultPipeline(database: Database, clock: Clock): Promise<Pipeline> {
  const cursors = new Cursors(randomBytes(32)); // cursors never leave this process, so any key works
  const events = new EventCatalogue();
  const numbers = new NumberSeries(database, clock);
  const registry = new ResourceRegistry(events);
  const kit = new ResourceKit(
    database,
    new Commits(events),
    numbers,
    clock,
    registry,
    new Gates(new TenantSettings(database)),
    new CustomFields(database, registry),
    cursors,
  );
  return new PipelinesService(kit).resolve(null);
}
