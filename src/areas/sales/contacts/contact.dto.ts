import { emailAddress } from '#libs/http/email-field.js';
import { Field, flag, id, instant, listOf, name, nested, oneOf, text, type FieldOptions } from '#libs/http/field.js';
import { mergePatchOf, RecordInput, RecordView } from '#libs/resource/record.dto.js';

export const EMAIL_CONSENTS = ['unknown', 'subscribed', 'unsubscribed'] as const;

export const personName = () => text({ min: 1, max: 100, pattern: /\S/ });
/** E-mail addresses of a contact, and telephone numbers. */
export const MAX_ADDRESSES = 20;
const emails = () => listOf(emailAddress(), { max: MAX_ADDRESSES, unique: true });
const phones = () =>
  listOf(
    text({ min: 3, max: 40, pattern: /^\+?[0-9][0-9 ()./-]*$/, form: 'a telephone number such as +49 30 1234567' }),
    { max: MAX_ADDRESSES, unique: true },
  );
const locale = () =>
  text({ min: 2, max: 35, pattern: /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}$/, form: 'a language tag such as en-GB' });
const may = (options: FieldOptions): FieldOptions => ({ ...options, optional: true, nullable: true });

const FIRST_NAME = { description: 'Given name.', example: 'Ada' };
const LAST_NAME = { description: 'Family name.', example: 'Lovelace' };
const EMAILS = { description: 'E-mail addresses, the usual one first.', example: ['ada@acme.example'] };
const PHONES = { description: 'Telephone numbers, the usual one first.', example: ['+1 217 555 0100'] };
const TITLE = { description: 'What they do at the account.', example: 'Head of purchasing' };
const ACCOUNT = { description: 'Account that they belong to.' };
const PRIMARY = { description: 'Whether they are the account’s first contact; an account has at most one.' };
const LOCALE = { description: 'Language (BCP 47).', example: 'en-US' };
const SOURCE = { description: 'How it is known.', example: 'Newsletter form' };

/** Whether the person wants e-mail. */
export class ConsentInput {
  @Field(oneOf(EMAIL_CONSENTS), { description: 'Marketing by e-mail.', example: 'subscribed', optional: true })
  email!: (typeof EMAIL_CONSENTS)[number];

  @Field(instant(), {
    description: 'Since when; now if not given and `email` changes.',
    optional: true,
    nullable: true,
  })
  at!: string | null;

  @Field(text({ max: 200 }), may(SOURCE))
  source!: string | null;
}

export class Consent {
  @Field(oneOf(EMAIL_CONSENTS), { description: 'Marketing by e-mail.', example: 'subscribed' })
  email!: (typeof EMAIL_CONSENTS)[number];

  @Field(instant(), { description: 'Since when.', nullable: true })
  at!: string | null;

  @Field(text({ max: 200 }), { ...SOURCE, nullable: true })
  source!: string | null;
}

export class CreateContact extends RecordInput {
  @Field(name(), {
    description: 'What people see; first and last name if not given.',
    example: 'Ada Lovelace',
    optional: true,
  })
  declare name: string;

  @Field(personName(), may(FIRST_NAME))
  firstName!: string | null;

  @Field(personName(), may(LAST_NAME))
  lastName!: string | null;

  @Field(emails(), { ...EMAILS, optional: true })
  emails!: string[];

  @Field(phones(), { ...PHONES, optional: true })
  phones!: string[];

  @Field(text({ max: 200 }), may(TITLE))
  title!: string | null;

  @Field(id(), may(ACCOUNT))
  accountId!: string | null;

  @Field(flag(), { ...PRIMARY, optional: true })
  isPrimary!: boolean;

  @Field(locale(), may(LOCALE))
  locale!: string | null;

  @Field(nested(ConsentInput), { description: 'What they agreed to.', optional: true })
  consent!: Partial<Consent>;
}

export const UpdateContact = mergePatchOf('UpdateContact', CreateContact);

export class MergeContact {
  @Field(id(), { description: 'The contact that stays.' })
  intoId!: string;
}

export class ContactView extends RecordView {
  @Field(personName(), { ...FIRST_NAME, nullable: true })
  firstName!: string | null;

  @Field(personName(), { ...LAST_NAME, nullable: true })
  lastName!: string | null;

  @Field(emails(), EMAILS)
  emails!: string[];

  @Field(phones(), PHONES)
  phones!: string[];

  @Field(text({ max: 200 }), { ...TITLE, nullable: true })
  title!: string | null;

  @Field(id(), { ...ACCOUNT, nullable: true })
  accountId!: string | null;

  @Field(flag(), PRIMARY)
  isPrimary!: boolean;

  @Field(locale(), { ...LOCALE, nullable: true })
  locale!: string | null;

  @Field(nested(Consent), { description: 'What they agreed to.' })
  consent!: Consent;

  @Field(id(), { description: 'The contact that it was merged into.', nullable: true })
  mergedIntoId!: string | null;
}
