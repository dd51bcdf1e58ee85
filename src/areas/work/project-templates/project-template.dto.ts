import { Field, flag, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { tag } from '#libs/resource/envelope.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { BillingInput } from '../projects/project.billing.js';
import { roleName } from '../projects/project.dto.js';
import { PRIORITIES, type Priority } from '../ranks.js';
import { estimate } from '../tasks/task.dto.js';
import { projectTemplateLifecycle, type ProjectTemplateStatus } from './project-template.lifecycle.js';

const MAX_DESCRIPTION = 50_000;
const MAX_DAYS = 3_650;

const key = () =>
  text({
    min: 1,
    max: 40,
    pattern: /^[a-z][a-z0-9_]*$/,
    form: 'a lower-case letter followed by lower-case letters, digits and underscores',
  });
const days = () => integer({ min: 0, max: MAX_DAYS });
const phases = () => listOf(tag(), { max: 20, unique: true });

export class TemplateMilestone {
  @Field(key(), { description: 'Name that the tasks know it by.', example: 'go_live' })
  key!: string;

  @Field(name(), { description: 'Name of the milestone.', example: 'Go-live' })
  name!: string;

  @Field(days(), { description: 'Days from the start of the project to its due date.', example: 60 })
  offsetDays!: number;

  @Field(tag(), { description: 'Phase, which becomes a tag.', example: 'Build', optional: true, nullable: true })
  phase!: string | null;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'What can be invoiced when it is reached, in minor units.',
    optional: true,
    nullable: true,
  })
  billableMinor!: number | null;

  @Field(flag(), { description: 'Whether the customer must accept it.', optional: true })
  acceptanceRequired!: boolean;
}

export class TemplateTask {
  @Field(key(), { description: 'Name that other tasks know it by.', example: 'kickoff' })
  key!: string;

  @Field(name(), { description: 'Name of the task.', example: 'Kick-off meeting' })
  name!: string;

  @Field(text({ max: 5_000 }), { description: 'Markdown.', optional: true, nullable: true })
  description!: string | null;

  @Field(days(), { description: 'Days from the start of the project to its last day.', example: 3 })
  offsetDays!: number;

  @Field(days(), {
    description: 'Days that it takes; it starts so long before its last day.',
    optional: true,
    nullable: true,
  })
  durationDays!: number | null;

  @Field(tag(), { description: 'Phase, which becomes a tag.', example: 'Start', optional: true, nullable: true })
  phase!: string | null;

  @Field(roleName(), {
    description: 'Role; whoever takes it in the project gets the task.',
    example: 'lead',
    optional: true,
    nullable: true,
  })
  role!: string | null;

  @Field(key(), { description: 'Key of the milestone that it leads to.', optional: true, nullable: true })
  milestone!: string | null;

  @Field(key(), { description: 'Key of the task that it is a part of.', optional: true, nullable: true })
  parent!: string | null;

  @Field(listOf(key(), { max: 50, unique: true }), {
    description: 'Keys of the tasks that must be done before.',
    optional: true,
  })
  blockedBy!: string[];

  @Field(estimate(), { description: 'Estimated work in minutes.', optional: true, nullable: true })
  estimateMinutes!: number | null;

  @Field(oneOf(PRIORITIES), { description: 'Priority; none if not given.', optional: true })
  priority!: Priority;

  @Field(listOf(name(500), { max: 100 }), { description: 'Small steps.', optional: true })
  checklist!: string[];
}

const milestones = () => listOf(nested(TemplateMilestone), { max: 50 });
const tasks = () => listOf(nested(TemplateTask), { max: 200 });

export class CreateProjectTemplate extends RecordInput {
  @Field(text({ max: MAX_DESCRIPTION }), { description: 'Markdown.', optional: true, nullable: true })
  description!: string | null;

  @Field(phases(), { description: 'Phases in their order.', example: ['Start', 'Build'], optional: true })
  phases!: string[];

  @Field(milestones(), { description: 'Milestones.', optional: true })
  milestones!: TemplateMilestone[];

  @Field(tasks(), { description: 'Tasks, numbered in this order.', optional: true })
  tasks!: TemplateTask[];

  @Field(nested(BillingInput), {
    description: 'Billing unless a project says otherwise.',
    optional: true,
    nullable: true,
  })
  billing!: Partial<BillingInput> | null;
}

/** A merge patch; with `status` it is the action that leads there. */
export const UpdateProjectTemplate = updateOf('UpdateProjectTemplate', CreateProjectTemplate, {
  field: 'status',
  lifecycle: projectTemplateLifecycle,
  inputs: {},
});

export class ProjectTemplateView extends RecordView {
  @Field(text({ max: MAX_DESCRIPTION }), { description: 'Markdown.', nullable: true })
  description!: string | null;

  @Field(oneOf(projectTemplateLifecycle.states), { description: 'State.', example: 'published' })
  status!: ProjectTemplateStatus;

  @Field(phases(), { description: 'Phases in their order.', example: ['Start', 'Build'] })
  phases!: string[];

  @Field(milestones(), { description: 'Milestones.' })
  milestones!: TemplateMilestone[];

  @Field(tasks(), { description: 'Tasks.' })
  tasks!: TemplateTask[];

  @Field(nested(BillingInput), { description: 'Billing unless a project says otherwise.', nullable: true })
  billing!: Partial<BillingInput> | null;
}
