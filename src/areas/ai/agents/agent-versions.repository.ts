import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { id, instant } from '#libs/http/field.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { filter, listQuery, type ListOptions, type ListRequest } from '#libs/resource/lists/list-query.js';
import { type Page, ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { versionNumber } from '../version-number.js';
import { AgentVersion } from './agent-version.entity.js';

/** Options of the list of versions. */
export const agentVersionList: ListOptions = {
  filters: {
    agentVersion: filter.ordered(versionNumber()),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['agentVersion'],
  defaultSort: '-agentVersion',
};
export const AgentVersionQuery = listQuery('AgentVersionQuery', agentVersionList);

const OF_ONE_AGENT: ListOptions = {
  ...agentVersionList,
  filters: { ...agentVersionList.filters, agentId: filter.exact(id()) },
};
const ONE = `select id from data.intelligence_agent_versions where tenant_id = $1 and agent_id = $2 and agent_version = $3`;

@Injectable()
export class AgentVersionsRepository extends ResourceRepository<AgentVersion> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, AgentVersion);
  }

  /** One page of the versions of an agent, in the requested order. */
  pageOfAgent(agentId: string, request: ListRequest): Promise<Page<AgentVersion>> {
    const own = { field: 'agentId', operator: 'eq', value: agentId } as const;
    return this.page({ ...request, filters: [own, ...request.filters] }, OF_ONE_AGENT);
  }

  /** Version `agentVersion` of an agent; null if it does not exist. */
  async findOfAgent(agentId: string, agentVersion: number): Promise<AgentVersion | null> {
    const query = statement(ONE, [currentTenant().id, agentId, agentVersion]);
    const [row] = await this.database.read<{ id: string }>(query);
    return row ? this.find(row.id) : null;
  }
}
