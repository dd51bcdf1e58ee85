import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, instant, name } from '#libs/http/field.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { Attribute } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';

/** Announced maintenance of a tenant. */
export class MaintenanceWindow extends VersionedRow {
  @Attribute(name(), 'What is done.', { example: 'Migration of the archive' })
  title!: string;

  @Attribute(instant(), 'Start, at least an hour ahead.', { example: '2027-03-06T22:00:00.000Z' })
  startsAt!: string;

  @Attribute(instant(), 'End, at most 7 days after the start.', { example: '2027-03-06T23:30:00.000Z' })
  endsAt!: string;
}

export const maintenanceWindows = governedType(MaintenanceWindow, {
  type: 'ops.maintenance_window',
  noun: 'maintenance window',
  table: 'data.maintenance_windows',
  path: '/api/ops-command/maintenance-windows',
  hasPath: false,
  risk: 'medium',
  events: { announced: 'Maintenance was announced for the tenant.' },
});

export class MaintenanceQuery extends PageQuery {
  @Field(instant(), { description: 'Only windows that end after this time; now by default.', optional: true })
  from?: string;

  @Field(instant(), { description: 'Only windows that start before this time.', optional: true })
  to?: string;
}
