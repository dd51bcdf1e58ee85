import type { AiPolicy } from '#libs/ai/policy.js';
import type { Agent } from '../agents/agent.js';
import type { DataScope } from './targets.js';

/**
 * What a job's model may see. Personal fields: if the agent allows it, or without an agent unless the policy blocks
 * personal data; their values are still masked if the policy says so.
 */
export function dataScopeOf(agent: Pick<Agent, 'dataScope'> | null, personalData: AiPolicy['personalData']): DataScope {
  return { agent: agent?.dataScope ?? null, personal: agent?.dataScope.includePersonal ?? personalData !== 'block' };
}
