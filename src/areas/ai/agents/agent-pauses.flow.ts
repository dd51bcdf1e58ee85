import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { activeOfOwner } from './agent.queries.js';
import { AgentsService } from './agents.service.js';

/** Events that end a member's access, and therefore the work of their agents. */
const ENDINGS = ['suspended', 'deactivated', 'deleted'];

/** Pauses the agents of members who are no longer active. */
@Injectable()
export class AgentPausesFlow implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly database: Database,
    private readonly agents: AgentsService,
  ) {}

  onModuleInit(): void {
    for (const ending of ENDINGS)
      this.automations.on({
        flow: `intelligence.pause_agents_of_${ending}_member`,
        event: `core.membership.${ending}`,
        onBehalf: { of: 'tenant', because: 'consequence' },
        handle: ({ subject }) => this.pauseAll(subject.id),
      });
  }

  private async pauseAll(memberId: string): Promise<void> {
    const active = await this.database.read<{ id: string }>(activeOfOwner(memberId));
    for (const { id } of active) await this.agents.records.follow('pause', id);
  }
}
