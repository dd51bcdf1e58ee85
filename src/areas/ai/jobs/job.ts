import { Column } from 'typeorm';
import type { Finding } from '#libs/ai/personal-data/kinds.js';
import type { AiPolicy } from '#libs/ai/policy.js';
import { anyObject, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { ApprovalPerson } from '#libs/resource/gates/approval.parts.js';
import { Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import type { Shown } from '#libs/resource/types/record-type.js';
import { type Autonomy, modelKey } from '../agents/agent.parts.js';
import { feedbacks, type ShownFeedback } from '../feedback/feedback.js';
import { versionNumber } from '../version-number.js';
import { aiJobLifecycle, type AiJobStatus } from './job.lifecycle.js';
import {
  CAP,
  JobDecision,
  JobError,
  JobOutput,
  JobStep,
  JobTarget,
  JobUsage,
  kindKey,
  MAX_TARGETS,
  micros,
  NO_USAGE,
  PiiFinding,
  PRIORITIES,
  type Priority,
  type ProposedAction,
} from './job.parts.js';

/**
 * The requester. `keyId` is the credential in the directory; `apiKeyId` is the lineage of a key, null for a session.
 */
export interface JobRequester extends ApprovalPerson {
  keyId: string;
  apiKeyId: string | null;
}

const hash = () => text({ min: 64, max: 64, pattern: /^[0-9a-f]{64}$/, form: '64 hexadecimal digits in lower case' });
const AT = '2026-11-21T09:15:02.114Z';
const PERSON = {
  type: 'api_key',
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21',
  name: 'Sales desk',
  membershipId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
};
/** Input and output are omitted from events and the audit log. */
const content = { restricted: 'ai-jobs:read-all', privacy: 'personal' } as const;

/** A job for a model. Amounts are millionths of the tenant's currency unit. */
export class AiJob extends RecordRow {
  @ReadOnly(oneOf(aiJobLifecycle.states), 'State of the job.', { example: 'queued' })
  status!: AiJobStatus;

  @ReadOnly(kindKey(), 'Kind of the job.', { example: 'text.summarize' })
  kind!: string;

  @ReadOnly(id(), 'Agent that does the job; null without one.', { nullable: true })
  agentId!: string | null;

  @ReadOnly(versionNumber(), 'Version of the agent.', { nullable: true })
  agentVersion!: number | null;

  @ReadOnly(modelKey(), 'Key of the provider.', { example: 'local' })
  provider!: string;

  @ReadOnly(modelKey(), 'Key of the model.', { example: 'local-1' })
  model!: string;

  /** Index in `PRIORITIES`. */
  @Derived(oneOf(PRIORITIES), 'Priority among the jobs of the tenant.', { example: 'normal' })
  @Column('smallint')
  priority!: number;

  @ReadOnly(oneOf(['auto', 'required']), 'Approval that the requester asked for.', { example: 'auto' })
  approval!: 'auto' | 'required';

  @ReadOnly(instant(), 'Time at which the job expires unless it has started.', { nullable: true })
  deadlineAt!: string | null;

  @ReadOnly(listOf(nested(JobTarget), { max: MAX_TARGETS }), 'Records that the model is shown.', { example: [] })
  targets!: JobTarget[];

  @ReadOnly(versionNumber(), 'Maximum length of an answer, in tokens.', { example: 512 })
  maxOutputTokens!: number;

  @ReadOnly(micros(), `${CAP}.`, { example: 200_000 })
  costCapMicros!: number;

  @ReadOnly(micros(), 'Cost in the worst case, in millionths of the currency unit.', { example: 1_200 })
  estimatedCostMicros!: number;

  @ReadOnly(micros(), 'Amount reserved for the job, in millionths of the currency unit.', { example: 1_200 })
  reservedCostMicros!: number;

  @ReadOnly(micros(), 'Cost so far, in millionths of the currency unit.', { example: 0 })
  actualCostMicros!: number;

  @ReadOnly(text({ max: 3 }), 'ISO 4217 code of the currency of the amounts.', { example: 'USD' })
  currency!: string;

  @ReadOnly(nested(JobDecision), 'Decision of the policy.', {
    example: { outcome: 'allow', rules: ['policy.allowed'], policyVersion: 3 },
  })
  decision!: JobDecision;

  @ReadOnly(
    listOf(nested(PiiFinding), { max: 1_000 }),
    'Kinds and places of the personal data in the job, without the data.',
    { example: [] },
  )
  piiFindings!: Finding[];

  @ReadOnly(hash(), 'SHA-256 of the content that the model is given.', {
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
  inputHash!: string;

  @Derived(
    anyObject(),
    'Content that the model is given, as it is sent. Only where the job is read by its id; null once it is not kept any more.',
    { ...content, nullable: true },
  )
  input?: Record<string, unknown> | null;

  @Derived(nested(JobOutput), 'Result of the job; null without one.', { ...content, nullable: true })
  @Column('jsonb', { nullable: true })
  output!: { text: string | null; json: unknown } | null;

  @Derived(
    listOf(nested(feedbacks.view), { max: 1_000 }),
    'Feedback of people on the result. Only where the job is read by its id.',
    { ...content, example: [] },
  )
  feedback?: ShownFeedback[];

  @ReadOnly(listOf(nested(JobStep), { max: 200 }), 'Calls of models and tools so far.', { example: [] })
  steps!: JobStep[];

  @ReadOnly(nested(JobUsage), 'Tokens and calls so far.', { example: NO_USAGE })
  usage!: JobUsage;

  @ReadOnly(nested(JobError), 'Reason for which the job did not succeed.', { nullable: true })
  error!: JobError | null;

  @ReadOnly(integer({ min: 0, max: 1_000_000 }), 'Number of times that the job was started.', { example: 0 })
  attempts!: number;

  @ReadOnly(id(), 'Request for approval that the job waits or waited for.', { nullable: true })
  approvalId!: string | null;

  @Derived(nested(ApprovalPerson), 'Requester of the job.', { example: PERSON, privacy: 'personal' })
  requestedBy?: ApprovalPerson;

  @ReadOnly(instant(), 'Time at which the job was last queued.', { example: AT })
  queuedAt!: string;

  @ReadOnly(instant(), 'Time at which the job was last started.', { nullable: true })
  startedAt!: string | null;

  @ReadOnly(instant(), 'Time at which the job ended.', { nullable: true })
  finishedAt!: string | null;

  /** Copied from the agent when the job was created. */
  @Column('text', { nullable: true })
  autonomy!: Autonomy | null;

  /** Keys of the agent's tools. */
  @Column('jsonb')
  tools!: string[];

  /** The decided cap. Approvers may lower `costCapMicros` below it. */
  @Column('bigint', { name: 'approved_cap_micros' })
  approvedCapMicros!: number;

  @Column('uuid', { name: 'reservation_id', nullable: true })
  reservationId!: string | null;

  /** How the policy treats personal data. */
  @Column('text', { name: 'personal_data' })
  personalData!: AiPolicy['personalData'];

  @Column('text', { name: 'approval_digest' })
  approvalDigest!: string;

  /** Input and instructions as sent, encrypted; null once deleted. */
  @Column('text', { name: 'sealed_input', nullable: true })
  sealedInput!: string | null;

  /** Records as sent, encrypted. */
  @Column('text', { name: 'sealed_context', nullable: true })
  sealedContext!: string | null;

  /** Values of the placeholders, encrypted. */
  @Column('text', { name: 'sealed_places', nullable: true })
  sealedPlaces!: string | null;

  @Column('jsonb', { name: 'proposed_actions' })
  proposedActions!: ProposedAction[];

  @Column('jsonb')
  requester!: JobRequester;

  /** Place in a trace of the request that created the job. */
  @Column('text', { nullable: true })
  traceparent!: string | null;

  /** Membership, or lineage of a key without a member. */
  @Column('uuid', { name: 'requester_person' })
  requesterPerson!: string;
}

/** A job as the API shows it. */
export type ShownAiJob = Omit<Shown<AiJob>, 'priority' | 'output' | 'requestedBy' | 'proposedActions'> & {
  priority: Priority;
  output?: JobOutput | null;
  requestedBy: ApprovalPerson;
};
