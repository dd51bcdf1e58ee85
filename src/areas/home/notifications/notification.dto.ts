import { Field, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { NOTIFICATION_KINDS, type NotificationKind } from '#libs/members/notification-choices.js';
import { filter, type ListOptions, listQuery } from '#libs/resource/lists/list-query.js';
import { pageOf } from '#libs/resource/types/record.dto.js';

const DEAL_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';

export class NotificationSubject {
  @Field(text({ max: 60 }), { description: 'Type of the object.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'Id of the object.', example: DEAL_ID })
  id!: string;
}

export class NotificationView {
  @Field(id(), { description: 'Id of the notification.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c70' })
  id!: string;

  @Field(oneOf(NOTIFICATION_KINDS), { description: 'Why you were notified.', example: 'mention' })
  kind!: NotificationKind;

  @Field(nested(NotificationSubject), { description: 'The object that it is about.', nullable: true })
  subject!: NotificationSubject | null;

  @Field(text({ max: 300 }), { description: 'Summary in one line.', example: 'Ana Silva mentioned you: Acme renewal' })
  title!: string;

  @Field(text({ max: 1_000 }), { description: 'Details.', example: 'Can you check the terms?', nullable: true })
  body!: string | null;

  @Field(text({ max: 500 }), {
    description: 'Path of the subject in the API.',
    example: `/api/v1/sales/deals/${DEAL_ID}`,
    nullable: true,
  })
  url!: string | null;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description:
      'Number of notifications in one: while it is unread, those of its kind and subject within 10 minutes are added. Title and body are those of the last.',
    example: 1,
  })
  count!: number;

  @Field(instant(), { description: 'Time at which you read it.', nullable: true })
  readAt!: string | null;

  @Field(instant(), {
    description: 'Time at which it was last sent to you by email, alone or in the daily email.',
    nullable: true,
  })
  mailedAt!: string | null;

  @Field(instant(), { description: 'Time of the first notification.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(instant(), { description: 'Time of the last notification.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;
}

/** Filters of a member's notifications, newest first. */
export const notificationList: ListOptions = {
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
  filters: { unread: filter.condition('(t.read_at is null)'), kind: filter.exact(oneOf(NOTIFICATION_KINDS)) },
};

export const NotificationPage = pageOf(NotificationView);
export const NotificationListQuery = listQuery('NotificationListQuery', notificationList);

export class ReadNotifications {
  @Field(listOf(id(), { min: 1, max: 200, unique: true }), {
    description: 'Notifications to mark as read. Send either `ids` or `before`.',
    example: ['019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c70'],
    optional: true,
  })
  ids?: string[];

  @Field(instant(), {
    description: 'Marks all notifications up to this time as read, including it.',
    optional: true,
  })
  before?: string;
}

export class NotificationsRead {
  @Field(integer({ min: 0, max: 2_147_483_647 }), {
    description: 'Notifications that were unread until now.',
    example: 3,
  })
  read!: number;

  @Field(integer({ min: 0, max: 2_147_483_647 }), { description: 'Notifications that are still unread.', example: 0 })
  unread!: number;
}
