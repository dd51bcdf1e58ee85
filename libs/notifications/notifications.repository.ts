import { Injectable } from '@nestjs/common';
import { guarded, type Guard } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import type { OwnChoices } from '#libs/members/notification-choices.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Notification } from './notification.js';

// Members without an address have one in `.invalid`, to which nothing can be sent.
const READERS = `select m.id, m.notifications as own, case when m.email_lower not like '%.invalid' then m.email end as address
  from data.memberships m
  where m.tenant_id = $1 and m.id = any($2::uuid[]) and m.status = 'active' and m.deleted_at is null order by m.id`;
const MERGE = `
  update data.notifications set count = count + 1, title = $5, body = $6, comment_id = $10, url = $7, updated_at = $8,
    mailed_at = case when email = 'daily' then null else mailed_at end
  where tenant_id = $1 and id = (select n.id from data.notifications n
    where n.tenant_id = $1 and n.member_id = $2 and n.kind = $3 and n.subject_id = $4 and n.read_at is null
      and n.once is null and n.created_at > $9 order by n.created_at desc limit 1)
  returning id`;
const ADD = `
  insert into data.notifications (tenant_id, id, member_id, kind, subject_type, subject_id, title, body, url, count,
    in_app, email, mailed_at, once, created_at, updated_at, comment_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $15, $10, $11, $12, $13, $14, $14, $16)
  on conflict (tenant_id, member_id, once) do nothing returning id`;
const REMEMBER = `
  insert into data.notifications (tenant_id, id, member_id, kind, subject_type, subject_id, title, count, in_app, email,
    read_at, once, created_at, updated_at)
  select $1, gen_random_uuid(), $2, $3, $4, $5, $6, 1, false, 'none', $7, once, $7, $7 from unnest($8::text[]) once
  on conflict (tenant_id, member_id, once) do nothing`;
const READ = `update data.notifications t set read_at = $2 where t.tenant_id = $1 and t.read_at is null`;
const TOLD = `select exists (select 1 from data.notifications
  where tenant_id = $1 and subject_id = $2 and kind = $3 and created_at >= $4) as found`;

/** A member who can be told something. */
export interface Reader {
  id: string;
  own: OwnChoices;
  /** Null without one. */
  address: string | null;
}

/** Notifications of members. */
@Injectable()
export class NotificationsRepository extends ResourceRepository<Notification> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Notification);
  }

  /** Those of the members who are active. */
  readers(transaction: Transaction, memberIds: readonly string[]): Promise<Reader[]> {
    return transaction.query<Reader>(statement(READERS, [currentTenant().id, memberIds]));
  }

  /** Serializes the transactions that tell about a subject, so that each sees the notifications of the others. */
  oneByOne(subjectId: string): Statement {
    return oneByOne('notifications', `${currentTenant().id}|${subjectId}`);
  }

  /** Adds a notice to an unread notification that was created after `since`. False if there is none. */
  async merge(transaction: Transaction, row: Notification, since: string): Promise<boolean> {
    const { memberId, kind, subjectId, title, body, url, updatedAt, commentId } = row;
    const values = [memberId, kind, subjectId, title, body, url, updatedAt, since, commentId];
    return (await transaction.query(statement(MERGE, [currentTenant().id, ...values]))).length > 0;
  }

  /** Adds a notification. False if the member already has one with its `once`. */
  async add(transaction: Transaction, row: Notification): Promise<boolean> {
    const { id, memberId, kind, subjectType, subjectId, title, body, url } = row;
    const { inApp, email, mailedAt, once, createdAt, count, commentId } = row;
    const values = [id, memberId, kind, subjectType, subjectId, title, body, url];
    const rest = [inApp, email, mailedAt, once, createdAt, count, commentId];
    return (await transaction.query(statement(ADD, [currentTenant().id, ...values, ...rest]))).length > 0;
  }

  /** Records what else a new notification tells, so that it is told once. */
  remember(
    { memberId, kind, subjectType, subjectId, title, createdAt }: Notification,
    once: readonly string[],
  ): Statement {
    const values = [memberId, kind, subjectType, subjectId, title, createdAt, once];
    return statement(REMEMBER, [currentTenant().id, ...values]);
  }

  /** Marks the unread notifications that satisfy a guard as read; returns their number. */
  async markRead(transaction: Transaction, guard: Guard, at: string): Promise<number> {
    const query = guarded(READ, [currentTenant().id, at], guard, ' returning t.id');
    return (await transaction.query(query)).length;
  }

  /** Whether anybody was told about a subject since a time. */
  async hasTold(transaction: Transaction, kind: string, subjectId: string, since: string): Promise<boolean> {
    const query = statement(TOLD, [currentTenant().id, subjectId, kind, since]);
    const [row] = await transaction.query<{ found: boolean }>(query);
    return row!.found;
  }
}
