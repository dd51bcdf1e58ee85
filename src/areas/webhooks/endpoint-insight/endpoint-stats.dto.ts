import { Field, instant, integer } from '#libs/http/field.js';

const count = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const duration = () => integer({ min: 1, max: 30_000 });

const BUCKETS =
  'the upper bound of its bucket, at most a third above the exact figure from 6 ms on; null without attempts';

export class WebhookEndpointStats {
  @Field(instant(), { description: 'Beginning of the last 24 hours, a whole minute.' })
  since!: string;

  @Field(count(), { description: 'Attempts in the last 24 hours that succeeded.', example: 1_204 })
  delivered24h!: number;

  @Field(count(), { description: 'Attempts in the last 24 hours that failed.', example: 3 })
  failed24h!: number;

  @Field(duration(), {
    description: `How long half of the attempts took at most: ${BUCKETS}.`,
    example: 80,
    nullable: true,
  })
  p50Ms!: number | null;

  @Field(duration(), {
    description: `How long 95 % of the attempts took at most: ${BUCKETS}.`,
    example: 250,
    nullable: true,
  })
  p95Ms!: number | null;

  @Field(instant(), { description: 'Last delivery, to the minute.', nullable: true })
  lastSuccessAt!: string | null;

  @Field(instant(), { description: 'Last attempt that failed.', nullable: true })
  lastFailureAt!: string | null;
}
