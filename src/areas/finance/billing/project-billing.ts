import { Injectable } from '@nestjs/common';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { cut } from '#libs/kernel/cut.js';
import { MAX_LINES } from '#libs/lines/line.dto.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { ProjectsService } from '#src/areas/work/projects/projects.service.js';
import type { InvoiceLineInput } from '../invoices/invoice.parts.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { BillingRepository, type UnbilledEntry } from './billing.repository.js';
import { firstDayOf, lastDayOf, type Month } from './months.js';

export type Project = Awaited<ReturnType<ProjectsService['records']['readPlainly']>>;

const MAX_NAME = 200;

/** Creates drafts for the work on a project, in the open transaction. Creates none if there is nothing to charge. */
@Injectable()
export class ProjectBilling {
  constructor(
    private readonly repository: BillingRepository,
    private readonly invoices: InvoicesService,
    private readonly settings: TenantSettings,
  ) {}

  /** Charges for a month that has ended: the approved time until its last day, or the amount of a retainer. */
  async chargeMonth(project: Project, month: Month): Promise<void> {
    const name = `${project.name}, ${month}`;
    const until = lastDayOf(month);
    if (project.billingModel === 'time_and_materials')
      await this.draft(project, name, (await this.repository.unbilledTime(project.id, until)).map(lineOfTime));
    if (project.billingModel !== 'retainer' || !project.budgetMinor || !(await this.isRetained(project, month))) return;
    const period = { periodStartDate: firstDayOf(month), periodEndDate: until };
    await this.draft(project, name, [{ description: name, unitPriceMinor: project.budgetMinor, ...period }]);
  }

  /** Charges for a project at its completion: the rest of a fixed price, or all approved time. */
  async chargeRest(project: Project): Promise<void> {
    const { id, name, billingModel, budgetMinor, currency } = project;
    if (billingModel === 'time_and_materials')
      await this.draft(project, name, (await this.repository.unbilledTime(id, null)).map(lineOfTime));
    if (billingModel !== 'fixed' || budgetMinor === null) return;
    const restMinor = BigInt(budgetMinor) - (await this.repository.chargedMinor(id, currency));
    if (restMinor > 0n) await this.draft(project, name, [{ description: name, unitPriceMinor: Number(restMinor) }]);
  }

  /** Whether a retainer is charged for a month: the project had been started, and was not on hold or ended all month. */
  private async isRetained({ status, startDate, completedAt, heldAt }: Project, month: Month): Promise<boolean> {
    if (status === 'planned' || status === 'cancelled') return false;
    if (startDate !== null && startDate > lastDayOf(month)) return false;
    const stoppedAt = completedAt ?? heldAt;
    const { timezone } = (await this.settings.get()).general;
    return stoppedAt === null || civilDateAt(Date.parse(stoppedAt), timezone) >= firstDayOf(month);
  }

  /** One draft, or several if there are more lines than an invoice can have. */
  private async draft(project: Project, name: string, lines: InvoiceLineInput[]): Promise<void> {
    const { id: projectId, accountId, currency } = project;
    for (let from = 0; from < lines.length; from += MAX_LINES) {
      const lineItems = lines.slice(from, from + MAX_LINES);
      await this.invoices.records.create({ name: lineName(name), projectId, accountId, currency, lineItems });
    }
  }
}

/** A line for the value of a time entry, which was fixed at its approval. */
function lineOfTime({ id, name, workDate, minutes, amountMinor }: UnbilledEntry): InvoiceLineInput {
  return {
    description: `${name} (${workDate}, ${durationText(minutes)})`,
    unitPriceMinor: amountMinor,
    source: { object: 'work.time_entry', id },
    periodStartDate: workDate,
    periodEndDate: workDate,
  };
}

function durationText(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : ''].filter((part) => part !== '').join(' ');
}

function lineName(name: string): string {
  return cut(name, MAX_NAME).trim();
}
