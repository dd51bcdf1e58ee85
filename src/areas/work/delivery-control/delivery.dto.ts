import { civilDate, Field, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';
import { COMPUTED_HEALTH, type ComputedHealth } from '../projects/project.filters.js';
import { projectLifecycle, type ProjectStatus } from '../projects/project.lifecycle.js';
import { HEALTH, type Health } from '../projects/project.parts.js';
import {
  CONTROL_STATES,
  type ControlState,
  ESCALATION_SEVERITIES,
  type EscalationSeverity,
  DeliveryGate,
} from './delivery-control.js';
import { REASONS, type Reason } from './delivery-reasons.js';

const count = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

export class DeliveryProject {
  @Field(id(), { description: 'Id of the project.' })
  id!: string;

  @Field(text({ max: 40 }), { description: 'Reference of the project.', example: 'PRJ-12' })
  reference!: string;

  @Field(text({ max: 200 }), { description: 'Name of the project.', example: 'Acme rollout' })
  name!: string;

  @Field(oneOf(projectLifecycle.states), { description: 'State of the project.', example: 'active' })
  status!: ProjectStatus;

  @Field(id(), { description: 'Workspace of the project.', nullable: true })
  workspaceId!: string | null;

  @Field(civilDate(), { description: 'Day by which it should be complete.', example: '2027-03-31', nullable: true })
  targetDate!: string | null;
}

export class DeliveryAccount {
  @Field(id(), { description: 'Id of the account.' })
  id!: string;

  @Field(text({ max: 200 }), { description: 'Name; null if you may not read the account.', nullable: true })
  name!: string | null;
}

export class DeliveryOwner {
  @Field(id(), { description: 'Membership of the owner.' })
  id!: string;

  @Field(text({ max: 200 }), { description: 'Name of the owner.', example: 'Ada' })
  name!: string;
}

export class DeliveryMilestone {
  @Field(id(), { description: 'Id of the milestone.' })
  id!: string;

  @Field(text({ max: 200 }), { description: 'Name of the milestone.', example: 'Go-live' })
  name!: string;

  @Field(civilDate(), { description: 'Due date.', nullable: true })
  dueDate!: string | null;
}

/** A project under delivery control. */
export class DeliveryItem {
  @Field(nested(DeliveryProject), { description: 'The project.' })
  project!: DeliveryProject;

  @Field(nested(DeliveryAccount), { description: 'Account that the project is for.', nullable: true })
  account!: DeliveryAccount | null;

  @Field(nested(DeliveryOwner), { description: 'Owner of the project.', nullable: true })
  owner!: DeliveryOwner | null;

  @Field(oneOf(HEALTH), { description: 'Health that somebody reported.', example: 'at_risk' })
  health!: Health;

  @Field(oneOf(COMPUTED_HEALTH), { description: 'Health by dates, pace and budget.', example: 'on_track' })
  healthComputed!: ComputedHealth;

  @Field(number({ min: 0, max: 100 }), { description: 'Share of the work that is done, in percent.', example: 40 })
  progressPercent!: number;

  @Field(integer({ min: 0, max: 4_000_000 }), {
    description: 'Calendar days past the target date, as `slippageDays` of the project. Null without a target date.',
    example: 5,
    nullable: true,
  })
  slippageDays!: number | null;

  @Field(integer({ min: 0, max: 4_000_000 }), {
    description: 'The same in business days of the calendar of the settings.',
    example: 3,
    nullable: true,
  })
  slippageBusinessDays!: number | null;

  @Field(number({ min: 0, max: MAX_MINOR }), {
    description: 'Share of the budget that is spent, as `budgetUsedPercent` of the project.',
    example: 62.5,
    nullable: true,
  })
  budgetUsedPercent!: number | null;

  @Field(count(), { description: 'Open tasks after their due date.', example: 2 })
  overdueTasks!: number;

  @Field(count(), { description: 'Open tasks that other open tasks wait for.', example: 1 })
  openBlockers!: number;

  @Field(nested(DeliveryMilestone), { description: 'Open milestone that is due first.', nullable: true })
  nextMilestone!: DeliveryMilestone | null;

  @Field(instant(), { description: 'Time at which the health was last reported.', nullable: true })
  lastUpdateAt!: string | null;

  @Field(instant(), { description: 'Time of the last request for a health report.', nullable: true })
  updateRequestedAt!: string | null;

  @Field(listOf(nested(DeliveryGate), { max: 5 }), { description: 'The five gates, in order.' })
  gates!: DeliveryGate[];

  @Field(oneOf(CONTROL_STATES), {
    description: 'Control state. `hold` while the project is on hold.',
    example: 'watch',
  })
  controlState!: ControlState;

  @Field(oneOf(ESCALATION_SEVERITIES), { description: 'Severity of the escalation; null without.', nullable: true })
  severity!: EscalationSeverity | null;

  @Field(listOf(oneOf(REASONS), { max: REASONS.length }), {
    description: 'Why the project needs attention.',
    example: ['tasks_overdue'],
  })
  reasons!: Reason[];
}

export class HealthCounts {
  @Field(count(), { description: 'Not reported yet.' })
  unknown!: number;

  @Field(count(), { description: 'On track.' })
  on_track!: number;

  @Field(count(), { description: 'At risk.' })
  at_risk!: number;

  @Field(count(), { description: 'Off track.' })
  off_track!: number;
}

export class ControlStateCounts {
  @Field(count(), { description: 'Normal.' })
  normal!: number;

  @Field(count(), { description: 'Watched.' })
  watch!: number;

  @Field(count(), { description: 'On hold.' })
  hold!: number;

  @Field(count(), { description: 'Escalated.' })
  escalated!: number;
}

export class ValueAtRisk {
  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'EUR' })
  currency!: string;

  @Field(integer({ min: 0, max: MAX_MINOR }), { description: 'Amount in minor units.', example: 1200000 })
  minor!: number;
}

export class DeliverySummary {
  @Field(nested(HealthCounts), { description: 'Projects by reported health.' })
  byHealth!: HealthCounts;

  @Field(nested(ControlStateCounts), { description: 'Projects by control state.' })
  byControlState!: ControlStateCounts;

  @Field(count(), {
    description:
      'Projects past their target date that are not closed, as `isOverdue` of the project. Days on hold do not count.',
    example: 1,
  })
  lateCount!: number;

  @Field(listOf(nested(ValueAtRisk), { max: 200 }), {
    description:
      'Open budget, or without a budget the value of the deal, of the projects that are at risk or off track (reported or computed), on hold or escalated; by currency.',
  })
  valueAtRisk!: ValueAtRisk[];
}

export class DeliveryPage {
  @Field(nested(DeliverySummary), { description: 'Figures of all projects that match the filters.' })
  summary!: DeliverySummary;

  @Field(listOf(nested(DeliveryItem), { max: 200 }), { description: 'The projects of this page, in order.' })
  data!: DeliveryItem[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;
}
