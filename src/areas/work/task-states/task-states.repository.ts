import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { DEFAULT_STATE_OF, isDefaultState, type TaskPlace } from '../tasks/task.lifecycle.js';
import { invalid } from '../violations.js';
import { TaskState } from './task-state.js';

@Injectable()
export class TaskStatesRepository extends ResourceRepository<TaskState> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, TaskState);
  }

  /**
   * The columns of tasks in the state with a key: a default one, one of their project, or one of the tenant.
   * @throws Problem 400 `unknown_state` at `pointer`.
   */
  async placeOf(key: string, projectId: string | null, pointer = '/state'): Promise<TaskPlace> {
    if (isDefaultState(key)) return { state: key, customState: null, customStateId: null };
    const states = await this.all((add) => {
      const reach = `(t.project_id is null or t.project_id = ${add(projectId)}::uuid)`;
      return `(t.key = ${add(key)} and t.status = 'active' and ${reach})`;
    });
    const found = states.find((each) => each.projectId !== null) ?? states[0];
    if (!found) throw invalid(pointer, 'unknown_state', 'There is no such state, or it is retired.');
    return { state: DEFAULT_STATE_OF[found.category], customState: key, customStateId: found.id };
  }
}
