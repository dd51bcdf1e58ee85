import { Column } from 'typeorm';
import { ALPHABET } from '#libs/database/alphabet.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { id, instant, name, nested, oneOf, text } from '#libs/http/field.js';
import { SHARES } from '#libs/members/sharing.js';
import { filter, listQuery } from '#libs/resource/lists/list-query.js';
import { storedFilter, typeKey } from '#libs/resource/lists/stored-filter.js';
import { Attribute, Derived, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import {
  dimensionList,
  measureList,
  QUESTION,
  type ReportDimension,
  type ReportMeasure,
  rowLimit,
  sortList,
  USUAL_ROWS,
} from '../query/question.js';
import { ReportSchedule, type StoredSchedule } from './schedule.js';

export const PAUSE_REASONS = ['owner_inactive', 'credential_ended', 'owner_not_permitted', 'no_longer_valid'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** A stored question about the records of a type. */
export class Report extends VersionedRow {
  @Mapped(name(), 'Name of the report.', { example: 'Won deals by month' })
  @Column({ type: 'text', collation: ALPHABET })
  name!: string;

  @Attribute(text({ max: 1_000 }), 'Purpose of the report.', { nullable: true })
  description!: string | null;

  @Attribute(typeKey(), 'Type of the records. Requires its read permission.', { example: 'sales.deal', once: true })
  recordType!: string;

  @Attribute(storedFilter, `${QUESTION.filter} Replaced as a whole.`, { example: { status: 'won' }, optional: true })
  filter!: Record<string, string>;

  @Attribute(dimensionList(), QUESTION.dimensions, {
    example: [{ field: 'closedAt', bucket: 'month' }],
    optional: true,
  })
  dimensions!: ReportDimension[];

  @Attribute(measureList(), QUESTION.measures, { example: [{ aggregate: 'sum', field: 'valueMinor' }] })
  measures!: ReportMeasure[];

  @Attribute(sortList(), QUESTION.sort, { example: ['-sum_valueMinor'], optional: true })
  sort!: string[];

  @Attribute(rowLimit(), QUESTION.maxRows, { example: USUAL_ROWS, optional: true })
  maxRows!: number;

  @Attribute(oneOf(SHARES), 'Who else can run it, each with their own rights; defaults to `private`.', {
    example: 'private',
    optional: true,
  })
  shared!: (typeof SHARES)[number];

  @Attribute(id(), 'Workspace with which it is shared; only for `workspace`.', { nullable: true })
  workspaceId!: string | null;

  @ReadOnly(id(), 'Owner: a membership, or the service key that created it.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40',
  })
  ownerId!: string;

  @ReadOnly(nested(ReportSchedule), 'When it runs; null if only on request.', { example: null, nullable: true })
  schedule!: StoredSchedule | null;

  /** Lineage of the API key that set the schedule; null for a session. */
  @Column('uuid', { name: 'schedule_key_id', nullable: true })
  scheduleKeyId!: string | null;

  @Derived(instant(), 'Time of the next scheduled run.', { nullable: true, told: false })
  nextRunAt?: string | null;

  @ReadOnly(instant(), 'Time at which the schedule was paused; set it again to resume.', { nullable: true })
  pausedAt!: string | null;

  @ReadOnly(
    oneOf(PAUSE_REASONS),
    'Why the schedule was paused: the owner is not an active member, the API key that set it has ended, a permission is missing, or the type no longer accepts the report.',
    { nullable: true },
  )
  pausedReason!: PauseReason | null;

  @ReadOnly(nested(ActorView), 'Creator.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  })
  createdBy!: ActorView;
}

const list = {
  filters: {
    name: filter.text(200),
    recordType: filter.exact(typeKey()),
    shared: filter.exact(oneOf(SHARES)),
    ownerId: filter.member(),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt', 'name'],
  defaultSort: '-createdAt',
};

export const reports = governedType(Report, {
  type: 'reports.report',
  noun: 'report',
  table: 'data.reports',
  about: { type: 't.record_type', id: 'null' },
  path: '/api/v1/reports/reports',
  names: { filter: 'updated' },
  risk: 'low',
  list,
  limit: { max: 2_000, detail: 'A tenant can have at most 2000 reports.' },
  events: {
    created: 'A report was stored.',
    updated: 'A report was changed.',
    scheduled: 'A report got a schedule.',
    unscheduled: 'The schedule of a report was removed.',
    paused: 'The schedule of a report was paused; `pausedReason` says why.',
    deleted: 'A report was deleted.',
  },
});

export const ReportListQuery = listQuery('ReportListQuery', list);
