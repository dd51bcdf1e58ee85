import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { ScorecardQuery, Scorecards } from './scorecards.dto.js';
import { MetricScorecardsService } from './scorecards.service.js';

@Controller('api/admin/scorecards')
export class ScorecardsController {
  constructor(private readonly scorecards: MetricScorecardsService) {}

  @Route({
    id: 'admin.scorecards.get',
    summary: 'Read the scorecards',
    description:
      'Key figures against the targets in the settings (`scorecards.targets`). Each card counts the items that the caller may see, and `drillDown` lists exactly these; for availability, latency, posture and access reviews it is the page that tells more. If `scorecards:read` is limited to your workspaces, so are the cards.',
    permission: 'scorecards:read',
    withinReach: true,
    besides: [{ scope: '*:read', when: 'Always: a card is shown only to callers who may read its items.' }],
    query: ScorecardQuery,
    answer: Scorecards,
    tag: 'admin scorecards',
  })
  @Get()
  read(@Query() query: ScorecardQuery): Promise<Scorecards> {
    return this.scorecards.read(query);
  }
}
