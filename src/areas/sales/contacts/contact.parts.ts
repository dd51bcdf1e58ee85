import { Field, id, instant, oneOf, text } from '#libs/http/field.js';

export const EMAIL_CONSENTS = ['unknown', 'subscribed', 'unsubscribed'] as const;

const source = text({ max: 200 });
const SOURCE = { description: 'Source of the decision.', example: 'Newsletter form', nullable: true };

/** Consent of a person to e-mail, as sent by the caller. */
export class ConsentInput {
  @Field(oneOf(EMAIL_CONSENTS), {
    description: 'Consent to marketing by e-mail.',
    example: 'subscribed',
    optional: true,
  })
  email?: (typeof EMAIL_CONSENTS)[number];

  @Field(instant(), {
    description: 'Time of the decision; by default the time of the request if `email` changes.',
    optional: true,
    nullable: true,
  })
  at?: string | null;

  @Field(source, { ...SOURCE, optional: true })
  source?: string | null;
}

export class Consent {
  @Field(oneOf(EMAIL_CONSENTS), { description: 'Consent to marketing by e-mail.', example: 'subscribed' })
  email!: (typeof EMAIL_CONSENTS)[number];

  @Field(instant(), { description: 'Time of the decision.', nullable: true })
  at!: string | null;

  @Field(source, SOURCE)
  source!: string | null;
}

export class MergeContact {
  @Field(id(), { description: 'Contact that stays.' })
  intoId!: string;
}
