import { Inject, Injectable, Logger } from '@nestjs/common';
import { every, type Guard } from '#libs/access/guard.js';
import { asMember } from '#libs/auth/as-member.js';
import { Authorities } from '#libs/auth/authority.js';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { logFailure } from '#libs/database/log-failure.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { addDays, civilDateAt, instantAtMs } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { oneLine } from '#libs/mail/mail-text.js';
import { choicesOf } from '#libs/members/notification-choices.js';
import { settingsNote } from '#libs/notifications/notice.js';
import type { Notification } from '#libs/notifications/notification.js';
import { NotificationsRepository } from '#libs/notifications/notifications.repository.js';
import { NOTIFICATIONS_PATH } from '#libs/notifications/notifier.js';
import { disclosing } from '#libs/resource/access/disclosure.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { TenantUpkeep } from '#libs/worker/tenant-upkeep.js';
import { type DigestReader, DigestsRepository } from './digests.repository.js';
import { ABOUT } from './inbox.service.js';

/** A daily mail is sent at most this long after its time. */
const EVERY_MS = 300_000;
const MAIL_KIND = 'core.notification';
const MOST_LINES = 50;

/** Sends each member one mail a day with what is unread, at the time that they have chosen in their time zone. */
@Injectable()
export class DigestUpkeep extends TenantUpkeep {
  readonly onBehalf = { of: 'readers' } as const;
  private readonly logger = new Logger('worker');

  constructor(
    private readonly digests: DigestsRepository,
    private readonly notifications: NotificationsRepository,
    private readonly registry: ResourceRegistry,
    private readonly authorities: Authorities,
    private readonly outbox: MailOutbox,
    private readonly tenantSettings: TenantSettings,
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    tenants: TenantFactsReader,
  ) {
    super('Daily mails', EVERY_MS, 'home', tenants);
  }

  /** A failure for one tenant does not delay others. */
  protected async keepUp({ slug }: TenantFacts): Promise<void> {
    try {
      const { timezone } = (await this.tenantSettings.get()).general;
      for (const reader of await this.digests.waiting()) await this.send(reader, reader.timezone ?? timezone);
    } catch (error) {
      logFailure(this.logger, `Daily mails of the tenant ${slug} could not be sent`, error);
    }
  }

  private async send(reader: DigestReader, timezone: string): Promise<void> {
    const nowMs = this.clock.nowMs();
    const { day, dueMs } = lastDigest(nowMs, choicesOf(reader.own).digestAt, timezone);
    if (reader.sentOn !== null && reader.sentOn >= day) return;
    await this.database.transaction(async (transaction) => {
      const rows = await this.unreadOf(transaction, reader.id, new Date(dueMs).toISOString());
      if (rows.length === 0 || !(await this.digests.claim(transaction, reader.id, day))) return;
      const at = new Date(nowMs).toISOString();
      const mail = await this.mailOf(rows);
      const expiresAt = new Date(nowMs + DAY_MS).toISOString();
      const about = { kind: MAIL_KIND, subjectId: reader.id };
      await this.outbox.add(
        transaction,
        { ...mail, ...about, to: reader.address, expiresAt, unsubscribe: 'notifications' },
        at,
      );
      transaction.write(
        this.digests.mailed(
          rows.map(({ id }) => id),
          at,
        ),
      );
    });
  }

  /** The notifications for the daily mail, without those about records that the member can no longer see. */
  private async unreadOf(transaction: Transaction, memberId: string, before: string): Promise<Notification[]> {
    const own: Guard = (add) => `t.member_id = ${add(memberId)} and t.email = 'daily' and t.mailed_at is null
      and t.read_at is null and t.created_at < ${add(before)}::timestamptz`;
    const rows = await asMember(this.authorities, memberId, () =>
      this.notifications.lockAll(transaction, every(own, disclosing(this.registry, ABOUT))!),
    );
    return rows ?? [];
  }

  private async mailOf(rows: readonly Notification[]) {
    const total = rows.reduce((sum, { count }) => sum + count, 0);
    const subject = `${oneLine(await tenantName(this.database))}: ${total} ${total === 1 ? 'notification' : 'notifications'}`;
    const lines = rows.slice(0, MOST_LINES).map(({ title, count, url }) => {
      const times = count === 1 ? '' : ` (${count} times)`;
      return `- ${title}${times}${url === null ? '' : `\n  ${linkTo(this.settings, url)}`}`;
    });
    const more = rows.length - lines.length;
    const link = linkTo(this.settings, `${NOTIFICATIONS_PATH}?unread=true`);
    const rest = more > 0 ? [`There are ${more} more.`] : [];
    const text = [lines.join('\n'), ...rest, `See all:\n${link}`, settingsNote()].join('\n\n');
    return { subject, text, link };
  }
}

/** The last daily mail whose time has come: its local day and its time. */
function lastDigest(nowMs: number, digestAt: string, timezone: string): { day: string; dueMs: number } {
  const today = civilDateAt(nowMs, timezone);
  const dueMs = instantAtMs(today, digestAt, timezone);
  if (dueMs <= nowMs) return { day: today, dueMs };
  const yesterday = addDays(today, -1);
  return { day: yesterday, dueMs: instantAtMs(yesterday, digestAt, timezone) };
}
