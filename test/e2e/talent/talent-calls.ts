import type { ShownApplication } from '#src/areas/talent/applications/application.js';
import type { ShownCandidate } from '#src/areas/talent/candidates/candidate.js';
import type { ShownJob } from '#src/areas/talent/jobs/job.js';
import type { ShownOffer } from '#src/areas/talent/offers/offer.js';
import type { Answer, Client } from '../../harness/client.js';

export const JOBS = '/api/v1/talent/jobs';
export const CANDIDATES = '/api/v1/talent/candidates';
export const APPLICATIONS = '/api/v1/talent/applications';
export const INTERVIEWS = '/api/v1/talent/interviews';
export const SCORECARDS = '/api/v1/talent/scorecards';
export const OFFERS = '/api/v1/talent/offers';

/** @throws Error when the API rejects it. */
async function made<T>(api: Client, path: string, body: object): Promise<T> {
  const answer = await api.post<T>(path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Runs an action that must succeed. @throws Error when the API rejects it. */
export async function act<T>(api: Client, path: string, action: string, body?: object): Promise<T> {
  const answer = await api.post<T>(`${path}/${action}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

/** Creates an open job. */
export async function openJob(api: Client, body: object = {}): Promise<ShownJob> {
  const { id } = await made<ShownJob>(api, JOBS, { name: 'Engineer', ...body });
  return act(api, `${JOBS}/${id}`, 'open');
}

export function makeCandidate(api: Client, body: object = {}): Promise<ShownCandidate> {
  return made(api, CANDIDATES, { name: 'Ada Lovelace', ...body });
}

export function makeApplication(api: Client, candidateId: string, body: object = {}): Promise<ShownApplication> {
  return made(api, APPLICATIONS, { candidateId, ...body });
}

export function makeOffer(api: Client, applicationId: string, body: object = {}): Promise<ShownOffer> {
  return made(api, OFFERS, { applicationId, ...body });
}

/** Creates an accepted offer. */
export async function acceptedOffer(api: Client, applicationId: string, body: object = {}): Promise<ShownOffer> {
  const { id } = await makeOffer(api, applicationId, body);
  for (const action of ['submit', 'approve', 'send']) await act(api, `${OFFERS}/${id}`, action);
  return act(api, `${OFFERS}/${id}`, 'accept');
}

/** Runs an action on a candidate and returns any response. */
export function onCandidate(api: Client, id: string, action: string, body?: object): Promise<Answer<ShownCandidate>> {
  return api.post(`${CANDIDATES}/${id}/${action}`, body);
}

/** Runs an action on an application and returns any response. */
export function onApplication(
  api: Client,
  id: string,
  action: string,
  body?: object,
): Promise<Answer<ShownApplication>> {
  return api.post(`${APPLICATIONS}/${id}/${action}`, body);
}

/** Number of responses per status. */
export function tally(answers: Answer<unknown>[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
