import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, flag, id, instant, integer, name, nested, oneOf, text } from '#libs/http/field.js';
import { filter, listQuery } from '#libs/resource/lists/list-query.js';
import { ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { type Question, MAX_ROWS } from '../query/question.js';
import { type ReportFormat, ReportResult } from '../query/report.dto.js';

export const RUN_STATUSES = ['queued', 'succeeded', 'failed', 'cancelled'] as const;
export const TRIGGERS = ['request', 'schedule'] as const;
/** Maximum number of stored runs per report; older ones are deleted. */
export const MAX_RUNS = 100;
/** Days for which a run is kept. */
export const KEPT_DAYS = 30;

class ReportRunError {
  @Field(text({ max: 100 }), { description: 'Stable code.', example: 'report_timeout' })
  code!: string;

  @Field(text({ max: 1_000 }), { description: 'What went wrong.', example: 'It would take more than 15 seconds.' })
  message!: string;
}

/** A run of a stored report. Its rows are in a separate table. */
export class ReportRun extends VersionedRow {
  @ReadOnly(id(), 'The report.', { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e01' })
  reportId!: string;

  @ReadOnly(name(), 'Name of the report at that time.', { example: 'Won deals by month' })
  name!: string;

  @ReadOnly(oneOf(RUN_STATUSES), 'Status.', { example: 'succeeded' })
  status!: (typeof RUN_STATUSES)[number];

  @ReadOnly(oneOf(TRIGGERS), 'What started it.', { example: 'schedule' })
  trigger!: (typeof TRIGGERS)[number];

  @ReadOnly(
    id(),
    'Member whose rights it has: the requester, or the owner of a scheduled report. With an API key, only those of the key.',
    { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40' },
  )
  memberId!: string;

  @ReadOnly(id(), 'The job that does the work.', { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e03' })
  jobId!: string;

  @ReadOnly(integer({ min: 0, max: MAX_ROWS }), 'Number of rows.', { example: 12, nullable: true })
  rowCount!: number | null;

  @ReadOnly(flag(), 'Whether there were more groups than the limit.', { example: false, nullable: true })
  truncated!: boolean | null;

  @ReadOnly(nested(ReportRunError), 'Why it failed; null otherwise.', { example: null, nullable: true })
  error!: ReportRunError | null;

  @ReadOnly(instant(), 'Time at which it ended.', { example: '2026-11-21T09:15:02.114Z', nullable: true })
  finishedAt!: string | null;

  @ReadOnly(instant(), 'Time from which it can be deleted.', { example: '2026-12-21T09:15:02.114Z' })
  expiresAt!: string;

  @Column('jsonb')
  question!: Question;

  /** Lineage of the API key that ordered it; null for a session. */
  @Column('uuid', { name: 'key_id', nullable: true })
  keyId!: string | null;

  /** Permissions in the scopes that it had; null for all. Credentials with fewer cannot read it. */
  @Column('jsonb', { nullable: true })
  scopes!: string[] | null;

  /** Further members who can read it. */
  @Column('jsonb', { name: 'reader_ids' })
  readerIds!: string[];

  @Column('text')
  format!: ReportFormat;
}

const list = {
  filters: {
    status: filter.exact(oneOf(RUN_STATUSES)),
    trigger: filter.exact(oneOf(TRIGGERS)),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const reportRuns = governedType(ReportRun, {
  type: 'reports.run',
  noun: 'report run',
  table: 'data.report_runs',
  about: { type: `t.question->>'recordType'`, id: 'null' },
  path: '/api/v1/reports/runs',
  risk: 'low',
  list,
  events: {
    requested: 'A run of a report was requested or became due.',
    completed: 'A run of a report has a result.',
    failed: 'A run of a report failed; `error` says why.',
  },
});

/** A run with its rows. */
export class ReportRunDetail extends reportRuns.view {
  @Field(nested(ReportResult), { description: 'The result; null unless the run succeeded.', nullable: true })
  result!: ReportResult | null;
}

export const ReportRunQuery = listQuery('ReportRunQuery', list);
