import { command } from '#libs/http/command.js';
import { Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import { STEP_STATUSES, type StepStatus } from './onboarding.js';
import { STEP_KEYS, STEPS, type StepKey } from './onboarding-steps.js';

const ACTIONS = ['complete', 'skip', 'reset', 'dismiss', 'restart', 'load_sample_data', 'remove_sample_data'] as const;
export type OnboardingAction = (typeof ACTIONS)[number];

export class OnboardingCommand {
  @Field(oneOf(ACTIONS), {
    description:
      '`complete` confirms a step that the platform finds done. `skip` skips a step that is not done. `reset` sets a step back to `todo`. `dismiss` marks the onboarding as dismissed. `restart` resets all steps, and `dismissed`. `load_sample_data` adds linked sample records to all areas; 409 while the tenant has some. `remove_sample_data` deletes them with everything about them, such as comments.',
    example: 'skip',
  })
  action!: OnboardingAction;

  @Field(oneOf(STEP_KEYS), {
    description: 'Key of the step. Required for `complete`, `skip` and `reset`; not allowed otherwise.',
    example: 'retention_policy',
    optional: true,
  })
  stepKey?: StepKey;
}

const OF_STEP = { needs: ['stepKey'] };

command<OnboardingAction>(
  OnboardingCommand,
  {
    complete: OF_STEP,
    skip: OF_STEP,
    reset: OF_STEP,
    dismiss: {},
    restart: {},
    load_sample_data: {},
    remove_sample_data: { may: [{ permission: 'tenant:close' }] }, // only owners have it
  },
  { by: 'action' },
);

export class OnboardingStep {
  @Field(oneOf(STEP_KEYS), { description: 'Key of the step.', example: 'first_account' })
  key!: StepKey;

  @Field(text({ max: 100 }), { description: 'What to do.', example: 'Create an account' })
  title!: string;

  @Field(text({ max: 20 }), { description: 'Area of the platform.', example: 'sales' })
  area!: string;

  @Field(flag(), { description: 'Whether the step counts for `progressPercent`.', example: true })
  required!: boolean;

  @Field(integer({ min: 1, max: STEPS.length }), { description: 'Position in the list.', example: 7 })
  order!: number;

  @Field(oneOf(STEP_STATUSES), {
    description: 'A step that was found done stays `done` until it is reset.',
    example: 'done',
  })
  status!: StepStatus;

  @Field(instant(), {
    description: 'Time at which the platform first found the step done; null if it has not.',
    example: '2026-11-21T09:15:02.114Z',
    nullable: true,
  })
  detectedAt!: string | null;

  @Field(nested(ActorView), { description: 'Who confirmed or skipped the step; null if nobody did.', nullable: true })
  completedBy!: ActorView | null;

  @Field(text({ max: 100 }), { description: 'Path of the API for this step.', example: '/api/v1/sales/accounts' })
  actionPath!: string;
}

/** A record. */
class SampleReference {
  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'sales.account' })
  object!: string;

  @Field(id(), { description: 'Id of the record.' })
  id!: string;

  @Field(text({ max: 60 }), { description: 'Reference of the record.', example: 'DEMO-ACC-000003', nullable: true })
  reference!: string | null;

  @Field(text({ max: 200 }), { description: 'Name of the record.', example: 'Cedar Clinics', nullable: true })
  name!: string | null;
}

export class KeptSampleRecord extends SampleReference {
  @Field(nested(SampleReference), {
    description:
      'A record of the tenant’s own that needs it, directly or through other sample records, in the trash too; null if it is gone by now, for example purged from the trash. The next `remove_sample_data` then removes the sample record.',
    example: {
      object: 'sales.deal',
      id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21',
      reference: 'DEAL-000007',
      name: 'Renewal',
    },
    nullable: true,
  })
  usedBy!: SampleReference | null;
}

export class SampleDataView {
  @Field(instant(), { description: 'Time of loading.', example: '2026-11-20T08:05:00.000Z' })
  loadedAt!: string;

  @Field(integer({ min: 0, max: 100_000 }), { description: 'Number of sample records.', example: 334 })
  records!: number;

  @Field(listOf(nested(KeptSampleRecord), { max: 2_000 }), {
    description: 'Sample records that the last removal kept because other records depend on them.',
    example: [],
  })
  kept!: KeptSampleRecord[];
}

export class OnboardingView {
  @Field(integer({ min: 0, max: 100 }), {
    description: 'Percentage of the required steps that are done or skipped, rounded down.',
    example: 37,
  })
  progressPercent!: number;

  @Field(integer({ min: 0, max: STEPS.length }), {
    description: 'Number of required steps that are neither done nor skipped.',
    example: 10,
  })
  requiredLeft!: number;

  @Field(listOf(nested(OnboardingStep), { max: STEPS.length }), { description: 'All steps, in order.' })
  steps!: OnboardingStep[];

  @Field(instant(), {
    description: 'Time of the first request for the onboarding, or of the last restart.',
    example: '2026-11-20T08:00:00.000Z',
  })
  startedAt!: string;

  @Field(instant(), {
    description: 'Time at which no required step was left; null while one is.',
    example: null,
    nullable: true,
  })
  completedAt!: string | null;

  @Field(flag(), { description: 'Whether somebody has dismissed the onboarding.', example: false })
  dismissed!: boolean;

  @Field(nested(SampleDataView), { description: 'Sample data of the tenant; null if there is none.', nullable: true })
  sampleData!: SampleDataView | null;
}
