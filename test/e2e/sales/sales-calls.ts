import type { ShownAccount } from '#src/areas/sales/accounts/account.js';
import type { ShownContact } from '#src/areas/sales/contacts/contact.js';
import type { ShownLead } from '#src/areas/sales/leads/lead.js';
import type { Shown } from '#libs/resource/types/record-type.js';
import type { Product } from '#src/areas/sales/products/product.js';
import type { Answer, Client } from '../../harness/client.js';

export const ACCOUNTS = '/api/v1/sales/accounts';
export const CONTACTS = '/api/v1/sales/contacts';
export const LEADS = '/api/v1/sales/leads';
export const PRODUCTS = '/api/v1/sales/products';

async function make<T>(api: Client, path: string, body: object): Promise<T> {
  const answer = await api.post<T>(path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Creates an account. @throws Error when the API rejects it. */
export const makeAccount = (api: Client, body: object = {}) =>
  make<ShownAccount>(api, ACCOUNTS, { name: 'an account', ...body });

/** Creates a contact. @throws Error when the API rejects it. */
export const makeContact = (api: Client, body: object = {}) =>
  make<ShownContact>(api, CONTACTS, { name: 'a contact', ...body });

/** Creates a lead. @throws Error when the API rejects it. */
export const makeLead = (api: Client, body: object = {}) => make<ShownLead>(api, LEADS, { name: 'a lead', ...body });

/** Creates a product. @throws Error when the API rejects it. */
export const makeProduct = (api: Client, body: object = {}) =>
  make<Shown<Product>>(api, PRODUCTS, { name: 'a product', ...body });

/** Names of the records in a list, in order. */
export async function namesOf(api: Client, path: string): Promise<string[]> {
  const { status, body, text } = await api.get<{ data: { name: string }[] }>(path);
  if (status !== 200) throw new Error(text);
  return body.data.map(({ name }) => name);
}

/** Status and body of a response, compared as a whole. */
export function outcomeOf<T>({ status, body }: Answer<T>): { status: number; body: T } {
  return { status, body };
}

/** Pointers and codes of the field errors in a 400. */
export function faultsOf(answer: Answer): { status: number; faults: [pointer: string, code: string][] } {
  const { errors = [] } = answer.body as { errors?: { pointer: string; code: string }[] };
  return { status: answer.status, faults: errors.map(({ pointer, code }) => [pointer, code]) };
}

/** Statuses of responses, sorted. */
export function statusesOf(answers: Answer<unknown>[]): number[] {
  return answers.map(({ status }) => status).sort((a, b) => a - b);
}
