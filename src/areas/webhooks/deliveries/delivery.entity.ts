import { Column, Entity } from 'typeorm';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { PayloadMode } from '#libs/outbox/event-body.js';
import type { StoredStatus } from '#libs/webhooks/delivery-status.js';

/** One event for one endpoint. Its queue entry shows whether it is in flight and when it is due. */
@Entity({ schema: 'data', name: 'webhook_deliveries' })
export class Delivery extends TenantRow {
  @Column('uuid', { name: 'event_id' })
  eventId!: string;

  @Column('uuid', { name: 'endpoint_id' })
  endpointId!: string;

  @Column('text', { name: 'event_type' })
  eventType!: string;

  @Column('integer', { name: 'schema_version' })
  schemaVersion!: number;

  @Column('text', { name: 'payload_mode' })
  payloadMode!: PayloadMode;

  @Column('text', { name: 'subject_type' })
  subjectType!: string;

  @Column('text', { name: 'subject_id' })
  subjectId!: string;

  @Column('bigint')
  sequence!: number;

  @Column('text')
  status!: StoredStatus;
}
