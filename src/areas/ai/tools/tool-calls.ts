import { Injectable } from '@nestjs/common';
import type { ContextRecord } from '#libs/ai/provider.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import { id } from '#libs/http/field.js';
import { Problem } from '#libs/kernel/problem.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { model } from '#libs/resource/types/record.dto.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { dataScopeOf } from './data-scope.js';
import type { AiJob } from '../jobs/job.js';
import { Requesters } from './requesters.js';
import { Targets } from './targets.js';
import { refuseUnfit, refuseUngranted, toolOf } from './tools.js';

/** Maximum number of records per call. */
const MAX_FOUND = 20;
const OneRecord = model('ToolCallRecord', { id: { kind: id(), description: 'Id of the record.' } });

/** Reads of agents, as the requester, within the agent's grants and data scope. Call it inside `Requesters.as`. */
@Injectable()
export class ToolCalls {
  constructor(
    private readonly registry: ResourceRegistry,
    private readonly requesters: Requesters,
    private readonly targets: Targets,
  ) {}

  /**
   * Result of a reading tool: one record, or the found ones.
   * @param params the `id` for `get`, the list parameters for `search`.
   * @throws Problem 400, 403 `tool_not_granted`, `permission_denied`, 404.
   */
  async read(
    job: AiJob,
    key: string,
    params: Record<string, unknown>,
  ): Promise<ContextRecord | { records: ContextRecord[]; hasMore: boolean }> {
    const agent = await this.requesters.agentOf(job);
    const tool = toolOf(this.registry, key);
    if (!agent || (tool.verb !== 'list' && tool.verb !== 'get'))
      throw new Problem('tool_not_granted', `The tool ${key} reads nothing for this job.`);
    refuseUngranted(agent, key, tool);
    const { definition, service } = tool.resource;
    requirePermission(tool.permission, { object: definition.type });
    const scope = dataScopeOf(agent, job.personalData);
    if (tool.verb === 'get') {
      refuseUnfit(OneRecord, params, '');
      const view = await service.get(params['id'] as string);
      if (!this.targets.isWithin(definition, view.workspaceId, scope)) throw Problem.notFound();
      return this.targets.render(definition, view, scope);
    }
    refuseUnfit(listQuery('ToolCallSearch', definition.list), params, '');
    const limit = Math.min((params['limit'] as number | undefined) ?? MAX_FOUND, MAX_FOUND);
    const { data, page } = await service.list({ ...params, limit });
    const within = data.filter(({ workspaceId }) => this.targets.isWithin(definition, workspaceId, scope));
    return { records: within.map((view) => this.targets.render(definition, view, scope)), hasMore: page.hasMore };
  }
}
