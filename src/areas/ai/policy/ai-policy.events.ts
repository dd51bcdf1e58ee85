import { Injectable, type OnModuleInit } from '@nestjs/common';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { AiPolicyView, POLICY_EXAMPLE, POLICY_PATH, POLICY_TYPE } from './ai-policy.dto.js';
import { AUTOMATION_EXAMPLE, AUTOMATION_PATH, AUTOMATION_TYPE, AutomationView } from './automation.dto.js';

const AUTOMATION_EVENTS = {
  paused: 'AI work was paused: nothing new is taken, what waits is cancelled, what runs is cut off.',
  resumed: 'AI work may go on.',
};

/** Declares the events about policy and pauses when the process starts. */
@Injectable()
export class AiPolicyEvents implements OnModuleInit {
  constructor(private readonly events: EventCatalogue) {}

  onModuleInit(): void {
    this.events.add({
      type: `${POLICY_TYPE}.updated`,
      version: 1,
      description: 'The AI policy of the tenant changed.',
      data: inlineSchemaOf(AiPolicyView),
      example: POLICY_EXAMPLE,
      subjectType: POLICY_TYPE,
      exampleUrl: POLICY_PATH,
    });
    for (const [verb, description] of Object.entries(AUTOMATION_EVENTS))
      this.events.add({
        type: `${AUTOMATION_TYPE}.${verb}`,
        version: 1,
        description,
        data: inlineSchemaOf(AutomationView),
        example: { ...AUTOMATION_EXAMPLE, isPaused: verb === 'paused' },
        subjectType: AUTOMATION_TYPE,
        exampleUrl: AUTOMATION_PATH,
      });
  }
}
