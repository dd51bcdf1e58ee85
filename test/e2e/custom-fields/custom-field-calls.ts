import type { Answer, Client } from '../../harness/client.js';

export const FIELDS = '/api/settings/custom-fields';
export const DEALS = '/api/v1/sales/deals';

/** A definition as the API shows it, as far as tests look at it. */
export interface Field {
  id: string;
  key: string;
  version: number;
}

/** Asks for a field of deals called `x`, of the type text if `more` names no other. */
export function ask(api: Client, more: object): Promise<Answer<Field>> {
  return api.post<Field>(FIELDS, { recordType: 'sales.deal', key: 'x', label: 'X', fieldType: 'text', ...more });
}

/** Makes the field that {@link ask} asks for. */
export async function define(api: Client, more: object): Promise<Field> {
  const answer = await ask(api, more);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Asks for a deal with values of custom fields. */
export function deal(api: Client, customFields?: object): Promise<Answer<{ id: string; customFields: object }>> {
  return api.post(DEALS, { name: 'Acme', ...(customFields ? { customFields } : {}) });
}
