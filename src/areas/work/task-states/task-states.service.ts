import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Guard } from '#libs/resource/lists/table.js';
import type { ActionHandler, Asked, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import type { RecordView } from '#libs/resource/types/record.dto.js';
import { partGuard, secretPartGuard } from '../projects/project.guard.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { categoryOf, isDefaultState } from '../tasks/task.lifecycle.js';
import { TasksService } from '../tasks/tasks.service.js';
import { invalid } from '../violations.js';
import { type RetireTaskState, type TaskState, type TaskStateAction, taskStates } from './task-state.js';
import { TaskStatesRepository } from './task-states.repository.js';

/** Tasks that one request moves out of a state. */
const MAX_MOVED = 1_000;

/** States of tasks that a tenant or a project adds to the default ones. */
@Injectable()
export class TaskStatesService implements Decisions<TaskState, RecordView, TaskStateAction> {
  readonly actions: Record<TaskStateAction, ActionHandler<TaskState>> = {
    retire: (row, input: RetireTaskState) => this.retire(row, input),
    reinstate: () => ({}),
  };
  readonly records: Records<TaskState, RecordView, TaskStateAction>;

  constructor(
    kit: ResourceKit,
    private readonly repository: TaskStatesRepository,
    private readonly tasks: TasksService,
    private readonly projects: ProjectsRepository,
  ) {
    this.records = Records.of(taskStates, kit, this, repository);
  }

  around<T>(asked: Asked<TaskStateAction>, work: (input: Input) => Promise<T>): Promise<T> {
    return this.projects.aroundPart(this.records, asked, work);
  }

  guard(): Guard {
    return partGuard(true);
  }

  secrecy(): Guard | null {
    return secretPartGuard();
  }

  draft(input: Partial<TaskState>): Draft<TaskState> {
    if (isDefaultState(input.key!))
      throw invalid('/key', 'reserved', `The key ${input.key} is that of a default state.`);
    return input as Draft<TaskState>; // the body has the other fields
  }

  private async retire(row: TaskState, { moveTo }: RetireTaskState): Promise<Partial<TaskState>> {
    const place = moveTo === undefined ? null : await this.repository.placeOf(moveTo, row.projectId, '/moveTo');
    if (moveTo === row.key)
      throw invalid('/moveTo', 'invalid_value', `Name another state of the category ${row.category}.`);
    const category = place && categoryOf(place.state);
    if (category && category !== row.category)
      throw invalid(
        '/moveTo',
        'invalid_value',
        `The state ${moveTo} has the category ${category} here, not ${row.category}.`,
      );
    return this.records.unit(async (transaction) => {
      const held = await this.tasks.inState(transaction, row.id, MAX_MOVED + 1);
      if (held.length > 0 && !place)
        throw new Problem('in_use', 'Tasks are in the state: name another one in `moveTo`.');
      if (held.length > MAX_MOVED)
        throw new Problem('in_use', `More than ${MAX_MOVED} tasks are in the state; move some of them first.`);
      if (place) await this.tasks.place(transaction, held, place);
      return {};
    });
  }
}
