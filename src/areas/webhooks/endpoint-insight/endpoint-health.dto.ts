import { Field, flag, instant, integer, nested, oneOf } from '#libs/http/field.js';
import type { HealthView } from '#libs/webhooks/lanes/lane-health-view.js';

export class WebhookBreaker {
  @Field(oneOf(['closed', 'open', 'half_open']), {
    description: 'While it is open nothing is sent and no attempt is used up; half open, one at a time is let through.',
    example: 'closed',
  })
  state!: HealthView['breaker']['state'];

  @Field(instant(), { description: 'Until when it is open.', nullable: true })
  openUntil!: string | null;
}

export class WebhookEndpointHealth implements HealthView {
  @Field(oneOf(['healthy', 'slow', 'failing', 'open']), {
    description: 'The worst that can be said of it now: `open` means that its breaker is.',
    example: 'healthy',
  })
  status!: HealthView['status'];

  @Field(instant(), { description: 'First failure since the last success.', nullable: true })
  failingSince!: string | null;

  @Field(integer({ min: 0, max: 2_147_483_647 }), { description: 'Attempts that failed since then.', example: 0 })
  failedAttempts!: number;

  @Field(instant(), {
    description:
      'Time at which it will be disabled unless an attempt succeeds before: five days after the first failure, with ten failed attempts or more.',
    nullable: true,
  })
  willDisableAt!: string | null;

  @Field(flag(), {
    description: 'True if it answers so slowly that its deliveries are sent apart from those of others.',
    example: false,
  })
  slow!: boolean;

  @Field(nested(WebhookBreaker), {
    description: 'Circuit breaker, which keeps a failing endpoint from being called again and again.',
  })
  breaker!: WebhookBreaker;

  @Field(instant(), { description: 'Last delivery, to the minute.', nullable: true })
  lastSuccessAt!: string | null;

  @Field(instant(), { description: 'Last attempt that failed.', nullable: true })
  lastFailureAt!: string | null;
}
