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

/**
 * Notifies members of what is due soon or overdue, once per item and due date, all of
 * one record together. Days are those of the tenant.
 */
@Injectable()
export class DueUpkeep extends TenantUpkeep {
  readonly onBehalf = { of: 'readers' } as const;

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
    const items = await this.database.read<DueItem>(query);
    const groups = Map.groupBy(items, ({ memberId, kind, id }) => [memberId, kind, id].join('|'));
    for (const group of groups.values()) await this.tell(group, today);
  }

  /** Tells what a member has to do about one record. */
  private tell(items: readonly DueItem[], today: string): Promise<void> {
    const { memberId, kind, object, id } = items[0]!;
    const [title, ...others] = items.map((item) => `${whenOf(item, today)}: ${item.name}`);
    const notice = {
      kind,
      subject: { object, id },
      ...(others.length === 0
        ? { title: title! }
        : { title: `${title} and ${others.length} more`, body: [title, ...others].join('\n') }),
      url: this.subjects.urlOf(object, id),
      once: items.map(({ once }) => once),
    };
    return this.database.transaction((transaction) => this.notifier.tell(transaction, notice, [memberId]));
  }
}

function whenOf({ kind, dueDate }: DueItem, today: string): string {
  if (kind === 'overdue') return `Overdue since ${dueDate}`;
  return dueDate === today ? 'Due today' : 'Due tomorrow';
}
