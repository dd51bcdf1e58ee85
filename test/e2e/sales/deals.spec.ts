import { startPlatform, type TestPlatform } from '../../harness/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

describe('the documented example', () => {
  it('creates the deal, and repeats the response for the same key without a second effect', async () => {
    const { api } = await platform.tenant();
    const body = { name: 'Acme renewal', value: 25000 };
    const first = await api.post('/api/sales/deals', body, { 'idempotency-key': 'k1' });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      name: 'Acme renewal',
      value: 25000,
      valueMinor: 2500000,
      currency: 'USD',
      stage: 'qualification',
      status: 'open',
      reference: 'DEAL-000001',
      version: 1,
    });
    expect(first.headers.get('location')).toBe(`/api/v1/sales/deals/${String(first.body['id'])}`);
    const second = await api.post('/api/v1/sales/deals', body, { 'idempotency-key': 'k1' });
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const list = await api.get<{ data: object[] }>('/api/v1/sales/deals');
    expect(list.status).toBe(200);
    expect(list.body.data).toHaveLength(1);
  });
});
