import { Injectable } from '@nestjs/common';
import { Field, flag, integer, listOf, nested, text } from '#libs/http/field.js';

/** A required step that is neither done nor skipped. */
export class NextStep {
  @Field(text({ max: 60 }), { description: 'Key of the step.', example: 'first_account' })
  key!: string;

  @Field(text({ max: 100 }), { description: 'What to do.', example: 'Create an account' })
  title!: string;

  @Field(text({ max: 100 }), { description: 'Path of the API for this step.', example: '/api/v1/sales/accounts' })
  actionPath!: string;
}

export class OnboardingProgress {
  @Field(integer({ min: 0, max: 100 }), {
    description: 'Percentage of the required steps that are done or skipped, rounded down.',
    example: 37,
  })
  progressPercent!: number;

  @Field(integer({ min: 0, max: 100 }), {
    description: 'Number of required steps that are neither done nor skipped.',
    example: 10,
  })
  requiredLeft!: number;

  @Field(flag(), { description: 'Whether somebody has dismissed the onboarding.', example: false })
  dismissed!: boolean;

  @Field(listOf(nested(NextStep), { max: 100 }), { description: 'The remaining required steps, in order.' })
  nextSteps!: NextStep[];
}

/** The progress of the onboarding, for areas that the admin area depends on. The admin area provides it. */
@Injectable()
export class TenantOnboarding {
  private read: (() => Promise<OnboardingProgress>) | null = null;

  comesFrom(read: () => Promise<OnboardingProgress>): void {
    this.read = read;
  }

  /** @throws Error in a process without the admin area. */
  progress(): Promise<OnboardingProgress> {
    if (!this.read) throw new Error('Nobody provides the progress of the onboarding.');
    return this.read();
  }
}
