import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, id, instant, name, oneOf } from '#libs/http/field.js';
import { ShortListQuery } from '#libs/resource/lists/page-query.js';
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

const SCOPES = ['platform', 'tenant'] as const;

export class MaintenanceQuery extends ShortListQuery {
  @Field(instant(), { description: 'Only windows that end after this time; now by default.', optional: true })
  from?: string;

  @Field(instant(), { description: 'Only windows that start before this time.', optional: true })
  to?: string;
}

/** A window as it concerns a tenant, whoever announced it. */
export class AnnouncedWindow {
  @Field(id(), { description: 'Id of the window.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e61' })
  id!: string;

  @Field(oneOf(SCOPES), { description: 'Whether it concerns all tenants, or only yours.', example: 'platform' })
  scope!: (typeof SCOPES)[number];

  @Field(name(), { description: 'What is done.', example: 'Upgrade of the database' })
  title!: string;

  @Field(instant(), { description: 'Start.' })
  startsAt!: string;

  @Field(instant(), { description: 'End.' })
  endsAt!: string;
}
