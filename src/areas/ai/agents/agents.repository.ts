import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Agent } from './agent.entity.js';

const ACTIVE_OF_OWNER = `select id from data.intelligence_agents
  where tenant_id = $1 and owner_id = $2 and status = 'active' and archived_at is null and deleted_at is null
  order by id`;

@Injectable()
export class AgentsRepository extends ResourceRepository<Agent> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Agent);
  }

  /** Ids of the active agents that belong to a member. */
  async activeOfOwner(ownerId: string): Promise<string[]> {
    const rows = await this.database.read<{ id: string }>(statement(ACTIVE_OF_OWNER, [currentTenant().id, ownerId]));
    return rows.map(({ id }) => id);
  }
}
