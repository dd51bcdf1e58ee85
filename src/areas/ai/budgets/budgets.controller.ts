import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { Deleted } from '#libs/resource/types/record.dto.js';
import { budgets } from './budget.js';
import { BudgetPage, type BudgetPatch, BudgetQuery, type NewBudget } from './budget.requests.js';
import { BudgetsService } from './budgets.service.js';

const READ = 'ai-jobs:read-all';
const MANAGE = 'ai-budgets:manage';

@Controller(budgets.path)
export class BudgetsController {
  constructor(private readonly budgets: BudgetsService) {}

  @Route({
    id: 'ai.budgets.list',
    summary: 'List the budgets for AI jobs, with amounts spent and reserved',
    permission: READ,
    query: BudgetQuery,
    answer: BudgetPage,
    problems: ['cursor_invalid'],
    example: { answer: { data: [budgets.example], page: { limit: 50, hasMore: false, nextCursor: null } } },
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.budgets.list(query);
  }

  @Route({
    id: 'ai.budgets.create',
    summary: 'Make a budget for AI jobs',
    description:
      'A job is accepted only if its maximum cost fits every budget that applies to it. Spending counts from the creation of the budget. There is one budget for each scope and period.',
    permission: MANAGE,
    status: 201,
    body: budgets.create,
    answer: budgets.view,
    record: true,
    problems: ['duplicate'],
    example: {
      body: { scope: { type: 'tenant' }, period: 'month', limitMicros: 50_000_000, softLimitMicros: 40_000_000 },
      answer: { ...budgets.example, spentMicros: 0, reservedMicros: 0, remainingMicros: 50_000_000 },
    },
  })
  @Post()
  create(@Body() input: NewBudget) {
    return this.budgets.create(input);
  }

  @Route({
    id: 'ai.budgets.get',
    summary: 'Read a budget, with amounts spent and reserved',
    permission: READ,
    answer: budgets.view,
    record: true,
    problems: ['not_found'],
    example: { answer: budgets.example },
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.budgets.get(id);
  }

  @Route({
    id: 'ai.budgets.update',
    summary: 'Change the limits of a budget',
    description:
      'Applies to the current period. Reservations of jobs stay, even if they exceed the new limit; new jobs are then rejected.',
    permission: MANAGE,
    body: budgets.update,
    answer: budgets.view,
    record: true,
    problems: ['not_found'],
    example: {
      body: { limitMicros: 80_000_000 },
      answer: { ...budgets.example, limitMicros: 80_000_000, remainingMicros: 67_300_000, version: 2 },
    },
  })
  @Patch(':id')
  update(@Param('id') id: string, @Body() patch: BudgetPatch) {
    return this.budgets.update(id, patch);
  }

  @Route({
    id: 'ai.budgets.delete',
    summary: 'Delete a budget',
    description: 'New jobs no longer count for it. What jobs hold and spend is booked to the end.',
    permission: MANAGE,
    answer: Deleted,
    problems: ['not_found'],
  })
  @Delete(':id')
  remove(@Param('id') id: string) {
    return this.budgets.remove(id);
  }
}
