import { Column, Entity } from 'typeorm';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import type { Recoverable, StatusCounts } from '#libs/webhooks/recovery/recovery-window.js';

/** Sends missed events to an endpoint, as a job that continues from `afterSequence`. */
@Entity({ schema: 'data', name: 'webhook_recoveries' })
export class Recovery extends TenantRow {
  @Column('uuid', { name: 'endpoint_id' })
  endpointId!: string;

  @Column('timestamptz')
  since!: string;

  @Column('timestamptz')
  until!: string;

  @Column('text', { array: true })
  statuses!: Recoverable[];

  @Column('text', { name: 'event_types', array: true, nullable: true })
  eventTypes!: string[] | null;

  /** Null if it was completed in the request. */
  @Column('uuid', { name: 'job_id', nullable: true })
  jobId!: string | null;

  @Column('text')
  status!: 'counting' | 'running' | 'completed' | 'cancelled';

  @Column('boolean', { name: 'dry_run' })
  dryRun!: boolean;

  @Column('bigint')
  counted!: number;

  @Column('jsonb', { name: 'by_status' })
  byStatus!: StatusCounts;

  @Column('bigint')
  matched!: number;

  @Column('bigint')
  recovered!: number;

  @Column('bigint')
  examined!: number;

  @Column('bigint', { name: 'after_sequence' })
  afterSequence!: number;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: string;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: string | null;

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorStamp;
}
