import { DAY_MS } from '#libs/kernel/durations.js';
import type { Answer, Client } from '../../harness/client.js';
import type { Json } from '../../matrix/operations.js';

export const EMPLOYEES = '/api/v1/people/employees';
export const DEPARTMENTS = '/api/v1/people/departments';
export const TIME_OFF = '/api/v1/people/time-off';
export const POLICIES = '/api/v1/people/time-off-policies';

/** A record as returned by its creation. */
export type Made = Json & { id: string };

/** POSTs a record. @throws Error when it is not created. */
export async function made(api: Client, path: string, body: Json): Promise<Made> {
  const answer = await api.post(path, body);
  if (answer.status !== 201) throw new Error(`${path} ${JSON.stringify(body)}: ${answer.text}`);
  return answer.body as Made;
}

let count = 0;
export const makeEmployee = (api: Client, body: Json = {}): Promise<Made> =>
  made(api, EMPLOYEES, { name: `Person ${++count}`, ...body });

/** Runs an action on a record. @throws Error when it is rejected. */
export async function acted(api: Client, path: string, id: string, action: string, body?: Json): Promise<Json> {
  const answer = await api.post(`${path}/${id}/${action}`, body);
  if (answer.status !== 200) throw new Error(`${path} ${action}: ${answer.text}`);
  return answer.body;
}

/** Status and code of a response, compared in one assertion. */
export const outcome = ({ status, body }: Answer): [number, unknown] => [status, body['code']];

/** The UTC date a number of days after an instant. */
export const dayFrom = (nowMs: number, days: number): string =>
  new Date(nowMs + days * DAY_MS).toISOString().slice(0, 10);
