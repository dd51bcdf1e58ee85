import { Field, flag, integer, listOf, name, oneOf, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { tag } from '#libs/resource/types/envelope.js';
import { roleName } from '../projects/project.parts.js';
import { PRIORITIES, type Priority } from '../ranks.js';
import { estimate } from '../tasks/task.parts.js';

const MAX_DAYS = 3_650;

const key = () =>
  text({
    min: 1,
    max: 40,
    pattern: /^[a-z][a-z0-9_]*$/,
    form: 'a lower-case letter followed by lower-case letters, digits and underscores',
  });
const days = () => integer({ min: 0, max: MAX_DAYS });

/** A milestone for projects created from the template. */
export class TemplateMilestone {
  @Field(key(), { description: 'Key by which the tasks of the template refer to it.', example: 'go_live' })
  key!: string;

  @Field(name(), { description: 'Name of the milestone.', example: 'Go-live' })
  name!: string;

  @Field(days(), { description: 'Business days from the start of the project to its due date.', example: 60 })
  offsetDays!: number;

  @Field(tag(), {
    description: 'Phase that it is part of; becomes a tag of the milestone.',
    example: 'Build',
    optional: true,
    nullable: true,
  })
  phase!: string | null;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Amount that can be invoiced when it is reached, in minor units.',
    optional: true,
    nullable: true,
  })
  billableMinor!: number | null;

  @Field(flag(), { description: 'Whether the customer must accept it; false by default.', optional: true })
  acceptanceRequired!: boolean;
}

/** A task for projects created from the template. */
export class TemplateTask {
  @Field(key(), { description: 'Key by which other tasks of the template refer to it.', example: 'kickoff' })
  key!: string;

  @Field(name(), { description: 'Name of the task.', example: 'Kick-off meeting' })
  name!: string;

  @Field(text({ max: 5_000 }), { description: 'Description in Markdown.', optional: true, nullable: true })
  description!: string | null;

  @Field(days(), { description: 'Business days from the start of the project to its due date.', example: 3 })
  offsetDays!: number;

  @Field(days(), {
    description: 'Business days that it takes. Its start date is that many before its due date; none if null.',
    optional: true,
    nullable: true,
  })
  durationDays!: number | null;

  @Field(tag(), {
    description: 'Phase that it is part of; becomes a tag of the task.',
    example: 'Start',
    optional: true,
    nullable: true,
  })
  phase!: string | null;

  @Field(roleName(), {
    description: 'Role whose holders in the project are assigned to it.',
    example: 'lead',
    optional: true,
    nullable: true,
  })
  role!: string | null;

  @Field(key(), { description: 'Key of the milestone that it leads to.', optional: true, nullable: true })
  milestone!: string | null;

  @Field(key(), { description: 'Key of the task that it is part of.', optional: true, nullable: true })
  parent!: string | null;

  @Field(listOf(key(), { max: 50, unique: true }), {
    description: 'Keys of the tasks that must be done before it.',
    optional: true,
  })
  blockedBy!: string[];

  @Field(estimate(), { description: 'Estimated work in minutes.', optional: true, nullable: true })
  estimateMinutes!: number | null;

  @Field(oneOf(PRIORITIES), { description: 'Priority; `none` by default.', optional: true })
  priority!: Priority;

  @Field(listOf(name(500), { max: 100 }), { description: 'Items of its checklist.', optional: true })
  checklist!: string[];
}
