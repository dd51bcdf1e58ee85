import { civilDate, Field, flag, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { percentage } from '#libs/lines/decimal.js';
import { mergePatchOf, RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { PRIORITIES, type Priority, Ranks } from '../ranks.js';
import { BillingInput, BillingView } from './project.billing.js';
import { COMPUTED_HEALTH, type ComputedHealth } from './project.figures.js';
import { projectLifecycle, type ProjectStatus } from './project.lifecycle.js';

export const HEALTH = ['unknown', 'on_track', 'at_risk', 'off_track'] as const;
export type Health = (typeof HEALTH)[number];
export const healthRanks = new Ranks<Health>(HEALTH);
export const VISIBILITIES = ['workspace', 'private'] as const;
export const PROGRESS_METHODS = ['tasks', 'milestones', 'manual'] as const;
export const MAX_DESCRIPTION = 50_000;

export const projectKey = () =>
  text({
    min: 2,
    max: 10,
    pattern: /^[A-Z][A-Z0-9]+$/,
    form: 'a capital letter followed by capital letters and digits',
  });
export const roleName = () =>
  text({
    min: 1,
    max: 40,
    pattern: /^[a-z][a-z0-9_]*$/,
    form: 'a lower-case letter followed by lower-case letters, digits and underscores',
  });

/** A person who takes a role of the template. */
export class ProjectRole {
  @Field(roleName(), { description: 'Role, as the tasks of the template name it.', example: 'lead' })
  role!: string;

  @Field(id(), { description: 'Membership of the person, who becomes a member of the project.' })
  memberId!: string;
}

export class CreateProject extends RecordInput {
  @Field(projectKey(), {
    description: 'First part of the numbers of its tasks; made from the name if not given. Fixed once there is a task.',
    example: 'ACME',
    optional: true,
  })
  key!: string;

  @Field(text({ max: MAX_DESCRIPTION }), { description: 'Markdown.', optional: true, nullable: true })
  description!: string | null;

  @Field(oneOf(PRIORITIES), { description: 'Priority; none if not given.', optional: true })
  priority!: Priority;

  @Field(civilDate(), { description: 'First day.', example: '2026-12-01', optional: true, nullable: true })
  startDate!: string | null;

  @Field(civilDate(), {
    description: 'Day by which it should be complete; not before the first.',
    example: '2027-03-31',
    optional: true,
    nullable: true,
  })
  targetDate!: string | null;

  @Field(listOf(id(), { max: 200, unique: true }), {
    description: 'Memberships of those who work on it. The owner is always one of them.',
    optional: true,
  })
  memberIds!: string[];

  @Field(oneOf(VISIBILITIES), {
    description: 'Private ones are seen by their members and with the scope projects:manage; workspace if not given.',
    optional: true,
  })
  visibility!: (typeof VISIBILITIES)[number];

  @Field(id(), { description: 'Account it is done for.', optional: true, nullable: true })
  accountId!: string | null;

  @Field(id(), { description: 'Deal it comes from.', optional: true, nullable: true })
  dealId!: string | null;

  @Field(number({ min: 0, max: MAX_MINOR }), {
    description: 'Budget in major units, with at most as many decimals as the currency has.',
    example: 12000,
    optional: true,
    nullable: true,
  })
  budget!: number | null;

  @Field(nested(BillingInput), { description: 'How it is paid for. A patch merges the members.', optional: true })
  billing!: BillingInput;

  @Field(oneOf(PROGRESS_METHODS), { description: 'What progress is measured by; tasks if not given.', optional: true })
  progressMethod!: (typeof PROGRESS_METHODS)[number];

  @Field(percentage(), { description: 'Progress, only with the method manual.', optional: true })
  progressPercent!: number;

  @Field(id(), { description: 'Published template whose milestones and tasks it starts with.', optional: true })
  templateId!: string;

  @Field(listOf(nested(ProjectRole), { max: 50 }), { description: 'Who takes which role.', optional: true })
  roles!: ProjectRole[];
}

const reason = () => text({ min: 1, max: 500 });

export class HoldProject {
  @Field(reason(), { description: 'Why; kept with the move.', example: 'The customer reorganises' })
  reason!: string;
}

export class CompleteProject {
  @Field(flag(), { description: 'Cancel the tasks that are open, and leave open milestones open.', optional: true })
  force!: boolean;
}

export class CancelProject {
  @Field(reason(), { description: 'Why.', example: 'The customer has no budget' })
  reason!: string;
}

export class SetProjectHealth {
  @Field(oneOf(HEALTH), { description: 'How it is doing.', example: 'at_risk' })
  health!: Health;

  @Field(text({ min: 1, max: 2_000 }), {
    description: 'Why; needed unless it is on_track.',
    example: 'Two tasks wait for the customer',
    optional: true,
    nullable: true,
  })
  note!: string | null;
}

export const projectInputs = {
  hold: HoldProject,
  complete: CompleteProject,
  cancel: CancelProject,
  set_health: SetProjectHealth,
};

/** A merge patch; `status` is shorthand for the action that leads there, `health` and `healthNote` for set-health. */
export const UpdateProject = mergePatchOf(
  'UpdateProject',
  updateOf('ProjectPatch', CreateProject, { field: 'status', lifecycle: projectLifecycle, inputs: projectInputs }, [
    'templateId',
    'roles',
  ]),
  {
    health: { kind: oneOf(HEALTH), description: 'Shorthand for set-health.', optional: true },
    healthNote: { kind: text({ min: 1, max: 2_000 }), description: 'Why.', optional: true, nullable: true },
  },
);

const count = () => integer({ min: 0, max: 2_147_483_647 });
const minutes = () => integer({ min: 0, max: MAX_MINOR });

/** How many tasks are in states of each category. */
export class TaskCounts {
  @Field(count(), { description: 'Not planned yet.' })
  backlog!: number;

  @Field(count(), { description: 'To be done.' })
  unstarted!: number;

  @Field(count(), { description: 'In progress or in review.' })
  started!: number;

  @Field(count(), { description: 'Done.' })
  done!: number;

  @Field(count(), { description: 'Cancelled.' })
  cancelled!: number;
}

export class ProjectView extends RecordView {
  @Field(projectKey(), { description: 'First part of the numbers of its tasks.', example: 'ACME' })
  key!: string;

  @Field(text({ max: MAX_DESCRIPTION }), { description: 'Markdown.', nullable: true })
  description!: string | null;

  @Field(oneOf(projectLifecycle.states), { description: 'State.', example: 'planned' })
  status!: ProjectStatus;

  @Field(oneOf(HEALTH), { description: 'How it is doing, as somebody said.', example: 'unknown' })
  health!: Health;

  @Field(text({ max: 2_000 }), { description: 'Why.', nullable: true })
  healthNote!: string | null;

  @Field(instant(), { description: 'When that was said.', nullable: true })
  healthUpdatedAt!: string | null;

  @Field(oneOf(COMPUTED_HEALTH), { description: 'How it is doing by dates, pace and budget.', example: 'on_track' })
  healthComputed!: ComputedHealth;

  @Field(oneOf(PRIORITIES), { description: 'Priority.', example: 'none' })
  priority!: Priority;

  @Field(civilDate(), { description: 'First day.', nullable: true })
  startDate!: string | null;

  @Field(civilDate(), { description: 'Day by which it should be complete.', nullable: true })
  targetDate!: string | null;

  @Field(flag(), { description: 'Open past its target date; days on hold do not count.' })
  isOverdue!: boolean;

  @Field(integer({ min: 0, max: 4_000_000 }), {
    description: 'Days past the target date until today or its end; days on hold do not count.',
    nullable: true,
  })
  slippageDays!: number | null;

  @Field(instant(), { description: 'Since when it is on hold.', nullable: true })
  heldAt!: string | null;

  @Field(instant(), { description: 'When it was completed.', nullable: true })
  completedAt!: string | null;

  @Field(instant(), { description: 'When it was cancelled.', nullable: true })
  cancelledAt!: string | null;

  @Field(text({ max: 500 }), { description: 'Why it was cancelled.', nullable: true })
  cancelledReason!: string | null;

  @Field(listOf(id(), { max: 201 }), { description: 'Memberships of those who work on it, with the owner.' })
  memberIds!: string[];

  @Field(oneOf(VISIBILITIES), { description: 'Who sees it.', example: 'workspace' })
  visibility!: (typeof VISIBILITIES)[number];

  @Field(id(), { description: 'Account it is done for.', nullable: true })
  accountId!: string | null;

  @Field(id(), { description: 'Deal it comes from.', nullable: true })
  dealId!: string | null;

  @Field(id(), { description: 'Template it was made from.', nullable: true })
  templateId!: string | null;

  @Field(number({ min: 0, max: MAX_MINOR }), { description: 'Budget in major units.', nullable: true })
  budget!: number | null;

  @Field(nested(BillingView), { description: 'How it is paid for.' })
  billing!: BillingView;

  @Field(oneOf(PROGRESS_METHODS), { description: 'What progress is measured by.', example: 'tasks' })
  progressMethod!: (typeof PROGRESS_METHODS)[number];

  @Field(percentage(), { description: 'Share of the work that is done.', example: 0 })
  progressPercent!: number;

  @Field(nested(TaskCounts), { description: 'Tasks by category of their state.' })
  taskCounts!: TaskCounts;

  @Field(minutes(), { description: 'Time spent, without what was rejected.' })
  spentMinutes!: number;

  @Field(minutes(), { description: 'Worth of the approved time, in minor units.' })
  spentMinor!: number;

  @Field(minutes(), { description: 'Approved billable time that is on no invoice yet.' })
  unbilledMinutes!: number;

  @Field(minutes(), { description: 'Worth of that, in minor units.' })
  unbilledMinor!: number;

  @Field(number({ min: 0, max: MAX_MINOR }), {
    description: 'Share of the budget that is spent, of money or minutes, whichever is more; null without a budget.',
    nullable: true,
  })
  budgetUsedPercent!: number | null;
}
