import type { Answer, Client } from '../../harness/client.js';

export const HANDOFFS = '/api/admin/sales-handoff';
export const DEALS = '/api/v1/sales/deals';

export type Json = Record<string, unknown>;

/** A handoff as the tests read it. */
export interface Handoff extends Json {
  id: string;
  dealId: string;
  status: string;
  version: number;
  checklist: { key: string; status: string; dueDate: string | null; assigneeId: string | null }[];
  steps: { key: string; status: string; target: { object: string; id: string } | null; error: Json | null }[];
}

export interface HandoffList {
  data: Handoff[];
  templates: Json[];
  stats: Json;
  warnings: Json[];
}

/** Creates a record that must be accepted. @throws Error when the API rejects it. */
export async function make<T extends Json & { id: string } = Json & { id: string }>(
  api: Client,
  path: string,
  body: object = {},
): Promise<T> {
  const answer = await api.post<T>(path, body);
  if (answer.status !== 201 && answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

/** A won deal; its account by default is a new one. */
export async function wonDeal(api: Client, more: Json = {}): Promise<string> {
  const accountId =
    'accountId' in more ? more['accountId'] : (await make(api, '/api/v1/sales/accounts', { name: 'Acme' })).id;
  const { id } = await make(api, DEALS, { name: 'Acme rollout', value: 50_000, ...more, accountId });
  await make(api, `${DEALS}/${id}/win`);
  return id;
}

export const template = (api: Client, more: Json = {}) =>
  make(api, HANDOFFS, { type: 'template', name: 'Rollout', ...more });

/** The handoff of a new won deal. */
export async function handoff(api: Client, more: Json = {}, deal: Json = {}): Promise<Handoff> {
  return make<Handoff>(api, HANDOFFS, { dealId: await wonDeal(api, deal), ...more });
}

export const change = (api: Client, id: string, body: Json): Promise<Answer<Handoff>> =>
  api.patch<Handoff>(HANDOFFS, { id, ...body });

/** A change that must be accepted. @throws Error when the API rejects it. */
export async function changed(api: Client, id: string, body: Json): Promise<Handoff> {
  const answer = await change(api, id, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

export async function list(api: Client, query = ''): Promise<HandoffList> {
  const answer = await api.get<HandoffList & Json>(`${HANDOFFS}${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

export const read = async (api: Client, { dealId, id }: Handoff): Promise<Handoff> =>
  (await list(api, `?dealId=${dealId}`)).data.find((each) => each.id === id)!;
