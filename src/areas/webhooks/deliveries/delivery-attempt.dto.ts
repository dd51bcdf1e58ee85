import { anyObject, Field, instant, integer, listOf, oneOf, text } from '#libs/http/field.js';

const ATTEMPT_CAUSES = ['schedule', 'manual', 'replay', 'recover'] as const;
const COUNT = { min: 0, max: 2_147_483_647 };

/** One attempt of a delivery. The time of a step is null if it did not happen, for instance on a reused connection. */
export class WebhookAttemptView {
  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Number of the attempt (`x-service-attempt`).',
    example: 1,
  })
  number!: number;

  @Field(oneOf(ATTEMPT_CAUSES), {
    description: 'Trigger of the attempt: the schedule, a manual resend, a replay or a recovery.',
    example: 'schedule',
  })
  cause!: (typeof ATTEMPT_CAUSES)[number];

  @Field(instant(), { description: 'Time at which it began.' })
  startedAt!: string;

  @Field(integer(COUNT), { description: 'How long it took in all.', example: 84 })
  durationMs!: number;

  @Field(integer(COUNT), { description: 'How long the name took to resolve.', nullable: true })
  dnsMs!: number | null;

  @Field(integer(COUNT), { description: 'How long connecting took.', nullable: true })
  connectMs!: number | null;

  @Field(integer(COUNT), { description: 'How long the TLS handshake took.', nullable: true })
  tlsMs!: number | null;

  @Field(integer(COUNT), { description: 'Time from the start to the first byte of the answer.', nullable: true })
  firstByteMs!: number | null;

  @Field(text({ max: 64 }), {
    description: 'Address that was connected to.',
    example: '203.0.113.7',
    nullable: true,
  })
  remoteAddress!: string | null;

  @Field(integer({ min: 100, max: 999 }), { description: 'Status of the answer.', example: 200, nullable: true })
  httpStatus!: number | null;

  @Field(text({ max: 40 }), { description: 'Why it failed.', example: 'timeout', nullable: true })
  error!: string | null;

  @Field(text({ max: 64 }), {
    description: 'Code of the system behind the error.',
    example: 'ECONNREFUSED',
    nullable: true,
  })
  errorDetail!: string | null;

  @Field(listOf(text({ max: 64 }), { max: 10 }), {
    description: 'Ids of the secrets that signed it, the current one first (`x-service-key-id`).',
    example: ['5f2c1b0a9e8d7c6b'],
  })
  keyIds!: string[];
}

export class WebhookAttemptWithAnswer extends WebhookAttemptView {
  @Field(anyObject({ type: 'object', additionalProperties: { type: 'string' } }), {
    description: 'Header fields of the answer that are kept, by lower-case name.',
    example: { 'content-type': 'text/plain' },
  })
  responseHeaders!: Record<string, string>;

  @Field(text({ max: 16_384 }), { description: 'Beginning of the answer’s body.', nullable: true })
  responseExcerpt!: string | null;
}
