import type { Client } from '../../harness/client.js';

export const PROPOSALS = '/api/v1/proposals/proposals';

type Json = Record<string, unknown>;

/** The fields of a proposal in the API that the tests read. */
export interface ShownProposal extends Json {
  id: string;
  reference: string;
  number: string;
  status: string;
  versionNumber: number;
  dealId: string | null;
  supersededById: string | null;
  totalMinor: number;
  lineItems: (Json & { id: string; totalMinor: number })[];
  acceptedLineItems: (Json & { id: string; quantity: number })[];
  allowedActions: string[];
}

/** A body that can be submitted: 2,400.00 without tax, an option, and quantities to choose from. */
export const OFFER: Json = {
  name: 'Workshops',
  lineItems: [
    { description: 'Workshop', quantity: 2, unit: 'day', unitPriceMinor: 120_000, taxPercent: 20 },
    { description: 'Recording', unitPriceMinor: 30_000, isOptional: true },
    { description: 'Books', quantityChoices: [5, 10], unitPriceMinor: 2_000, isOptional: true, isSelected: true },
  ],
};

/** Creates a draft. */
export async function draft(api: Client, body: Json = {}): Promise<ShownProposal> {
  const answer = await api.post<ShownProposal>(PROPOSALS, { ...OFFER, ...body });
  if (answer.status !== 201) throw new Error(`No draft: ${answer.text}`);
  return answer.body;
}

/** Runs an action on a proposal. */
export function act(api: Client, id: string, action: string, body: Json = {}) {
  return api.post<ShownProposal>(`${PROPOSALS}/${id}/${action}`, body);
}

/** Runs actions that must succeed. */
export async function acted(api: Client, id: string, ...actions: (string | [string, Json])[]): Promise<ShownProposal> {
  let shown: ShownProposal | null = null;
  for (const each of actions) {
    const [action, body] = typeof each === 'string' ? [each, {}] : each;
    const answer = await act(api, id, action, body);
    if (answer.status !== 200) throw new Error(`Not done: ${action}: ${answer.text}`);
    shown = answer.body;
  }
  return shown!;
}

export const TO: Json = { to: ['buyer@globex.example'] };

/** Creates a proposal and sends it. */
export async function sent(api: Client, body: Json = {}, to: Json = TO): Promise<ShownProposal> {
  const { id } = await draft(api, body);
  return acted(api, id, 'submit', 'approve', ['send', to]);
}

/** Reads a proposal. */
export async function read(api: Client, id: string): Promise<ShownProposal> {
  return (await api.get<ShownProposal>(`${PROPOSALS}/${id}`)).body;
}
