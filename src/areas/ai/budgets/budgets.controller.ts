import { Body, Controller, Param, Query } from '@nestjs/common';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { budgets } from './budget.js';
import { type BudgetPatch, BudgetQuery, type NewBudget } from './budget.requests.js';
import { BudgetsService } from './budgets.service.js';

const READ = 'ai-jobs:read-all';
const route = routesOf(budgets, 'ai.budgets', { permission: 'ai-budgets:manage' });

@Controller(budgets.path)
export class BudgetsController {
  constructor(private readonly budgets: BudgetsService) {}

  @route.list({
    summary: 'List the budgets for AI jobs, with amounts spent and reserved',
    permission: READ,
    query: BudgetQuery,
    example: { answer: { data: [budgets.example], page: { limit: 50, hasMore: false, nextCursor: null } } },
  })
  list(@Query() query: object) {
    return this.budgets.objects.list(query);
  }

  @route.create({
    summary: 'Make a budget for AI jobs',
    description:
      'A job is accepted only if its maximum cost fits every budget that applies to it. Spending counts from the creation of the budget. There is one budget for each scope and period.',
    problems: ['duplicate'],
    example: {
      body: { scope: { type: 'tenant' }, period: 'month', limitMicros: 50_000_000, softLimitMicros: 40_000_000 },
      answer: { ...budgets.example, spentMicros: 0, reservedMicros: 0, remainingMicros: 50_000_000 },
    },
  })
  create(@Body() input: NewBudget) {
    return this.budgets.create(input);
  }

  @route.read({
    summary: 'Read a budget, with amounts spent and reserved',
    permission: READ,
    example: { answer: budgets.example },
  })
  get(@Param('id') id: string) {
    return this.budgets.objects.get(id);
  }

  @route.update({
    summary: 'Change the limits of a budget',
    description:
      'Applies to the current period. Reservations of jobs stay, even if they exceed the new limit; new jobs are then rejected.',
    example: {
      body: { limitMicros: 80_000_000 },
      answer: { ...budgets.example, limitMicros: 80_000_000, remainingMicros: 67_300_000, version: 2 },
    },
  })
  update(@Param('id') id: string, @Body() patch: BudgetPatch) {
    return this.budgets.update(id, patch);
  }

  @route.remove({
    summary: 'Delete a budget',
    description: 'New jobs no longer count for it. What jobs hold and spend is booked to the end.',
  })
  remove(@Param('id') id: string) {
    return this.budgets.objects.delete(id);
  }
}
