import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import type { Answer, Client } from '../../harness/client.js';
import type { Stage } from '../../worker/stage.js';
import { acceptedOffer, act, CANDIDATES, makeCandidate } from '../talent/talent-calls.js';

export const MAPPINGS = '/api/admin/talent-mapping';
export const EMPLOYEES = '/api/v1/people/employees';

export type Json = Record<string, unknown> & { id: string };
export type Step = { key: string; status: string; target: { id: string } | null; error: { code: string } | null };
export type Shown = Json & { status: string; steps: Step[]; employeeId: string | null; invitationId: string | null };

/** The worker as a test drives it: all events, and all automations that are due. */
export async function workerOf(stage: Stage): Promise<() => Promise<void>> {
  const worker = await stage.idleWorker();
  return async () => {
    await worker.get(EventRelay).pass();
    while ((await worker.get(AutomationWorker).pass()) !== 'none');
  };
}

export async function made(answer: Promise<Answer<Json>>): Promise<Shown> {
  const { status, body, text } = await answer;
  if (status !== 200) throw new Error(text);
  return body as Shown;
}

export const newTemplate = (api: Client, body: object = {}) =>
  made(api.post<Json>(MAPPINGS, { type: 'template', name: 'Engineering', ...body }));
export const newMapping = (api: Client, body: object) => made(api.post<Json>(MAPPINGS, body));
export const change = (api: Client, id: string, body: object): Promise<Answer<Json>> =>
  api.patch<Json>(MAPPINGS, { id, ...body });

export async function mappingOf(api: Client, candidateId: string): Promise<Shown> {
  const { body } = await api.get<{ data: Shown[] }>(`${MAPPINGS}?candidateId=${candidateId}`);
  return body.data[0]!;
}

let people = 0;

/** A hired candidate with an accepted offer. */
export async function hired(api: Client, startDate = '2099-01-05', offer: object = {}): Promise<string> {
  const email = `caroline${++people}@home.example`;
  const { id, applicationId } = await makeCandidate(api, { firstName: 'Zoë', lastName: `Groß${people}`, email });
  const pay = { amountMinor: 7_200_000, currency: 'EUR', period: 'year' };
  await acceptedOffer(api, applicationId!, { jobTitle: 'Astronomer', employmentType: 'part_time', pay, ...offer });
  await act(api, `${CANDIDATES}/${id}`, 'hire', { startDate });
  return id;
}

/** Step keys with their status. */
export const states = ({ steps }: Shown) => Object.fromEntries(steps.map(({ key, status }) => [key, status]));
