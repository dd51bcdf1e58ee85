import { startPlatform, type TestPlatform } from '../../harness/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

describe('without a credential', () => {
  it('the OpenAPI document is served as it is checked in these tests', async () => {
    const answer = await platform.anonymous().get('/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(platform.document)));
    expect(answer.body).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0', license: { name: 'Commercial' } },
    });
  });

  it('the reference page and everything it loads come from this server', async () => {
    const page = await platform.anonymous().get<string>('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(page.headers.get('content-security-policy')).not.toMatch(/https?:|\*/);
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThanOrEqual(3);
    for (const link of links) {
      expect(link).toMatch(/^\/docs\//);
      const asset = await platform.anonymous().get<string>(link);
      expect(asset.status).toBe(200);
      expect(asset.headers.get('content-type')).toMatch(/^text\/(css|javascript)|^application\/javascript/);
      expect(asset.text.length).toBeGreaterThan(100);
    }
    const script = await platform.anonymous().get<string>('/docs/page.js');
    expect(script.text).toContain("'/openapi.json'");
  });

  it('health tells that the process runs and can serve', async () => {
    expect((await platform.anonymous().get('/health/live')).body).toEqual({ status: 'ok', checks: [] });
    const ready = await platform.anonymous().get('/health/ready');
    expect(ready).toMatchObject({ status: 200, body: { checks: ['database', 'migrations'] } });
  });

  /** For people who have no credential yet: what they bring is in the request. */
  const FOR_STRANGERS = [
    'post /api/auth/session',
    'get /api/invitations/{token}',
    'post /api/invitations/{token}/accept',
    'post /api/invitations/{token}/decline',
  ];

  it('nothing else is served', async () => {
    for (const path of Object.keys(platform.document.paths).filter((each) => !each.startsWith('/health'))) {
      platform.clock.advance(61_000);
      const item = Object.keys(platform.document.paths[path]!);
      for (const method of item.filter((each) => !FOR_STRANGERS.includes(`${each} ${path}`))) {
        const url = path.replace(/\{[^}]+\}/g, '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20');
        expect((await platform.anonymous().send(method.toUpperCase(), url)).status).toBe(401);
      }
    }
  });
});
