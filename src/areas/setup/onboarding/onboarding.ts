import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, flag, instant, integer, listOf, nested, oneOf } from '#libs/http/field.js';
import { ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import { REQUIRED, STEP_KEYS, type StepKey } from './onboarding-steps.js';

export const ONBOARDING_PATH = '/api/admin/onboarding';
export const STEP_STATUSES = ['todo', 'done', 'skipped'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

/** A step that is done or skipped. */
export class FinishedStep {
  @Field(oneOf(STEP_KEYS), { description: 'Key of the step.', example: 'first_account' })
  key!: StepKey;

  @Field(oneOf(['done', 'skipped']), { description: 'Whether the step is done or skipped.', example: 'done' })
  status!: Exclude<StepStatus, 'todo'>;

  @Field(instant(), {
    description: 'Time at which the platform first found the step done; null if it is skipped.',
    example: '2026-11-21T09:15:02.114Z',
    nullable: true,
  })
  detectedAt!: string | null;

  @Field(nested(ActorView), { description: 'Who confirmed or skipped the step; null if nobody did.', nullable: true })
  completedBy!: ActorView | null;
}

/** The onboarding of a tenant. Its id is that of the tenant. */
export class Onboarding extends VersionedRow {
  @ReadOnly(listOf(nested(FinishedStep), { max: STEP_KEYS.length }), 'Steps that are done or skipped.', {
    example: [{ key: 'first_account', status: 'done', detectedAt: '2026-11-21T09:15:02.114Z', completedBy: null }],
  })
  steps!: FinishedStep[];

  @ReadOnly(instant(), 'Time of the first request for the onboarding, or of the last restart.', {
    example: '2026-11-20T08:00:00.000Z',
  })
  startedAt!: string;

  @ReadOnly(instant(), 'Time at which no required step was left; null while one is.', { nullable: true })
  completedAt!: string | null;

  @ReadOnly(flag(), 'Whether somebody has dismissed the onboarding.', { example: false })
  dismissed!: boolean;

  @ReadOnly(instant(), 'Time at which sample data was loaded; null if there is none.', { nullable: true })
  sampleLoadedAt!: string | null;

  @ReadOnly(integer({ min: 0, max: 100_000 }), 'Number of sample records.', { example: 0 })
  sampleRecords!: number;
}

export const onboardingType = governedType(Onboarding, {
  type: 'admin.onboarding',
  noun: 'onboarding',
  table: 'data.tenant_onboarding',
  path: ONBOARDING_PATH,
  hasPath: false,
  risk: 'low',
  events: {
    started:
      'The onboarding of the tenant was requested for the first time. `steps` has the steps that were already done.',
    step_completed: 'Steps of the onboarding are done, or somebody confirmed one.',
    step_skipped: 'A step of the onboarding was skipped.',
    step_reset: 'A step of the onboarding was reset.',
    dismissed: 'The onboarding was dismissed.',
    restarted: 'The onboarding was restarted.',
    sample_data_loaded: 'Sample data was loaded. Its records emit no events of their own.',
    sample_data_removed:
      'Sample data was removed. `sampleRecords` is the number of sample records that stay, because other records need them.',
  },
});

/** Number of required steps that are neither done nor skipped. */
export function requiredLeft(steps: readonly FinishedStep[]): number {
  return REQUIRED.filter((key) => !steps.some((step) => step.key === key)).length;
}
