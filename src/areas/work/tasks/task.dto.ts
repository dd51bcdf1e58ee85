import { civilDate, Field, flag, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { PRIORITIES, type Priority } from '../ranks.js';
import {
  OPEN_STATES,
  type OpenTaskState,
  TASK_CATEGORIES,
  TASK_STATES,
  type TaskCategory,
  taskLifecycle,
  type TaskState,
} from './task.lifecycle.js';

export const MAX_ESTIMATE_MINUTES = 1_000_000;
const MAX_DESCRIPTION = 50_000;

export const estimate = () => integer({ min: 1, max: MAX_ESTIMATE_MINUTES });
const position = () => integer({ min: 0, max: MAX_MINOR });
const members = () => listOf(id(), { max: 50, unique: true });

/** One line of a task's checklist. */
export class ChecklistItem {
  @Field(name(500), { description: 'What is to be done.', example: 'Ask for the logo' })
  title!: string;

  @Field(flag(), { description: 'Whether it is done.' })
  done!: boolean;
}

const checklist = () => listOf(nested(ChecklistItem), { max: 100 });

export class CreateTask extends RecordInput {
  @Field(id(), {
    description: 'Project it belongs to, for good; null for a personal task.',
    optional: true,
    nullable: true,
  })
  projectId!: string | null;

  @Field(text({ max: MAX_DESCRIPTION }), { description: 'Markdown.', optional: true, nullable: true })
  description!: string | null;

  @Field(oneOf(OPEN_STATES), { description: 'State that it starts in; backlog if not given.', optional: true })
  state!: OpenTaskState;

  @Field(oneOf(PRIORITIES), { description: 'Priority; none if not given.', optional: true })
  priority!: Priority;

  @Field(members(), { description: 'Memberships of those who do it.', optional: true })
  assigneeIds!: string[];

  @Field(id(), {
    description: 'Task of the same project that it is a part of. Tasks nest at most three deep.',
    optional: true,
    nullable: true,
  })
  parentId!: string | null;

  @Field(civilDate(), { description: 'First day.', optional: true, nullable: true })
  startDate!: string | null;

  @Field(civilDate(), { description: 'Last day.', example: '2026-12-18', optional: true, nullable: true })
  dueDate!: string | null;

  @Field(estimate(), { description: 'Estimated work in minutes.', example: 240, optional: true, nullable: true })
  estimateMinutes!: number | null;

  @Field(id(), { description: 'Milestone of the same project.', optional: true, nullable: true })
  milestoneId!: string | null;

  @Field(listOf(id(), { max: 50, unique: true }), {
    description: 'Tasks of the same project that must be done before.',
    optional: true,
  })
  blockedByIds!: string[];

  @Field(checklist(), { description: 'Small steps.', optional: true })
  checklist!: ChecklistItem[];

  @Field(position(), { description: 'Place on a board; after those that are there if not given.', optional: true })
  position!: number;
}

export class CompleteTask {
  @Field(flag(), {
    description: 'Complete it although a task that it waits for is open; needs the scope projects:manage.',
    optional: true,
  })
  force!: boolean;
}

export class ReopenTask {
  @Field(oneOf(OPEN_STATES), { description: 'State that it gets; todo if not given.', optional: true })
  state!: OpenTaskState;
}

export const taskInputs = { complete: CompleteTask, reopen: ReopenTask };

/** A merge patch; with `state` it is the action that leads there. */
export const UpdateTask = updateOf(
  'UpdateTask',
  CreateTask,
  { field: 'state', lifecycle: taskLifecycle, inputs: taskInputs },
  ['projectId', 'state'],
);

export class TaskView extends RecordView {
  @Field(id(), { description: 'Project it belongs to; null for a personal task.', nullable: true })
  projectId!: string | null;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Number in the project; the reference is the project’s key with it.',
    nullable: true,
  })
  number!: number | null;

  @Field(text({ max: MAX_DESCRIPTION }), { description: 'Markdown.', nullable: true })
  description!: string | null;

  @Field(oneOf(TASK_STATES), { description: 'State.', example: 'backlog' })
  state!: TaskState;

  @Field(oneOf(TASK_CATEGORIES), { description: 'Category of the state.', example: 'backlog' })
  category!: TaskCategory;

  @Field(oneOf(PRIORITIES), { description: 'Priority.', example: 'none' })
  priority!: Priority;

  @Field(members(), { description: 'Memberships of those who do it.' })
  assigneeIds!: string[];

  @Field(id(), { description: 'Task that it is a part of.', nullable: true })
  parentId!: string | null;

  @Field(civilDate(), { description: 'First day.', nullable: true })
  startDate!: string | null;

  @Field(civilDate(), { description: 'Last day.', nullable: true })
  dueDate!: string | null;

  @Field(flag(), { description: 'Open after its last day.' })
  isOverdue!: boolean;

  @Field(instant(), { description: 'When it was found to be overdue.', nullable: true })
  overdueAt!: string | null;

  @Field(estimate(), { description: 'Estimated work in minutes.', nullable: true })
  estimateMinutes!: number | null;

  @Field(integer({ min: 0, max: MAX_MINOR }), { description: 'Time spent, without what was rejected.' })
  spentMinutes!: number;

  @Field(id(), { description: 'Milestone that it leads to.', nullable: true })
  milestoneId!: string | null;

  @Field(listOf(id(), { max: 50 }), { description: 'Tasks that must be done before.' })
  blockedByIds!: string[];

  @Field(checklist(), { description: 'Small steps.' })
  checklist!: ChecklistItem[];

  @Field(position(), { description: 'Place on a board.' })
  position!: number;

  @Field(instant(), { description: 'When it was done.', nullable: true })
  completedAt!: string | null;
}
