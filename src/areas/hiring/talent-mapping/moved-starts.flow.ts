import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import { MappingRuns } from './mapping-runs.js';

/** Fields of an employee that a waiting invitation depends on. */
const CONCERNED = ['startDate', 'workEmail', 'personalEmail'];

/** Moves the invitation of a new employee with the first day, and stops it if the address changes. */
@Injectable()
export class MovedStarts implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly employees: EmployeesService,
    private readonly runs: MappingRuns,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'talent.invitation_on_moved_start',
      event: 'people.employee.updated',
      onBehalf: { of: 'tenant', because: 'consequence' },
      handle: async ({ changes, subject }) => {
        if (CONCERNED.some((field) => field in (changes ?? {}))) await this.move(subject.id);
      },
    });
  }

  private async move(employeeId: string): Promise<void> {
    const employee = await this.employees.records.find(employeeId);
    if (employee?.mappingId) await this.runs.reconsider(employee.mappingId);
  }
}
