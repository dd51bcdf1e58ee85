import { Field, id, integer, oneOf } from '#libs/http/field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import { Attribute, ReadOnly } from '#libs/resource/types/attribute.js';
import { workspaceOfWhole } from '#libs/resource/types/part-of.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { TASK_CATEGORIES, type TaskCategory, taskStateKey } from '../tasks/task.lifecycle.js';

const STATES = ['active', 'retired'] as const;
const MANAGE = 'task-states:manage';

/** A state of tasks besides the default ones, of the whole tenant or of one project. */
export class TaskState extends RecordRow {
  @Attribute(
    id(),
    'Project whose tasks can be in the state; null for tasks of all projects and personal tasks. Cannot be changed later.',
    { nullable: true, once: true, filter: true },
  )
  projectId!: string | null;

  @Attribute(
    taskStateKey(),
    'Key that tasks show as their `state`. Cannot be changed later, nor be the key of a default state. Where a project and the tenant have states with the same key, tasks of the project enter that of the project.',
    { example: 'qa', unique: true, once: true, filter: true },
  )
  key!: string;

  @Attribute(
    oneOf(TASK_CATEGORIES),
    'Category, which determines how tasks in the state count. Cannot be changed later.',
    {
      example: 'started',
      once: true,
      filter: true,
    },
  )
  category!: TaskCategory;

  @Attribute(integer({ min: 0, max: 10_000 }), 'Position on boards, rising; 0 by default.', { default: 0, sort: true })
  position!: number;

  @ReadOnly(oneOf(STATES), 'Tasks can only enter active states.', { example: 'active', filter: true })
  status!: (typeof STATES)[number];
}

export class RetireTaskState {
  @Field(taskStateKey(), {
    description: 'Key of a state of the same category that its tasks move to. Required while tasks are in the state.',
    example: 'in_review',
    optional: true,
  })
  moveTo?: string;
}

export const taskStates = recordType(TaskState, {
  area: 'work',
  collection: 'task-states',
  noun: 'task state',
  prefix: 'TS',
  partOf: 'projectId',
  permissions: { read: 'task-states:read', write: MANAGE },
  reach: { workspace: workspaceOfWhole('data.work_projects', 'project_id') },
  name: { example: 'Quality assurance' },
  named: { projectId: { table: 'data.work_projects' } },
  inputs: { retire: RetireTaskState },
  problems: { create: ['record_locked'], update: ['in_use'], retire: ['in_use'] },
  bodies: { update: { position: 3 } },
  lifecycle: lifecycle({
    states: STATES,
    initial: 'active',
    transitions: {
      retire: {
        from: ['active'],
        to: 'retired',
        permission: MANAGE,
        event: 'retired',
        summary: 'Retire a task state and move its tasks to another one',
        happened: 'A task state was retired.',
        risk: 'medium',
      },
      reinstate: {
        from: ['retired'],
        to: 'active',
        permission: MANAGE,
        event: 'reinstated',
        summary: 'Reinstate a retired task state',
        happened: 'A retired task state was reinstated.',
      },
    },
  }),
});

export type TaskStateAction = keyof typeof taskStates.lifecycle.transitions;
