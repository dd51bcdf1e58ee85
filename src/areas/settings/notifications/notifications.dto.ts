import { Field, integer, nested, oneOf } from '#libs/http/field.js';

export const MAIL_CHOICES = ['instant', 'none'] as const;

export class MailChoice {
  @Field(oneOf(MAIL_CHOICES), {
    description: '`instant` sends each email immediately, `none` sends no email.',
    example: 'instant',
  })
  email!: (typeof MAIL_CHOICES)[number];
}

export class NotificationKinds {
  @Field(nested(MailChoice), {
    description: 'Webhook endpoints that fail, are disabled or recover. Sent to members who can change endpoints.',
  })
  endpoint!: MailChoice;

  @Field(nested(MailChoice), { description: 'Scheduled reports that are sent to you.' })
  report!: MailChoice;

  @Field(nested(MailChoice), {
    description: 'Your API keys that expire soon. Members who manage all keys are also notified of service keys.',
  })
  security!: MailChoice;
}

export class Notifications {
  @Field(nested(NotificationKinds), { description: 'Kinds of notifications and how you receive them.' })
  kinds!: NotificationKinds;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Version of your membership.', example: 3 })
  version!: number;
}

export class SomeKinds {
  @Field(nested(MailChoice), { description: 'Emails about webhook endpoints.', optional: true })
  endpoint?: MailChoice;

  @Field(nested(MailChoice), { description: 'Emails about scheduled reports.', optional: true })
  report?: MailChoice;

  @Field(nested(MailChoice), {
    description: 'Emails about API keys that expire soon.',
    example: { email: 'none' },
    optional: true,
  })
  security?: MailChoice;
}

export class UpdateNotifications {
  @Field(nested(SomeKinds), { description: 'Kinds to change; omitted kinds stay unchanged.', optional: true })
  kinds?: SomeKinds;
}
