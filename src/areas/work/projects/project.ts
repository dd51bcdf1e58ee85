import { Column } from 'typeorm';
import { civilDate, flag, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { percentage } from '#libs/lines/decimal.js';
import { Attribute, Derived, Mapped, ReadOnly, WriteOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { MEMBER } from '#libs/resource/access/references.js';
import { PRIORITIES, type Priority } from '../ranks.js';
import { CancelProject, CompleteProject, HoldProject, SetProjectHealth } from './project.actions.js';
import { BILLING_MODELS, BillingInput, BillingView } from './project.billing.js';
import { ProjectColumns } from './project.columns.js';
import {
  COMPUTED_HEALTH,
  type ComputedHealth,
  CONTROLLED_SQL,
  HEALTH_SQL,
  MEMBER_SQL,
  OVERDUE_SQL,
} from './project.filters.js';
import { projectLifecycle, type ProjectStatus } from './project.lifecycle.js';
import { HEALTH, type Health, ProjectRole, TaskCounts } from './project.parts.js';

const VISIBILITIES = ['workspace', 'private'] as const;
const PROGRESS_METHODS = ['tasks', 'milestones', 'manual'] as const;
const projectKey = text({
  min: 2,
  max: 10,
  pattern: /^[A-Z][A-Z0-9]+$/,
  form: 'a capital letter followed by capital letters and digits',
});
/** A count maintained by triggers; values written by the application are ignored. */
const kept = integer({ min: 0, max: MAX_MINOR });

/** Customer or internal work with tasks, milestones and time entries. */
export class Project extends ProjectColumns {
  @Attribute(
    projectKey,
    'First part of the references of its tasks; made from the name by default. Fixed once there is a task.',
    { example: 'ACME', optional: true, unique: true, filter: true },
  )
  key!: string;

  @Attribute(text({ max: 50_000 }), 'Description in Markdown.', { nullable: true })
  description!: string | null;

  @ReadOnly(oneOf(projectLifecycle.states), 'State of the life cycle.', { example: 'planned', filter: true })
  status!: ProjectStatus;

  /** Stored as a rank. */
  @Derived(oneOf(HEALTH), 'Health of the project, as somebody assessed it.', {
    example: 'unknown',
    filter: { ...filter.exact(oneOf(HEALTH)), sql: 't.health_word' },
    sort: true,
  })
  @Column('integer')
  health!: number;

  @ReadOnly(text({ max: 2_000 }), 'Explanation of the health.', { nullable: true })
  healthNote!: string | null;

  @ReadOnly(instant(), 'Time at which the health was set.', { nullable: true })
  healthUpdatedAt!: string | null;

  @Derived(oneOf(COMPUTED_HEALTH), 'Health of the project by its dates, pace and budget.', {
    example: 'on_track',
    filter: filter.related(oneOf(COMPUTED_HEALTH), HEALTH_SQL),
  })
  healthComputed?: ComputedHealth;

  /** Stored as a rank. */
  @Mapped(oneOf(PRIORITIES), 'Priority; `none` by default.', {
    example: 'none',
    optional: true,
    filter: { ...filter.exact(oneOf(PRIORITIES)), sql: 't.priority_word' },
    sort: true,
  })
  @Column('integer')
  priority!: number;

  @Attribute(civilDate(), 'First day of the work.', { nullable: true, filter: true, sort: true })
  startDate!: string | null;

  @Attribute(civilDate(), 'Day by which it should be complete; not before the first.', {
    example: '2027-03-31',
    nullable: true,
    filter: true,
    sort: true,
  })
  targetDate!: string | null;

  @Derived(flag(), 'Whether it is open past its target date. Days on hold do not count.', {
    example: false,
    filter: filter.condition(OVERDUE_SQL),
  })
  isOverdue?: boolean;

  @Derived(
    integer({ min: 0, max: 4_000_000 }),
    'Calendar days from the target date to today, or to the day on which it was closed. Days on hold do not count.',
    { example: 0, nullable: true },
  )
  slippageDays?: number | null;

  @Derived(
    integer({ min: 0, max: 4_000_000 }),
    'The same as `slippageDays` in business days of the calendar of the settings. Only in the response for a single project; null in lists and events.',
    { example: 0, nullable: true },
  )
  slippageBusinessDays?: number | null;

  @ReadOnly(instant(), 'Time at which it was put on hold; null when it is not.', { nullable: true })
  heldAt!: string | null;

  @ReadOnly(instant(), 'Time of completion.', { nullable: true, filter: true })
  completedAt!: string | null;

  @ReadOnly(instant(), 'Time of cancellation.', { nullable: true })
  cancelledAt!: string | null;

  @ReadOnly(text({ max: 500 }), 'Reason for the cancellation.', { nullable: true })
  cancelledReason!: string | null;

  /** Stored without the owner, who is always a member. */
  @Attribute(listOf(id(), { max: 201 }), 'Memberships that work on it. The owner is always one of them.', {
    given: listOf(id(), { max: 200, unique: true }),
    default: [],
    names: MEMBER,
    privacy: 'personal',
  })
  memberIds!: string[];

  @Attribute(
    oneOf(VISIBILITIES),
    'Visibility; `workspace` by default. Private projects are for their members and for the scope projects:manage.',
    { default: 'workspace', filter: true },
  )
  visibility!: (typeof VISIBILITIES)[number];

  @Attribute(id(), 'Account that it is done for.', {
    nullable: true,
    names: { table: 'data.sales_accounts', where: 'deleted_at is null and merged_into_id is null' },
    filter: true,
  })
  accountId!: string | null;

  @Attribute(id(), 'Deal that it follows from.', { nullable: true, names: { table: 'data.sales_deals' }, filter: true })
  dealId!: string | null;

  @ReadOnly(id(), 'Handoff that created it.', { nullable: true })
  handoffId!: string | null;

  @Attribute(id(), 'Published template whose milestones and tasks it starts with.', {
    nullable: 'shown',
    optional: true,
    once: true,
    filter: true,
  })
  templateId!: string | null;

  @WriteOnly(listOf(nested(ProjectRole), { max: 50 }), 'Memberships that take the roles of the template.', {
    once: true,
  })
  roles?: ProjectRole[];

  @Mapped(
    number({ min: 0, max: MAX_MINOR }),
    'Budget in major units, with at most as many decimals as the currency has.',
    { example: 12000, nullable: true },
  )
  budget?: number | null;

  @Mapped(nested(BillingView), 'Billing of the work. A patch merges the members.', {
    given: nested(BillingInput),
    example: {
      model: 'none',
      budgetMinor: 1200000,
      currency: 'USD',
      hourlyRateMinor: null,
      budgetMinutes: null,
      invoiceOn: null,
    },
    optional: true,
  })
  billing?: BillingView;

  @Attribute(oneOf(PROGRESS_METHODS), 'Measure of the progress; `tasks` by default.', { default: 'tasks' })
  progressMethod!: (typeof PROGRESS_METHODS)[number];

  /** Stored in ten-thousandths. */
  @Mapped(percentage(), 'Share of the work that is done, in percent. Can only be set with the method `manual`.', {
    example: 0,
    optional: true,
    sort: true,
  })
  @Column('integer', { name: 'progress_percent' })
  progressPercent!: number;

  @Derived(nested(TaskCounts), 'Number of tasks by category of their state.', {
    example: { backlog: 0, unstarted: 0, started: 0, done: 0, cancelled: 0 },
  })
  taskCounts?: TaskCounts;

  @ReadOnly(kept, 'Minutes of its time entries, without the rejected ones.', { default: 0 })
  spentMinutes!: number;

  @ReadOnly(kept, 'Value of its approved time entries, in minor units.', { default: 0 })
  spentMinor!: number;

  @ReadOnly(kept, 'Minutes of approved billable time entries that are on no invoice yet.', { default: 0 })
  unbilledMinutes!: number;

  @ReadOnly(kept, 'Value of approved billable time entries that are on no invoice yet, in minor units.', {
    default: 0,
  })
  unbilledMinor!: number;

  @ReadOnly(
    integer({ min: -MAX_MINOR, max: MAX_MINOR }),
    'Net total of its issued invoices in its currency, without void ones and less what was credited, in minor units; null beyond the range of exact numbers.',
    { example: 0, nullable: true },
  )
  invoicedMinor!: number | null;

  @Derived(
    number({ min: 0, max: MAX_MINOR }),
    'Share of the budget that is spent, in percent: of money or minutes, whichever is more. With `time_and_materials`, money is `spentMinor` or `invoicedMinor`, whichever is more. Null without a budget and for a retainer.',
    { example: 0, nullable: true },
  )
  budgetUsedPercent?: number | null;
}

/** A project as the API shows it. */
export type ShownProject = Omit<Required<Shown<Project>>, 'health' | 'priority' | 'roles'> & {
  health: Health;
  priority: Priority;
};

/** Request body that creates or changes a project. */
export type ProjectInput = Partial<Omit<Project, 'billing' | 'priority'>> & {
  billing?: Partial<BillingInput>;
  priority?: Priority;
};

export const projects = recordType(Project, {
  area: 'work',
  collection: 'projects',
  noun: 'project',
  prefix: 'PRJ',
  permissions: { read: 'projects:read', write: 'projects:write' },
  reach: {
    own: [
      `t.id = any(array(select x.project_id from data.work_project_members x where x.tenant_id = :tenant and x.member_id = :me))`,
    ],
  },
  lifecycle: projectLifecycle,
  name: { example: 'Acme rollout' },
  named: { templateId: { table: 'data.work_project_templates' } },
  inputs: { hold: HoldProject, complete: CompleteProject, cancel: CancelProject, set_health: SetProjectHealth },
  shorthand: {
    health: { kind: oneOf(HEALTH), description: 'Shorthand for the action `set-health`.', optional: true },
    healthNote: {
      kind: text({ min: 1, max: 2_000 }),
      description: 'Explanation of the health.',
      optional: true,
      nullable: true,
    },
  },
  problems: { create: ['amount_mismatch'], update: ['amount_mismatch', 'blocked'], complete: ['blocked'] },
  bodies: {
    create: { name: 'Acme rollout', targetDate: '2027-03-31', budget: 12000 },
    update: { priority: 'high', billing: { model: 'time_and_materials', hourlyRateMinor: 12000 } },
  },
  filters: {
    memberId: { ...filter.related(filter.member().kind, MEMBER_SQL), person: true },
    underDeliveryControl: filter.condition(CONTROLLED_SQL),
    hasBudget: filter.condition('(t.budget_minor is not null or t.budget_minutes is not null)'),
    'billing.model': { ...filter.exact(oneOf(BILLING_MODELS)), sql: 't.billing_model' },
  },
});
