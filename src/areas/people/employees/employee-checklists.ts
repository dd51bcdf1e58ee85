import { Injectable } from '@nestjs/common';
import type { StartedItem } from '#libs/checklists/checklist.js';
import { isSettled } from '#libs/checklists/checklist.rules.js';
import { Checklists } from '#libs/checklists/checklists.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import { ChecklistTemplatesService } from '#src/areas/settings/checklist-templates/checklist-templates.service.js';
import { type Employee, employees } from './employee.js';
import { EmployeesRepository } from './employees.repository.js';

type BoardingKind = 'onboarding' | 'offboarding';

/** Onboarding and offboarding checklists of employees. */
@Injectable()
export class EmployeeChecklists {
  constructor(
    private readonly checklists: Checklists,
    private readonly templates: ChecklistTemplatesService,
    private readonly calendars: CalendarsService,
    private readonly settings: TenantSettings,
    private readonly repository: EmployeesRepository,
  ) {}

  /**
   * Starts a checklist from a template, or from that of the settings unless the employee has one of this kind. Due dates
   * count from `startDate`. @throws Problem 400 at `/templateId`.
   */
  async start(row: Employee, kind: BoardingKind, startDate: string, templateId: string | undefined): Promise<void> {
    const template = await (templateId === undefined
      ? this.usualTemplate(row, kind)
      : this.templates.named(templateId, kind));
    if (!template) return;
    const days = await this.calendars.businessDays();
    await this.checklists.objects.unit(async (transaction) => {
      const manager = await this.repository.activeManagerOf(transaction, row.id);
      this.checklists.start(transaction, {
        title: template.name,
        kind,
        subject: { object: employees.type, id: row.id },
        templateId: template.id,
        startDate,
        items: template.checklistItems,
        days,
        holders: { owner: row.ownerId, employee: row.membershipId, manager },
      });
    });
  }

  /** Moves the open items of the offboarding with the last day. */
  async moveTo(transaction: Transaction, row: Employee, lastDate: string): Promise<void> {
    const days = await this.calendars.businessDays();
    for (const each of await this.ofEmployment(row.id, 'offboarding'))
      this.checklists.move(transaction, await this.checklists.objects.lock(transaction, each.id), lastDate, days);
  }

  /** Settles what is open of a withdrawn offboarding. */
  async withdraw(transaction: Transaction, row: Employee): Promise<void> {
    for (const each of await this.ofEmployment(row.id, 'offboarding'))
      this.checklists.close(
        transaction,
        await this.checklists.objects.lock(transaction, each.id),
        'The offboarding was withdrawn.',
      );
  }

  /** Assigns the items that have waited for the employee to become a member. */
  async assignNewMember(transaction: Transaction, before: Employee, { id, membershipId }: Employee): Promise<void> {
    if (membershipId === null || membershipId === before.membershipId) return;
    await this.checklists.assign(transaction, id, { role: 'employee', memberId: membershipId });
  }

  /** Required items of the onboarding that are open although they are due before its first day. */
  async openBeforeStart({ id }: Pick<Employee, 'id'>): Promise<StartedItem[]> {
    const started = await this.ofEmployment(id, 'onboarding');
    return started.flatMap(({ items, startDate }) =>
      items.filter((item) => item.required && !isSettled(item) && item.dueDate !== null && item.dueDate < startDate),
    );
  }

  /** @throws Problem 409 `onboarding_open`. */
  async refuseOpen(row: Employee): Promise<void> {
    const open = await this.openBeforeStart(row);
    if (open.length === 0) return;
    const openItems = [...new Set(open.map(({ key }) => key))].slice(0, 100);
    throw new Problem('onboarding_open', `These items are due before the first day: ${openItems.join(', ')}.`, {
      extensions: { openItems },
    });
  }

  private async usualTemplate({ id }: Employee, kind: BoardingKind) {
    const templateId = (await this.settings.get()).people[`${kind}Template`];
    if (templateId === null || (await this.ofEmployment(id, kind)).length > 0) return null;
    return this.templates.records.readPlainly(templateId);
  }

  /** Checklists of an employee since the last rehire or withdrawn offboarding. */
  private async ofEmployment(id: string, kind: BoardingKind) {
    const ends = kind === 'onboarding' ? ['rehire' as const] : ['rehire' as const, 'withdraw_offboarding' as const];
    const since = await this.repository.lastMove(id, ends);
    return this.checklists.objects.rows.all(
      (add) => `t.subject_id = ${add(id)} and t.kind = ${add(kind)} and t.created_at >= ${add(since)}::timestamptz`,
    );
  }
}
