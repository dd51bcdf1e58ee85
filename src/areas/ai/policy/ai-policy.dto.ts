import { PERSONAL_DATA_KINDS, type PersonalDataKind } from '#libs/ai/personal-data/kinds.js';
import { type AiPolicy, DEFAULT_POLICY, INPUT_STORAGE, PERSONAL_DATA_MODES } from '#libs/ai/policy.js';
import { addFields, constant, Field, fieldsOf, flag, id, instant, integer, listOf, nested, oneOf } from '#libs/http/field.js'; // prettier-ignore
import { filter, type ListOptions, listQuery } from '#libs/resource/lists/list-query.js';
import { ActorView, model, pageOf } from '#libs/resource/types/record.dto.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import { keys, micros, PolicyRule } from './approval-rule.dto.js';

/** Type key of a tenant's policy and prefix of its event types. */
export const POLICY_TYPE = 'ai.policy';
/** Path of the policy in the API. */
export const POLICY_PATH = '/api/ai/policy';

const versionNumber = (min: 0 | 1) => integer({ min, max: 2_147_483_647 });
/** What a tenant allows AI to do. */
export class AiPolicyValues implements AiPolicy {
  @Field(flag(), { description: 'Set to false to refuse all new jobs.', example: true })
  enabled!: boolean;

  @Field(keys(), { description: 'Providers that jobs may use; all if null.', nullable: true, example: ['local'] })
  allowedProviders!: string[] | null;

  @Field(keys(), { description: 'Models that jobs may use; all if null.', nullable: true, example: ['local-1'] })
  allowedModels!: string[] | null;

  @Field(keys(), { description: 'Kinds of jobs that are taken; all if null.', nullable: true, example: null })
  allowedKinds!: string[] | null;

  @Field(micros(), {
    description: 'Cost cap of a job that names none, in millionths of the currency unit. At most `maxCostCapMicros`.',
    example: 1_000_000,
  })
  defaultCostCapMicros!: number;

  @Field(micros(), {
    description: 'Largest cost cap of a job, in millionths of the currency unit.',
    example: 10_000_000,
  })
  maxCostCapMicros!: number;

  @Field(integer({ min: 1, max: 100 }), { description: 'Jobs that run at the same time.', example: 5 })
  concurrency!: number;

  @Field(integer({ min: 1, max: 10_000 }), {
    description: 'Jobs that are taken in any 60 seconds, new ones and those that run again.',
    example: 60,
  })
  ratePerMinute!: number;

  @Field(listOf(nested(PolicyRule), { max: 50 }), {
    description:
      'Rules that require approval of jobs. If several rules match, all apply: the largest quorum, the shortest expiry, and the approvers allowed by every rule.',
    example: [{ when: { personalData: true }, approvers: {}, quorum: 1, expiresInMinutes: 1_440 }],
  })
  approvalRules!: PolicyRule[];

  @Field(flag(), { description: 'Set to true to let requesters approve their own jobs.', example: false })
  allowSelfApproval!: boolean;

  @Field(oneOf(PERSONAL_DATA_MODES), {
    description:
      'Handling of personal data in what would be sent: `block` refuses the job, `mask` puts placeholders in its place and restores it in the answer, `allow` sends it.',
    example: 'mask',
  })
  personalData!: AiPolicy['personalData'];

  @Field(listOf(oneOf(PERSONAL_DATA_KINDS), { max: PERSONAL_DATA_KINDS.length, unique: true }), {
    description: 'Kinds of personal data that are looked for.',
    example: ['email', 'phone'],
  })
  personalDataKinds!: PersonalDataKind[];

  @Field(oneOf(INPUT_STORAGE), {
    description: 'Storage of inputs after a job: nothing, a digest, or all of it for `retentionDays`.',
    example: 'hash',
  })
  storeInputs!: AiPolicy['storeInputs'];

  @Field(integer({ min: 1, max: 3_650 }), {
    description: 'Days after which outputs and inputs are wiped.',
    example: 30,
  })
  retentionDays!: number;

  @Field(keys(), {
    description:
      'Regions in which models may process; any if null. A model whose regions are not known is refused, the local one never is.',
    nullable: true,
    example: ['eu'],
  })
  processingRegions!: string[] | null;
}

/** A version of the policy. */
export class AiPolicyView extends AiPolicyValues {
  @Field(id(), { description: 'Id of the tenant.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01' })
  id!: string;

  @Field(constant(POLICY_TYPE), { description: 'Type of the record.', example: POLICY_TYPE })
  object!: string;

  @Field(versionNumber(0), {
    description:
      'Increases by one with each change; also the ETag. 0 if the policy was never changed. Decisions contain the version that applied.',
    example: 3,
  })
  version!: number;

  @Field(instant(), { description: 'From when it holds; null for version 0.', nullable: true })
  updatedAt!: string | null;

  @Field(nested(ActorView), { description: 'Author of the version; null for version 0.', nullable: true })
  updatedBy!: ActorStamp | null;
}

export class AiPolicyQuery {
  @Field(versionNumber(0), { description: 'An earlier version; the one that holds if not given.', optional: true })
  version?: number;
}

/** A merge patch; null resets a value to its default. */
export const UpdateAiPolicy = model('UpdateAiPolicy', {});
addFields(
  UpdateAiPolicy,
  [...fieldsOf(AiPolicyValues)].map(([field, spec]) => [field, { ...spec, optional: true, nullable: true }] as const),
);

export const AiPolicyPage = pageOf(AiPolicyView);

/** Options of the list of versions. */
export const policyVersionList: ListOptions = {
  filters: { version: filter.ordered(versionNumber(1)), createdAt: filter.ordered(instant()) },
  sorts: ['version'],
  defaultSort: '-version',
};
export const AiPolicyVersionQuery = listQuery('AiPolicyVersionQuery', policyVersionList);

/** Example of the policy in the API, for the documentation. */
export const POLICY_EXAMPLE = {
  ...DEFAULT_POLICY,
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01',
  object: POLICY_TYPE,
  version: 3,
  updatedAt: '2026-11-21T09:15:02.114Z',
  updatedBy: { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Back office' },
  allowedKinds: ['text.summarize', 'record.summarize', 'agent.run'],
};
