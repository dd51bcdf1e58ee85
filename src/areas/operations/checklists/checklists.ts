import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import type { TemplateItem } from '#src/areas/settings/checklist-templates/checklist-item.js';
import { type Checklist, checklists } from './checklist.js';
import type { ChangeChecklistItem } from './checklist.requests.js';
import { changedItems, isComplete, type RoleHolders, startedItems } from './checklist.rules.js';

/** A checklist to be started. */
export type NewChecklist = Pick<Checklist, 'name' | 'kind' | 'subject' | 'templateId' | 'startDate'> & {
  items: readonly TemplateItem[];
  holders: RoleHolders;
};

/** Checklists about records, for flows that start and complete them. Callers check permissions. */
@Injectable()
export class Checklists {
  readonly objects: GovernedObjects<Checklist>;

  constructor(
    kit: ResourceKit,
    private readonly calendars: CalendarsService,
  ) {
    this.objects = new GovernedObjects(checklists, kit);
  }

  /** Starts a checklist; due dates count in business days of the tenant's calendar. */
  async start(transaction: Transaction, { items, holders, ...own }: NewChecklist): Promise<Checklist> {
    const started = startedItems(items, own.startDate, await this.calendars.businessDays(), holders);
    const completedAt = isComplete(started) ? this.objects.now() : null;
    return this.objects.add(transaction, { ...own, items: started, completedAt }, 'started');
  }

  /** Changes an item of a locked checklist. @throws Problem as {@link changedItems}. */
  change(transaction: Transaction, row: Checklist, key: string, change: ChangeChecklistItem): Checklist {
    const at = this.objects.now();
    const items = changedItems(row.items, key, change, { at, by: currentScope().actor });
    const completedAt = isComplete(items) ? (row.completedAt ?? at) : null;
    return this.objects.change(transaction, row, { items, completedAt }, eventOf(row.completedAt, completedAt));
  }
}

function eventOf(before: string | null, after: string | null): string {
  if (before === null && after !== null) return 'completed';
  return before !== null && after === null ? 'reopened' : 'updated';
}
