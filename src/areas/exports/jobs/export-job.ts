import { Column } from 'typeorm';
import type { Guarantor } from '#libs/auth/guarantors.js';
import { Field, fieldsOf, flag, id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { filter, listQuery } from '#libs/resource/lists/list-query.js';
import { typeKey } from '#libs/resource/lists/stored-filter.js';
import { ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType, type ShownObject } from '#libs/resource/types/governed-type.js';
import { model } from '#libs/resource/types/record.dto.js';
import type { ExportPlan } from '../table/export-columns.js';
import { EXPORT_FORMATS } from '../table/export-writer.js';
import { ExportRow, MAX_INLINE_ROWS, MAX_ROWS } from './export-fields.js';

export const EXPORT_STATUSES = ['queued', 'running', 'ready', 'failed', 'cancelled', 'expired'] as const;
/** Exports of a tenant that are not finished. */
const MAX_OPEN = 20;

class ExportError {
  @Field(text({ max: 100 }), { description: 'Stable code.', example: 'export_too_large' })
  code!: string;

  @Field(text({ max: 1_000 }), { description: 'What went wrong.', example: 'The list has more than 1000000 records.' })
  message!: string;
}

/** An export of a list. Its records and their order are those of the list at `asOf`. */
export class ExportJob extends ExportRow {
  @ReadOnly(oneOf(EXPORT_STATUSES), 'Status.', { example: 'ready' })
  status!: (typeof EXPORT_STATUSES)[number];

  @ReadOnly(instant(), 'Time of the list whose records it has; null until it is running.', {
    example: '2026-11-21T09:15:02.114Z',
    nullable: true,
  })
  asOf!: string | null;

  @ReadOnly(integer({ min: 0, max: MAX_ROWS }), 'Number of records in the file.', { example: 1200, nullable: true })
  rowCount!: number | null;

  @ReadOnly(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), 'Size of the file in bytes.', {
    example: 81_920,
    nullable: true,
  })
  sizeBytes!: number | null;

  @ReadOnly(text({ max: 64, pattern: /^[0-9a-f]{64}$/ }), 'SHA-256 of the file, hex.', { nullable: true })
  sha256!: string | null;

  @ReadOnly(text({ max: 200 }), 'Path of the file while it is `ready`; needs a credential.', {
    example: '/api/exports/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e01/download',
    nullable: true,
  })
  url!: string | null;

  @ReadOnly(nested(ExportError), 'Why it failed; null otherwise.', { example: null, nullable: true })
  error!: ExportError | null;

  @ReadOnly(id(), 'The job that does the work, with its progress.', { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e03' })
  jobId!: string;

  @ReadOnly(id(), 'The schedule that started it; null for a request.', { example: null, nullable: true })
  scheduleId!: string | null;

  @ReadOnly(id(), 'Membership or service key whose rights it has.', { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40' })
  requesterId!: string;

  @ReadOnly(instant(), 'Time at which it ended.', { example: '2026-11-21T09:15:09.501Z', nullable: true })
  finishedAt!: string | null;

  @ReadOnly(instant(), 'Time at which the file is removed.', { example: '2026-11-28T09:15:09.501Z', nullable: true })
  expiresAt!: string | null;

  /** Null until it is running. */
  @Column('jsonb', { nullable: true })
  plan!: ExportPlan | null;

  /** Whose rights it has. */
  @Column('jsonb')
  guarantor!: Guarantor;

  /** Permissions in the scopes of that credential; null for all. Credentials with fewer see neither export nor file. */
  @Column('jsonb', { nullable: true })
  scopes!: string[] | null;

  /** Further members who can read it. */
  @Column('jsonb', { name: 'reader_ids' })
  readerIds!: string[];

  /** The file; null unless it is ready. */
  @Column('uuid', { name: 'content_id', nullable: true })
  contentId!: string | null;

  /** Whether a record in it was erased since it began, so that it has to begin anew. */
  @Column('boolean', { name: 'is_stale' })
  isStale!: boolean;
}

export type ShownExport = Omit<
  ShownObject<ExportJob>,
  'plan' | 'guarantor' | 'scopes' | 'readerIds' | 'contentId' | 'isStale'
>;

const list = {
  filters: {
    type: filter.exact(typeKey()),
    status: filter.exact(oneOf(EXPORT_STATUSES)),
    format: filter.exact(oneOf(EXPORT_FORMATS)),
    scheduleId: filter.exact(id(), true),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const exportJobs = governedType(ExportJob, {
  type: 'exports.job',
  noun: 'export',
  table: 'data.export_jobs',
  about: { type: 't.type', id: 'null' },
  path: '/api/exports',
  risk: 'medium',
  list,
  limit: {
    max: MAX_OPEN,
    detail: `A tenant can have at most ${MAX_OPEN} exports that are not finished.`,
    of: `t.finished_at is null`,
  },
  events: {
    requested: 'An export was requested or became due.',
    ready: 'An export is ready to be downloaded.',
    failed: 'An export failed; `error` says why.',
    cancelled: 'Somebody cancelled an export.',
    expired: 'The file of an export was removed.',
  },
});

export const ExportListQuery = listQuery('ExportListQuery', list);

/** How an export is answered. */
export const ExportQuery = model('ExportQuery', {
  inline: {
    kind: flag(),
    description: `Sends the file in the response instead of making an export, for at most ${MAX_INLINE_ROWS} records.`,
    optional: true,
  },
});

export const ExportRequest = model('ExportRequest', Object.fromEntries(fieldsOf(exportJobs.create)));
