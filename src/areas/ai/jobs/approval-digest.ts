import { digestOf } from '#libs/kernel/canonical.js';
import type { AiJob } from './job.js';

/** The parts of a job that a decision covers. */
export type Decided = Pick<
  AiJob,
  | 'kind'
  | 'agentId'
  | 'agentVersion'
  | 'provider'
  | 'model'
  | 'inputHash'
  | 'tools'
  | 'maxOutputTokens'
  | 'approvedCapMicros'
>;

/** The digest of everything that a policy or an approver has decided about. */
export function approvalDigestOf(job: Decided): string {
  const { kind, agentId, agentVersion, provider, model, inputHash, tools, maxOutputTokens } = job;
  const costCap = job.approvedCapMicros;
  return digestOf({ kind, agentId, agentVersion, provider, model, inputHash, tools, maxOutputTokens, costCap });
}
