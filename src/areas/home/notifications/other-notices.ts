import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import { type Checklist, checklists, type StartedItem } from '#libs/checklists/checklist.js';
import { Database } from '#libs/database/database.js';
import { minuteOf } from '#libs/mail/mail-text.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { SCHEDULED } from '#src/areas/reports/reports.area.js';
import { Audience } from './audience.js';

/** Reasons for a pause about which the owner of the report can do nothing. */
const OF_OWNERS: ReadonlySet<string> = new Set(['owner_inactive', 'owner_not_permitted']);
/** Maximum number of members who are told because of a permission. */
const MOST_KEEPERS = 20;

/**
 * Notifies members of the items of checklists that are assigned to them, of secrets that expire, of reports that are not
 * sent any more, and of access reviews that cannot start or that wait for their revocations.
 */
@Injectable()
export class OtherNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'home.notifications.of_checklist',
      event: `${checklists.type}.started`,
      onBehalf: { of: 'readers' },
      handle: async (event) => this.tellAssignees(event, (await this.audience.authorOf(event.actor)).id),
    });
    this.automations.on({
      flow: 'home.notifications.of_checklist_assignment',
      event: `${checklists.type}.assigned`,
      onBehalf: { of: 'readers' },
      handle: (event) => this.tellAssignees(event, null), // a consequence of something else, also for its author
    });
    this.automations.on({
      flow: 'home.notifications.of_secret',
      event: 'core.secret.expiring',
      onBehalf: { of: 'readers' },
      handle: (event) => this.tellKeepers(event),
    });
    this.automations.on({
      flow: 'home.notifications.of_paused_report',
      event: 'reports.report.paused',
      onBehalf: { of: 'readers' },
      handle: (event) => this.tellOfPause(event),
    });
    this.automations.on({
      flow: 'home.notifications.of_access_review',
      event: 'compliance.access_review.start_failed',
      onBehalf: { of: 'readers' },
      handle: (event) => {
        const { name, startError } = event.data as { name: string; startError: string };
        return this.tellOfReview(event, {
          title: `The access review ${name} could not start`,
          body: `Error: ${startError}. Start its draft by hand once that is resolved; otherwise it is tried again after another period.`,
        });
      },
    });
    this.automations.on({
      flow: 'home.notifications.of_decided_access_review',
      event: 'compliance.access_review.decisions_finished',
      onBehalf: { of: 'readers' },
      handle: (event) => {
        const { name, overdueAt } = event.data as { name: string; overdueAt: string | null };
        const late = overdueAt === null ? '' : 'It ended without all decisions, so some items have the default one. ';
        return this.tellOfReview(event, {
          title: `The access review ${name} is decided`,
          body: `${late}Nothing is removed before somebody completes it.`,
        });
      },
    });
  }

  /** Tells the owner of a report, and if they can do nothing about it, those who manage reports. */
  private tellOfPause({ data, subject: { type: object, id, url } }: AutomationEvent): Promise<void> {
    const { name, ownerId, pausedReason } = data as { name: string; ownerId: string; pausedReason: string };
    return this.database.transaction(async (transaction) => {
      const others = OF_OWNERS.has(pausedReason) ? await this.holders.find(SCHEDULED.told.holdersOf, MOST_KEEPERS) : [];
      const title = `The schedule of the report ${name} is paused`;
      const body = `Reason: ${pausedReason}. It is not sent until its schedule is set again.`;
      await this.notifier.tell(transaction, { kind: 'report', subject: { object, id }, url, title, body }, [
        ...new Set([ownerId, ...others]),
      ]);
    });
  }

  private tellOfReview(
    { subject: { type: object, id, url } }: AutomationEvent,
    text: { title: string; body: string },
  ): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const notice = { kind: 'review', subject: { object, id }, url: `${url}?campaignId=${id}`, ...text } as const;
      await this.notifier.tell(transaction, notice, await this.holders.find('access-reviews:manage', MOST_KEEPERS));
    });
  }

  /** Tells members, except the author, of the items that are newly assigned to them. */
  private tellAssignees({ data, changes, subject: { url } }: AutomationEvent, authorId: string | null): Promise<void> {
    const { title, subject, items } = data as unknown as Checklist; // its schema is that of the checklist
    return this.database.transaction(async (transaction) => {
      const before = new Map(itemsBefore(changes).map((item) => [item.key, item.assigneeId]));
      const assigned = items.filter(
        ({ key, assigneeId }) => assigneeId !== null && assigneeId !== authorId && assigneeId !== before.get(key),
      );
      for (const [assigneeId, own] of Map.groupBy(assigned, (item) => item.assigneeId!)) {
        const body = own.map((item) => item.title).join(', ');
        const notice = { kind: 'assignment', subject, url, title: `Assigned to you: ${title}`, body } as const;
        await this.notifier.tell(transaction, notice, [assigneeId]);
      }
    });
  }

  private tellKeepers({ data, subject: { type: object, id, url } }: AutomationEvent): Promise<void> {
    const { name, expiresAt } = data as { name: string; expiresAt: string };
    return this.database.transaction(async (transaction) => {
      const notice = {
        kind: 'security',
        subject: { object, id },
        url,
        title: `The secret ${name} expires soon`,
        body: `It expires at ${minuteOf(expiresAt)}.`,
      } as const;
      await this.notifier.tell(transaction, notice, await this.holders.find('secrets:manage', MOST_KEEPERS));
    });
  }
}

function itemsBefore(changes: object | null): StartedItem[] {
  return (changes as { items?: { from: StartedItem[] } } | null)?.items?.from ?? [];
}
