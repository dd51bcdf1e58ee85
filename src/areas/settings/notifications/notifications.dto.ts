import { Field, flag, integer, nested, oneOf, text } from '#libs/http/field.js';
import {
  EMAIL_CHOICES,
  NOTIFICATION_KINDS,
  type NotificationChoice,
  type NotificationChoices,
  type NotificationKind,
  type OwnChoices,
} from '#libs/members/notification-choices.js';
import { mergePatchOf, model } from '#libs/resource/types/record.dto.js';

const KINDS: Record<NotificationKind, string> = {
  mention: 'Comments that mention you.',
  assignment:
    'Records and checklist items that are assigned to you. Projects of yours and your reports that are escalated, requests for an update, and failed handoffs.',
  approval_requested:
    'Requests for approval that you may decide. Handoffs to accept, and time off and time to approve.',
  approval_decided:
    'Decisions on your requests for approval, your time off and your handoffs. Time off that was requested for you. Your time that was rejected.',
  due_soon: 'Your tasks, invoices and checklist items that are due today or tomorrow.',
  overdue: 'Your tasks, invoices and checklist items that are overdue.',
  watch: 'Changes of records that you watch, and comments on them.',
  review: 'Reminders of access reviews that wait for your decisions.',
  endpoint: 'Webhook endpoints that fail, are disabled or recover. Sent to members who can change endpoints.',
  report: 'Scheduled reports that are sent to you.',
  export: 'Exports that you have requested and that are ready or have failed, and scheduled ones that are sent to you.',
  import: 'Imports that you have started and that are checked, done or rolled back, or have failed.',
  security:
    'Your API keys that expire soon. Members who manage all keys or secrets are also notified of service keys and secrets.',
};
const digestAt = () =>
  text({ min: 5, max: 5, pattern: /^([01]\d|2[0-3]):[0-5]\d$/, form: 'a time from 00:00 to 23:59' });
const DIGEST_AT =
  'Time of the daily email, in your time zone. The email lists what is unread and new since the last one.';

export class NotificationChoiceView implements NotificationChoice {
  @Field(flag(), { description: 'Whether notifications are listed at `/api/home/notifications`.', example: true })
  inApp!: boolean;

  @Field(oneOf(EMAIL_CHOICES), {
    description: '`instant` sends each email immediately, `daily` sends one email a day, `none` sends no email.',
    example: 'instant',
  })
  email!: NotificationChoice['email'];
}

const ChangedChoice = mergePatchOf('ChangedNotificationChoice', NotificationChoiceView);

const NotificationKinds = model(
  'NotificationKinds',
  Object.fromEntries(
    NOTIFICATION_KINDS.map((kind) => [kind, { kind: nested(NotificationChoiceView), description: KINDS[kind] }]),
  ),
);
const SomeKinds = model(
  'SomeNotificationKinds',
  Object.fromEntries(
    NOTIFICATION_KINDS.map((kind) => [kind, { kind: nested(ChangedChoice), description: KINDS[kind], optional: true }]),
  ),
);

export class Notifications implements NotificationChoices {
  @Field(nested(NotificationKinds), { description: 'Kinds of notifications and how you receive them.' })
  kinds!: NotificationChoices['kinds'];

  @Field(digestAt(), { description: DIGEST_AT, example: '07:00' })
  digestAt!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Version of your membership.', example: 3 })
  version!: number;
}

export class UpdateNotifications {
  @Field(nested(SomeKinds), {
    description: 'Kinds to change; omitted kinds and members stay unchanged.',
    example: { watch: { email: 'none' } },
    optional: true,
  })
  kinds?: NonNullable<OwnChoices['kinds']>;

  @Field(digestAt(), { description: DIGEST_AT, example: '18:30', optional: true })
  digestAt?: string;
}
