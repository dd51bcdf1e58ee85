import { Inject, Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { Clock } from '#libs/kernel/clock.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import type { MailState } from '#libs/mail/mail-states.js';
import { oneLine } from '#libs/mail/mail-text.js';
import type { MailCalendar } from '#libs/mail/mailer.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { CANDIDATE_MAILS, TalentLetters } from '../talent.letters.js';
import { calendarOf } from './interview.calendar.js';
import { type Interview, interviews } from './interview.js';

/** Kind of the mails to interviewers. */
const TO_INTERVIEWER = 'talent.interview.interviewer';
// Members without an address have one in `.invalid`, to which nothing can be sent.
const ADDRESSES = `select email from data.memberships where tenant_id = $1 and id = any($2::uuid[])
  and status = 'active' and deleted_at is null and email_lower not like '%.invalid' order by id`;
/** Fields that everybody is told of. */
const TOLD = ['startAt', 'endAt', 'location', 'kind'] as const;

/** Invitations to interviews, their updates and cancellations, for the candidate and the interviewers. */
@Injectable()
export class InterviewLetters {
  constructor(
    private readonly letters: TalentLetters,
    private readonly outbox: MailOutbox,
    private readonly database: Database,
    private readonly tenantSettings: TenantSettings,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** Queues what follows from a change. Nobody is told of interviews that are over. */
  async follow(transaction: Transaction, before: Interview | null, after: Interview): Promise<void> {
    const was = before !== null && this.takesPlace(before);
    if (!this.takesPlace(after)) {
      const isOff = after.status === 'cancelled' || (after.status === 'scheduled' && after.deletedAt !== null);
      if (was && isOff) await this.tellAll(transaction, before, 'CANCEL', after);
      return;
    }
    if (!was || TOLD.some((field) => before[field] !== after[field])) {
      await this.tellAll(transaction, after, 'REQUEST', after);
      if (!was) return;
    } else await this.tellMembers(transaction, after.interviewerIds, without(after, before), 'REQUEST', after);
    await this.tellMembers(transaction, before.interviewerIds, without(before, after), 'CANCEL', after);
  }

  /** State of the newest mail to the candidate; null without one. */
  stateOf(id: string): Promise<MailState | null> {
    return this.letters.stateOf(id);
  }

  private takesPlace({ status, deletedAt, endAt }: Interview): boolean {
    return status === 'scheduled' && deletedAt === null && Date.parse(endAt) > this.clock.nowMs();
  }

  /** Replaces what is still queued about the interview. */
  private async tellAll(
    transaction: Transaction,
    { interviewerIds }: Interview,
    method: MailCalendar['method'],
    row: Interview,
  ): Promise<void> {
    const { id, applicationId, startAt, endAt, kind, location, updatedAt } = row;
    const kinds = [CANDIDATE_MAILS.interview, TO_INTERVIEWER];
    transaction.write(this.outbox.cancel({ kinds, subjectIds: [id] }, updatedAt));
    const name = await this.tenantNameOf();
    const letter = {
      kind: CANDIDATE_MAILS.interview,
      about: { object: interviews.type, path: pathOf(interviews), id },
      applicationId,
      purpose: method === 'REQUEST' ? 'interview-invitation' : 'interview-cancellation',
      subject: 'Your interview',
      data: { interview: { startAt, endAt, kind, location } },
      calendar: this.calendar(row, method, `Interview with ${name}`, name),
      isAnswered: true,
    };
    await this.letters.send(transaction, letter, updatedAt);
    await this.tellMembers(transaction, interviewerIds, interviewerIds, method, row);
  }

  /** @param ids those of `among` who are told */
  private async tellMembers(
    transaction: Transaction,
    among: readonly string[],
    ids: readonly string[],
    method: MailCalendar['method'],
    row: Interview,
  ): Promise<void> {
    const told = among.filter((each) => ids.includes(each));
    if (told.length === 0) return;
    const { id, reference, startAt, endAt, location, updatedAt } = row;
    const { timezone } = (await this.tenantSettings.get()).general;
    const link = linkTo(this.settings, `${pathOf(interviews)}/${id}`);
    const title = oneLine(`${row.name} (${reference})`);
    const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: timezone });
    const text = [
      method === 'REQUEST' ? `You are to hold the interview ${title}.` : `The interview ${title} is off for you.`,
      `${time.formatRange(new Date(startAt), new Date(endAt))} (${timezone})${location === null ? '' : `\n${location}`}`,
      `Open it here:\n${link}`,
    ].join('\n\n');
    const mail = {
      ...{ kind: TO_INTERVIEWER, object: interviews.type, subjectId: id, text, link, expiresAt: endAt },
      subject: `${method === 'REQUEST' ? 'Interview' : 'Cancelled'}: ${title}`,
      calendar: this.calendar(row, method, title, await this.tenantNameOf()),
    };
    const query = statement(ADDRESSES, [currentTenant().id, told]);
    for (const { email: to } of await transaction.query<{ email: string }>(query))
      await this.outbox.add(transaction, { ...mail, to }, updatedAt);
  }

  private calendar(row: Interview, method: MailCalendar['method'], summary: string, name: string): MailCalendar {
    return {
      method,
      content: calendarOf(row, { method, summary, organizer: { name, from: this.settings.MAIL_FROM } }),
    };
  }

  private async tenantNameOf(): Promise<string> {
    const { displayName } = (await this.tenantSettings.get()).branding;
    return oneLine(displayName ?? (await tenantName(this.database)));
  }
}

/** Interviewers of the first who are none of the second. */
function without(first: Interview, second: Interview): string[] {
  return first.interviewerIds.filter((each) => !second.interviewerIds.includes(each));
}
