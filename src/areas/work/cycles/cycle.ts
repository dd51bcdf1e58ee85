import { Column } from 'typeorm';
import { civilDate, Field, id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { workspaceOfWhole } from '#libs/resource/types/part-of.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { trashActions } from '#libs/resource/types/standard-actions.js';

const STATES = ['upcoming', 'current', 'closed'] as const;
const PROJECT_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22';
const DATES = { startDate: '2026-12-07', endDate: '2026-12-18' };

const count = () => integer({ min: 0, max: 2_147_483_647 });

/** Numbers of tasks of a cycle when it was closed. */
export class CycleSnapshot {
  @Field(count(), { description: 'Tasks in the cycle, without cancelled ones.', example: 12 })
  scope!: number;

  @Field(count(), { description: 'Done tasks.', example: 10 })
  done!: number;

  @Field(count(), { description: 'Unfinished tasks, which left the cycle.', example: 2 })
  carried!: number;
}

/** A period for which a project or a workspace plans its tasks. */
export class Cycle extends RecordRow {
  @Attribute(
    id(),
    'Project whose tasks it plans. If null, `workspaceId` is required, and the cycle takes tasks of all projects of that workspace. Cannot be changed later.',
    { example: PROJECT_ID, nullable: true, once: true, filter: true },
  )
  projectId!: string | null;

  @Attribute(text({ max: 5_000 }), 'Goal, in Markdown.', { nullable: true })
  goal!: string | null;

  @Attribute(civilDate(), 'First day. Cycles of a project cannot overlap.', {
    example: DATES.startDate,
    filter: true,
    sort: true,
  })
  startDate!: string;

  @Attribute(civilDate(), 'Last day; not before the first.', { example: DATES.endDate, filter: true, sort: true })
  endDate!: string;

  @ReadOnly(
    oneOf(STATES),
    'State of the life cycle. The platform starts and closes cycles by their dates in the time zone of the tenant.',
    { example: 'upcoming', filter: true },
  )
  status!: (typeof STATES)[number];

  @ReadOnly(instant(), 'Time at which it was closed; null before.', { nullable: true, filter: true })
  closedAt!: string | null;

  @Derived(nested(CycleSnapshot), 'Numbers of tasks when it was closed; null before.', { nullable: true })
  snapshot?: CycleSnapshot | null;

  @Column('integer', { name: 'scope_tasks', nullable: true })
  scopeTasks!: number | null;

  @Column('integer', { name: 'done_tasks', nullable: true })
  doneTasks!: number | null;

  @Column('integer', { name: 'carried_tasks', nullable: true })
  carriedTasks!: number | null;
}

/** A cycle as the API shows it. */
export type ShownCycle = Omit<Required<Shown<Cycle>>, 'scopeTasks' | 'doneTasks' | 'carriedTasks'>;

export const cycles = recordType(Cycle, {
  area: 'work',
  collection: 'cycles',
  noun: 'cycle',
  prefix: 'CYC',
  partOf: 'projectId',
  permissions: { read: 'cycles:read', write: 'cycles:write' },
  reach: { workspace: workspaceOfWhole('data.work_projects', 'project_id') },
  name: { example: 'Sprint 12' },
  named: { projectId: { table: 'data.work_projects' } },
  problems: {
    create: ['cycle_overlap', 'record_locked'],
    update: ['cycle_overlap', 'record_locked'],
    start: ['cycle_overlap'],
    restore: ['cycle_overlap'],
  },
  bodies: {
    create: { name: 'Sprint 12', projectId: PROJECT_ID, ...DATES },
    update: { goal: 'Customers can pay by card.' },
  },
  lifecycle: lifecycle({
    states: STATES,
    initial: 'upcoming',
    transitions: {
      start: {
        from: ['upcoming'],
        to: 'current',
        permission: 'cycles:write',
        event: 'started',
        summary: 'Start a cycle, today if its first day is later',
        happened: 'A cycle was started.',
      },
      close: {
        from: ['current'],
        to: 'closed',
        permission: 'cycles:write',
        event: 'closed',
        summary: 'Close a cycle and move its unfinished tasks to the next one',
        happened: 'A cycle was closed. Its unfinished tasks moved to the next cycle, or out of cycles without one.',
        risk: 'medium',
      },
      ...trashActions('cycle', ['upcoming'], 'cycles:delete', 'medium'),
    },
  }),
});

export type CycleAction = keyof typeof cycles.lifecycle.transitions;
