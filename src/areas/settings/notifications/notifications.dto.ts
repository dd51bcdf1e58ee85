import { Field, integer, nested, oneOf } from '#libs/http/field.js';

export const MAIL_CHOICES = ['instant', 'none'] as const;

export class MailChoice {
  @Field(oneOf(MAIL_CHOICES), { description: '`instant` for a mail at once, `none` for no mail.', example: 'instant' })
  email!: (typeof MAIL_CHOICES)[number];
}

export class NotificationKinds {
  @Field(nested(MailChoice), {
    description: 'Webhook endpoints that fail, were disabled, or work again; for who may change endpoints.',
  })
  endpoint!: MailChoice;

  @Field(nested(MailChoice), {
    description: 'Your API keys that expire soon; for who manages all keys, service keys too.',
  })
  security!: MailChoice;
}

export class Notifications {
  @Field(nested(NotificationKinds), { description: 'What you are told of, and how.' })
  kinds!: NotificationKinds;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Version of your membership.', example: 3 })
  version!: number;
}

export class SomeKinds {
  @Field(nested(MailChoice), { description: 'Mails about webhook endpoints.', optional: true })
  endpoint?: MailChoice;

  @Field(nested(MailChoice), {
    description: 'Mails about API keys that expire.',
    example: { email: 'none' },
    optional: true,
  })
  security?: MailChoice;
}

export class UpdateNotifications {
  @Field(nested(SomeKinds), { description: 'Kinds to change; the others stay.', optional: true })
  kinds?: SomeKinds;
}
