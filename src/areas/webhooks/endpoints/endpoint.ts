import { Column, Entity } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import type { PayloadMode } from '#libs/outbox/event-body.js';
import type { ActorStamp } from '#libs/resource/record.entity.js';
import type { PayloadFilter } from '#libs/webhooks/relay/payload-filter.js';
import type { DisabledReason, EndpointStatus, Ordering } from './endpoint.lifecycle.js';

/**
 * A webhook endpoint of a customer. Secrets and the values of custom headers are sealed. `previousSecretExpiresAt` stays when the previous secret is
 * wiped: it tells when the last rotation was over.
 */
@Entity({ schema: 'data', name: 'webhook_endpoints' })
export class Endpoint extends VersionedRow {
  @Column('text')
  url!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { name: 'event_types', array: true })
  eventTypes!: string[];

  @Column('jsonb', { nullable: true })
  filter!: PayloadFilter | null;

  @Column('text', { name: 'payload_mode' })
  payloadMode!: PayloadMode;

  @Column('jsonb', { name: 'schema_versions' })
  schemaVersions!: Record<string, number>;

  @Column('text')
  ordering!: Ordering;

  @Column('integer', { name: 'max_per_second', nullable: true })
  maxPerSecond!: number | null;

  @Column('integer', { name: 'max_concurrency', nullable: true })
  maxConcurrency!: number | null;

  @Column('text', { name: 'header_names', array: true })
  customHeaderNames!: string[];

  @Column('text', { name: 'headers_sealed', nullable: true })
  headersSealed!: string | null;

  @Column('timestamptz', { name: 'verified_at', nullable: true })
  verifiedAt!: string | null;

  @Column('text')
  status!: EndpointStatus;

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: DisabledReason | null;

  @Column('integer', { name: 'timeout_ms' })
  timeoutMs!: number;

  @Column('text', { name: 'secret_sealed' })
  secretSealed!: string;

  @Column('text', { name: 'previous_secret_sealed', nullable: true })
  previousSecretSealed!: string | null;

  @Column('timestamptz', { name: 'previous_secret_expires_at', nullable: true })
  previousSecretExpiresAt!: string | null;

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorStamp;

  @Column('jsonb', { name: 'updated_by' })
  updatedBy!: ActorStamp;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;
}
