import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { examplePathOf } from '#libs/resource/definition.js';
import { tasks } from './task.js';
import { OVERDUE_TIMER, TasksService } from './tasks.service.js';

/** What happens to tasks besides the actions of their life cycle: being assigned, and becoming overdue by themselves. */
@Injectable()
export class TaskAutomations implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly events: EventCatalogue,
    private readonly tasks: TasksService,
  ) {}

  onModuleInit(): void {
    this.declare('assigned', 'A task was assigned to others.');
    this.declare('overdue', 'The last day of an open task has passed.');
    this.automations.timer({ kind: OVERDUE_TIMER, fire: (id) => this.tasks.markOverdue(id) });
  }

  private declare(verb: string, description: string): void {
    const { type, view, example } = tasks;
    this.events.add({
      type: `${type}.${verb}`,
      version: 1,
      description,
      data: inlineSchemaOf(view),
      example,
      subjectType: type,
      exampleUrl: examplePathOf(tasks),
    });
  }
}
