import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { UNDELIVERED } from '#libs/mail/mail-delivery.js';
import type { MailState } from '#libs/mail/mail-states.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Audience } from './audience.js';

const MAIL = `select state, subject_type as object, subject_id as "subjectId", actor_type as "actorType",
    actor_id as "actorId"
  from data.mails where tenant_id = $1 and id = $2`;
/** Maximum number of members who are told because of a permission. */
const MOST_READERS = 20;

const WHY: Partial<Record<MailState, string>> = {
  bounced: 'The mail server refused the address of the recipient. Correct it, and send it again.',
  refused: 'The mail server refused the mail. Reach the recipient in another way.',
  failed: 'All attempts to send it failed. Send it again, or reach the recipient in another way.',
  unconfirmed:
    'The connection to the mail server was lost before it confirmed the mail. It may have arrived, so it was not repeated. Ask the recipient before you send it again.',
};

interface UndeliveredMail {
  state: MailState;
  object: string;
  subjectId: string;
  actorType: ActorStamp['type'];
  actorId: string | null;
}

/** Tells whoever caused a mail that it was not sent; else the owner of the record, or those who manage the tenant. */
@Injectable()
export class MailNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly subjects: RecordSubjects,
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.automations.timer({ kind: UNDELIVERED, onBehalf: { of: 'readers' }, fire: (id) => this.tell(id) });
  }

  private tell(mailId: string): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const [mail] = await transaction.query<UndeliveredMail>(statement(MAIL, [currentTenant().id, mailId]));
      const { object, subjectId: id, state, actorType: type, actorId } = mail!; // mails are kept
      const record = await this.subjects.ifVisible(object, id);
      if (!record && this.subjects.knows(object)) return; // deleted or erased since
      const author = await this.audience.authorOf({ type, id: actorId, name: '' });
      const told = author.id ?? record?.ownerId;
      const notice = {
        kind: 'assignment',
        subject: { object, id },
        url: record?.url ?? null,
        title: `Mail not sent: ${record?.name ?? object.slice(object.indexOf('.') + 1).replaceAll('_', ' ')}`,
        body: WHY[state] ?? null,
      } as const;
      await this.notifier.tell(
        transaction,
        notice,
        told ? [told] : await this.holders.find('settings:manage', MOST_READERS),
      );
    });
  }
}
