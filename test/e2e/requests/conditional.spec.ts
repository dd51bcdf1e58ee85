import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { tracesOf } from './traces.js';

const DEALS = '/api/v1/sales/deals';

let platform: TestPlatform;
let tenant: TestTenant;
let path: string;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  path = `${DEALS}/${String((await tenant.api.post(DEALS, { name: 'x' })).body['id'])}`;
});
afterAll(() => platform.close());

describe('HEAD', () => {
  it.each([
    ['a record', () => path],
    ['a list', () => DEALS],
    ['an alias', () => path.replace('/v1', '')],
    ['the event schemas', () => '/api/v1/developer/event-schema'],
    ['health', () => '/health/live'],
    ['the document', () => '/openapi.json'],
    ['the reference page', () => '/docs'],
  ])('of %s has the headers of GET and no body', async (_, place) => {
    const plainly = { 'accept-encoding': 'identity' }; // otherwise the length is that of the compressed body
    const get = await tenant.api.get(place(), plainly);
    const head = await tenant.api.send('HEAD', place(), undefined, plainly);
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    for (const header of ['content-type', 'etag', 'content-security-policy', 'cache-control', 'x-content-type-options'])
      expect(head.headers.get(header)).toBe(get.headers.get(header));
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
  });

  it('is refused like GET', async () => {
    platform.clock.advance(61_000);
    expect((await platform.anonymous().send('HEAD', path)).status).toBe(401);
    expect((await tenant.api.send('HEAD', `${DEALS}/x`)).status).toBe(400);
    expect((await tenant.api.send('HEAD', `${DEALS}/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20`)).status).toBe(404);
    expect((await (await platform.key(tenant, ['deals:write'])).send('HEAD', path)).status).toBe(403);
  });

  it('counts as a read', async () => {
    const { api } = await platform.tenant({ reads: 1 });
    expect((await api.send('HEAD', DEALS)).headers.get('ratelimit')).toMatch(/^"read";r=0;/);
    expect((await api.get(DEALS)).status).toBe(429);
  });
});

describe('the version of a record', () => {
  it('is its strong ETag and increases by one with each change', async () => {
    expect((await tenant.api.get(path)).headers.get('etag')).toBe('"1"');
    const patched = await tenant.api.patch(path, { name: 'y' });
    expect([patched.body['version'], patched.headers.get('etag')]).toEqual([2, '"2"']);
    const moved = await tenant.api.post(`${path}/move`, { stage: 'demo' });
    expect([moved.body['version'], moved.headers.get('etag')]).toEqual([3, '"3"']);
    expect((await tenant.api.get(path)).headers.get('etag')).toBe('"3"');
  });

  it('is returned with a new record', async () => {
    const made = await tenant.api.post(DEALS, { name: 'new' });
    expect(made.headers.get('etag')).toBe('"1"');
    expect(made.headers.get('location')).toBe(`${DEALS}/${String(made.body['id'])}`);
  });

  it('is not a header of lists and deletions', async () => {
    expect((await tenant.api.get(DEALS)).headers.get('etag')).toBeNull();
    expect((await tenant.api.delete(path)).headers.get('etag')).toBeNull();
  });
});

describe('If-None-Match', () => {
  it.each(['"1"', 'W/"1"', '"0", "1"', '"0","1" , "2"', '*', ' "1" '])(
    '%s returns 304 without a body',
    async (tags) => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await tenant.api.send(method, path, undefined, { 'if-none-match': tags });
        expect(answer.status).toBe(304);
        expect(answer.text).toBe('');
        expect(answer.headers.get('etag')).toBe('"1"');
        expect(answer.headers.get('x-request-id')).not.toBeNull();
        expect(answer.headers.get('ratelimit')).not.toBeNull();
      }
    },
  );

  it.each(['"2"', '1', '"11"', '', 'x', '"1', 'W/1'])('%j returns 200', async (tags) => {
    expect((await tenant.api.get(path, { 'if-none-match': tags })).status).toBe(200);
  });

  it('returns 200 again after a change', async () => {
    await tenant.api.patch(path, { name: 'y' });
    expect((await tenant.api.get(path, { 'if-none-match': '"1"' })).status).toBe(200);
  });

  it('does not affect errors and writes', async () => {
    expect((await tenant.api.get(`${DEALS}/x`, { 'if-none-match': '*' })).status).toBe(400);
    expect((await tenant.api.patch(path, { name: 'y' }, { 'if-none-match': '"1"' })).status).toBe(200);
  });
});

describe('If-Match', () => {
  it.each(['"1"', '*', '"7", "1"', '"1","2"'])('%s allows a change', async (tags) => {
    expect((await tenant.api.patch(path, { name: 'y' }, { 'if-match': tags })).status).toBe(200);
  });

  const stale = ['"2"', '"0"', 'W/"1"', '1', '""', 'x', '"2", W/"1"'];
  it.each(stale)('%s refuses every change with 412 and the current version', async (tags) => {
    const before = await tracesOf(platform, tenant);
    for (const [method, suffix, body] of [
      ['PATCH', '', { name: 'y' }],
      ['PATCH', '', { status: 'won' }],
      ['DELETE', '', undefined],
      ['POST', '/move', { stage: 'demo' }],
      ['POST', '/win', {}],
      ['POST', '/archive', undefined],
    ] as const) {
      const answer = await tenant.api.send(method, path + suffix, body, { 'if-match': tags });
      expect(answer.status).toBe(412);
      expect(answer.body).toMatchObject({ code: 'version_mismatch', version: 1 });
    }
    expect(await tracesOf(platform, tenant)).toEqual(before);
  });

  it('applies to the collection path too', async () => {
    const id = path.split('/').at(-1)!;
    expect((await tenant.api.patch(DEALS, { id, name: 'y' }, { 'if-match': '"2"' })).status).toBe(412);
    expect((await tenant.api.delete(`${DEALS}?id=${id}`, { 'if-match': '"2"' })).status).toBe(412);
    const patched = await tenant.api.patch(DEALS, { id, name: 'y' }, { 'if-match': '"1"' });
    expect([patched.status, patched.headers.get('etag')]).toEqual([200, '"2"']);
  });

  it('is checked before the state: 404 for an unknown record, 412 for a changed one', async () => {
    const gone = await tenant.api.patch(`${DEALS}/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20`, {}, { 'if-match': '"1"' });
    expect(gone.status).toBe(404);
    await tenant.api.post(`${path}/win`);
    expect((await tenant.api.post(`${path}/win`, {}, { 'if-match': '"1"' })).status).toBe(412);
    expect((await tenant.api.post(`${path}/win`, {}, { 'if-match': '"2"' })).status).toBe(409);
  });

  it('allows exactly one of ten equal changes', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => tenant.api.patch(path, { name: `n${i}` }, { 'if-match': '"1"' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 412)]);
    expect((await tenant.api.get(path)).body).toMatchObject({ version: 2 });
  });
});
