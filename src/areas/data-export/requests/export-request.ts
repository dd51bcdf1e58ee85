import { Column } from 'typeorm';
import type { Guarantor } from '#libs/auth/guarantors.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { anyObject, Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { filter, listQuery } from '#libs/resource/lists/list-query.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType, type ShownObject } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import type { Actor } from '#libs/tenancy/scope.js';
import { DataSubject } from '../subjects/subject.dto.js';
import { requestLife } from './export-request.lifecycle.js';

export const EXPORT_KINDS = ['tenant', 'area', 'subject', 'audit'] as const;
export const ARCHIVE_FORMATS = ['ndjson_zip', 'csv_zip'] as const;
export type ExportStatus = (typeof requestLife)['states'][number];
/** Longest time for which an archive is kept after it is ready or extended. */
export const MAX_HOURS = 168;
const MAX_AREAS = 40;
/** Requests of a tenant that wait or are carried out. */
const MAX_OPEN = 20;

export const reason = () => text({ min: 1, max: 1_000 });
const counts = anyObject({ type: 'object', additionalProperties: { type: 'integer' } });
export const hours = () => integer({ min: 1, max: MAX_HOURS });

class ApprovalOfExport {
  @Field(nested(ActorView), { description: 'Who approved.' })
  by!: Actor;

  @Field(instant(), { description: 'When.' })
  at!: string;

  @Field(flag(), { description: 'Whether with restricted fields.', example: false })
  full!: boolean;
}

class ExportFailure {
  @Field(text({ max: 100 }), { description: 'Stable code.', example: 'gate_denied' })
  code!: string;

  @Field(text({ max: 1_000 }), {
    description: 'What went wrong.',
    example: 'The gate data.export does not let this pass.',
  })
  message!: string;
}

class ExportProgress {
  @Field(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { description: 'Files of the archive that are written.' })
  done!: number;

  @Field(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { description: 'All of them, once known.', nullable: true })
  total!: number | null;

  @Field(text({ max: 100 }), { description: 'What is done.', example: 'writing', nullable: true })
  phase!: string | null;
}

/** An approval as it is kept. */
export interface StoredApproval {
  by: Actor;
  at: string;
  full: boolean;
  /** The person behind the credential. */
  person: string;
}

/** A requested export of data, and the archive that it becomes. */
export class DataExportRequest extends VersionedRow {
  @Attribute(
    oneOf(EXPORT_KINDS),
    'What it contains: everything, some areas, what is known about a person, or the audit log.',
    { example: 'tenant' },
  )
  kind!: (typeof EXPORT_KINDS)[number];

  @Attribute(
    listOf(text({ min: 2, max: 60, pattern: /^[a-z][a-z-]*$/ }), { min: 1, max: MAX_AREAS, unique: true }),
    'For `area`: the areas.',
    { example: null, optional: true, nullable: true },
  )
  areas!: string[] | null;

  @Attribute(nested(DataSubject), 'For `subject`: the person.', {
    example: null,
    optional: true,
    nullable: true,
    told: false,
  })
  subject!: DataSubject | null;

  @Attribute(
    oneOf(ARCHIVE_FORMATS),
    'A ZIP archive with a file of NDJSON or CSV per type; defaults to `ndjson_zip`, which has each record as its list shows it.',
    { example: 'ndjson_zip', optional: true },
  )
  format!: (typeof ARCHIVE_FORMATS)[number];

  @Attribute(flag(), 'Whether it contains the bytes of files too; defaults to false.', {
    example: false,
    optional: true,
  })
  includeFiles!: boolean;

  @Attribute(flag(), 'Whether it contains the trash too; defaults to false.', { example: false, optional: true })
  includeDeleted!: boolean;

  @Attribute(reason(), 'What it is for.', { example: 'Yearly copy', optional: true, nullable: true })
  reason!: string | null;

  @ReadOnly(oneOf(requestLife.states), 'Status.', { example: 'ready' })
  status!: ExportStatus;

  @ReadOnly(flag(), 'Whether it contains restricted fields, such as pay: only if an owner approved that.', {
    example: false,
  })
  @Column('boolean', { name: 'is_full' })
  isFull!: boolean;

  @ReadOnly(nested(ActorView), 'Who requested it.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  })
  requestedBy!: Actor;

  @Derived(listOf(nested(ApprovalOfExport), { max: 5 }), 'Who approved it.', { example: [], told: false })
  @Column('jsonb')
  approvals!: StoredApproval[];

  @ReadOnly(reason(), 'Why it was approved, rejected, cancelled or revoked.', { example: null, nullable: true })
  decisionReason!: string | null;

  @ReadOnly(id(), 'The job that does the work; null before.', { nullable: true })
  jobId!: string | null;

  @Derived(nested(ExportProgress), 'How far it is; null unless it is queued or running.', {
    example: null,
    nullable: true,
    told: false,
  })
  progress?: ExportProgress | null;

  @ReadOnly(instant(), 'The moment that the archive shows; null before.', {
    example: '2026-11-21T09:15:02.114Z',
    nullable: true,
  })
  snapshotAt!: string | null;

  @ReadOnly(counts, 'How many records of each type the archive has, by type key; null before.', {
    example: { 'sales.deal': 120, 'core.comment': 14 },
    nullable: true,
  })
  recordCounts!: Record<string, number> | null;

  @ReadOnly(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), 'Size of the archive in bytes.', {
    example: 81_920,
    nullable: true,
  })
  sizeBytes!: number | null;

  @ReadOnly(text({ max: 64, pattern: /^[0-9a-f]{64}$/ }), 'SHA-256 of the archive, hex.', { nullable: true })
  sha256!: string | null;

  @ReadOnly(nested(ExportFailure), 'Why it failed; null otherwise.', { example: null, nullable: true })
  error!: ExportFailure | null;

  @ReadOnly(instant(), 'Time at which it ended.', { example: '2026-11-21T09:15:09.501Z', nullable: true })
  finishedAt!: string | null;

  @ReadOnly(instant(), 'Time at which the archive is removed.', { example: '2026-11-28T09:15:09.501Z', nullable: true })
  downloadExpiresAt!: string | null;

  @Column('uuid', { name: 'requester_id' })
  requesterId!: string;

  /** The person behind the credential of the requester. */
  @Column('uuid', { name: 'requester_behind' })
  requesterBehind!: string;

  /** Whose rights it has. */
  @Column('jsonb')
  guarantor!: Guarantor;

  /** Permissions in the scopes of that credential; null for all. */
  @Column('jsonb', { nullable: true })
  scopes!: string[] | null;

  /** How many must approve. */
  @Column('smallint')
  quorum!: number;

  /** The owner who approved that it is full; null unless it is. */
  @Column('jsonb', { name: 'full_guarantor', nullable: true })
  fullGuarantor!: Guarantor | null;

  /** How long the archive is kept once it is ready. */
  @Column('smallint', { name: 'expires_in_hours' })
  expiresInHours!: number;

  /** The archive; null unless it is ready. */
  @Column('uuid', { name: 'content_id', nullable: true })
  contentId!: string | null;

  /** Whether a record in it was erased since it began, so that it has to begin anew. */
  @Column('boolean', { name: 'is_stale' })
  isStale!: boolean;
}

type Hidden =
  | 'requesterId'
  | 'requesterBehind'
  | 'guarantor'
  | 'scopes'
  | 'quorum'
  | 'fullGuarantor'
  | 'expiresInHours'
  | 'contentId'
  | 'isStale';
export type ShownRequest = Omit<ShownObject<DataExportRequest>, Hidden>;

const list = {
  filters: {
    kind: filter.exact(oneOf(EXPORT_KINDS)),
    status: filter.exact(oneOf(requestLife.states)),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const exportRequests = governedType(DataExportRequest, {
  type: 'data_export.request',
  noun: 'export of data',
  table: 'data.data_export_requests',
  path: '/api/data-export/requests',
  risk: 'high',
  list,
  actions: requestLife.transitions,
  limit: {
    max: MAX_OPEN,
    detail: `At most ${MAX_OPEN} exports of data can wait or be carried out at a time.`,
    of: `t.status in ('pending_approval', 'queued', 'running')`,
  },
  events: {
    created: 'An export of data was requested.',
    approved: 'Somebody approved an export of data. It is made once all approvals are there.',
    rejected: 'Somebody rejected an export of data.',
    ready: 'The archive of an export of data is ready.',
    failed: 'An export of data failed; `error` says why.',
    downloaded: 'The archive of an export of data was downloaded.',
    expired:
      'The archive of an export of data was removed because its time was over, or because a record in it was erased.',
    cancelled: 'An export of data was cancelled.',
    retried: 'A failed export of data is made again.',
    extended: 'The archive of an export of data is kept longer.',
    revoked: 'The archive of an export of data was removed by somebody who approves exports.',
  },
});

export const ExportRequestQuery = listQuery('DataExportRequestQuery', list);
