import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations, type RunFailure } from '#libs/automation/automations.js';
import type { Transaction } from '#libs/database/transaction.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { giveUpNextStep, type PlanProgress, runNextStep } from '#libs/steps/run-next-step.js';
import type { Step } from '#libs/steps/step.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { handoffLife } from './handoff.lifecycle.js';
import type { Handoff } from './handoff.js';
import type { HandoffStatus } from './handoff.parts.js';
import { EXECUTE, HandoffRecords } from './handoff-records.js';
import { HandoffSteps } from './handoff-steps.js';
import { HandoffTemplatesService } from './handoff-templates.service.js';

/** What the worker does about handoffs: it creates them for won deals, and executes accepted ones. */
@Injectable()
export class HandoffFlows implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly handoffs: HandoffRecords,
    private readonly templates: HandoffTemplatesService,
    private readonly steps: HandoffSteps,
    private readonly deals: DealsService,
    private readonly settings: TenantSettings,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'sales.handoff_on_deal_won',
      event: 'sales.deal.won',
      handle: ({ subject }) => this.begin(subject.id),
    });
    this.automations.timer({
      kind: EXECUTE,
      fire: (id) => this.execute(id),
      gaveUp: (transaction, id, failure) => this.giveUp(transaction, id, failure),
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

  /** Runs the next step of a handoff, and sets the timer for the one after it. */
  private async execute(id: string): Promise<void> {
    await this.handoffs.unit(async (transaction) => {
      const { row, deal } = await this.handoffs.lock(transaction, id, null);
      if (!RUNNING.includes(row.status)) return;
      const at = this.handoffs.objects.now();
      const record = { row, deal };
      this.record(transaction, row, await runNextStep(transaction, this.steps.works, { record, steps: row.steps, at }));
    });
  }

  private async giveUp(transaction: Transaction, id: string, failure: RunFailure): Promise<void> {
    const row = await this.handoffs.repository.lock(transaction, id);
    if (row && RUNNING.includes(row.status))
      this.record(transaction, row, giveUpNextStep(row.steps, failure, this.handoffs.objects.now()));
  }

  private record(transaction: Transaction, row: Handoff, { steps, status }: PlanProgress): void {
    const [next, event] = OUTCOMES[status];
    const completedAt = status === 'finished' ? this.handoffs.objects.now() : null;
    const changes = { steps, status: next, completedAt, ...targetsOf(steps) };
    const after = this.handoffs.change(transaction, row, changes, event);
    if (status === 'continue') this.handoffs.execute(transaction, after);
  }
}

const RUNNING = handoffLife.transitions.execute.from;
const OUTCOMES: Record<'continue' | 'finished' | 'failed', readonly [HandoffStatus, string]> = {
  continue: ['executing', 'updated'],
  finished: ['completed', 'completed'],
  failed: ['failed', 'failed'],
};

/** The records that the steps have created. */
function targetsOf(steps: readonly Step[]): Pick<Handoff, 'projectId' | 'invoiceId'> {
  const idOf = (key: string) => steps.find((step) => step.key === key)?.target?.id ?? null;
  return { projectId: idOf('project'), invoiceId: idOf('invoice') };
}
