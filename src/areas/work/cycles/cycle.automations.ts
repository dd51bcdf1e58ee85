import { Injectable } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { CYCLE_TIMER, CyclesService } from './cycles.service.js';

/** Starts and closes cycles by their dates. */
@Injectable()
export class CycleAutomations {
  constructor(automations: Automations, cycles: CyclesService) {
    automations.timer({
      kind: CYCLE_TIMER,
      onBehalf: { of: 'tenant', because: 'rule' },
      fire: (id) => cycles.turn(id),
    });
  }
}
