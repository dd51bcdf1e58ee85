import { documentedOperations } from '#libs/http/openapi/references.js';
import { PROBLEMS } from '#libs/kernel/problem.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

describe('without a credential', () => {
  it('the OpenAPI document is the one checked in these tests', async () => {
    const answer = await platform.anonymous().get('/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(platform.document)));
    expect(answer.body).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0', license: { name: 'Commercial' } },
    });
  });

  it('the reference page loads nothing, from this server or another', async () => {
    const page = await platform.anonymous().get<string>('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'/);
    expect(policy).not.toMatch(/https?:|\*|unsafe/);
    expect(page.text).not.toMatch(/ src=|<link|https?:\/\/(?!127\.0\.0\.1)/);
  });

  it.each(['/docs/', '/docs/api'])('%s leads to the reference page', async (path) => {
    const answer = await fetch(platform.url + path, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
  });

  it.each(['text/html', 'application/json', '*/*'])('the root redirects %s to the reference page', async (accept) => {
    const answer = await fetch(platform.url, { redirect: 'manual', headers: { accept } });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
    expect(new URL((await fetch(platform.url)).url).pathname).toBe('/docs');
  });

  it('the error codes are on a separate page linked from the document', async () => {
    const { text, headers } = await platform.anonymous().get<string>('/docs/errors');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    const told = [...text.matchAll(/<tr id="(\w+)"><td>(\d+)/g)].map(([, code, status]) => [code, Number(status)]);
    expect(told).toEqual(Object.entries(PROBLEMS).map(([code, [status]]) => [code, status]));
    expect(platform.document.info.description).toContain('](/docs/errors)');
  });

  const DOCUMENTS = ['/openapi.json', '/docs', '/docs/errors', '/docs/api/sales-deals', '/favicon.ico'];
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(platform.url + path, { headers: { 'accept-encoding': 'identity', ...headers } });

  it.each(DOCUMENTS)('%s is sent compressed if accepted, and only if changed', async (path) => {
    const plain = await ask(path);
    const text = await plain.text();
    expect([plain.status, plain.headers.get('content-encoding')]).toEqual([200, null]);
    for (const encoding of ['gzip', 'br, gzip;q=0.5', '*', 'deflate, GZIP ; q=1.0']) {
      const zipped = await ask(path, { 'accept-encoding': encoding });
      expect([encoding, zipped.headers.get('content-encoding')]).toEqual([encoding, 'gzip']);
      expect(zipped.headers.get('vary')).toBe('accept-encoding');
      expect(await zipped.text()).toBe(text); // fetch decompresses it
      expect(zipped.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    }
    for (const encoding of ['', 'br', 'gzip;q=0', 'gzip; q=0.000, br', '*;q=0'])
      expect((await ask(path, { 'accept-encoding': encoding })).headers.get('content-encoding')).toBeNull();
    for (const accept of ['identity', 'gzip']) {
      const tag = (await ask(path, { 'accept-encoding': accept })).headers.get('etag')!;
      const known = await ask(path, { 'accept-encoding': accept, 'if-none-match': tag });
      expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', tag]);
    }
    expect((await ask(path, { 'if-none-match': '"another"' })).status).toBe(200);
  });

  it('documents have a separate limit of 120 per minute and IP address', async () => {
    platform.clock.advance(61_000);
    for (let i = 0; i < 120; i++) expect((await ask(DOCUMENTS[i % DOCUMENTS.length]!)).status).toBe(200);
    for (const path of DOCUMENTS) {
      const refused = await platform.anonymous().get(path);
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await platform.anonymous().get('/api/v1/sales/deals')).status).toBe(401);
    expect((await platform.anonymous().get('/health/ready')).status).toBe(200);
    const { api } = await platform.tenant();
    expect((await api.get('/api/v1/sales/deals')).status).toBe(200);
    platform.clock.advance(60_000);
    expect((await ask('/openapi.json')).status).toBe(200);
  });

  it('health reports liveness and readiness', async () => {
    expect((await platform.anonymous().get('/health/live')).body).toEqual({ status: 'ok', checks: [] });
    const ready = await platform.anonymous().get('/health/ready');
    expect(ready).toMatchObject({ status: 200, body: { checks: ['database', 'migrations'] } });
  });

  /** For people without a credential and for operators, whose proof is in the request and checked first. */
  const FOR_STRANGERS = [
    'get /api/auth/login',
    'get /api/auth/callback',
    'get /api/auth/oauth/authorize',
    'get /api/auth/oauth/jwks',
    'get /.well-known/oauth-authorization-server',
    'get /api/auth/.well-known/oauth-authorization-server',
    'get /api/auth/oauth/.well-known/oauth-authorization-server',
    'get /api/bootstrap/slug-available',
    'post /api/bootstrap/tenants',
    'post /api/bootstrap/tenants/{id}/suspend',
    'post /api/auth/session',
    'get /api/invitations/{token}',
    'post /api/invitations/{token}/accept',
    'post /api/invitations/{token}/decline',
    'get /api/files/{token}',
    'put /api/files/{token}',
    'get /api/public/careers/{slug}',
    'get /api/public/careers/{slug}/jobs/{id}',
    'post /api/public/careers/{slug}/jobs/{id}/apply',
    'get /api/public/invoices/{token}',
    'get /api/public/keys',
    'get /api/public/milestones/{token}',
    'post /api/public/milestones/{token}/accept',
    'get /api/public/plans',
    'get /api/public/proposals/{token}',
    'post /api/public/proposals/{token}/accept',
    'post /api/public/proposals/{token}/decline',
    'get /api/public/status',
    'get /api/public/unsubscribe/{token}',
    'post /api/public/unsubscribe/{token}',
    'get /api/public/tenants/{slug}',
  ];

  it('nothing else is served', async () => {
    for (const { path, method } of documentedOperations(platform.document)) {
      if (path.startsWith('/health') || FOR_STRANGERS.includes(`${method} ${path}`)) continue;
      platform.clock.advance(61_000);
      const url = path.replace(/\{[^}]+\}/g, '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20');
      expect((await platform.anonymous().send(method.toUpperCase(), url)).status).toBe(401);
    }
  });
});
