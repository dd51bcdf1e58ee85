import { Injectable } from '@nestjs/common';
import { asCredential } from '#libs/auth/as-credential.js';
import { Credentials } from '#libs/auth/credentials.js';
import { callerOrNull, requirePermission } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope } from '#libs/tenancy/scope.js';
import type { OfOrderer } from '#libs/worker/on-behalf.js';
import { AgentsService } from '../agents/agents.service.js';
import type { Agent } from '../agents/agent.js';
import type { AiJob } from '../jobs/job.js';
import { aiJobs } from '../jobs/job.resource.js';
import { dataScopeOf } from './data-scope.js';
import { Targets } from './targets.js';

/** The job shows why it has failed. */
export const OF_AI_JOBS: OfOrderer = { of: 'orderer', asks: 'ai-jobs:write', told: null };

/** Acts as the requesters of jobs, with their current permissions. */
@Injectable()
export class Requesters {
  constructor(
    private readonly credentials: Credentials,
    private readonly agents: AgentsService,
    private readonly targets: Targets,
  ) {}

  /**
   * Runs something as the requester of a job. The audit log names the job, and the reviewer if there was one.
   * @throws Problem 401 if their credential is no longer valid.
   */
  as<T>({ id, requester }: AiJob, work: () => Promise<T>): Promise<T> {
    const allowedBy = callerOrNull() ? [currentScope().actor] : [];
    const warrant = { grounds: `AI job ${id}`, allowedBy };
    return asCredential(this.credentials, { keyId: requester.keyId, warrant }, work);
  }

  /** The current agent of a job; null if it has none. @throws Problem 409 `agent_inactive`, `approval_changed`. */
  async agentOf({ agentId, agentVersion }: Pick<AiJob, 'agentId' | 'agentVersion'>): Promise<Agent | null> {
    if (agentId === null) return null;
    const agent = await this.agents.records.readPlainly(agentId);
    if (agent.status !== 'active' || agent.archivedAt !== null)
      throw new Problem('agent_inactive', 'The agent does not accept jobs now.');
    if (agent.agentVersion !== agentVersion)
      throw new Problem('approval_changed', 'The agent is another one than the one that was decided on.');
    return agent;
  }

  /**
   * Checks that the requester could still request the job. Returns its agent. Call it inside {@link as}.
   * @throws Problem 401, 403 `permission_denied`, 409 `agent_inactive`, `approval_changed`, `target_unreadable`.
   */
  async recheck(job: AiJob): Promise<Agent | null> {
    requirePermission(OF_AI_JOBS.asks, { object: aiJobs.type });
    const agent = await this.agentOf(job);
    try {
      await this.targets.read(job.targets, dataScopeOf(agent, job.personalData));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'validation_failed') throw error;
      throw new Problem('target_unreadable', 'Who asked cannot read a record of the job any more.');
    }
    return agent;
  }
}
