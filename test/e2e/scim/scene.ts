import type { Answer, Client } from '../../harness/client.js';
import type { TestPlatform, TestTenant } from '../../harness/platform.js';

type Json = Record<string, unknown>;

/** The SCIM URL on the platform. */
export const SCIM_PATH = '/api/scim/v2';

/** A tenant with an identity provider connected to it. */
export interface Provider {
  tenant: TestTenant;
  /** Id of the configuration. */
  id: string;
  token: string;
  /** Calls as the provider; paths are relative to {@link SCIM_PATH}. */
  scim: ScimClient;
}

/** Calls SCIM with one token. */
export class ScimClient {
  constructor(
    private readonly client: Client,
    readonly token: string,
  ) {}

  get<T = Json>(path: string, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send<T>('GET', path, undefined, headers);
  }

  post<T = Json>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send<T>('POST', path, body, headers);
  }

  put<T = Json>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send<T>('PUT', path, body, headers);
  }

  patch<T = Json>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send<T>('PATCH', path, body, headers);
  }

  /** As Entra sends it, with a content type and without a body. */
  delete<T = Json>(path: string, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send<T>('DELETE', path, undefined, headers);
  }

  send<T = Json>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const own = { authorization: `Bearer ${this.token}`, 'content-type': 'application/scim+json' };
    return this.client.send<T>(method, `${SCIM_PATH}${path}`, body, { ...own, ...headers });
  }
}

/** Connects a provider to a tenant, new if none is given. */
export async function connect(platform: TestPlatform, settings: Json = {}, tenant?: TestTenant): Promise<Provider> {
  const own = tenant ?? (await platform.tenant());
  const { status, body, text } = await own.api.post('/api/admin/scim', { name: 'Identity provider', ...settings });
  if (status !== 200) throw new Error(`The provider could not be connected: ${text}`);
  const token = body['token'] as string;
  return { tenant: own, id: body['id'] as string, token, scim: new ScimClient(platform.anonymous(), token) };
}
