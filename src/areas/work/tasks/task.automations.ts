import { Injectable } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { tasks } from './task.js';
import { OVERDUE_TIMER, TasksService } from './tasks.service.js';

/** Task events outside the life cycle, and changes of tasks caused by deals. */
@Injectable()
export class TaskAutomations {
  constructor(
    automations: Automations,
    registry: ResourceRegistry,
    private readonly service: TasksService,
    private readonly deals: DealsService,
  ) {
    const { type, view: told, example } = tasks;
    const events = {
      assigned: 'A task was assigned to others.',
      overdue: 'The last day of an open task has passed.',
    };
    registry.declareObject({ type, told, events, example, path: pathOf(tasks), hasPath: true });
    automations.timer({
      kind: OVERDUE_TIMER,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => service.markOverdue(id),
    });
    automations.on({
      flow: 'work.cancel_follow_ups_of_lost_deal',
      event: 'sales.deal.lost',
      onBehalf: { of: 'tenant', because: 'consequence' },
      handle: ({ subject }) => this.endFollowUps(subject.id),
    });
  }

  /** The deal is read again, because it may have been reopened in the meantime. */
  private async endFollowUps(dealId: string): Promise<void> {
    const deal = await this.deals.records.find(dealId);
    if (deal?.status === 'lost') await this.service.cancelFollowUps(dealId);
  }
}
