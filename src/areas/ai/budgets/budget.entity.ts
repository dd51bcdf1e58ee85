import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Period } from '#libs/ai/period.js';

/** Whose spending a budget is about. */
export const BUDGET_SCOPES = ['tenant', 'workspace', 'member', 'api_key', 'agent', 'model'] as const;
export type BudgetScopeType = (typeof BUDGET_SCOPES)[number];

/** What may be spent on AI jobs in each period. */
@Entity({ schema: 'data', name: 'ai_budgets' })
export class Budget {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId!: string;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('text', { name: 'scope_type' })
  scopeType!: BudgetScopeType;

  /** Empty for the tenant, `provider/model` for a model, an id otherwise. */
  @Column('text', { name: 'scope_id' })
  scopeId!: string;

  @Column('text')
  period!: Period;

  @Column('bigint', { name: 'limit_micros' })
  limitMicros!: number;

  @Column('bigint', { name: 'soft_limit_micros', nullable: true })
  softLimitMicros!: number | null;

  @Column('boolean', { name: 'hard_stop' })
  hardStop!: boolean;

  @Column('boolean')
  enabled!: boolean;

  @Column('integer')
  version!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: string;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: string;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;
}
