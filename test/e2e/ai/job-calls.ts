import { randomUUID } from 'node:crypto';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { ShownAiJob } from '#src/areas/ai/jobs/job.js';
import type { AiJobAction } from '#src/areas/ai/jobs/job.lifecycle.js';
import { AiJobsService } from '#src/areas/ai/jobs/ai-jobs.service.js';
import type { AiPolicy } from '#libs/ai/policy.js';
import type { Answer, Client } from '../../harness/client.js';
import type { TestPlatform, TestTenant } from '../../harness/platform.js';

export const JOBS = '/api/ai/jobs';
export const TEXT = 'Acme has signed the contract. The renewal starts in May. The price stays as it was.';

type Refused = ShownAiJob & { code: string; errors?: { pointer?: string; code: string }[] };

export function ask(api: Client, body: object = {}): Promise<Answer<Refused>> {
  return api.post<Refused>(JOBS, { kind: 'text.summarize', input: { text: TEXT }, ...body });
}

/** A new job. */
export async function makeJob(api: Client, body: object = {}): Promise<ShownAiJob> {
  const answer = await ask(api, body);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
}

/** A job that waits for approval. */
export function parkJob(api: Client, body: object = {}): Promise<ShownAiJob> {
  return makeJob(api, { approval: 'required', ...body });
}

export function act(api: Client, id: string, action: string, body?: object): Promise<Answer<Refused>> {
  return api.post<Refused>(`${JOBS}/${id}/${action}`, body ?? (action === 'reject' ? { reason: 'No' } : undefined));
}

export async function jobOf(api: Client, id: string): Promise<ShownAiJob> {
  const answer = await api.get<ShownAiJob>(`${JOBS}/${id}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
}

export async function setPolicy({ api }: TestTenant, policy: Partial<AiPolicy>): Promise<void> {
  const answer = await api.patch('/api/ai/policy', policy);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
}

/** Changes a job as the worker does. */
export async function move(
  { app }: TestPlatform,
  { id: tenantId, slug }: TestTenant,
  id: string,
  action: AiJobAction,
  changes: object = {},
): Promise<void> {
  const facts = { id: tenantId, slug, plan: 'enterprise', currency: 'USD', epoch: '0' };
  const jobs = app.get(AiJobsService, { strict: false });
  await runAsSystem(facts, 'test worker', randomUUID(), () => jobs.records.follow(action, id, { ...changes }));
}

/** Paths from a new job to each state, through caller, approver and worker. */
export const FAILED = { error: { code: 'provider_unavailable', message: 'No answer.' } };
