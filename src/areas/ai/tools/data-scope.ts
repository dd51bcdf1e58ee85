import type { AiPolicy } from '#libs/ai/policy.js';
import type { Agent } from '../agents/agent.js';
import type { DataScope } from './targets.js';

/**
 * What a job's model may see. It sees personal fields if the agent allows it, or without an agent unless the policy
 * blocks personal data. Their values are still masked if the policy requires it.
 */
export function dataScopeOf(agent: Pick<Agent, 'dataScope'> | null, personalData: AiPolicy['personalData']): DataScope {
  return { agent: agent?.dataScope ?? null, personal: agent?.dataScope.includePersonal ?? personalData !== 'block' };
}
