import { anyObject, Field, id, instant, integer, listOf, oneOf, text } from '#libs/http/field.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { pageOf } from '#libs/resource/types/record.dto.js';

/** Maximum number of characters of a response in the log. */
export const EXCERPT_CHARACTERS = 1_024;

const CAUSES = ['schedule', 'manual', 'replay', 'recover', 'test'] as const;

const ms = () => integer({ min: 0, max: 2_147_483_647 });
const step = (description: string, example: number) => ({
  description: `${description} Null when it did not come to that.`,
  example,
  nullable: true,
});

export class WebhookEndpointAttempt {
  @Field(id(), {
    description: 'Delivery that the attempt was for (`x-service-delivery`); one of its own for a test.',
  })
  deliveryId!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Number of the attempt (`x-service-attempt`).',
    example: 1,
  })
  number!: number;

  @Field(oneOf(CAUSES), {
    description:
      'Why it was made: by the schedule, because somebody asked to send it again (`manual`), by a replay, a recovery or a test.',
    example: 'schedule',
  })
  cause!: (typeof CAUSES)[number];

  @Field(instant(), { description: 'Time at which it began.' })
  startedAt!: string;

  @Field(ms(), { description: 'How long it took, ms.', example: 84 })
  durationMs!: number;

  @Field(ms(), step('How long DNS took, ms.', 4))
  dnsMs!: number | null;

  @Field(ms(), step('How long the TCP connection took, ms.', 11))
  connectMs!: number | null;

  @Field(ms(), step('How long TLS took, ms.', 23))
  tlsMs!: number | null;

  @Field(ms(), step('From the beginning to the head of the answer, ms.', 81))
  firstByteMs!: number | null;

  @Field(text({ max: 45 }), {
    description: 'Address that it was sent to; null without a connection.',
    example: '192.0.2.10',
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

  @Field(anyObject(), {
    description: 'Some headers of the answer, by their names in lower case.',
    example: { 'content-type': 'text/plain' },
  })
  responseHeaders!: Record<string, string>;

  @Field(text({ max: EXCERPT_CHARACTERS }), {
    description: `Beginning of the answer’s body, ${EXCERPT_CHARACTERS} characters at most.`,
    nullable: true,
  })
  responseExcerpt!: string | null;

  @Field(listOf(text({ max: 16 }), { max: 2 }), {
    description: 'Ids of the secrets that signed it (`x-service-key-id`), the current one first.',
    example: ['9f86d081884c7d65'],
  })
  keyIds!: string[];
}

/** Query options of the log, with the column names of `data.webhook_attempts`. */
export const attemptList: ListOptions = {
  filters: {
    cause: filter.plain(oneOf(CAUSES), 'in', 'cause'),
    error: { kind: text({ min: 1, max: 40 }), operators: ['in', 'isNull'], plain: 'in' },
    from: filter.plain(instant(), 'gte', 'started_at'),
    to: filter.plain(instant(), 'lt', 'started_at'),
  },
  sorts: ['startedAt'],
  defaultSort: '-startedAt',
};

export const WebhookEndpointAttemptPage = pageOf(WebhookEndpointAttempt);
export const WebhookEndpointAttemptQuery = listQuery('WebhookEndpointAttemptQuery', attemptList);
