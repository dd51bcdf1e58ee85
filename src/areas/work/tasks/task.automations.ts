import { Injectable } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { tasks } from './task.js';
import { OVERDUE_TIMER, TasksService } from './tasks.service.js';

/** Task events outside the life cycle: assigned and overdue. */
@Injectable()
export class TaskAutomations {
  constructor(automations: Automations, registry: ResourceRegistry, service: TasksService) {
    const { type, view: told, example } = tasks;
    const events = {
      assigned: 'A task was assigned to others.',
      overdue: 'The last day of an open task has passed.',
    };
    registry.declareObject({ type, told, events, example, path: pathOf(tasks), hasPath: true });
    automations.timer({ kind: OVERDUE_TIMER, fire: (id) => service.markOverdue(id) });
  }
}
