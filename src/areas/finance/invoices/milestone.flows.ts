import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { MilestonesService } from '#src/areas/work/milestones/milestones.service.js';
import { ProjectsService } from '#src/areas/work/projects/projects.service.js';
import { invoiceLineInputOf } from './invoice-lines.js';
import type { InvoiceLineInput } from './invoice.parts.js';
import { InvoicesRepository } from './invoices.repository.js';
import { InvoicesService } from './invoices.service.js';

const MILESTONE = 'work.milestone';
/** Adds the lines of milestones. */
export const MILESTONE_LINES = { flow: 'finance.line_on_milestone_reached', event: 'work.milestone.reached' };

/** Changes of invoices caused by milestones. */
@Injectable()
export class MilestoneFlows implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly automations: Automations,
    private readonly invoices: InvoicesService,
    private readonly repository: InvoicesRepository,
    private readonly milestones: MilestonesService,
    private readonly projects: ProjectsService,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      ...MILESTONE_LINES,
      onBehalf: { of: 'tenant', because: 'consequence' },
      handle: ({ subject }) => this.charge(subject.id),
    });
  }

  /**
   * Adds a line to the project's newest draft in that currency, or creates a draft. Does nothing if the milestone has
   * no amount, is already charged by an invoice, or if the project is invoiced manually.
   */
  private async charge(milestoneId: string): Promise<void> {
    const milestone = await this.milestones.records.find(milestoneId);
    if (!milestone?.billableMinor || (await this.repository.isCharged(MILESTONE, milestoneId))) return;
    const project = await this.projects.records.find(milestone.projectId);
    if (!project || project.invoiceOn === 'manual') return;
    const currency = milestone.currency ?? project.currency;
    const line: InvoiceLineInput = {
      description: milestone.name,
      unitPriceMinor: milestone.billableMinor,
      source: { object: MILESTONE, id: milestoneId },
    };
    await this.database.transaction(async (transaction) => {
      const draft = await this.repository.newestDraftOfProject(transaction, project.id, currency);
      const { id: projectId, accountId, name } = project;
      if (draft)
        await this.invoices.records.update(draft.id, { lineItems: [...draft.lineItems.map(invoiceLineInputOf), line] });
      else await this.invoices.records.create({ name, projectId, accountId, currency, lineItems: [line] });
    });
  }
}
