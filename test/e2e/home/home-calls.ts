import type { Home } from '#src/areas/home/start/home.dto.js';
import type { Client } from '../../harness/client.js';

export const HOME = '/api/home';

export async function readHome(api: Client): Promise<Home> {
  const { status, body, text } = await api.get<Home>(HOME);
  if (status !== 200) throw new Error(text);
  return body;
}

/** Ids of records in order. */
export const idsOf = (records: readonly { id: string }[] | null | undefined): string[] =>
  (records ?? []).map(({ id }) => id);

/** Creates a record. @throws Error when the API rejects it. */
export async function created(api: Client, path: string, body: object = {}): Promise<{ id: string }> {
  const answer = await api.post<{ id: string }>(path, body);
  if (answer.status !== 201) throw new Error(`${path} ${answer.text}`);
  return answer.body;
}

/** Creates a workspace without members. */
export async function makeWorkspace(api: Client, key: string): Promise<string> {
  const { status, body, text } = await api.post<{ id: string }>('/api/admin/workspaces', { name: key, key });
  if (status !== 200) throw new Error(text);
  return body.id;
}

/** Changes something. @throws Error when the API rejects it. */
export async function changed(api: Client, method: string, path: string, body?: object): Promise<void> {
  const answer = await api.send(method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path} ${answer.text}`);
}
