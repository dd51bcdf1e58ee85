import { Field, flag, oneOf, text } from '#libs/http/field.js';
import { SUPPRESSION_GROUPS, type SuppressionGroup } from '#libs/mail/suppressions.js';

/** What mail programs send when somebody unsubscribes with one click (RFC 8058). */
export class OneClick {
  @Field(text({ max: 100 }), {
    description: 'As mail programs send it; the button of the page sends no field.',
    example: 'One-Click',
    optional: true,
  })
  'List-Unsubscribe'?: string;
}

/** Mails of a tenant to an address. */
export class MailSubscription {
  @Field(text({ max: 200 }), { description: 'Name of the tenant that sends the mails.', example: 'Acme' })
  tenantName!: string;

  @Field(oneOf(SUPPRESSION_GROUPS), {
    description: 'Which mails: `notifications` of members, or those to `candidates` that need no answer.',
    example: 'notifications',
  })
  group!: SuppressionGroup;

  @Field(flag(), { description: 'Whether the address gets no more of them.', example: true })
  isEnded!: boolean;
}
