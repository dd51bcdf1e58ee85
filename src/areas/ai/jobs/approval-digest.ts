import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
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

/** SHA-256 of a JSON value in canonical form (RFC 8785), hexadecimal. */
export function digestOf(value: unknown): string {
  return hash('sha256', canonicalize(value) as string, 'hex');
}

/** The digest of everything that a policy or an approver has decided about. */
export function approvalDigestOf(job: Decided): string {
  const { kind, agentId, agentVersion, provider, model, inputHash, tools, maxOutputTokens } = job;
  const costCap = job.approvedCapMicros;
  return digestOf({ kind, agentId, agentVersion, provider, model, inputHash, tools, maxOutputTokens, costCap });
}
