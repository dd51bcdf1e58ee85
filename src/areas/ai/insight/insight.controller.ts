import { Controller, Get, Query } from '@nestjs/common';
import { DEFAULT_POLICY } from '#libs/ai/policy.js';
import { Route } from '#libs/http/route.js';
import { AiOverview, OVERVIEW_EXAMPLE } from './overview.dto.js';
import { AiOverviewService } from './overview.service.js';
import { AiUsage, AiUsageQuery } from './usage.dto.js';
import { AiUsageService } from './usage.service.js';

@Controller('api/ai')
export class InsightController {
  constructor(
    private readonly overviews: AiOverviewService,
    private readonly usages: AiUsageService,
  ) {}

  @Route({
    id: 'ai.overview.get',
    summary: 'Read how AI work is going',
    description:
      'Jobs, money, agents, providers, and what somebody should look at. Every figure is measured as it is asked for.',
    permission: 'ai-jobs:read-all',
    answer: AiOverview,
    example: { answer: OVERVIEW_EXAMPLE },
  })
  @Get('overview')
  overview() {
    return this.overviews.read();
  }

  @Route({
    id: 'ai.usage.get',
    summary: 'Read what AI jobs used',
    description:
      'Sums over the ledger, with the policy, the limits and the budgets. Without `ai-jobs:read-all` of the caller alone.',
    permission: 'ai-jobs:read',
    query: AiUsageQuery,
    answer: AiUsage,
    example: {
      answer: {
        policy: DEFAULT_POLICY,
        limits: { ratePerMinute: 60, concurrency: 5, planMonthlyMicros: 1_000_000_000 },
        budgets: [],
        usage: [{ key: '2026-11-21', jobs: 12, inputTokens: 18_400, outputTokens: 4_100, costMicros: 61_500 }],
      },
    },
  })
  @Get('usage')
  usage(@Query() query: AiUsageQuery) {
    return this.usages.read(query);
  }
}
