import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { Board, BoardQuery } from './deal.board.js';
import { deals } from './deal.js';
import { DealsService } from './deals.service.js';

@Controller(pathOf(deals))
export class DealsController extends ResourceController(deals) {
  constructor(private readonly service: DealsService) {
    super(service.records);
  }

  @Route({
    id: 'sales.deals.board',
    summary: 'Read the board of a pipeline',
    description:
      'Answers for each stage the number of deals in it, their value in each currency, and the newest of them.',
    permission: 'deals:read',
    object: deals.type,
    query: BoardQuery,
    answer: Board,
  })
  @Get('board')
  board(@Query() { pipelineId }: BoardQuery) {
    return this.service.board(pipelineId ?? null);
  }
}
