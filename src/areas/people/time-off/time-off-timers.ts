import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { LEAVE_BEGINS, LEAVE_ENDS, TimeOffService } from './time-off.service.js';

/** Timers of time off. */
@Injectable()
export class TimeOffTimers implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly timeOff: TimeOffService,
  ) {}

  onModuleInit(): void {
    this.automations.timer({
      kind: LEAVE_BEGINS,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.timeOff.begin(id),
    });
    this.automations.timer({
      kind: LEAVE_ENDS,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.timeOff.end(id),
    });
  }
}
