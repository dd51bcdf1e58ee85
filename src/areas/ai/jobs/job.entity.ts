import { Column, Entity } from 'typeorm';
import type { Finding } from '#libs/ai/personal-data/kinds.js';
import type { AiPolicy } from '#libs/ai/policy.js';
import type { ApprovalPerson } from '#libs/resource/approval.dto.js';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { Autonomy } from '../agents/agent.parts.js';
import type { AiJobStatus } from './job.lifecycle.js';
import type { JobDecision, JobError, JobStep, JobTarget, JobUsage, ProposedAction } from './job.parts.js';

/** Who asked; `keyId` names the credential in the directory, `apiKeyId` the lineage of a key, null for a session. */
export interface JobRequester extends ApprovalPerson {
  keyId: string;
  apiKeyId: string | null;
}

/** Amounts are millionths of the tenant's currency unit. */
@Entity({ schema: 'data', name: 'ai_jobs' })
export class AiJob extends RecordRow {
  @Column('text')
  status!: AiJobStatus;

  @Column('text')
  kind!: string;

  @Column('uuid', { name: 'agent_id', nullable: true })
  agentId!: string | null;

  @Column('integer', { name: 'agent_version', nullable: true })
  agentVersion!: number | null;

  /** The agent's when the job was made. */
  @Column('text', { nullable: true })
  autonomy!: Autonomy | null;

  @Column('text')
  provider!: string;

  @Column('text')
  model!: string;

  /** Place in `PRIORITIES`. */
  @Column('smallint')
  priority!: number;

  @Column('text')
  approval!: 'auto' | 'required';

  @Column('timestamptz', { name: 'deadline_at', nullable: true })
  deadlineAt!: string | null;

  /** Keys of the agent's tools. */
  @Column('jsonb')
  tools!: string[];

  @Column('jsonb')
  targets!: JobTarget[];

  @Column('integer', { name: 'max_output_tokens' })
  maxOutputTokens!: number;

  @Column('bigint', { name: 'cost_cap_micros' })
  costCapMicros!: number;

  /** The cap that was decided on. Who approves may lower `costCapMicros` below it. */
  @Column('bigint', { name: 'approved_cap_micros' })
  approvedCapMicros!: number;

  @Column('bigint', { name: 'estimated_cost_micros' })
  estimatedCostMicros!: number;

  @Column('bigint', { name: 'reserved_cost_micros' })
  reservedCostMicros!: number;

  @Column('bigint', { name: 'actual_cost_micros' })
  actualCostMicros!: number;

  @Column('text')
  currency!: string;

  @Column('uuid', { name: 'reservation_id', nullable: true })
  reservationId!: string | null;

  @Column('jsonb')
  decision!: JobDecision;

  /** What the policy said is done with personal data. */
  @Column('text', { name: 'personal_data' })
  personalData!: AiPolicy['personalData'];

  @Column('jsonb', { name: 'pii_findings' })
  piiFindings!: Finding[];

  @Column('text', { name: 'input_hash' })
  inputHash!: string;

  @Column('text', { name: 'approval_digest' })
  approvalDigest!: string;

  @Column('uuid', { name: 'approval_id', nullable: true })
  approvalId!: string | null;

  /** Input and instructions as they are sent, sealed; null once they are not kept any more. */
  @Column('text', { name: 'sealed_input', nullable: true })
  sealedInput!: string | null;

  /** Records as they are sent, sealed. */
  @Column('text', { name: 'sealed_context', nullable: true })
  sealedContext!: string | null;

  /** What the placeholders stand for, sealed. */
  @Column('text', { name: 'sealed_places', nullable: true })
  sealedPlaces!: string | null;

  @Column('jsonb', { nullable: true })
  output!: { text: string | null; json: unknown } | null;

  @Column('jsonb', { name: 'proposed_actions' })
  proposedActions!: ProposedAction[];

  @Column('jsonb')
  steps!: JobStep[];

  @Column('jsonb')
  usage!: JobUsage;

  @Column('jsonb', { nullable: true })
  error!: JobError | null;

  @Column('integer')
  attempts!: number;

  @Column('jsonb')
  requester!: JobRequester;

  /** Membership, or lineage of a key that acts for nobody. */
  @Column('uuid', { name: 'requester_person' })
  requesterPerson!: string;

  @Column('timestamptz', { name: 'queued_at' })
  queuedAt!: string;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: string | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: string | null;
}
