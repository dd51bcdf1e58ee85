import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { TimeOffService } from './time-off.service.js';

/** Cancels the time off of each employee who leaves, as far as it is after the last day. */
@Injectable()
export class TimeOffFlow implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly timeOff: TimeOffService,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'people.time_off_ends_with_employment',
      event: 'people.employee.terminated',
      onBehalf: { of: 'tenant', because: 'consequence' },
      handle: ({ subject }) => this.timeOff.endWith(subject.id),
    });
  }
}
