import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { OwnChoices } from '#libs/members/notification-choices.js';
import { currentTenant } from '#libs/tenancy/scope.js';

// Members without an address have one in `.invalid`, to which nothing can be sent.
const WAITING = `
  select m.id, m.email as address, m.timezone, m.notifications as own, d.sent_on::text as "sentOn"
  from (select distinct member_id from data.notifications
      where tenant_id = $1 and email = 'daily' and mailed_at is null and read_at is null) n
    join data.memberships m on m.tenant_id = $1 and m.id = n.member_id
    left join data.notification_digests d on d.tenant_id = $1 and d.member_id = m.id
  where m.status = 'active' and m.deleted_at is null and m.email_lower not like '%.invalid' order by m.id`;
const CLAIM = `
  insert into data.notification_digests as d (tenant_id, member_id, sent_on) values ($1, $2, $3)
  on conflict (tenant_id, member_id) do update set sent_on = excluded.sent_on where d.sent_on < excluded.sent_on
  returning member_id`;
const MAILED = `update data.notifications set mailed_at = $3 where tenant_id = $1 and id = any($2::uuid[])`;

/** A member with notifications for the daily mail. */
export interface DigestReader {
  id: string;
  address: string;
  /** Null uses the time zone of the tenant. */
  timezone: string | null;
  own: OwnChoices;
  /** Local day of the last daily mail; null before the first. */
  sentOn: string | null;
}

/** Daily mails. */
@Injectable()
export class DigestsRepository {
  constructor(private readonly database: Database) {}

  waiting(): Promise<DigestReader[]> {
    return this.database.read<DigestReader>(statement(WAITING, [currentTenant().id]));
  }

  /** Records that a member gets the mail of a day. False if they already have it, or that of a later day. */
  async claim(transaction: Transaction, memberId: string, day: string): Promise<boolean> {
    return (await transaction.query(statement(CLAIM, [currentTenant().id, memberId, day]))).length > 0;
  }

  mailed(ids: readonly string[], at: string): Statement {
    return statement(MAILED, [currentTenant().id, ids, at]);
  }
}
