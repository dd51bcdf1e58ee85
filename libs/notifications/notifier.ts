import { Inject, Injectable } from '@nestjs/common';
import { asMember } from '#libs/auth/as-member.js';
import { Authorities } from '#libs/auth/authority.js';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { storableText } from '#libs/kernel/storable.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { oneLine } from '#libs/mail/mail-text.js';
import { choiceOf, type EmailChoice, type NotificationKind } from '#libs/members/notification-choices.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { currentTenant, stamp } from '#libs/tenancy/scope.js';
import { type Letter, letterOf, type Notice } from './notice.js';
import type { Notification } from './notification.js';
import { NotificationsRepository, type Reader } from './notifications.repository.js';

/** Unread notifications of one kind and subject within this time are one. */
const GROUPED_MS = 10 * 60_000;
/** A mail that cannot be sent within this time is no longer useful. */
const USEFUL_MS = 5 * 86_400_000;
const MAX_TITLE = 300;
const MAX_BODY = 1_000;
/** Path of the list of a member's notifications. */
export const NOTIFICATIONS_PATH = '/api/home/notifications';
/** Kind of mails that have no subject. */
const MAIL_KIND = 'core.notification';

/** A member who wants to be told. */
interface WantingReader extends Reader {
  inApp: boolean;
  email: EmailChoice;
}

/** The only way to tell members something: in the list of their notifications and by mail, as they have chosen. */
@Injectable()
export class Notifier {
  constructor(
    private readonly repository: NotificationsRepository,
    private readonly subjects: RecordSubjects,
    private readonly authorities: Authorities,
    private readonly outbox: MailOutbox,
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /**
   * Tells those of the members who are active, want it and may see the record. The caller leaves out the member who
   * caused it.
   */
  async tell(transaction: Transaction, notice: Notice, memberIds: readonly string[]): Promise<void> {
    if (memberIds.length === 0) return;
    const readers = await this.repository.readers(transaction, memberIds);
    const wanting = readers
      .map((reader) => wantingOf(reader, notice.kind))
      .filter(({ inApp, email }) => inApp || email !== 'none');
    if (notice.subject && wanting.length > 0) transaction.write(this.repository.oneByOne(notice.subject.id));
    for (const reader of wanting)
      if (await this.mayKnow(reader.id, notice)) await this.tellOne(transaction, reader, notice);
  }

  /** Whether anybody was told about a subject since a time. */
  hasTold(transaction: Transaction, kind: NotificationKind, subjectId: string, since: string): Promise<boolean> {
    return this.repository.hasTold(transaction, kind, subjectId, since);
  }

  private async tellOne(transaction: Transaction, reader: WantingReader, notice: Notice): Promise<void> {
    const at = stamp(this.clock);
    const isMailed = reader.email === 'instant' && notice.letter !== null;
    const row = rowOf(reader, notice, at, isMailed);
    const since = new Date(Date.parse(at) - GROUPED_MS).toISOString();
    const isMerged =
      row.once === null && row.subjectId !== null && (await this.repository.merge(transaction, row, since));
    if (!isMerged && !(await this.repository.add(transaction, row))) return;
    if (row.count > 1) transaction.write(this.repository.remember(row, notice.once!.slice(1)));
    if (isMailed && (!isMerged || notice.letter)) await this.mail(transaction, reader.address!, notice, row);
  }

  private async mail(transaction: Transaction, to: string, notice: Notice, row: Notification): Promise<void> {
    const { subject, url } = notice;
    const link = linkTo(this.settings, url ?? NOTIFICATIONS_PATH);
    const letter: Letter =
      notice.letter ??
      letterOf(
        { ...notice, title: row.title, body: row.body },
        {
          tenant: oneLine(await tenantName(this.database)),
          link,
          expiresAt: new Date(Date.parse(row.updatedAt) + USEFUL_MS).toISOString(),
        },
      );
    const about = { kind: subject?.object ?? MAIL_KIND, subjectId: subject?.id ?? row.id };
    // A member cannot end mails about the security of the account.
    const ending = notice.kind === 'security' ? {} : { unsubscribe: 'notifications' as const };
    await this.outbox.add(transaction, { ...about, ...letter, ...ending, to, link }, row.updatedAt);
  }

  private async mayKnow(memberId: string, { subject }: Notice): Promise<boolean> {
    if (!subject || !this.subjects.knows(subject.object)) return true;
    const seen = await asMember(this.authorities, memberId, () => this.subjects.ifVisible(subject.object, subject.id));
    return seen !== null;
  }
}

function wantingOf(reader: Reader, kind: NotificationKind): WantingReader {
  const { inApp, email } = choiceOf(reader.own, kind);
  return { ...reader, inApp, email: reader.address === null ? 'none' : email };
}

function rowOf(
  { id: memberId, inApp, email }: WantingReader,
  notice: Notice,
  at: string,
  isMailed: boolean,
): Notification {
  const { kind, subject, title, body = null, commentId = null, url, once = [] } = notice;
  return {
    tenantId: currentTenant().id,
    id: uuidv7(),
    memberId,
    kind,
    subjectType: subject?.object ?? null,
    subjectId: subject?.id ?? null,
    title: storableText(oneLine(title), MAX_TITLE),
    body: body === null ? null : storableText(body, MAX_BODY),
    commentId,
    url,
    count: Math.max(once.length, 1),
    inApp,
    email,
    mailedAt: isMailed ? at : null,
    readAt: null,
    once: once[0] ?? null,
    createdAt: at,
    updatedAt: at,
  };
}
