import { Injectable } from '@nestjs/common';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { AiPolicyView, POLICY_EXAMPLE, POLICY_PATH, POLICY_TYPE } from './ai-policy.dto.js';
import { AUTOMATION_EXAMPLE, AUTOMATION_PATH, AUTOMATION_TYPE, AutomationView } from './automation.dto.js';

/** Declares the events about policy and pauses when the process starts. */
@Injectable()
export class AiPolicyEvents {
  constructor(registry: ResourceRegistry) {
    registry.declareObject({
      type: POLICY_TYPE,
      told: AiPolicyView,
      events: { updated: 'The AI policy of the tenant changed.' },
      example: POLICY_EXAMPLE,
      path: POLICY_PATH,
      hasPath: false,
    });
    const automation = { type: AUTOMATION_TYPE, told: AutomationView, path: AUTOMATION_PATH, hasPath: false };
    registry.declareObject({
      ...automation,
      events: { paused: 'AI work was paused: nothing new is taken, what waits is cancelled, what runs is cut off.' },
      example: AUTOMATION_EXAMPLE,
    });
    registry.declareObject({
      ...automation,
      events: { resumed: 'AI work may go on.' },
      example: { ...AUTOMATION_EXAMPLE, isPaused: false },
    });
  }
}
