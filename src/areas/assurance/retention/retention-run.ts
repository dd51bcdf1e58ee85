import { Column, Entity } from 'typeorm';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { Disposition } from '#libs/resource/retention/expiry.js';

/** A run of a policy, or of the emptying of the trash. */
@Entity({ schema: 'data', name: 'retention_runs' })
export class RetentionRun extends TenantRow {
  /** Null for the trash. */
  @Column('uuid', { name: 'policy_id', nullable: true })
  policyId!: string | null;

  /** Null for all types. */
  @Column('text', { nullable: true })
  object!: string | null;

  @Column('text')
  disposition!: Disposition;

  @Column('uuid', { name: 'job_id' })
  jobId!: string;

  @Column('bigint')
  examined!: number;

  @Column('bigint')
  affected!: number;

  @Column('bigint', { name: 'held_back' })
  heldBack!: number;

  @Column('bigint', { name: 'in_use' })
  inUse!: number;

  @Column('bigint')
  failed!: number;

  @Column('jsonb', { name: 'per_type' })
  perType!: Record<string, number>;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: string | null;
}
