import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { type MailContent, MailOutbox } from '#libs/mail/mail-outbox.js';
import type { MailState } from '#libs/mail/mail-states.js';
import { replyAddress } from '#libs/mail/reply-address.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** Kinds of the mails to candidates. */
export const CANDIDATE_MAILS = {
  acknowledgement: 'talent.application.acknowledgement',
  rejection: 'talent.application.rejection',
  offer: 'talent.offer.sent',
  interview: 'talent.interview.invitation',
} as const;

/** Days after which an unsent mail is not sent any more. */
const USEFUL_DAYS = 7;
const RECIPIENT = `select c.email, c.name, c.first_name as "firstName", j.name as "jobName"
  from data.talent_applications a
    join data.talent_candidates c on c.tenant_id = a.tenant_id and c.id = a.candidate_id
    left join data.talent_jobs j on j.tenant_id = a.tenant_id and j.id = a.job_id
  where a.tenant_id = $1 and a.id = $2 and c.email is not null and c.deleted_at is null and c.archived_at is null
    and c.anonymized_at is null and not coalesce((c.consent->>'doNotContact')::boolean, false)`;

/** Whom a mail is for. */
export interface Recipient {
  email: string;
  name: string;
  firstName: string | null;
  jobName: string | null;
}

/** A mail to the candidate of an application. */
export interface CandidateLetter extends Pick<MailContent, 'subject' | 'calendar'> {
  kind: string;
  /** Type key, path and id of the record that the mail is about. */
  about: { object: string; path: string; id: string };
  applicationId: string;
  /** If the application and its candidate are about to be written. */
  recipient?: Recipient;
  /** Key of the template. */
  purpose: string;
  /** What the template shows besides candidate and job. */
  data?: Record<string, unknown>;
  /** Whether the candidate is to answer, to the member who acts. Other mails can be ended with one click. */
  isAnswered?: boolean;
}

/** Mails to candidates. They contain nothing but what they are given. */
@Injectable()
export class TalentLetters {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** Queues a mail to the candidate of an application, unless they have no address or must not be contacted. */
  async send(transaction: Transaction, letter: CandidateLetter, at: string): Promise<void> {
    const { kind, about, applicationId, purpose, data, subject, calendar, isAnswered = false } = letter;
    const recipient = letter.recipient ?? (await this.recipientOf(transaction, applicationId));
    if (!recipient) return;
    const { email: to, name, firstName, jobName } = recipient;
    const job = jobName === null ? {} : { job: { name: jobName } };
    const mail = {
      ...{ kind, object: about.object, subjectId: about.id, to, subject, text: null },
      link: linkTo(this.settings, `${about.path}/${about.id}`),
      template: { purpose, locale: null, data: { candidate: { name, firstName }, ...job, ...data } },
      ...(isAnswered ? await replyAddress(this.database) : { unsubscribe: 'candidates' as const }),
      ...(calendar === undefined ? {} : { calendar }),
      expiresAt: new Date(Date.parse(at) + USEFUL_DAYS * DAY_MS).toISOString(),
    };
    await this.outbox.add(transaction, mail, at);
  }

  /** Cancels mails to candidates about some records that are still queued. */
  cancel(transaction: Transaction, subjectIds: readonly string[], at: string): void {
    transaction.write(this.outbox.cancel({ kinds: Object.values(CANDIDATE_MAILS), subjectIds }, at));
  }

  /** State of the newest mail to the candidate about a record; null without one. */
  stateOf(subjectId: string): Promise<MailState | null> {
    return this.outbox.stateOf(Object.values(CANDIDATE_MAILS), subjectId);
  }

  private async recipientOf(transaction: Transaction, applicationId: string): Promise<Recipient | undefined> {
    const query = statement(RECIPIENT, [currentTenant().id, applicationId]);
    return (await transaction.query<Recipient>(query))[0];
  }
}
