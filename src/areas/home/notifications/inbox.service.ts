import { Injectable } from '@nestjs/common';
import { every, type Guard } from '#libs/access/guard.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import type { NotificationKind } from '#libs/members/notification-choices.js';
import type { Notification } from '#libs/notifications/notification.js';
import { NotificationsRepository } from '#libs/notifications/notifications.repository.js';
import { disclosing } from '#libs/resource/access/disclosure.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { stamp } from '#libs/tenancy/scope.js';
import {
  notificationList,
  type NotificationsRead,
  type NotificationView,
  type ReadNotifications,
} from './notification.dto.js';

/** The record that a row `t` of `data.notifications` is about. */
export const ABOUT = { type: 't.subject_type', id: 't.subject_id' };

/** The notifications of the caller. Those about records that the caller can no longer see are left out. */
@Injectable()
export class InboxService {
  constructor(
    private readonly repository: NotificationsRepository,
    private readonly registry: ResourceRegistry,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async list(query: Record<string, unknown>): Promise<Page<NotificationView>> {
    const { data, page } = await this.repository.page(
      toListRequest(notificationList, query),
      notificationList,
      this.own(),
    );
    return { data: data.map(viewOf), page };
  }

  /** The newest unread notifications of a kind. */
  async unread(kind: NotificationKind, limit: number): Promise<NotificationView[]> {
    return (await this.list({ kind, unread: true, limit })).data;
  }

  /** Marks notifications as read. @throws Problem 400 unless either `ids` or `before` is given. */
  async read({ ids, before }: ReadNotifications): Promise<NotificationsRead> {
    if ((ids === undefined) === (before === undefined)) throw eitherOr();
    const chosen: Guard = ids
      ? (add) => `t.id = any(${add(ids)}::uuid[])`
      : (add) => `t.updated_at <= ${add(before)}::timestamptz`;
    return this.database.transaction(async (transaction) => {
      const read = await this.repository.markRead(transaction, every(this.own(), chosen)!, stamp(this.clock));
      return { read, unread: await this.countUnread() };
    });
  }

  /** Number of unread notifications. */
  countUnread(): Promise<number> {
    return this.repository.countOf(every(this.own(), unread));
  }

  private own(): Guard {
    // Only callers that act for a person have one.
    const memberId = currentPrincipal().membershipId!;
    const mine: Guard = (add) => `t.member_id = ${add(memberId)} and t.in_app`;
    return every(mine, disclosing(this.registry, ABOUT))!;
  }
}

const unread: Guard = () => 't.read_at is null';

function viewOf({ id, kind, subjectType, subjectId, ...row }: Notification): NotificationView {
  const { title, body, url, count, readAt, mailedAt, createdAt, updatedAt } = row;
  const subject = subjectType === null ? null : { object: subjectType, id: subjectId! };
  return { id, kind, subject, title, body, url, count, readAt, mailedAt, createdAt, updatedAt };
}

function eitherOr(): Problem {
  return Problem.validation([{ pointer: '', code: 'invalid_value', detail: 'Send either `ids` or `before`.' }]);
}
