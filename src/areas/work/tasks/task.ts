import { Column } from 'typeorm';
import { civilDate, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { Attribute, Derived, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { workspaceOfWhole } from '#libs/resource/types/part-of.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { MEMBER } from '#libs/resource/access/references.js';
import { PRIORITIES, type Priority } from '../ranks.js';
import {
  type DefaultTaskState,
  TASK_CATEGORIES,
  type TaskCategory,
  taskLifecycle,
  taskStateKey,
} from './task.lifecycle.js';
import {
  CancelTask,
  ChecklistItem,
  CompleteTask,
  estimate,
  MoveTask,
  RelatedRecord,
  ReopenTask,
} from './task.parts.js';

const PROJECT_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22';
const TASK = { table: 'data.work_tasks' };
const members = listOf(id(), { max: 50, unique: true });
const OVERDUE = `(t.category in ('backlog', 'unstarted', 'started') and t.due_date is not null
  and t.due_date < (:now at time zone 'UTC')::date)`;
const STATE_KEY = 'case when t.custom_state is null then t.state else t.custom_state end';
const ASSIGNED = `exists (select 1 from data.work_task_assignees a
  where a.tenant_id = t.tenant_id and a.task_id = t.id and a.member_id = any(:values))`;
const BLOCKED = `exists (select 1 from data.work_task_blockers b
  where b.tenant_id = t.tenant_id and b.task_id = t.id and b.blocker_id = any(:values))`;

/** A task of a project, or a personal task. */
export class Task extends RecordRow {
  @Attribute(id(), 'Project that it belongs to; null for a personal task. Cannot be changed later.', {
    example: PROJECT_ID,
    nullable: true,
    once: true,
    filter: true,
  })
  projectId!: string | null;

  @ReadOnly(
    integer({ min: 1, max: 2_147_483_647 }),
    'Number in its project, from 1. The reference is the key of the project with this number.',
    { example: 12, nullable: true, filter: true },
  )
  number!: number | null;

  @Attribute(text({ max: 50_000 }), 'Description in Markdown.', { nullable: true })
  description!: string | null;

  /** Stored as a default state, and for a state of the tenant also in {@link customState}. */
  @Mapped(
    taskStateKey(),
    'Key of the state: a default one (`backlog`, `todo`, `in_progress`, `in_review`, `done`, `cancelled`) or one that the tenant has added. A new task can be in any open state; `backlog` by default.',
    {
      example: 'backlog',
      optional: true,
      once: true,
      filter: { ...filter.exact(taskStateKey()), sql: STATE_KEY },
    },
  )
  @Column('text')
  state!: DefaultTaskState;

  @Column('text', { name: 'custom_state', nullable: true })
  customState!: string | null;

  @Column('uuid', { name: 'custom_state_id', nullable: true })
  customStateId!: string | null;

  @Derived(oneOf(TASK_CATEGORIES), 'Category of the state.', {
    example: 'backlog',
    filter: { ...filter.exact(oneOf(TASK_CATEGORIES)), sql: 't.category' },
  })
  category?: TaskCategory;

  /** Stored as a rank. */
  @Mapped(oneOf(PRIORITIES), 'Priority; `none` by default.', {
    example: 'none',
    optional: true,
    filter: { ...filter.exact(oneOf(PRIORITIES)), sql: 't.priority_word' },
    sort: true,
  })
  @Column('integer')
  priority!: number;

  @Attribute(members, 'Memberships that it is assigned to.', {
    default: [],
    names: MEMBER,
    assigns: true,
    privacy: 'personal',
  })
  assigneeIds!: string[];

  @Attribute(id(), 'Task of the same project that it is part of. Tasks nest at most three deep.', {
    nullable: true,
    names: TASK,
    filter: true,
  })
  parentId!: string | null;

  @Attribute(civilDate(), 'First day of the work.', { nullable: true, filter: true, sort: true })
  startDate!: string | null;

  @Attribute(civilDate(), 'Last day of the work; not before the first.', { nullable: true, filter: true, sort: true })
  dueDate!: string | null;

  @Derived(flag(), 'Whether it is still open after its due date.', {
    example: false,
    filter: filter.condition(OVERDUE),
  })
  isOverdue?: boolean;

  @ReadOnly(instant(), 'Time at which the platform found it overdue; null again when the due date changes.', {
    nullable: true,
  })
  overdueAt!: string | null;

  @Attribute(estimate(), 'Estimated work in minutes.', { example: 240, nullable: true })
  estimateMinutes!: number | null;

  /** Maintained by triggers of time entries; values written by the application are ignored. */
  @ReadOnly(integer({ min: 0, max: MAX_MINOR }), 'Minutes of its time entries, without the rejected ones.', {
    default: 0,
  })
  spentMinutes!: number;

  @Attribute(id(), 'Milestone of the same project that it leads to.', {
    nullable: true,
    names: { table: 'data.work_milestones' },
    filter: true,
  })
  milestoneId!: string | null;

  @Attribute(id(), 'Cycle in which it is planned: one of its project, or of the workspace that it is in.', {
    nullable: true,
    names: { table: 'data.work_cycles' },
    filter: true,
  })
  cycleId!: string | null;

  @Attribute(listOf(id(), { max: 50 }), 'Tasks of the same project that must be done before it.', {
    given: listOf(id(), { max: 50, unique: true }),
    default: [],
    names: TASK,
  })
  blockedByIds!: string[];

  @Mapped(nested(RelatedRecord), 'Record that it follows up. If that is a deal, losing it cancels the task.', {
    nullable: true,
  })
  relatedTo?: RelatedRecord | null;

  @Column('text', { name: 'related_object', nullable: true })
  relatedObject!: string | null;

  @Column('uuid', { name: 'related_id', nullable: true })
  relatedId!: string | null;

  @Attribute(listOf(nested(ChecklistItem), { max: 100 }), 'Items of its checklist, in order.', { default: [] })
  checklist!: ChecklistItem[];

  @Attribute(integer({ min: 0, max: MAX_MINOR }), 'Position on a board, rising; by default after all earlier tasks.', {
    example: 786432,
    optional: true,
    sort: true,
  })
  position!: number;

  @ReadOnly(instant(), 'Time of completion; null while it is not done.', { nullable: true, filter: true, sort: true })
  completedAt!: string | null;
}

type HiddenColumn = 'customState' | 'customStateId' | 'relatedObject' | 'relatedId';

/** A task as the API shows it. */
export type ShownTask = Omit<Required<Shown<Task>>, 'priority' | 'state' | HiddenColumn> & {
  priority: Priority;
  state: string;
};

/** Request body that creates or changes a task. */
export type TaskInput = Partial<Omit<Task, 'priority' | 'state'>> & { priority?: Priority; state?: string };

export const tasks = recordType(Task, {
  area: 'work',
  collection: 'tasks',
  noun: 'task',
  prefix: 'TASK',
  partOf: 'projectId',
  permissions: { read: 'tasks:read', write: 'tasks:write' },
  reach: {
    own: [
      `t.id = any(array(select x.task_id from data.work_task_assignees x where x.tenant_id = :tenant and x.member_id = :me))`,
    ],
    workspace: workspaceOfWhole('data.work_projects', 'project_id'),
  },
  lifecycle: taskLifecycle,
  stateField: 'state',
  stageField: 'customState',
  changeEvents: { assigneeIds: 'assigned' },
  name: { example: 'Move the data' },
  named: { projectId: { table: 'data.work_projects' } },
  inputs: { move: MoveTask, complete: CompleteTask, cancel: CancelTask, reopen: ReopenTask },
  shorthand: {
    state: { kind: taskStateKey(), description: 'Shorthand for the action that leads there.', optional: true },
  },
  besides: {
    complete: [{ scope: 'projects:manage', when: 'With `force`, where a task that it waits for is open.' }],
  },
  problems: {
    create: ['blocked', 'record_locked'],
    update: ['blocked', 'record_locked'],
    complete: ['blocked'],
    move: ['blocked'],
    reopen: ['blocked', 'record_locked'],
    restore: ['blocked', 'record_locked'],
  },
  bodies: {
    create: { name: 'Move the data', projectId: PROJECT_ID, estimateMinutes: 240 },
    update: { priority: 'high', dueDate: '2026-12-18' },
  },
  filters: {
    assigneeId: { ...filter.related(filter.member().kind, ASSIGNED), person: true },
    relatedId: { ...filter.exact(id()), sql: 't.related_id' },
    blockedById: filter.related(id(), BLOCKED),
  },
});
