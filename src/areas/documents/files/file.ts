import { Column } from 'typeorm';
import type { Guarantor } from '#libs/auth/guarantors.js';
import { anyObject, Field, flag, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { FILE_STATUSES, fileLifecycle } from './file.lifecycle.js';

/** `not_scanned`: the installation scans no files. */
export const SCAN_STATUSES = ['not_scanned', 'waiting', 'clean', 'infected'] as const;
export type ScanStatus = (typeof SCAN_STATUSES)[number];

export const MAX_VERSIONS = 100;
const SHA256_EXAMPLE = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7';
const sha256 = () => text({ max: 64, pattern: /^[0-9a-f]{64}$/, form: '64 hexadecimal digits in lower case' });
const size = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const number = () => integer({ min: 1, max: MAX_VERSIONS });
const mimeType = () => text({ min: 3, max: 127 });
/** Names between slashes; none is `.` or `..`. */
export const folder = () =>
  text({
    min: 1,
    max: 300,
    pattern: /^(?!\.{1,2}(?:\/|$))[^/\\\s][^/\\]*(?:\/(?!\.{1,2}(?:\/|$))[^/\\\s][^/\\]*)*$/,
    form: 'names of folders separated by slashes, such as contracts/2027',
  });

/** Where and how the bytes of a file are to be sent. */
export class FileUpload {
  @Field(text({ max: 2_000 }), {
    description: 'Address that takes the bytes, without a credential.',
    example: 'https://api.example.com/api/files/eXampl3',
  })
  url!: string;

  @Field(oneOf(['PUT']), { description: 'Method.', example: 'PUT' })
  method!: 'PUT';

  @Field(anyObject({ type: 'object', additionalProperties: { type: 'string' } }), {
    description: 'Headers to send.',
    example: { 'content-type': 'application/octet-stream' },
  })
  headers!: Record<string, string>;

  @Field(instant(), { description: 'When the address stops taking them.', example: '2026-11-21T10:15:02.114Z' })
  expiresAt!: string;
}

/** A version of a file. */
export class FileVersionView {
  @Field(number(), { description: 'Number of the version.', example: 1 })
  number!: number;

  @Field(mimeType(), { description: 'Media type by the bytes; null until they have arrived.', nullable: true })
  mimeType!: string | null;

  @Field(size(), { description: 'Size in bytes.', example: 48_213 })
  sizeBytes!: number;

  @Field(sha256(), { description: 'SHA-256 of the bytes, hexadecimal.', nullable: true, example: SHA256_EXAMPLE })
  sha256!: string | null;

  @Field(oneOf(SCAN_STATUSES), { description: 'What the scan for viruses has found.', example: 'clean' })
  scanStatus!: ScanStatus;

  @Field(instant(), { description: 'Time at which it was added.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'Who added it.' })
  createdBy!: ActorView;
}

export class FileVersionList {
  @Field(listOf(nested(FileVersionView), { max: MAX_VERSIONS }), { description: 'All versions, newest first.' })
  versions!: FileVersionView[];
}

/** A file of a tenant, in versions. */
export class StoredFile extends RecordRow {
  @Attribute(folder(), 'Folder, as names separated by slashes; null for none.', {
    example: 'contracts/2027',
    nullable: true,
    filter: true,
  })
  folder!: string | null;

  @Attribute(
    flag(),
    'Whether only its owner, its creator and holders of `files.confidential:read` may see it, also where records name it. Its bytes are encrypted with a key of their own.',
    { default: false, once: true, filter: true },
  )
  confidential!: boolean;

  @ReadOnly(oneOf(FILE_STATUSES), 'State. Only an `available` file can be read.', {
    example: 'available',
    filter: true,
  })
  status!: (typeof FILE_STATUSES)[number];

  @ReadOnly(mimeType(), 'Media type by the bytes, whatever its name; null until they have arrived.', {
    example: 'application/pdf',
    nullable: true,
    filter: true,
  })
  mimeType!: string | null;

  @Attribute(size(), 'Size in bytes. Only for an upload in two steps, which must have exactly this size.', {
    example: 48_213,
    once: true,
    filter: true,
    sort: true,
  })
  sizeBytes!: number;

  @Attribute(sha256(), 'SHA-256 of the bytes, hexadecimal. If given, the bytes must have it.', {
    example: SHA256_EXAMPLE,
    nullable: true,
    once: true,
    filter: true,
  })
  sha256!: string | null;

  @ReadOnly(
    oneOf(SCAN_STATUSES),
    'What the scan for viruses has found. `not_scanned`: this installation scans no files.',
    {
      example: 'clean',
      filter: true,
    },
  )
  scanStatus!: ScanStatus;

  @ReadOnly(number(), 'Number of the current version of its bytes; see `versions`.', { example: 1 })
  currentVersion!: number;

  @Derived(nested(FileUpload), 'Where to send the bytes; only in the response that announces them.', {
    nullable: true,
    told: false,
  })
  upload?: FileUpload | null;

  /** Who announced an upload; null once it has arrived. */
  @Column('jsonb', { nullable: true })
  guarantor!: Guarantor | null;

  /** Null until the bytes have arrived. */
  @Column('uuid', { name: 'content_id', nullable: true })
  contentId!: string | null;

  /** When an announced upload ends; null once it has arrived. */
  @Column('timestamptz', { name: 'upload_until', nullable: true })
  uploadUntil!: string | null;
}

/** The parts of a form besides the file. */
export class FileForm {
  @Field(name(), { description: 'Name; that of the file if not given.', example: 'Offer.pdf' })
  name!: string;

  @Field(folder(), { description: 'Folder.', example: 'contracts/2027', optional: true })
  folder?: string;

  @Field(flag(), { description: '`true` if it is confidential.', optional: true })
  confidential?: boolean;
}

export const files = recordType(StoredFile, {
  area: 'documents',
  collection: 'files',
  noun: 'file',
  prefix: 'FILE',
  permissions: { read: 'files:read', write: 'files:write' },
  name: { example: 'Offer.pdf' },
  lifecycle: fileLifecycle,
  problems: { create: ['storage_quota_exceeded', 'payload_too_large', 'unavailable'], delete: ['file_in_use'] },
  bodies: { create: { name: 'Offer.pdf', sizeBytes: 48_213, sha256: SHA256_EXAMPLE } },
});
