import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import {
  TestWebhookEndpoint,
  WebhookTestResult,
  WebhookVerificationResult,
} from '../endpoints/endpoint-actions.dto.js';
import { WebhookEndpointAttemptPage, WebhookEndpointAttemptQuery } from './endpoint-attempt.dto.js';
import { EndpointInsightService } from './endpoint-insight.service.js';
import { WebhookEndpointStats } from './endpoint-stats.dto.js';
import { EndpointTestsService } from '../endpoint-tests/endpoint-tests.service.js';
import { EndpointVerificationService } from '../endpoint-tests/endpoint-verification.service.js';
import { TestWebhookFilter, WebhookFilterTestResult } from '../endpoint-tests/filter-test.dto.js';
import { FilterTestsService } from '../endpoint-tests/filter-tests.service.js';

const READ = 'webhooks:read';
const WRITE = 'webhooks:write';

/** Tests of endpoints, and their attempts and statistics. */
@Controller('api/webhooks/endpoints')
export class EndpointInsightController {
  constructor(
    private readonly tests: EndpointTestsService,
    private readonly verification: EndpointVerificationService,
    private readonly filterTests: FilterTestsService,
    private readonly insight: EndpointInsightService,
  ) {}

  @Route({
    id: 'webhooks.endpoints.test',
    summary: 'Send a test event to a webhook endpoint',
    description:
      'One attempt, now, in whatever state the endpoint is. Answers when the attempt is over. Its health stays as it is.',
    permission: WRITE,
    body: TestWebhookEndpoint,
    bodyOptional: true,
    answer: WebhookTestResult,
    problems: ['not_found'],
  })
  @Post(':id/test')
  test(@Param('id') id: string, @Body() input: TestWebhookEndpoint) {
    return this.tests.send(id, input);
  }

  @Route({
    id: 'webhooks.endpoints.verify',
    summary: 'Verify whose a webhook endpoint is',
    description:
      'Sends `webhook.verification` once, now. The endpoint is verified if it answers 2xx with the `challenge` of the event as its body, or as `{ "challenge": ... }`. One that is disabled as `unverified` is enabled by that.',
    permission: WRITE,
    answer: WebhookVerificationResult,
    problems: ['not_found', 'version_mismatch'],
  })
  @Post(':id/verify')
  verify(@Param('id') id: string) {
    return this.verification.verify(id);
  }

  @Route({
    id: 'webhooks.endpoints.test_filter',
    summary: 'Try a filter on an event',
    description:
      'Takes one event, by `eventId`, `event` or `eventType`, and tells which conditions of the filter hold. Nothing is sent or changed.',
    permission: WRITE,
    body: TestWebhookFilter,
    answer: WebhookFilterTestResult,
    problems: ['not_found'],
  })
  @Post(':id/filter/test')
  testFilter(@Param('id') id: string, @Body() input: TestWebhookFilter) {
    return this.filterTests.run(id, input);
  }

  @Route({
    id: 'webhooks.endpoints.attempts',
    summary: 'List the attempts at a webhook endpoint',
    description: 'The newest first, tests among them.',
    permission: READ,
    query: WebhookEndpointAttemptQuery,
    answer: WebhookEndpointAttemptPage,
    problems: ['not_found', 'cursor_invalid'],
  })
  @Get(':id/attempts')
  attempts(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.insight.attempts(id, query);
  }

  @Route({
    id: 'webhooks.endpoints.stats',
    summary: 'Read how a webhook endpoint did in the last 24 hours',
    description: 'Counts all attempts of deliveries, and no tests.',
    permission: READ,
    answer: WebhookEndpointStats,
    problems: ['not_found'],
  })
  @Get(':id/stats')
  stats(@Param('id') id: string) {
    return this.insight.stats(id);
  }
}
