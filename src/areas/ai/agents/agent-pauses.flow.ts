import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { AgentsRepository } from './agents.repository.js';
import { AgentsService } from './agents.service.js';

/** What ends the access of a member, and with it the work of their agents. */
const ENDINGS = ['suspended', 'deactivated', 'deleted'];

/** Pauses the agents of whoever is no active member any more. */
@Injectable()
export class AgentPausesFlow implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly repository: AgentsRepository,
    private readonly agents: AgentsService,
  ) {}

  onModuleInit(): void {
    for (const ending of ENDINGS)
      this.automations.on({
        flow: `intelligence.pause_agents_of_${ending}_member`,
        event: `core.membership.${ending}`,
        handle: ({ subject }) => this.pauseAll(subject.id),
      });
  }

  private async pauseAll(memberId: string): Promise<void> {
    for (const id of await this.repository.activeOfOwner(memberId)) await this.agents.follow('pause', id);
  }
}
