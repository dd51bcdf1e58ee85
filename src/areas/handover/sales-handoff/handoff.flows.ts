import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { runPlan } from '#libs/steps/plan.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import type { Handoff } from './handoff.js';
import { HandoffAcceptance } from './handoff-acceptance.js';
import { ACCEPTED, handoffLife } from './handoff.lifecycle.js';
import { EXECUTE, HandoffRecords } from './handoff-records.js';
import { type Execution, HandoffSteps } from './handoff-steps.js';
import { HandoffTemplatesService } from './handoff-templates.service.js';

/** What the worker does about handoffs: it creates them for won deals, and executes accepted ones. */
@Injectable()
export class HandoffFlows implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly handoffs: HandoffRecords,
    private readonly templates: HandoffTemplatesService,
    private readonly steps: HandoffSteps,
    private readonly acceptance: HandoffAcceptance,
    private readonly deals: DealsService,
    private readonly settings: TenantSettings,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'sales.handoff_on_deal_won',
      event: 'sales.deal.won',
      onBehalf: { of: 'tenant', because: 'consequence' },
      handle: ({ subject }) => this.begin(subject.id),
    });
    const { objects, repository } = this.handoffs;
    runPlan<Handoff, Execution>(this.automations, {
      timer: EXECUTE,
      onBehalf: ACCEPTED,
      requireKept: (execution) => this.acceptance.requireKept(execution),
      moves: handoffLife.transitions,
      steps: this.steps.works,
      unit: (work) => this.handoffs.unit(work),
      open: async (transaction, id) => {
        const subject = await this.handoffs.lock(transaction, id, null);
        return { row: subject.row, subject };
      },
      lock: (transaction, id) => repository.lock(transaction, id),
      change: (transaction, row, changes, event) => this.handoffs.change(transaction, row, changes, event),
      made: this.steps.made,
      finished: () => ({ completedAt: objects.now() }),
      now: () => objects.now(),
    });
  }

  /** Creates the handoff of a won deal, unless it has one. The deal is read again: it may have been reopened. */
  private async begin(dealId: string): Promise<void> {
    if (!(await this.settings.get()).sales.autoHandoff) return;
    await this.handoffs.unit(async (transaction) => {
      const deal = await this.deals.records.rows.lockPlainly(transaction, dealId);
      if (deal.status !== 'won' || (await this.handoffs.repository.liveOf(dealId))) return;
      if (deal.accountId === null)
        transaction.write(this.handoffs.repository.skip(dealId, this.handoffs.objects.now()));
      else await this.handoffs.start(transaction, deal, await this.templates.choose(deal));
    });
  }
}
