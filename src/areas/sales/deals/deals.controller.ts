import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { Board, BoardQuery } from './deal.board.js';
import { dealResource } from './deal.resource.js';
import { DealsService } from './deals.service.js';

@Controller(pathOf(dealResource))
export class DealsController extends ResourceController(dealResource) {
  constructor(private readonly deals: DealsService) {
    super(deals);
  }

  @Route({
    id: 'sales.deals.board',
    summary: 'Read the board of a pipeline',
    description:
      'For each stage: how many deals are in it, what they come to in each currency, and the newest of them.',
    permission: 'deals:read',
    object: dealResource.type,
    query: BoardQuery,
    answer: Board,
  })
  @Get('board')
  board(@Query() { pipelineId }: BoardQuery) {
    return this.deals.board(pipelineId ?? null);
  }
}
