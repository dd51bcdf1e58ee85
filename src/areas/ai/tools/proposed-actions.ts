import { Injectable } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { attempt } from '#libs/resource/records/attempt.js';
import { Parked } from '#libs/resource/gates/gates.js';
import type { RecordView } from '#libs/resource/types/record.dto.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { dataScopeOf } from './data-scope.js';
import type { AiJob } from '../jobs/job.js';
import type { ProposedAction } from '../jobs/job.parts.js';
import { Requesters } from './requesters.js';
import { Targets } from './targets.js';
import { type FoundTool, refuseUnfit, refuseUngranted, toolOf } from './tools.js';

/**
 * Changes that jobs propose, applied like the API operation, with its validation, permissions, gates, audit entries and
 * events. They are applied as the requester, never with more permissions than the requester and the agent's grants
 * allow.
 */
@Injectable()
export class ProposedActions {
  constructor(
    private readonly registry: ResourceRegistry,
    private readonly requesters: Requesters,
    private readonly targets: Targets,
    private readonly database: Database,
  ) {}

  /**
   * Applies a change inside the open transaction and returns its outcome. An earlier outcome is returned unchanged: a
   * caller that stores it with the job in the same transaction applies the change only once.
   */
  async apply(job: AiJob, action: ProposedAction): Promise<ProposedAction> {
    if (action.status !== 'proposed') return action;
    return this.database.transaction(async (transaction) => {
      let outcome: Pick<ProposedAction, 'status' | 'record'> = { status: 'failed', record: null };
      const translate = (error: unknown) =>
        this.registry.ofType(action.target?.object ?? '')?.service.translate(error) ?? error;
      const problem = await attempt(transaction, translate, async () => {
        outcome = await this.requesters.as(job, () => this.make(job, action));
      });
      return problem ? { ...action, status: 'failed', problem, record: null } : { ...action, ...outcome };
    });
  }

  /** @throws Problem 403, 404 if the caller could not make the change themselves. */
  async requireOwnRight({ operation, target }: ProposedAction): Promise<void> {
    const { permission, resource } = toolOf(this.registry, operation);
    requirePermission(permission, { object: resource.definition.type });
    if (target) await resource.service.readFor(target.id, permission);
  }

  private async make(job: AiJob, action: ProposedAction): Promise<Pick<ProposedAction, 'status' | 'record'>> {
    const tool = toolOf(this.registry, action.operation);
    const { definition, service } = tool.resource;
    const agent = await this.requesters.agentOf(job);
    if (agent) refuseUngranted(agent, action.operation, tool);
    requirePermission(tool.permission, { object: definition.type });
    const scope = dataScopeOf(agent, job.personalData);
    const outside = new Problem('tool_not_granted', 'The agent may not change records there.');
    if (!action.target) {
      if (!this.targets.isWithin(definition, workspaceOf(action.params), scope)) throw outside;
      return { status: 'applied', record: nameOf(tool, await this.create(tool, action)) };
    }
    const { workspaceId } = await service.read(action.target.id);
    if (!this.targets.isWithin(definition, workspaceId, scope)) throw outside;
    const changed = await this.update(tool, action, action.target.id);
    return { status: changed instanceof Parked ? 'parked' : 'applied', record: action.target };
  }

  private create({ verb, resource }: FoundTool, { operation, params }: ProposedAction): Promise<RecordView> {
    if (verb !== 'create') throw new Problem('tool_not_granted', `${operation} needs a record.`);
    refuseUnfit(resource.definition.create, params, '');
    return resource.service.create(params);
  }

  private update({ verb, resource }: FoundTool, action: ProposedAction, id: string): Promise<unknown> {
    if (verb !== 'update' || action.target?.object !== resource.definition.type)
      throw new Problem('tool_not_granted', `${action.operation} does not change such a record.`);
    refuseUnfit(resource.definition.update, action.params, '');
    return resource.service.update(id, action.params);
  }
}

/** Workspace of a new record; null if none is given. */
function workspaceOf({ workspaceId }: Record<string, unknown>): string | null {
  return typeof workspaceId === 'string' ? workspaceId : null;
}

function nameOf({ resource }: FoundTool, { id }: RecordView): ProposedAction['record'] {
  return { object: resource.definition.type, id };
}
