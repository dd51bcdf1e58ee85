import { command } from '#libs/http/command.js';
import { Field, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { CHECK_KEYS } from './checks/all.js';
import { CATEGORIES, type Category, SEVERITIES, type Severity } from './posture-check.js';
import { type Grade, GRADES, type PostureStatus, STATUSES } from './posture-score.js';
import { checkKey, PostureAcknowledgement, PostureChange, PostureException, thresholds } from './posture.parts.js';
import { MAX_HISTORY } from './posture.repository.js';

const MAX_CHECKS = 100;
const score = () => integer({ min: 0, max: 100 });
const note = () => text({ min: 1, max: 1_000, pattern: /\S/ });
const checkKeys = () => listOf(checkKey(), { min: 1, max: CHECK_KEYS.length, unique: true });

export class PostureQuery {
  @Field(oneOf(['history']), {
    description: '`history` includes the previous runs.',
    example: 'history',
    optional: true,
  })
  include?: 'history';

  @Field(listOf(oneOf(STATUSES), { min: 1, max: STATUSES.length, unique: true }), {
    description: 'Only checks with one of these statuses. The score still covers all.',
    example: ['fail'],
    optional: true,
  })
  status?: PostureStatus[];

  @Field(listOf(oneOf(SEVERITIES), { min: 1, max: SEVERITIES.length, unique: true }), {
    description: 'Only checks with one of these severities. The score still covers all.',
    example: ['critical', 'high'],
    optional: true,
  })
  severity?: Severity[];
}

const ACTIONS = ['run', 'acknowledge'] as const;

export class PostureCommand {
  @Field(oneOf(ACTIONS), {
    description:
      '`run` (default) runs the checks now; `acknowledge` notes that somebody is dealing with a failing one.',
    example: 'run',
    optional: true,
  })
  action?: (typeof ACTIONS)[number];

  @Field(listOf(oneOf(CATEGORIES), { min: 1, max: CATEGORIES.length, unique: true }), {
    description: 'For `run`: the checks of these categories. All checks run if you name neither categories nor checks.',
    example: ['credentials'],
    optional: true,
  })
  categories?: Category[];

  @Field(checkKeys(), { description: 'For `run`: these checks.', example: ['members.owners'], optional: true })
  checkKeys?: string[];

  @Field(checkKey(), { description: 'For `acknowledge`: the check.', example: 'members.owners', optional: true })
  checkKey?: string;

  @Field(note(), { description: 'For `acknowledge`: what is being done.', example: 'Ticket SEC-41', optional: true })
  note?: string;
}

command(
  PostureCommand,
  { run: { takes: ['categories', 'checkKeys'] }, acknowledge: { needs: ['checkKey', 'note'] } },
  { by: 'action', otherwise: 'run' },
);

export class ExceptionTerms {
  @Field(note(), { description: 'Why the risk is accepted.', example: 'Migration until March' })
  reason!: string;

  @Field(instant(), {
    description: 'Time at which the exception ends, at most 365 days from now.',
    example: '2027-03-01T00:00:00.000Z',
  })
  expiresAt!: string;
}

export class ChangePostureCheck {
  @Field(checkKey(), { description: 'Key of the check.', example: 'credentials.key_wildcard' })
  checkKey!: string;

  @Field(nested(ExceptionTerms), {
    description: 'Accepts the risk for some time; replaces the current exception. Null removes it.',
    nullable: true,
    optional: true,
  })
  exception?: ExceptionTerms | null;

  @Field(id(), {
    description: 'Membership of the person who is responsible; null for nobody.',
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40',
    nullable: true,
    optional: true,
  })
  ownerId?: string | null;

  @Field(oneOf(SEVERITIES), {
    description: 'Severity that replaces the one of the check; null for its own.',
    example: 'medium',
    nullable: true,
    optional: true,
  })
  severityOverride?: Severity | null;

  @Field(thresholds({ nullable: true }), {
    description: 'Thresholds by name. Others stay unchanged; null restores a default, or all of them.',
    example: { maxDays: 60 },
    nullable: true,
    optional: true,
  })
  thresholds?: Record<string, number | null> | null;
}

export class PostureRemediation {
  @Field(text({ max: 500 }), {
    description: 'What to do.',
    example: 'Restrict these keys to the scopes that they use.',
  })
  text!: string;

  @Field(text({ max: 200 }), { description: 'Path of the API for that.', example: '/api/settings/developer/api-keys' })
  path!: string;
}

export class PostureCheckView {
  @Field(text({ max: 60 }), { description: 'Key of the check.', example: 'credentials.key_wildcard' })
  key!: string;

  @Field(oneOf(CATEGORIES), { description: 'Category of the check.', example: 'credentials' })
  category!: Category;

  @Field(text({ max: 200 }), { description: 'What should be true.', example: 'No API key has all scopes' })
  title!: string;

  @Field(oneOf(SEVERITIES), { description: 'How severe a failure is for the tenant.', example: 'high' })
  severity!: Severity;

  @Field(oneOf(SEVERITIES), { description: 'The severity that the tenant has set; null if none.', nullable: true })
  severityOverride!: Severity | null;

  @Field(integer({ min: 1, max: 100 }), { description: 'How much the check counts, by its severity.', example: 6 })
  weight!: number;

  @Field(oneOf(STATUSES), {
    description:
      '`warning` gives partial credit, `excepted` has an exception in force, `unknown` could not be measured. `not_applicable` does not count.',
    example: 'fail',
  })
  status!: PostureStatus;

  @Field(number({ min: 0, max: 1 }), { description: 'Share of the weight that is earned.', example: 0 })
  credit!: number;

  @Field(text({ max: 500 }), { description: 'What was found.', example: '2 API keys with all scopes' })
  measured!: string;

  @Field(text({ max: 500 }), { description: 'What passes.', example: 'No valid key with the scope `*`' })
  expected!: string;

  @Field(text({ max: 500 }), {
    description: 'The risk.',
    example: 'Whoever finds a key with the scope `*` can do everything.',
  })
  why!: string;

  @Field(nested(PostureRemediation), { description: 'How to fix it.' })
  remediation!: PostureRemediation;

  @Field(instant(), { description: 'Since when the check has this status, as far as the runs show.' })
  since!: string;

  @Field(thresholds(), { description: 'Thresholds in force, by name.', example: {} })
  thresholds!: Record<string, number>;

  @Field(id(), { description: 'Membership of the person who is responsible.', nullable: true })
  ownerId!: string | null;

  @Field(nested(PostureException), { description: 'The exception in force; null if there is none.', nullable: true })
  exception!: PostureException | null;

  @Field(nested(PostureAcknowledgement), {
    description: 'The acknowledgement of the current failure; null if there is none.',
    nullable: true,
  })
  acknowledgement!: PostureAcknowledgement | null;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Increases by one with each change of exception, owner, severity, thresholds or acknowledgement.',
    example: 1,
  })
  version!: number;
}

export class ChangedPostureCheck extends PostureCheckView {
  @Field(nested(PendingApproval), {
    description: 'The request for approval of the change; null if it was made.',
    nullable: true,
  })
  pendingApproval!: PendingApproval | null;
}

export class PostureHistoryEntry {
  @Field(id(), { description: 'Id of the run.' })
  runId!: string;

  @Field(instant(), { description: 'Time of the run.' })
  at!: string;

  @Field(score(), { description: 'Score at that time.', example: 84 })
  score!: number;

  @Field(oneOf(GRADES), { description: 'Grade at that time.', example: 'B' })
  grade!: Grade;

  @Field(listOf(nested(PostureChange), { max: MAX_CHECKS }), { description: 'Checks whose status changed.' })
  changes!: PostureChange[];
}

export class PostureView {
  @Field(score(), {
    description:
      'Credit of the applicable checks by weight, from 0 to 100, rounded down. At most 59 while a critical check fails.',
    example: 84,
  })
  score!: number;

  @Field(oneOf(GRADES), { description: 'A from 90, B from 80, C from 70, D from 60, otherwise F.', example: 'B' })
  grade!: Grade;

  @Field(instant(), { description: 'Time of measurement.' })
  asOf!: string;

  @Field(listOf(nested(PostureCheckView), { max: MAX_CHECKS }), { description: 'The checks.' })
  checks!: PostureCheckView[];

  @Field(listOf(nested(PostureHistoryEntry), { max: MAX_HISTORY }), {
    description: 'Previous runs, newest first; null without `include=history`.',
    nullable: true,
  })
  history!: PostureHistoryEntry[] | null;
}

export class PostureAssessment extends PostureView {
  @Field(id(), { description: 'Id of the run; null for `acknowledge`.', nullable: true })
  runId!: string | null;

  @Field(listOf(nested(PostureChange), { max: MAX_CHECKS }), {
    description: 'Checks whose status differs from the previous run.',
  })
  changes!: PostureChange[];
}
