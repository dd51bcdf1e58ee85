import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { cut } from '#libs/kernel/cut.js';
import { TasksService } from '#src/areas/work/tasks/tasks.service.js';
import { employees } from './employee.js';
import { EmployeesRepository } from './employees.repository.js';
import { EmployeesService } from './employees.service.js';

const MAX_NAME = 200;

/** Creates a task to hand over the work of each employee whose offboarding starts; cancels it if that is withdrawn. */
@Injectable()
export class OffboardingFlow implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly employees: EmployeesService,
    private readonly repository: EmployeesRepository,
    private readonly tasks: TasksService,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'people.handover_task_on_offboarding',
      event: 'people.employee.offboarding_started',
      onBehalf: { of: 'tenant', because: 'consequence' },
      handle: ({ subject }) => this.plan(subject.id),
    });
    this.automations.on({
      flow: 'people.no_handover_task_without_offboarding',
      event: 'people.employee.offboarding_withdrawn',
      onBehalf: { of: 'tenant', because: 'consequence' },
      handle: ({ subject }) => this.tasks.cancelPlannedFor(subject.id),
    });
  }

  /** The manager owns the task. It does not mention the last day, which is personal. */
  private async plan(id: string): Promise<void> {
    const row = await this.repository.find(id);
    if (row?.status !== 'offboarding') return;
    const manager = await this.employees.records.unit((transaction) =>
      this.repository.activeManagerOf(transaction, id),
    );
    const assigneeIds = [row.membershipId, manager].filter((each) => each !== null);
    if (assigneeIds.length === 0) return;
    await this.tasks.records.create({
      name: cut(`Hand over the work of ${row.name}`, MAX_NAME),
      description:
        'Agree who takes over projects, tasks, customers and documents, and pass on what is not written down.',
      state: 'todo',
      ownerId: manager,
      assigneeIds,
      relatedTo: { object: employees.type, id },
    });
  }
}
