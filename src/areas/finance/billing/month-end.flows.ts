import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { onceStatement, timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import { civilDateAt, startOfDayMs } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { ProjectsService } from '#src/areas/work/projects/projects.service.js';
import { firstDayOf, type Month, monthOf, nextMonth } from './months.js';
import { type Project, ProjectBilling } from './project-billing.js';

const MONTH_END = 'finance.project.month_end';
const UTC = 'UTC';

/**
 * Drafts for projects that are invoiced at the end of each month. Each month of a project has its own timer, which is
 * set once and sets that of the next month. So each month is charged exactly once, also months that ended while no
 * worker ran.
 */
@Injectable()
export class MonthEndFlows implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly database: Database,
    private readonly settings: TenantSettings,
    private readonly clock: Clock,
    private readonly projects: ProjectsService,
    private readonly billing: ProjectBilling,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'finance.month_end_of_project',
      event: 'work.project.*',
      onBehalf: { of: 'tenant', because: 'rule' },
      handle: ({ subject, data, occurredAt }) => this.watch(subject.id, data, occurredAt),
    });
    this.automations.timer({
      kind: MONTH_END,
      onBehalf: { of: 'tenant', because: 'rule' },
      fire: (key) => this.end(key),
      gaveUp: (transaction, key) => transaction.write(this.following(key)),
    });
  }

  /** Starts with the month in which the event happened, which may be over when the event is processed. */
  private async watch(projectId: string, data: Record<string, unknown>, occurredAt: string): Promise<void> {
    const { billing } = data as { billing?: { invoiceOn: string | null } };
    if (billing?.invoiceOn !== 'month_end') return;
    const timezone = await this.timezone();
    const month = monthOf(civilDateAt(Date.parse(occurredAt), timezone));
    await this.database.transaction(async (transaction) => {
      transaction.write(onceStatement(timerOf(projectId, month, timezone)));
    });
  }

  private async end(key: string): Promise<void> {
    const [projectId, month] = partsOf(key);
    const timezone = await this.timezone();
    await this.database.transaction(async (transaction) => {
      const timer = timerOf(projectId, month, timezone);
      // The time zone of the tenant has changed.
      if (Date.parse(timer.dueAt) > this.clock.nowMs()) return transaction.write(timerStatement(timer));
      const project = await this.projects.records.find(projectId);
      if (project?.invoiceOn !== 'month_end' || project.status === 'cancelled') return;
      await this.billing.chargeMonth(project, month);
      if (!isOver(project, month)) transaction.write(this.following(key, timezone));
    });
  }

  private following(key: string, timezone = UTC): Statement {
    const [projectId, month] = partsOf(key);
    return onceStatement(timerOf(projectId, nextMonth(month), timezone));
  }

  private async timezone(): Promise<string> {
    return (await this.settings.get()).general.timezone;
  }
}

/** The timer for the end of a month of a project. */
function timerOf(projectId: string, month: Month, timezone: string): { kind: string; key: string; dueAt: string } {
  const dueAt = new Date(startOfDayMs(firstDayOf(nextMonth(month)), timezone)).toISOString();
  return { kind: MONTH_END, key: `${projectId}:${month}`, dueAt };
}

function partsOf(key: string): [projectId: string, month: Month] {
  return key.split(':') as [string, Month];
}

/** Whether later months need no invoice: the project was completed before the month, and all its time is invoiced. */
function isOver({ completedAt, unbilledMinutes }: Project, month: Month): boolean {
  return completedAt !== null && monthOf(completedAt) < month && unbilledMinutes === 0;
}
