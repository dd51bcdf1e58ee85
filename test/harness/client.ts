import type { Contract } from './contract.js';

/** A response with parsed body. */
export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
  text: string;
}

type Json = Record<string, unknown>;

/** Calls the API as a customer would, and validates every response against the OpenAPI document. */
export class Client {
  constructor(
    readonly url: string,
    readonly headers: Record<string, string>,
    private readonly contract: Contract,
    /** Headers of SCIM calls, which need another credential; defaults to the usual headers. */
    private readonly scimHeaders: (() => Promise<Record<string, string>>) | null = null,
  ) {}

  /** The same with other headers. */
  as(headers: Record<string, string>): Client {
    return new Client(this.url, headers, this.contract);
  }

  get<T = Json>(path: string, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send<T>('GET', path, undefined, headers);
  }

  post<T = Json>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send<T>('POST', path, body, headers);
  }

  patch<T = Json>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send<T>('PATCH', path, body, headers);
  }

  delete<T = Json>(path: string, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send<T>('DELETE', path, undefined, headers);
  }

  /** `body` is sent as JSON; strings and bytes are sent unchanged. */
  async send<T = Json>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const own = this.scimHeaders && path.startsWith('/api/scim/') ? await this.scimHeaders() : this.headers;
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...own, ...headers },
      ...(body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as string }),
      redirect: 'manual',
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') && text !== '';
    const parsed: unknown = json ? JSON.parse(text) : text;
    this.contract.check(method, path, response.status, response.headers, parsed);
    return { status: response.status, headers: response.headers, body: parsed as T, text };
  }
}
