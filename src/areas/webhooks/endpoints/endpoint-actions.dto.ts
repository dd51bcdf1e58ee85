import { Field, fieldsOf, flag, id, instant, integer, text } from '#libs/http/field.js';
import { model } from '#libs/resource/types/record.dto.js';
import { MAX_SECRET_GRACE_SECONDS } from '#libs/settings/settings.model.js';
import { endpoints } from './endpoint.js';

const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

const secret = () => text({ max: 60, pattern: /^whsec_[A-Za-z0-9+/]{43}=$/ });
const eventType = () => text({ min: 1, max: 128 });

export const EndpointWithSecret = model('EndpointWithSecret', {
  ...Object.fromEntries(fieldsOf(endpoints.view)),
  secret: { kind: secret(), description: 'Signing secret. Shown only once.', example: SECRET_EXAMPLE },
});

export class RotateWebhookSecret {
  @Field(integer({ min: 0, max: MAX_SECRET_GRACE_SECONDS }), {
    description: `Seconds for which deliveries are also signed with the old secret. Defaults to the setting \`developer.webhookSecretGraceSeconds\`, or ${MAX_SECRET_GRACE_SECONDS} if the tenant has not set it.`,
    example: MAX_SECRET_GRACE_SECONDS,
    optional: true,
  })
  graceSeconds?: number;

  @Field(flag(), { description: 'Rotate although the last grace is not over; its secret is dropped.', optional: true })
  force?: boolean;
}

export class RotatedWebhookSecret {
  @Field(secret(), { description: 'The new signing secret. Shown only once.', example: SECRET_EXAMPLE })
  secret!: string;

  @Field(instant(), { description: 'Time from which the replaced secret is no longer used.' })
  previousSecretExpiresAt!: string;
}

export class TestWebhookEndpoint {
  @Field(eventType(), {
    description: 'Event type whose example is sent; `webhook.ping` if not given.',
    example: 'webhook.ping',
    optional: true,
  })
  eventType?: string;
}

/** Result of a test or a verification. */
export abstract class WebhookProbeResult {
  @Field(integer({ min: 100, max: 999 }), { description: 'Status of the answer.', example: 200, nullable: true })
  httpStatus!: number | null;

  @Field(integer({ min: 0, max: 60_000 }), { description: 'How long the attempt took.', example: 84 })
  durationMs!: number;

  @Field(text({ max: 40 }), { description: 'Why it failed.', example: 'timeout', nullable: true })
  error!: string | null;

  @Field(text({ max: 64 }), {
    description: 'Code of the system behind the error.',
    example: 'ECONNREFUSED',
    nullable: true,
  })
  errorDetail!: string | null;

  @Field(text({ max: 16_384 }), { description: 'Beginning of the answer’s body.', nullable: true })
  responseExcerpt!: string | null;

  @Field(id(), { description: 'Id of the event that was sent (`webhook-id`).' })
  eventId!: string;

  @Field(id(), { description: 'Id under which the attempt is in the log of attempts (`x-service-delivery`).' })
  deliveryId!: string;
}

export class WebhookTestResult extends WebhookProbeResult {
  @Field(flag(), { description: 'True if the endpoint answered with 2xx.' })
  delivered!: boolean;
}

export class WebhookVerificationResult extends WebhookProbeResult {
  @Field(flag(), { description: 'True if the endpoint answered with 2xx and the challenge.' })
  verified!: boolean;
}
