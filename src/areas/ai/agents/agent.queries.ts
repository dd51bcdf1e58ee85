import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const ACTIVE_OF_OWNER = `select id from data.intelligence_agents
  where tenant_id = $1 and owner_id = $2 and status = 'active' and archived_at is null and deleted_at is null
  order by id`;

/** Ids of the active agents that belong to a member. */
export const activeOfOwner = (ownerId: string): Statement => statement(ACTIVE_OF_OWNER, [currentTenant().id, ownerId]);
