import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { ReconciledSlos, ReconcileSlos } from './reconcile.dto.js';
import { ChangeSlos, SloList, SloQuery, SloView } from './slo.dto.js';
import { SloReconcileService } from './slo-reconcile.service.js';
import { SloService } from './slo.service.js';

const TAG = 'admin slo';

@Controller('api/admin/slo')
export class SloController {
  constructor(
    private readonly slos: SloService,
    private readonly reconciling: SloReconcileService,
  ) {}

  @Route({
    id: 'admin.slo.list',
    summary: 'List service-level objectives',
    description:
      'Each with its error budget and burn rates, from requests, deliveries and AI jobs as they were recorded. A response is bad if it is a 5xx, or if the caller waited ten seconds in vain; 400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 423 and 429 do not count. Figures are up to 10 seconds old. Archived objectives are not listed.',
    permission: 'slo:read',
    query: SloQuery,
    answer: pageOf(SloView),
    problems: ['cursor_invalid'],
    tag: TAG,
  })
  @Get()
  list(@Query() query: SloQuery) {
    return this.slos.list(query);
  }

  @Route({
    id: 'admin.slo.change',
    summary: 'Change service-level objectives',
    description:
      'Send one objective, or several as `slos`; either all are changed or none. An unknown `key` creates an objective. An objective with another indicator or a longer window is counted again from the records that are kept; other objectives keep their history.',
    permission: 'slo:manage',
    body: ChangeSlos,
    answer: SloList,
    problems: ['not_found', 'limit_reached'],
    tag: TAG,
    example: { body: { key: 'api_availability', objectivePercent: 99.95 } },
  })
  @Patch()
  change(@Body() input: ChangeSlos): Promise<SloList> {
    return this.slos.change(input);
  }

  @Route({
    id: 'admin.slo.reconcile',
    summary: 'Recount service-level objectives',
    description:
      'Recomputes the running counters from the recorded requests, deliveries and jobs, corrects them and reports the difference. Covers full hours for which the records are kept. Service-level reports of closed months do not change.',
    permission: 'slo:manage',
    status: 200,
    body: ReconcileSlos,
    bodyOptional: true,
    answer: ReconciledSlos,
    tag: TAG,
    example: { body: {} },
  })
  @Post('reconcile')
  reconcile(@Body() input: ReconcileSlos): Promise<ReconciledSlos> {
    return this.reconciling.reconcile(input);
  }
}
