import { Column } from 'typeorm';
import { ALPHABET } from '#libs/database/alphabet.js';
import type { Guarantor } from '#libs/auth/guarantors.js';
import { flag, id, instant, listOf, name, oneOf } from '#libs/http/field.js';
import { filter, listQuery } from '#libs/resource/lists/list-query.js';
import { typeKey } from '#libs/resource/lists/stored-filter.js';
import { Attribute, Derived, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType, type ShownObject } from '#libs/resource/types/governed-type.js';
import { timeZone } from '#libs/settings/locale-fields.js';
import { ExportRow } from '../jobs/export-fields.js';
import { cron } from './cron.js';

/** Maximum number of members who are told. */
const MAX_RECIPIENTS = 50;
const MAX_SCHEDULES = 200;

export const PAUSE_REASONS = ['owner_inactive', 'credential_ended', 'owner_not_permitted', 'no_longer_valid'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** A list that is exported again and again, with the rights of its owner. */
export class ExportSchedule extends ExportRow {
  @Mapped(name(), 'Name of the schedule.', { example: 'Won deals for finance' })
  @Column({ type: 'text', collation: ALPHABET })
  name!: string;

  @Attribute(
    cron(),
    'When it runs: minute, hour, day of the month, month and day of the week, at least an hour apart. A time that the clocks skip is as much later; one that they show twice is the first.',
    { example: '30 7 * * mon' },
  )
  cron!: string;

  @Attribute(timeZone(), 'IANA time zone; the tenant’s by default.', { example: 'Europe/Berlin', optional: true })
  timeZone!: string;

  @Attribute(
    listOf(id(), { max: MAX_RECIPIENTS, unique: true }),
    'Members who are told of each file and can download it: active ones who may see the list and all fields at that time. They get the rows that the owner sees.',
    { example: [], optional: true },
  )
  recipientIds!: string[];

  @Attribute(flag(), 'Whether it does not run; false resumes it.', { example: false, optional: true })
  paused!: boolean;

  @ReadOnly(
    oneOf(PAUSE_REASONS),
    'Why the platform paused it: the owner is not an active member, the API key that set it has ended, a permission is missing, or the list no longer accepts the query.',
    { nullable: true },
  )
  pausedReason!: PauseReason | null;

  @ReadOnly(id(), 'Owner: a membership, or the service key that created it.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40',
  })
  ownerId!: string;

  @Derived(instant(), 'Time of the next run; null while it is paused.', { nullable: true, told: false })
  nextRunAt?: string | null;

  /** With whose rights it runs: the credential that made the last change. */
  @Column('jsonb')
  guarantor!: Guarantor;
}

export type ShownSchedule = Omit<ShownObject<ExportSchedule>, 'guarantor'>;

const list = {
  filters: {
    name: filter.text(200),
    type: filter.exact(typeKey()),
    paused: filter.exact(flag()),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt', 'name'],
  defaultSort: '-createdAt',
};

export const exportSchedules = governedType(ExportSchedule, {
  type: 'exports.schedule',
  noun: 'export schedule',
  table: 'data.export_schedules',
  about: { type: 't.type', id: 'null' },
  path: '/api/exports/schedules',
  names: { query: 'updated' },
  risk: 'medium',
  list,
  limit: { max: MAX_SCHEDULES, detail: `A tenant can have at most ${MAX_SCHEDULES} schedules of exports.` },
  events: {
    created: 'A schedule of exports was created.',
    updated: 'A schedule of exports was changed.',
    paused: 'The platform paused a schedule of exports; `pausedReason` says why.',
    deleted: 'A schedule of exports was deleted.',
  },
});

export const ExportScheduleQuery = listQuery('ExportScheduleQuery', list);
