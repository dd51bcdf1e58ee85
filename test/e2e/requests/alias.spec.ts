import { startPlatform, type TestPlatform } from '../../harness/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

describe('/api/sales/deals is /api/v1/sales/deals', () => {
  it('for every operation', async () => {
    const { api } = await platform.tenant();
    const made = await api.post('/api/sales/deals', { name: 'Acme renewal', value: 25000 });
    expect(made.status).toBe(201);
    const short = `/api/sales/deals/${String(made.body['id'])}`;
    const long = `/api/v1/sales/deals/${String(made.body['id'])}`;
    expect(made.headers.get('location')).toBe(long);
    expect((await api.get(short)).text).toBe((await api.get(long)).text);
    expect((await api.patch(short, { name: 'y' })).body).toMatchObject({ name: 'y', version: 2 });
    expect((await api.post(`${short}/move`, { stage: 'demo' })).body).toMatchObject({ stage: 'demo' });
    expect((await api.get<{ data: object[] }>('/api/sales/deals?stage=demo&limit=1')).body.data).toHaveLength(1);
    expect((await api.patch('/api/sales/deals', { id: made.body['id'], name: 'z' })).body).toMatchObject({ name: 'z' });
    expect((await api.delete(`/api/sales/deals?id=${String(made.body['id'])}`)).status).toBe(200);
    expect((await api.get(long)).status).toBe(404);
  });

  it('shares idempotency keys, cursors, limits and events with it', async () => {
    const { api } = await platform.tenant({ writes: 3 });
    const first = await api.post('/api/sales/deals', { name: 'x' }, { 'idempotency-key': 'k' });
    const again = await api.post('/api/v1/sales/deals', { name: 'x' }, { 'idempotency-key': 'k' });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    const other = await api.post('/api/v1/sales/deals', { name: 'y' });
    expect(other.headers.get('ratelimit')).toMatch(/^"write";r=0;/);
    expect((await api.post('/api/sales/deals', { name: 'z' })).status).toBe(429);
    const page = await api.get<{ page: { nextCursor: string } }>('/api/sales/deals?limit=1');
    const next = await api.get<{ data: object[] }>(`/api/v1/sales/deals?limit=1&cursor=${page.body.page.nextCursor}`);
    expect(next.body.data).toMatchObject([{ id: first.body['id'] }]);
    const log = await api.get<{ data: { action: string; target: { id: string } }[] }>(
      '/api/admin/audit-logs?action=sales.deal.*',
    );
    expect(log.body.data.map(({ target }) => target.id)).toEqual([other.body['id'], first.body['id']]);
  });

  it('and no other short paths exist', async () => {
    const { api } = await platform.tenant();
    for (const path of [
      '/api/sales/pipelines',
      '/api/sales/dealsx',
      '/api/sales',
      '/api/v1/v1/sales/deals',
      '/api/developer/event-schema',
    ])
      expect((await api.get(path)).status).toBe(404);
  });
});
