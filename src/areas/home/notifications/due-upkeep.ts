import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { addDays, civilDateAt } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { TenantUpkeep } from '#libs/worker/tenant-upkeep.js';
import { type DueItem, dueStatement } from './due.queries.js';

const EVERY_MS = 3_600_000;
/** Days before the due date. */
const NOTICE_DAYS = 1;
/** What was already overdue for longer when it was first seen is not told. */
const LATE_DAYS = 7;

/** Notifies members of what is due soon or overdue, once per item and due date. Days are those of the tenant. */
@Injectable()
export class DueUpkeep extends TenantUpkeep {
  constructor(
    private readonly notifier: Notifier,
    private readonly subjects: RecordSubjects,
    private readonly settings: TenantSettings,
    private readonly database: Database,
    private readonly clock: Clock,
    tenants: TenantFactsReader,
  ) {
    super('Notices of due dates', EVERY_MS, 'home', tenants);
  }

  protected async keepUp(): Promise<void> {
    const { timezone } = (await this.settings.get()).general;
    const today = civilDateAt(this.clock.nowMs(), timezone);
    const query = dueStatement(addDays(today, -LATE_DAYS), today, addDays(today, NOTICE_DAYS));
    for (const item of await this.database.read<DueItem>(query)) await this.tell(item, today);
  }

  private tell({ memberId, kind, object, id, name, dueDate, once }: DueItem, today: string): Promise<void> {
    const when = kind === 'overdue' ? `Overdue since ${dueDate}` : dueDate === today ? 'Due today' : 'Due tomorrow';
    const notice = {
      kind,
      subject: { object, id },
      title: `${when}: ${name}`,
      url: this.subjects.urlOf(object, id),
      once,
    };
    return this.database.transaction((transaction) => this.notifier.tell(transaction, notice, [memberId]));
  }
}
