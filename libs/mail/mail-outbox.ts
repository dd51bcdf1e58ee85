import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { SealedColumn } from '#libs/sealing/sealed-column.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Mail } from './mailer.js';

const ADD = `insert into data.mails (tenant_id, id, kind, subject_id, content, state, due_at, expires_at, created_at)
  values ($1, $2, $3, $4, $5, 'waiting', $6, $7, $6)`;
const CANCEL = `update data.mails set state = 'cancelled', content = null, finished_at = $4
  where tenant_id = $1 and kind = $2 and subject_id = $3 and state = 'waiting'`;
const NEWEST = `select state from data.mails where tenant_id = $1 and kind = any($2::text[]) and subject_id = $3
  order by created_at desc, id desc limit 1`;
// A mail with failed attempts has an error; a mail in its first attempt has none.
const GONE = `select exists (select 1 from data.mails
  where tenant_id = $1 and subject_id = $2 and created_at >= $3 and attempts > 0 and error is null) as found`;

/** States of a mail. `logged`: there is no mail server, so it was not sent. `failed`: refused, or all attempts failed. */
export const MAIL_STATES = ['waiting', 'sent', 'logged', 'failed', 'cancelled'] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** The content of mails. */
export const MAIL_CONTENT = new SealedColumn('data.mails', 'content');

/** A mail to send. */
export interface NewMail extends Omit<Mail, 'id'> {
  /** Format: `area.entity.what_it_is`. */
  kind: string;
  /** Id of the subject. */
  subjectId: string;
  /** When the mail is no longer useful. */
  expiresAt: string;
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
  ) {}

  async add(transaction: Transaction, { kind, subjectId, expiresAt, ...mail }: NewMail, at: string): Promise<void> {
    const id = uuidv7();
    const content = await this.sealer.seal(JSON.stringify(mail), MAIL_CONTENT, id);
    transaction.write(statement(ADD, [currentTenant().id, id, kind, subjectId, content, at, expiresAt]));
  }

  /** The statement that cancels unsent mails of a kind about a subject. */
  cancel({ kind, subjectId }: Pick<NewMail, 'kind' | 'subjectId'>, at: string): Statement {
    return statement(CANCEL, [currentTenant().id, kind, subjectId, at]);
  }

  /** State of the newest mail of these kinds about a subject; null without one. */
  async stateOf(kinds: readonly string[], subjectId: string): Promise<MailState | null> {
    const newest = statement(NEWEST, [currentTenant().id, kinds, subjectId]);
    const [row] = await this.database.read<{ state: MailState }>(newest);
    return row?.state ?? null;
  }

  /**
   * Whether somebody may have received a mail about a subject that was queued at `since` or later, even if waiting
   * mails have already been cancelled in the same transaction.
   */
  async hasGone(transaction: Transaction, subjectId: string, since: string): Promise<boolean> {
    const query = statement(GONE, [currentTenant().id, subjectId, since]);
    const [row] = await transaction.query<{ found: boolean }>(query);
    return row!.found;
  }
}
