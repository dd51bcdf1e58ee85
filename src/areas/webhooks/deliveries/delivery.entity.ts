import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DeliveryStatus } from './delivery.dto.js';

/** One event for one endpoint. `dueAt` is when a worker should take it: its next attempt, or the end of a worker's lease. */
@Entity({ schema: 'data', name: 'webhook_deliveries' })
export class Delivery {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId!: string;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'event_id' })
  eventId!: string;

  @Column('uuid', { name: 'endpoint_id' })
  endpointId!: string;

  @Column('text', { name: 'event_type' })
  eventType!: string;

  @Column('text')
  status!: DeliveryStatus;

  @Column('integer', { name: 'attempts' })
  attemptCount!: number;

  @Column('timestamptz', { name: 'due_at', nullable: true })
  dueAt!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: string;

  @Column('timestamptz', { name: 'delivered_at', nullable: true })
  deliveredAt!: string | null;
}
