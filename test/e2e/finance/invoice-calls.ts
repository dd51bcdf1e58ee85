import type { Client } from '../../harness/client.js';

export const INVOICES = '/api/v1/finance/invoices';

type Json = Record<string, unknown>;

/** The fields of an invoice in the API that the tests read. */
export interface ShownInvoice extends Json {
  id: string;
  number: string | null;
  status: string;
  version: number;
  totalMinor: number;
  balanceMinor: number;
  lineItems: (Json & { id: string; totalMinor: number })[];
  allowedActions: string[];
}

/** A body that can be issued without changes: 360.00 with 20 % tax. */
export const ISSUABLE: Json = {
  name: 'Work in November',
  customer: { name: 'Globex Ltd', email: 'billing@globex.example' },
  lineItems: [{ description: 'Consulting', quantity: 2.5, unit: 'hour', unitPriceMinor: 12_000, taxPercent: 20 }],
};

/** Creates a draft. */
export async function draft(api: Client, body: Json = ISSUABLE): Promise<ShownInvoice> {
  const answer = await api.post<ShownInvoice>(INVOICES, body);
  if (answer.status !== 201) throw new Error(`No draft: ${answer.text}`);
  return answer.body;
}

/** Runs an action on an invoice. */
export function act(api: Client, id: string, action: string, body: Json = {}, headers: Record<string, string> = {}) {
  return api.post<ShownInvoice>(`${INVOICES}/${id}/${action}`, body, headers);
}

/** Creates an invoice and issues it. */
export async function issued(api: Client, body: Json = ISSUABLE, input: Json = {}): Promise<ShownInvoice> {
  const { id } = await draft(api, body);
  const answer = await act(api, id, 'issue', input);
  if (answer.status !== 200) throw new Error(`Not issued: ${answer.text}`);
  return answer.body;
}

/** Reads an invoice. */
export async function read(api: Client, id: string): Promise<ShownInvoice> {
  return (await api.get<ShownInvoice>(`${INVOICES}/${id}`)).body;
}

/** Codes of the violations in a response, each with its pointer. */
export function faultsOf(answer: { body: object }): string[] {
  const { errors = [] } = answer.body as { errors?: { pointer: string; code: string }[] };
  return errors.map(({ pointer, code }) => `${pointer} ${code}`);
}
