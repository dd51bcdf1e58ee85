import { Column } from 'typeorm';
import type { Guarantor } from '#libs/auth/guarantors.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { type FieldSpec, fieldsOf, id, instant, listOf, nested, oneOf } from '#libs/http/field.js';
import { filter, listQuery } from '#libs/resource/lists/list-query.js';
import { typeKey } from '#libs/resource/lists/stored-filter.js';
import { Attribute, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType, type ShownObject } from '#libs/resource/types/governed-type.js';
import { mergePatchOf, model } from '#libs/resource/types/record.dto.js';
import { locale } from '#libs/settings/locale-fields.js';
import type { Actor } from '#libs/tenancy/scope.js';
import type { TextEncoding } from '#libs/tables/text-encoding.js';
import { ImportColumn, ImportFailure, ImportResults, mappingKind, MAX_COLUMNS, targetKey } from './import-fields.js';

export const IMPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];
const MODES = ['create', 'update', 'upsert'] as const;
export const IMPORT_STATUSES = [
  'draft',
  'validating',
  'validated',
  'running',
  'completed',
  'failed',
  'cancelled',
  'rolling_back',
  'rolled_back',
] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];
/** States in which a job works on it. */
export const WORKING: readonly ImportStatus[] = ['validating', 'running', 'rolling_back'];
/** Imports of a tenant that are there at a time. */
const MAX_IMPORTS = 200;

/** How its file is read, found when it was made. */
export interface ImportSource {
  encoding: TextEncoding;
  separator: string;
  /** Names of the columns, in order; of `ndjson`, members of the first objects. */
  header: string[];
}

/** An import of records from a file. */
export class ImportRun extends VersionedRow {
  @Attribute(typeKey(), 'Type of the records.', { example: 'sales.deal', once: true })
  recordType!: string;

  @Attribute(id(), 'File with the rows; you must be able to read it. What it has when the import is made counts.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60',
    once: true,
  })
  fileId!: string;

  @Attribute(
    oneOf(IMPORT_FORMATS),
    '`csv` begins with the names of the columns; `ndjson` has a JSON object in each line, whose members are the columns.',
    { example: 'csv', once: true },
  )
  format!: ImportFormat;

  @Attribute(
    mappingKind,
    'The field of each column that counts, named as in exports: `name`, `customFields.region`, `address.city`; for amounts in major units without `Minor`; `externalRef:<system>` for ids of other systems. By default the suggestions.',
    { example: { Deal: 'name', Amount: 'value' }, optional: true },
  )
  mapping!: Record<string, string>;

  @Attribute(
    oneOf(MODES),
    '`create` makes a record of each row, `update` changes those that `upsertBy` finds, `upsert` does what is possible.',
    { default: 'create' },
  )
  mode!: (typeof MODES)[number];

  @Attribute(
    targetKey(),
    'What finds the record of a row: `externalRef:<system>`, `id`, `reference` or another field with text. A column must have it.',
    { example: 'externalRef:crm', nullable: true },
  )
  upsertBy!: string | null;

  @Attribute(locale(), 'Language tag; the tenant’s by default. Decides how amounts and dates in `csv` are read.', {
    example: 'en',
    optional: true,
  })
  locale!: string;

  @ReadOnly(oneOf(IMPORT_STATUSES), 'State.', { example: 'validated' })
  status!: ImportStatus;

  @ReadOnly(listOf(nested(ImportColumn), { max: MAX_COLUMNS }), 'Columns of the file.', { example: [], told: false })
  columns!: ImportColumn[];

  @ReadOnly(nested(ImportResults), 'Counts of rows and records.', {
    example: {
      validRows: 98,
      invalidRows: 2,
      created: null,
      updated: null,
      failed: null,
      rolledBack: null,
      kept: null,
    },
  })
  results!: ImportResults;

  @ReadOnly(nested(ImportFailure), 'Why it failed; null otherwise.', { example: null, nullable: true })
  error!: ImportFailure | null;

  @ReadOnly(id(), 'The job that works on it or did so last, with its progress; null for none.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e03',
    nullable: true,
  })
  jobId!: string | null;

  @ReadOnly(id(), 'Membership or service key whose rights it has.', { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40' })
  requesterId!: string;

  @ReadOnly(instant(), 'Until when it can be rolled back; null if it cannot.', { example: null, nullable: true })
  rollbackUntil!: string | null;

  @ReadOnly(instant(), 'When the import and its rows are removed; the records stay.', {
    example: '2026-12-21T09:15:09.501Z',
  })
  expiresAt!: string;

  /** Whose rights it has. */
  @Column('jsonb')
  guarantor!: Guarantor;

  /** Who acts. */
  @Column('jsonb')
  requester!: Actor;

  /** Permissions in the scopes of that credential; null for all. Credentials with fewer do not see it. */
  @Column('jsonb', { nullable: true })
  scopes!: string[] | null;

  /** The bytes of the file. */
  @Column('uuid', { name: 'content_id' })
  contentId!: string;

  @Column('jsonb')
  source!: ImportSource;

  /** The rows as they were read, in parts; null until it is validated. */
  @Column('uuid', { name: 'rows_id', nullable: true })
  rowsId!: string | null;

  /** A table of the refused rows; null until there is one. */
  @Column('uuid', { name: 'refused_id', nullable: true })
  refusedId!: string | null;

  /** Where each part begins in them, and where the last one ends. */
  @Column('jsonb')
  offsets!: number[];
}

export type ShownImport = Omit<
  ShownObject<ImportRun>,
  'guarantor' | 'requester' | 'scopes' | 'contentId' | 'source' | 'rowsId' | 'refusedId' | 'offsets'
>;

const list = {
  filters: {
    recordType: filter.exact(typeKey()),
    status: filter.exact(oneOf(IMPORT_STATUSES)),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const imports = governedType(ImportRun, {
  type: 'integrations.import',
  noun: 'import',
  table: 'data.imports',
  about: { type: 't.record_type', id: 'null' },
  path: '/api/integrations/imports',
  risk: 'medium',
  list,
  limit: { max: MAX_IMPORTS, detail: `A tenant can have at most ${MAX_IMPORTS} imports; delete one.` },
  events: {
    created: 'An import was prepared.',
    updated: 'The mapping or another field of an import changed.',
    deleted: 'An import was removed; its records stay.',
    validating: 'An import is being validated.',
    validated: 'An import was validated: `results` says how many rows are valid.',
    started: 'An import is running.',
    completed: 'An import has gone through all rows.',
    failed: 'An import failed; `error` says why.',
    cancelled: 'Somebody cancelled an import; what it has imported stays.',
    rolling_back: 'An import is being rolled back.',
    rolled_back: 'An import was rolled back.',
  },
});

export const ImportListQuery = listQuery('ImportListQuery', list);

/** `recordType` is `object` in bodies, where nothing else is meant by it. */
function named(fields: Iterable<readonly [string, FieldSpec]>): Record<string, FieldSpec> {
  return Object.fromEntries([...fields].map(([name, spec]) => [name === 'recordType' ? 'object' : name, spec]));
}

export const NewImport = model('NewImport', named(fieldsOf(imports.create)));
export const ImportPatch = mergePatchOf('ImportPatch', imports.update);
