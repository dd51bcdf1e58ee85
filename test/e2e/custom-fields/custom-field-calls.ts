import type { Answer, Client } from '../../harness/client.js';

export const FIELDS = '/api/settings/custom-fields';
export const DEALS = '/api/v1/sales/deals';

/** The parts of a definition in the API that tests use. */
export interface Field {
  id: string;
  key: string;
  version: number;
}

/** Requests a text field `x` of deals; `more` overrides its properties. */
export function ask(api: Client, more: object): Promise<Answer<Field>> {
  return api.post<Field>(FIELDS, { recordType: 'sales.deal', key: 'x', label: 'X', fieldType: 'text', ...more });
}

/** Creates the field requested by {@link ask}. */
export async function define(api: Client, more: object): Promise<Field> {
  const answer = await ask(api, more);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Requests a deal with custom field values. */
export function deal(api: Client, customFields?: object): Promise<Answer<{ id: string; customFields: object }>> {
  return api.post(DEALS, { name: 'Acme', ...(customFields ? { customFields } : {}) });
}
