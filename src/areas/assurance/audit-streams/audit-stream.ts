import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, id, instant, integer, name, nested, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, ReadOnly, WriteOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

export const STREAM_KINDS = ['https', 'splunk_hec', 's3'] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];
export const STREAM_STATUSES = ['active', 'paused', 'failing'] as const;
const FROM = ['beginning', 'now'] as const;
/** Maximum number of streams per tenant. */
export const MAX_STREAMS = 50;

/** Failed attempts in a row after which a stream counts as failing. */
export const FAILING_AFTER = 3;

const count = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const region = text({ min: 1, max: 40, pattern: /^[a-z0-9-]+$/, form: 'lower-case letters, digits and hyphens' });
const bucket = text({
  min: 3,
  max: 63,
  pattern: /^[a-z0-9][a-z0-9.-]*[a-z0-9]$/,
  form: 'lower-case letters, digits, dots and hyphens',
});
const prefix = text({
  min: 1,
  max: 500,
  pattern: /^[A-Za-z0-9!_.*'()/-]+$/,
  form: "letters, digits and the characters ! _ . * ' ( ) / -",
});

export class StreamCursor {
  @Field(count, { description: 'Number of the last entry that was delivered; 0 before the first.', example: 1_204 })
  seq!: number;
}

/** A destination that receives the audit log. Its position in the log is in a separate table. */
export class AuditStream extends VersionedRow {
  @Attribute(name(), 'Name for people.', { example: 'SIEM' })
  name!: string;

  @Attribute(
    oneOf(STREAM_KINDS),
    'How entries are sent. `https`: a POST with one entry per line (ndjson), signed like webhooks. `splunk_hec`: events for a Splunk HTTP Event Collector. `s3`: one ndjson object per batch.',
    { example: 'https', once: true },
  )
  kind!: StreamKind;

  @Attribute(
    text({ min: 1, max: 2_048 }),
    'Address: of the receiver for `https`, of the event endpoint for `splunk_hec`, of the S3 service for `s3` (buckets are addressed by path). It must be public, or in a network that the operator allows.',
    { example: 'https://siem.example.com/audit' },
  )
  url!: string;

  @Attribute(bucket, 'Bucket; required for `s3`, otherwise not allowed.', { nullable: true })
  bucket!: string | null;

  @Attribute(region, 'Region of the bucket; required for `s3`, otherwise not allowed.', { nullable: true })
  region!: string | null;

  @Attribute(prefix, 'Start of object keys, such as `audit/`. Only for `s3`.', { nullable: true })
  prefix!: string | null;

  @Attribute(
    id(),
    'Secret with the credential. `https`: a signing secret, `whsec_` and at least 24 bytes in base64. `splunk_hec`: the token. `s3`: JSON with `accessKeyId` and `secretAccessKey`. Setting it, or the address, also requires the scope secrets:manage.',
    { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1d05' },
  )
  credentialSecretId!: string;

  @Attribute(
    oneOf(STREAM_STATUSES),
    'Set to `paused` to stop sending and to `active` to resume where it stopped. `failing` after three failed attempts in a row, until a delivery succeeds; sending is retried at least every five minutes, or at once if you set `active`, and nothing is skipped.',
    { example: 'active', given: oneOf(['active', 'paused']), default: 'active' },
  )
  status!: (typeof STREAM_STATUSES)[number];

  @WriteOnly(oneOf(FROM), 'First entry to send: that of the `beginning`, or the next one (`now`, the default).', {
    example: 'now',
    once: true,
  })
  from?: (typeof FROM)[number];

  @Derived(nested(StreamCursor), 'Position in the log.', { example: { seq: 1_204 }, told: false })
  cursor?: StreamCursor;

  @Derived(count, 'Number of sealed entries that are not delivered yet.', { example: 0, told: false })
  lagEntries?: number;

  @Derived(count, 'Age of the oldest entry that is not delivered yet, in seconds; 0 if there is none.', {
    example: 0,
    told: false,
  })
  lagSeconds?: number;

  @Derived(instant(), 'Time of the last delivery.', { nullable: true, told: false })
  lastDeliveredAt?: string | null;

  @Derived(text({ max: 64 }), 'Why the last attempt failed; null after a success.', {
    example: 'http_503',
    nullable: true,
    told: false,
  })
  lastError?: string | null;

  @ReadOnly(nested(ActorView), 'Creator of the stream.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  })
  createdBy!: ActorView;
}

export const auditStreams = governedType(AuditStream, {
  type: 'audit.stream',
  noun: 'audit log stream',
  table: 'data.audit_streams',
  path: '/api/admin/audit-logs/streams',
  risk: 'high',
  limit: { max: MAX_STREAMS, detail: `A tenant can have ${MAX_STREAMS} audit log streams.` },
  events: {
    created: 'A stream of the audit log was created.',
    updated: 'A stream of the audit log was changed, paused or resumed.',
    deleted: 'A stream of the audit log was deleted.',
    failing: 'A stream of the audit log failed three times in a row. Entries wait until it works again.',
    recovered: 'A stream of the audit log that was failing works again.',
  },
});
