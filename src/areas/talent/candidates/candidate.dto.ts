import { EMAIL_FORM } from '#libs/http/email-field.js';
import { Field, type FieldOptions, flag, id, instant, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { RecordInput, updateOf } from '#libs/resource/record.dto.js';
import { APPLICATION_INPUTS, HireShortly, StandingView } from '../applications/application.dto.js';
import { HiringPayRange, HiringPlace, type Source, SOURCES } from '../talent.parts.js';
import { CandidateConsent } from './candidate.consent.js';
import { candidateLifecycle } from './candidate.lifecycle.js';

const email = () => text({ min: 3, max: 254, pattern: /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/, form: EMAIL_FORM });
const emails = () => listOf(email(), { max: 10, unique: true });
const phones = () => listOf(text({ min: 3, max: 40 }), { max: 10, unique: true });
const links = () => listOf(text({ min: 1, max: 500 }), { max: 20, unique: true });
const skills = () => listOf(text({ min: 1, max: 100, pattern: /\S/ }), { max: 50, unique: true });
const line = (max: number) => text({ min: 1, max });
const maybe = (description: string, example?: unknown): FieldOptions => ({
  description,
  optional: true,
  nullable: true,
  ...(example === undefined ? {} : { example }),
});

export class CreateCandidate extends RecordInput {
  @Field(name(), {
    description: 'Full name; made of first and last name if not given.',
    example: 'Ada Lovelace',
    optional: true,
  })
  declare name: string;

  @Field(line(100), maybe('First name.', 'Ada'))
  firstName!: string | null;

  @Field(line(100), maybe('Last name.', 'Lovelace'))
  lastName!: string | null;

  @Field(email(), maybe('E-mail address; no two candidates have the same.', 'ada@example.com'))
  email!: string | null;

  @Field(emails(), { description: 'Further e-mail addresses.', example: [], optional: true })
  emails!: string[];

  @Field(phones(), { description: 'Telephone numbers.', example: [], optional: true })
  phones!: string[];

  @Field(links(), { description: 'Addresses of profiles and work.', example: [], optional: true })
  links!: string[];

  @Field(line(300), maybe('Who they are, in a line.'))
  headline!: string | null;

  @Field(line(200), maybe('Where they work.'))
  currentCompany!: string | null;

  @Field(line(200), maybe('What they work as.'))
  currentTitle!: string | null;

  @Field(nested(HiringPlace), maybe('Where they live.'))
  location!: HiringPlace | null;

  @Field(skills(), { description: 'What they can do.', example: ['PostgreSQL'], optional: true })
  skills!: string[];

  @Field(oneOf(SOURCES), { description: 'How they came; other if not given.', example: 'referral', optional: true })
  source!: Source;

  @Field(line(500), maybe('More about how they came.'))
  sourceDetail!: string | null;

  @Field(id(), maybe('Membership that recommended them.'))
  referredById!: string | null;

  @Field(id(), maybe('Open job of the first application; it is a general one if not given.'))
  jobId!: string | null;

  @Field(text({ max: 20_000 }), maybe('What they wrote.'))
  coverLetter!: string | null;

  @Field(nested(HiringPayRange), maybe('What they want to be paid. Needs candidates.personal:read.'))
  salaryExpectation!: HiringPayRange | null;

  @Field(nested(CandidateConsent), maybe('Why the tenant may keep this.'))
  consent!: CandidateConsent | null;

  @Field(flag(), { description: 'Whether only the hiring team sees them; false if not given.', optional: true })
  isPrivate!: boolean;
}

export const CANDIDATE_INPUTS = APPLICATION_INPUTS;

/** A merge patch; with `status` or `stage` it is the action that leads there. */
export const UpdateCandidate = updateOf(
  'UpdateCandidate',
  CreateCandidate,
  { field: 'status', lifecycle: candidateLifecycle, inputs: { ...CANDIDATE_INPUTS, hire: HireShortly } },
  ['jobId'],
);

export class MergeCandidate {
  @Field(id(), { description: 'The candidate that stays.' })
  intoId!: string;
}

export class CandidateView extends StandingView {
  @Field(line(100), { description: 'First name.', nullable: true })
  firstName!: string | null;

  @Field(line(100), { description: 'Last name.', nullable: true })
  lastName!: string | null;

  @Field(email(), { description: 'E-mail address.', example: 'ada@example.com', nullable: true })
  email!: string | null;

  @Field(emails(), { description: 'Further e-mail addresses.', example: [] })
  emails!: string[];

  @Field(phones(), { description: 'Telephone numbers.', example: [] })
  phones!: string[];

  @Field(links(), { description: 'Addresses of profiles and work.', example: [] })
  links!: string[];

  @Field(line(300), { description: 'Who they are, in a line.', nullable: true })
  headline!: string | null;

  @Field(line(200), { description: 'Where they work.', nullable: true })
  currentCompany!: string | null;

  @Field(line(200), { description: 'What they work as.', nullable: true })
  currentTitle!: string | null;

  @Field(nested(HiringPlace), { description: 'Where they live.', nullable: true })
  location!: HiringPlace | null;

  @Field(skills(), { description: 'What they can do.', example: ['PostgreSQL'] })
  skills!: string[];

  @Field(oneOf(SOURCES), { description: 'How they came.', example: 'referral' })
  source!: Source;

  @Field(line(500), { description: 'More about how they came.', nullable: true })
  sourceDetail!: string | null;

  @Field(id(), { description: 'Membership that recommended them.', nullable: true })
  referredById!: string | null;

  @Field(text({ max: 20_000 }), { description: 'What they wrote.', nullable: true })
  coverLetter!: string | null;

  @Field(nested(HiringPayRange), {
    description: 'What they want to be paid. Only with candidates.personal:read.',
    nullable: true,
    optional: true,
  })
  salaryExpectation?: HiringPayRange | null;

  @Field(nested(CandidateConsent), { description: 'Why the tenant may keep this.', nullable: true })
  consent!: CandidateConsent | null;

  @Field(flag(), { description: 'Whether only the hiring team sees them.' })
  isPrivate!: boolean;

  @Field(id(), { description: 'The application that the candidate mirrors: the one last acted on.', nullable: true })
  applicationId!: string | null;

  @Field(id(), { description: 'The employee that they became.', nullable: true })
  employeeId!: string | null;

  @Field(id(), { description: 'The candidate that this one was merged into.', nullable: true })
  mergedIntoId!: string | null;

  @Field(instant(), { description: 'When what was known about them was erased.', nullable: true })
  anonymizedAt!: string | null;
}
