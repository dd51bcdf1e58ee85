import { emailAddress } from '#libs/http/email-field.js';
import { Field, fieldsOf, flag, id, instant, integer, name, nested, oneOf, text } from '#libs/http/field.js';
import { phoneNumber } from '#libs/http/phone-field.js';
import { model, pageOf } from '#libs/resource/types/record.dto.js';
import { EMPLOYMENT_TYPES, HiringPlace } from '#src/areas/talent/talent.area.js';

/** A job in the list of a tenant's public jobs. */
export class PublicJob {
  @Field(id(), { description: 'Id of the job.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' })
  id!: string;

  @Field(name(), { description: 'Title of the job.', example: 'Backend engineer' })
  name!: string;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment.', example: 'full_time' })
  employmentType!: string;

  @Field(nested(HiringPlace), { description: 'Place of work.', nullable: true })
  location!: HiringPlace | null;

  @Field(name(), { description: 'Name of the department.', nullable: true })
  department!: string | null;

  @Field(instant(), { description: 'Time of publication.', example: '2026-11-21T09:15:02.114Z' })
  publishedAt!: string;

  @Field(text({ max: 2_000 }), {
    description: 'URL of the job.',
    example: 'https://api.example.com/api/public/careers/acme/jobs/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
  })
  url!: string;
}

export const PublicJobs = pageOf(PublicJob);

/** What whoever applies needs to know. */
export class ApplicationTerms {
  @Field(text({ max: 1_000 }), {
    description: 'What the applicant consents to.',
    example: 'I agree that Acme keeps the data of my application for up to 12 months.',
  })
  consentText!: string;

  @Field(text({ max: 500 }), { description: 'To be sent along with one application.' })
  challenge!: string;

  @Field(integer({ min: 1, max: 64 }), {
    description:
      'Send a `nonce` with which SHA-256 of the challenge, a full stop and the nonce begins with so many zero bits.',
    example: 16,
  })
  difficulty!: number;

  @Field(instant(), { description: 'End of the validity of the challenge.', example: '2026-11-22T09:15:02.114Z' })
  expiresAt!: string;
}

export const PublicJobDetails = model('PublicJobDetails', {
  ...Object.fromEntries(fieldsOf(PublicJob)),
  description: { kind: text({ max: 20_000 }), description: 'Text of the advertisement.', nullable: true },
  application: { kind: nested(ApplicationTerms), description: 'How to apply.' },
});

/** A job with its text and what an application needs. */
export interface ShownJobDetails extends PublicJob {
  description: string | null;
  application: ApplicationTerms;
}

export class JobApplication {
  @Field(name(), { description: 'Full name.', example: 'Ada Lovelace' })
  name!: string;

  @Field(emailAddress(), { description: 'E-mail address.', example: 'ada@example.com' })
  email!: string;

  @Field(phoneNumber(), { description: 'Telephone number.', optional: true })
  phone?: string;

  @Field(text({ min: 1, max: 500, pattern: /^https?:\/\//i, form: 'an http or https URL' }), {
    description: 'Profile or work sample.',
    example: 'https://example.com/ada',
    optional: true,
  })
  link?: string;

  @Field(text({ min: 1, max: 20_000 }), { description: 'Cover letter.', optional: true })
  coverLetter?: string;

  @Field(flag(), { description: 'Consent to `application.consentText`; must be true.', example: true })
  consent!: boolean;

  @Field(text({ min: 1, max: 500 }), { description: '`application.challenge` of the job.' })
  challenge!: string;

  @Field(text({ min: 1, max: 100 }), {
    description: 'Proof of work; see `application.difficulty`. Only the form of the page goes without.',
    optional: true,
  })
  nonce?: string;

  @Field(text({ max: 500 }), { description: 'Leave out: people do not see this field.', optional: true })
  website?: string;
}

export class ReceivedApplication {
  @Field(flag(), { description: 'The application was received.', example: true })
  received!: true;
}
