import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Outcome, RiskLevel } from '#libs/audit/audit-entry.js';

/**
 * A row of the audit log. `entry` is the canonical JSON that `leafHash` covers; `details` contains the erasable data.
 */
@Entity({ schema: 'data', name: 'audit_log' })
export class AuditLogRow {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId!: string;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz', { name: 'occurred_at' })
  occurredAt!: string;

  @Column('text', { name: 'actor_type' })
  actorType!: string;

  @Column('text', { name: 'actor_id', nullable: true })
  actorId!: string | null;

  @Column('text')
  action!: string;

  @Column('text', { name: 'target_type', nullable: true })
  targetType!: string | null;

  @Column('text', { name: 'target_id', nullable: true })
  targetId!: string | null;

  @Column('text')
  outcome!: Outcome;

  @Column('text', { name: 'risk_level' })
  riskLevel!: RiskLevel;

  @Column('text', { name: 'request_id' })
  requestId!: string;

  @Column('uuid', { name: 'workspace_id', nullable: true })
  workspaceId!: string | null;

  @Column('text', { name: 'correlation_id', nullable: true })
  correlationId!: string | null;

  @Column('text')
  entry!: string;

  @Column('text')
  details!: string;

  /** Null after the details have been erased. */
  @Column('bytea', { name: 'details_salt', nullable: true })
  detailsSalt!: Buffer | null;

  @Column('timestamptz', { name: 'erased_at', nullable: true })
  erasedAt!: string | null;

  @Column('bytea', { name: 'leaf_hash' })
  leafHash!: Buffer;

  @Column('text', { name: 'client_ip', nullable: true })
  clientIp!: string | null;

  @Column('text', { name: 'user_agent', nullable: true })
  userAgent!: string | null;

  @Column('bytea', { name: 'context_salt', nullable: true })
  contextSalt!: Buffer | null;
}
