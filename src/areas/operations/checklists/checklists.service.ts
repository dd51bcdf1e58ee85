import { Injectable } from '@nestjs/common';
import { type ChangeChecklistItem, type Checklist, checklists } from '#libs/checklists/checklist.js';
import { skipsRequired } from '#libs/checklists/checklist.rules.js';
import { Checklists } from '#libs/checklists/checklists.js';
import { callerOrNull, requireForSure } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem } from '#libs/kernel/problem.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { lockDeletions, refuseHeld } from '#libs/resource/retention/holds.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import { ChecklistTemplatesService } from '#src/areas/settings/checklist-templates/checklist-templates.service.js';
import { refuseArchived, RecordSubjects } from '#libs/resource/access/record-subjects.js';
import type { ChecklistQuery, StartChecklist } from './checklist.requests.js';

const WRITE = 'checklists:write';
const READ_TEMPLATES = 'checklists:read';
const MANAGE = 'checklists:manage';
const EMPLOYEE = 'people.employee';

type Shown = ShownObject<Checklist>;

/** Checklists of records that the caller can see. */
@Injectable()
export class ChecklistsService {
  constructor(
    private readonly core: Checklists,
    private readonly calendars: CalendarsService,
    private readonly templates: ChecklistTemplatesService,
    private readonly subjects: RecordSubjects,
    private readonly registry: ResourceRegistry,
    private readonly cursors: Cursors,
  ) {}

  /** @throws Problem 404 for a record that the caller cannot see. */
  async list(query: ChecklistQuery): Promise<Page<Shown>> {
    const [object, id] = query.subject.split(':') as [string, string];
    await this.subjects.named(object, id);
    const rows = await this.core.objects.rows.all((add) => `t.subject_id = ${add(id)}`);
    const isOpen = await Promise.all(rows.map((row) => this.isOpen(row)));
    const visible = rows.filter((_row, i) => isOpen[i]);
    const { data, page } = pageOfAll(visible, query, this.cursors, [checklists.type]);
    return { data: data.map((row) => this.core.objects.view(row)), page };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<Shown> {
    const row = await this.found(id);
    await this.subjects.named(row.subject.object, row.subject.id);
    return this.core.objects.view(row);
  }

  /** @throws Problem 403 without `checklists:read`; 400 for an unknown template or record; 409 `record_locked` for an archived record. */
  async start({ templateId, subject, startDate }: StartChecklist): Promise<Shown> {
    await requireForSure(READ_TEMPLATES);
    const record = await this.visible(subject);
    refuseArchived(record);
    const template = await this.templates.records.find(templateId);
    if (template?.archivedAt !== null) throw Problem.unknownReference('/templateId');
    const days = await this.calendars.businessDays();
    return this.core.objects.unit((transaction) => {
      const { name: title, appliesTo: kind, checklistItems: items } = template;
      const date = startDate ?? this.core.objects.now().slice(0, 10);
      const own = {
        title,
        kind,
        items,
        templateId,
        subject,
        startDate: date,
        days,
        holders: { owner: record.ownerId },
      };
      return Promise.resolve(this.core.objects.view(this.core.start(transaction, own)));
    });
  }

  /** @throws Problem 403 for skipping a required item without `checklists:manage`; see also {@link Checklists.change}. */
  async change(id: string, key: string, change: ChangeChecklistItem): Promise<Shown> {
    const { subject, items } = await this.found(id);
    refuseArchived(await this.subjects.namedFor(subject.object, subject.id, WRITE));
    if (skipsRequired(items, key, change)) await this.subjects.namedFor(subject.object, subject.id, MANAGE);
    return this.core.objects.unit(async (transaction) => {
      const row = await this.core.objects.lock(transaction, id);
      return this.core.objects.view(await this.core.change(transaction, row, key, change));
    });
  }

  /** @throws Problem 423 if a legal hold covers the record. */
  async remove(id: string): Promise<Deleted> {
    const { subject } = await this.found(id);
    refuseArchived(await this.subjects.namedFor(subject.object, subject.id, MANAGE));
    return this.core.objects.delete(id, (row, transaction) => this.refuseHeld(transaction, row));
  }

  private async found(id: string): Promise<Checklist> {
    const row = await this.core.objects.rows.find(id);
    if (!row || !(await this.isOpen(row))) throw Problem.notFound();
    return row;
  }

  /**
   * Whether the caller may see a checklist of a record that they can read. The dates of an offboarding disclose the last
   * day of the employee, so it is limited to callers who may see that day, and to assignees.
   */
  private async isOpen({ kind, subject, items }: Checklist): Promise<boolean> {
    if (kind !== 'offboarding' || subject.object !== EMPLOYEE) return true;
    const membershipId = callerOrNull()?.membershipId ?? null;
    if (membershipId !== null && items.some(({ assigneeId }) => assigneeId === membershipId)) return true;
    return this.registry.ofType(EMPLOYEE)!.service.isOpen(subject.id, null, ['terminationDate']);
  }

  /** The record that a body names. @throws Problem 400 if the caller cannot see it, 403 without `checklists:write`. */
  private async visible({ object, id }: Checklist['subject']) {
    try {
      return await this.subjects.namedFor(object, id, WRITE);
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') throw Problem.unknownReference('/subject');
      throw error;
    }
  }

  private refuseHeld(transaction: Transaction, { subject }: Checklist): void {
    const { table } = this.registry.ofType(subject.object)!.service;
    transaction.write(lockDeletions());
    transaction.write(refuseHeld(table, subject.object, subject.id));
  }
}
