import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { FileContents } from '#libs/files/file-contents.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { SealedColumn } from '#libs/sealing/sealed-column.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { type MailState, WORST_FIRST } from './mail-states.js';
import { oneLine } from './mail-text.js';
import type { MailTemplate } from './mail-templates.js';
import type { Mail, MailAttachment, MailCalendar } from './mailer.js';
import type { SuppressionGroup } from './suppressions.js';

const ADD = `insert into data.mails (tenant_id, id, kind, subject_type, subject_id, content, state, due_at, expires_at,
    created_at, actor_type, actor_id)
  values ($1, $2, $3, $8, $4, $5, 'queued', $6, $7, $6, $9, $10)`;
const CANCEL = `update data.mails set state = 'cancelled', content = null, finished_at = $4
  where tenant_id = $1 and kind = any($2::text[]) and subject_id = any($3::uuid[]) and state = 'queued'`;
const NEWEST = `select state from data.mails where tenant_id = $1 and kind = any($2::text[]) and subject_id = $3
    and created_at = (select max(created_at) from data.mails
      where tenant_id = $1 and kind = any($2::text[]) and subject_id = $3)
  order by array_position($4::text[], state) limit 1`;
// What is cancelled while it is queued is not sent, even if a worker is about to.
const GONE = `select exists (select 1 from data.mails where tenant_id = $1 and subject_id = $2 and created_at >= $3
  and state in ('sending', 'sent', 'logged', 'unconfirmed')) as found`;

/** Days for which the links in a mail to files that are too large for it work. */
export const LINKED_DAYS = 7;

/** The content of mails. */
export const MAIL_CONTENT = new SealedColumn('data.mails', 'content');

/** What the uses of contents by mails are called. */
export const MAIL_OBJECT = 'core.mail';

/** A file to attach: a text, or a content that the platform keeps, which is read when the mail is sent. */
export type NewAttachment = Omit<MailAttachment, 'content'> & ({ contentId: string } | { text: string });

/** What is kept of a mail until it is sent. */
export interface MailContent extends Pick<Mail, 'to' | 'subject' | 'link' | 'replyTo'> {
  /** Null if the platform has a template for the purpose of the mail. */
  text: string | null;
  /** Groups of mails that the recipient can end with one click; none for mails that belong to business. */
  unsubscribe?: SuppressionGroup;
  calendar?: MailCalendar;
  /** Those that make the mail too large are links in it instead, which work for a week. */
  attachments?: readonly NewAttachment[];
  /** The template of the tenant that replaces subject and text, if there is one. */
  template?: MailTemplate;
}

/** A mail to send. */
export interface NewMail extends MailContent {
  /** Format: `area.entity.what_it_is`. */
  kind: string;
  /** Id of the subject. */
  subjectId: string;
  /** Type key of the subject. If given, who caused the mail, or the owner of the record, is told if it is not sent. */
  object?: string;
  /** When the mail is no longer useful. */
  expiresAt: string;
}

/** Names the mails of some kinds about some subjects. */
export interface MailsAbout {
  kinds: readonly string[];
  subjectIds: readonly string[];
}

/**
 * Outgoing mails, committed with the change that causes them. The worker sends them, so neither a crash nor an
 * unavailable mail server loses one. Their content is encrypted, because it may contain a token, and deleted after
 * sending.
 */
@Injectable()
export class MailOutbox {
  constructor(
    private readonly sealer: Sealer,
    private readonly database: Database,
    private readonly contents: FileContents,
  ) {}

  async add(transaction: Transaction, mail: NewMail, at: string): Promise<void> {
    const { kind, subjectId, object = null, expiresAt, ...given } = mail;
    const id = uuidv7();
    const text = JSON.stringify({ ...given, subject: oneLine(given.subject) } satisfies MailContent);
    const content = await this.sealer.seal(text, MAIL_CONTENT, id);
    const { actor } = currentScope();
    const values = [kind, subjectId, content, at, expiresAt, object, actor.type, actor.id];
    transaction.write(statement(ADD, [currentTenant().id, id, ...values]));
    const usedUntil = new Date(Date.parse(expiresAt) + LINKED_DAYS * DAY_MS).toISOString();
    for (const each of given.attachments ?? [])
      if ('contentId' in each)
        this.contents.use(transaction, each.contentId, { object: MAIL_OBJECT, id, expiresAt: usedUntil });
  }

  /** The statement that cancels mails that are still queued. */
  cancel({ kinds, subjectIds }: MailsAbout, at: string): Statement {
    return statement(CANCEL, [currentTenant().id, kinds, subjectIds, at]);
  }

  /** State of the newest mail of these kinds about a subject, the worst of several at once; null without one. */
  async stateOf(kinds: readonly string[], subjectId: string): Promise<MailState | null> {
    const newest = statement(NEWEST, [currentTenant().id, kinds, subjectId, WORST_FIRST]);
    const [row] = await this.database.read<{ state: MailState }>(newest);
    return row?.state ?? null;
  }

  /** Whether somebody may have received a mail about a subject that was queued at `since` or later. */
  async hasGone(transaction: Transaction, subjectId: string, since: string): Promise<boolean> {
    const query = statement(GONE, [currentTenant().id, subjectId, since]);
    const [row] = await transaction.query<{ found: boolean }>(query);
    return row!.found;
  }
}
