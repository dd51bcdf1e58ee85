import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import type { BusinessDays } from '#libs/kernel/business-days.js';
import type { ItemRole, TemplateItem } from './template-item.js';
import { type ChangeChecklistItem, type Checklist, checklists } from './checklist.js';
import {
  assignedItems,
  changedItems,
  closedItems,
  isComplete,
  movedItems,
  type RoleHolders,
  startedItems,
} from './checklist.rules.js';

const ATTACHMENT = 'select id from data.attachments where tenant_id = $1 and record_id = $2 and id = $3 for key share';

/** A checklist to be started. */
export type NewChecklist = Pick<Checklist, 'title' | 'kind' | 'subject' | 'templateId' | 'startDate'> & {
  items: readonly TemplateItem[];
  /** The business days in which due dates count. */
  days: BusinessDays;
  holders: RoleHolders;
};

/**
 * Events and audit entries about offboardings contain no dates, because they disclose the last day of an employee, which
 * is personal.
 */
class ChecklistObjects extends GovernedObjects<Checklist> {
  override tell(row: Checklist): Record<string, unknown> {
    const told = super.tell(row);
    if (row.kind !== 'offboarding') return told;
    return { ...told, startDate: null, items: row.items.map((item) => ({ ...item, dueDate: null })) };
  }
}

/** Checklists about records, for flows that start and complete them. Callers check permissions. */
@Injectable()
export class Checklists {
  readonly objects: GovernedObjects<Checklist>;

  constructor(kit: ResourceKit) {
    this.objects = new ChecklistObjects(checklists, kit);
  }

  start(transaction: Transaction, { items, days, holders, ...own }: NewChecklist): Checklist {
    const started = startedItems(items, own.startDate, days, holders);
    const completedAt = isComplete(started) ? this.objects.now() : null;
    return this.objects.add(transaction, { ...own, items: started, completedAt }, 'started');
  }

  /** Assigns the open items of a role that nobody had, in all checklists of a record. */
  async assign(transaction: Transaction, subjectId: string, { role, memberId }: { role: ItemRole; memberId: string }) {
    const rows = await this.objects.rows.lockAll(transaction, (add) => `(t.subject_id = ${add(subjectId)})`);
    for (const row of rows)
      this.objects.change(transaction, row, { items: assignedItems(row.items, role, memberId) }, 'assigned');
  }

  /** Moves a locked checklist to another date; open items keep their distance from it in business days. */
  move(transaction: Transaction, row: Checklist, startDate: string, days: BusinessDays): Checklist {
    return this.objects.change(transaction, row, { startDate, items: movedItems(row, startDate, days) }, 'moved');
  }

  /** Skips all open items of a locked checklist. */
  close(transaction: Transaction, row: Checklist, reason: string): Checklist {
    const at = this.objects.now();
    const items = closedItems(row.items, reason, { at, by: currentScope().actor });
    return this.objects.change(transaction, row, { items, completedAt: row.completedAt ?? at }, 'closed');
  }

  /**
   * Changes an item of a locked checklist.
   * @throws Problem as {@link changedItems}; 400 unless `fileId` is an attachment of the record.
   */
  async change(transaction: Transaction, row: Checklist, key: string, change: ChangeChecklistItem): Promise<Checklist> {
    if (change.fileId) await requireAttached(transaction, row.subject.id, change.fileId);
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

async function requireAttached(transaction: Transaction, recordId: string, fileId: string): Promise<void> {
  const found = await transaction.query(statement(ATTACHMENT, [currentTenant().id, recordId, fileId]));
  if (found.length === 0) throw Problem.unknownReference('/fileId');
}
