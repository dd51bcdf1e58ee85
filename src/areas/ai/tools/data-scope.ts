import type { AiPolicy } from '#libs/ai/policy.js';
import type { Agent } from '../agents/agent.js';
import type { DataScope } from './targets.js';

/**
 * What the model of a job may be shown. Personal fields: if the agent says so, and without an agent unless the policy blocks
 * personal data; what they say is masked all the same where the policy wants that.
 */
export function dataScopeOf(agent: Pick<Agent, 'dataScope'> | null, personalData: AiPolicy['personalData']): DataScope {
  return { agent: agent?.dataScope ?? null, personal: agent?.dataScope.includePersonal ?? personalData !== 'block' };
}
