import { Injectable } from '@nestjs/common';
import { cut } from '#libs/kernel/cut.js';
import { Problem } from '#libs/kernel/problem.js';
import { checkedStep } from '#libs/steps/checked-step.js';
import { stepsAgain } from '#libs/steps/plan.js';
import { plannedSteps, type StepOutcome, type StepWork } from '#libs/steps/run-next-step.js';
import type { Step } from '#libs/steps/step.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { InvoicesService } from '#src/areas/finance/invoices/invoices.service.js';
import { ContactsService } from '#src/areas/sales/contacts/contacts.service.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import { LinksService } from '#src/areas/timeline/links/links.service.js';
import { ProjectTemplatesService } from '#src/areas/work/project-templates/project-templates.service.js';
import { ProjectsService } from '#src/areas/work/projects/projects.service.js';
import { TasksService } from '#src/areas/work/tasks/tasks.service.js';
import type { Handoff } from './handoff.js';
import type { HandedDeal } from './handoff-records.js';

const KICKOFF_DAYS = 5;

/** A handoff that is executed, and its deal. Both are locked. */
export interface Execution {
  row: Handoff;
  deal: HandedDeal;
}

/** The steps after the acceptance of a handoff. */
@Injectable()
export class HandoffSteps {
  /** The fields with what steps have made. */
  readonly made = { project: 'projectId', invoice: 'invoiceId' } as const;
  readonly works: readonly StepWork<Execution>[] = [
    { key: 'project', run: (execution) => checkedStep(this.projects.records, () => this.createProject(execution)) },
    { key: 'links', run: (execution) => checkedStep(this.projects.records, () => this.link(execution)) },
    { key: 'kickoff', run: (execution) => checkedStep(this.tasks.records, () => this.planKickoff(execution)) },
    { key: 'invoice', run: (execution) => checkedStep(this.invoices.records, () => this.draftDeposit(execution)) },
    { key: 'deal', run: (execution) => checkedStep(this.deals.records, () => this.finishDeal(execution)) },
  ];

  constructor(
    private readonly projects: ProjectsService,
    private readonly templates: ProjectTemplatesService,
    private readonly tasks: TasksService,
    private readonly links: LinksService,
    private readonly contacts: ContactsService,
    private readonly invoices: InvoicesService,
    private readonly deals: DealsService,
    private readonly calendars: CalendarsService,
  ) {}

  planned(): Step[] {
    return plannedSteps(this.works);
  }

  /** The steps of a handoff that is retried. */
  again(row: Handoff): Step[] {
    return stepsAgain(this, row);
  }

  /**
   * The budget is the value of the deal. Without a billing model in the template, the project is billed at a fixed
   * price. An hourly rate of the template is not used for a deal in another currency.
   */
  private async createProject({ row, deal }: Execution): Promise<StepOutcome> {
    const template = await this.templateOf(row);
    const model = template?.billing?.model ?? (deal.valueMinor === null ? 'none' : 'fixed');
    const { currency } = deal;
    const isOther = currency !== (template?.billing?.currency ?? currentTenant().currency);
    const { id } = await this.projects.records.create({
      name: row.name,
      description: descriptionOf(row),
      accountId: deal.accountId,
      dealId: deal.id,
      handoffId: row.id,
      templateId: row.projectTemplateId,
      workspaceId: deal.workspaceId,
      ownerId: row.deliveryOwnerId,
      roles: rolesFor(row.deliveryOwnerId, template?.tasks ?? []),
      billing: { model, budgetMinor: deal.valueMinor, currency, ...(isOther ? { hourlyRateMinor: null } : {}) },
    });
    return done('work.project', id);
  }

  /** @throws Problem 409 `record_locked` if it is not published any more. */
  private async templateOf({ projectTemplateId }: Handoff) {
    if (projectTemplateId === null) return null;
    const template = await this.templates.records.find(projectTemplateId);
    if (template?.status === 'published') return template;
    const name = template ? `The project template ${template.name}` : 'The project template of the handoff';
    throw new Problem('record_locked', `${name} is not published any more. Publish it again, and retry.`);
  }

  /** Links the deal, which has the notes and files, and its contacts. */
  private async link({ row, deal }: Execution): Promise<StepOutcome> {
    const place = { area: 'work', collection: 'projects', id: row.projectId! };
    await this.links.create(place, { relation: 'derived_from', target: { object: 'sales.deal', id: deal.id } });
    for (const id of new Set([deal.primaryContactId, ...deal.contactIds])) {
      const contact = id === null ? null : await this.contacts.records.find(id);
      if (!contact) continue; // deleted since
      await this.links.create(place, { relation: 'relates_to', target: { object: 'sales.contact', id: contact.id } });
    }
    return done('work.project', row.projectId!);
  }

  private async planKickoff({ row, deal }: Execution): Promise<StepOutcome> {
    const today = this.projects.records.rows.now().slice(0, 10);
    const { id } = await this.tasks.records.create({
      name: cut(`Kick-off: ${row.name}`, 200),
      projectId: row.projectId,
      workspaceId: deal.workspaceId,
      ownerId: row.deliveryOwnerId,
      assigneeIds: row.deliveryOwnerId === null ? [] : [row.deliveryOwnerId],
      dueDate: (await this.calendars.businessDays()).add(today, KICKOFF_DAYS),
    });
    return done('work.task', id);
  }

  private async draftDeposit({ row, deal }: Execution): Promise<StepOutcome> {
    const { depositPercent: percent } = row;
    if (percent === 0) return { status: 'skipped', error: null };
    if (!deal.valueMinor) {
      const error = { code: 'deal_without_value', message: 'The deal has no value from which to compute a deposit.' };
      return { status: 'skipped', error };
    }
    const unitPriceMinor = Number((BigInt(deal.valueMinor) * BigInt(percent) + 50n) / 100n); // rounds half up
    const { id } = await this.invoices.records.create({
      name: cut(`Deposit: ${row.name}`, 200),
      accountId: deal.accountId,
      dealId: deal.id,
      projectId: row.projectId,
      workspaceId: deal.workspaceId,
      ownerId: row.salesOwnerId,
      currency: deal.currency,
      lineItems: [{ description: `Deposit of ${percent} % for ${row.name}`, unitPriceMinor }],
    });
    return done('finance.invoice', id);
  }

  private async finishDeal({ row, deal }: Execution): Promise<StepOutcome> {
    await this.deals.records.amend(deal.id, () => ({ handoffId: row.id, projectId: row.projectId }));
    return done('sales.deal', deal.id);
  }
}

/** The delivery owner takes all roles of the tasks; who does what is decided in the project. */
function rolesFor(memberId: string | null, tasks: readonly { role: string | null }[]) {
  if (memberId === null) return [];
  return [...new Set(tasks.flatMap(({ role }) => role ?? []))].map((role) => ({ role, memberId }));
}

function done(object: string, id: string): StepOutcome {
  return { status: 'done', target: { object, id } };
}

/** The summary as Markdown; null if it is empty. */
function descriptionOf({ summary }: Handoff): string | null {
  const { scope, goals, risks, commitments, stakeholders } = summary;
  const people = stakeholders.map(({ name, role, email }) => `- ${[name, role, email].filter(Boolean).join(', ')}`);
  const sections = [
    ['Scope', scope],
    ['Goals', goals],
    ['Risks', risks],
    ['Commitments', commitments],
    ['Stakeholders', people.join('\n')],
  ].filter(([, content]) => content);
  return sections.length === 0 ? null : sections.map(([title, content]) => `## ${title}\n\n${content}`).join('\n\n');
}
