import type { Answer, Client } from '../../harness/client.js';
import type { TestPlatform } from '../../harness/platform.js';

export const KEYS = '/api/settings/developer/api-keys';
export const DEALS = '/api/v1/sales/deals';

/** An API key as the API shows it; with `apiKey` where it is shown once. */
export interface Key extends Record<string, unknown> {
  id: string;
  version: number;
  status: string;
  scopes: string[];
  expiresAt: string | null;
  previousExpiresAt: string | null;
  apiKey: string;
}

/** Asks for a service key that reads deals, unless `more` says otherwise. */
export function askFor(api: Client, more: object = {}, headers: Record<string, string> = {}): Promise<Answer<Key>> {
  return api.post<Key>(KEYS, { name: 'Shop', kind: 'service', scopes: ['deals:read'], ...more }, headers);
}

export async function makeKey(api: Client, more: object = {}): Promise<Key> {
  const answer = await askFor(api, more);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** A client that sends a key. */
export function withKey({ anonymous }: TestPlatform, { apiKey }: { apiKey: string }) {
  const headers = { 'x-api-key': apiKey };
  return {
    get: (path: string) => anonymous().get(path, headers),
    post: (path: string, body: object) => anonymous().post(path, body, headers),
    patch: (path: string, body: object) => anonymous().patch(path, body, headers),
  };
}
