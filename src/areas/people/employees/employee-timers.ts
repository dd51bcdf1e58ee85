import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { START_DUE, TERMINATION_DUE } from './departures.js';
import { EmployeesService } from './employees.service.js';
import { EMPLOYMENT_DUE } from './employment-history.js';

/** What happens to employees because a day has come. */
@Injectable()
export class EmployeeTimers implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly employees: EmployeesService,
  ) {}

  onModuleInit(): void {
    this.automations.timer({ kind: START_DUE, fire: (id) => this.employees.begin(id) });
    this.automations.timer({ kind: TERMINATION_DUE, fire: (id) => this.employees.end(id) });
    this.automations.timer({ kind: EMPLOYMENT_DUE, fire: (id) => this.employees.takeEffect(id) });
  }
}
