import { uuidv7 } from '#libs/kernel/id.js';
import { Stage } from '../../worker/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.worker();
});
afterAll(() => stage.close());

interface Delivery {
  id: string;
  status: string;
  sequence: string;
  nextAttemptAt: string | null;
  attempts: Record<string, unknown>[];
}
interface Page {
  data: Delivery[];
  page: { hasMore: boolean; nextCursor: string | null };
}

async function stageOne() {
  const tenant = await stage.platform.tenant();
  const receiver = await stage.receiver();
  const endpoint = await stage.endpoint(tenant, receiver.url);
  return { tenant, receiver, endpoint, path: `${endpoint.path}/deliveries` };
}

describe('the deliveries to an endpoint', () => {
  it('are listed with their attempts, newest first', async () => {
    const { tenant, receiver, endpoint, path } = await stageOne();
    const first = await stage.deal(tenant);
    await stage.statuses(endpoint, ['delivered']);
    receiver.answer = { status: 500, body: 'broken', headers: { 'content-type': 'text/plain' } };
    await tenant.api.post(`/api/v1/sales/deals/${first}/win`);
    await stage.statuses(endpoint, ['delivered', 'retrying']);
    const { body } = await tenant.api.get<Page>(path);
    expect(body.data).toMatchObject([
      {
        object: 'webhook.delivery',
        endpointId: endpoint.id,
        eventType: 'sales.deal.won',
        status: 'retrying',
        attemptCount: 1,
        deliveredAt: null,
        generation: 1,
        attemptsUsed: 1,
        skipReason: null,
        attempts: [{ number: 1, cause: 'schedule', httpStatus: 500, error: 'http_status', remoteAddress: '127.0.0.1' }],
      },
      {
        eventType: 'sales.deal.created',
        status: 'delivered',
        nextAttemptAt: null,
        attempts: [{ number: 1, error: null }],
      },
    ]);
    const [attempt] = body.data[0]!.attempts;
    for (const each of ['responseExcerpt', 'responseHeaders']) expect(attempt).not.toHaveProperty(each);
    expect(attempt!['firstByteMs']).toBeLessThanOrEqual(Number(attempt!['durationMs']));
    expect(attempt!['keyIds']).toEqual([receiver.received.at(-1)!.headers['x-service-key-id']]);
    expect(Number(body.data[0]!.sequence)).toBeGreaterThan(Number(body.data[1]!.sequence));
    expect(Date.parse(body.data[0]!.nextAttemptAt!)).toBeGreaterThan(Date.parse(String(attempt!['startedAt'])));
    const one = await tenant.api.get<Delivery>(`/api/webhooks/deliveries/${body.data[0]!.id}`);
    expect(one.body).toMatchObject({
      ...body.data[0],
      attempts: [{ responseExcerpt: 'broken', responseHeaders: { 'content-type': 'text/plain' } }],
    });
  });

  it('can be filtered by status, event type and time, and paginated', async () => {
    const { tenant, endpoint, path } = await stageOne();
    const ids: string[] = [];
    for (let each = 0; each < 3; each++) ids.push(await stage.deal(tenant));
    await tenant.api.post(`/api/v1/sales/deals/${ids[0]}/win`);
    await stage.statuses(endpoint, ['delivered', 'delivered', 'delivered', 'delivered']);
    await stage.sql(
      `update data.webhook_deliveries set created_at = created_at - interval '1 day'
       where endpoint_id = $1 and event_type = 'sales.deal.won'`,
      [endpoint.id],
    );
    const count = async (query: string) => (await tenant.api.get<Page>(`${path}?${query}`)).body.data.length;
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    expect(await count('status=delivered')).toBe(4);
    expect(await count('status[in]=held,exhausted')).toBe(0);
    expect(await count('eventType=sales.deal.won')).toBe(1);
    expect(await count('eventType[ne]=sales.deal.won')).toBe(3);
    expect(await count(`createdAt[gte]=${hourAgo}`)).toBe(3);
    expect(await count(`createdAt[lt]=${hourAgo}&status=delivered`)).toBe(1);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: Page } = await tenant.api.get<Page>(`${path}?limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ id }) => id));
      cursor = body.page.nextCursor;
    }
    expect(new Set(seen).size).toBe(4);
    expect((await tenant.api.get(`${path}?status=lost`)).status).toBe(400);
  });

  it('have cursors that are valid for this list only', async () => {
    const { tenant, endpoint, path } = await stageOne();
    const other = await stage.endpoint(tenant, 'http://127.0.0.1:9/hook');
    for (let each = 0; each < 2; each++) await stage.deal(tenant);
    await stage.statuses(endpoint, ['delivered', 'delivered']);
    const { body } = await tenant.api.get<Page>(`${path}?limit=1`);
    for (const foreign of [`${other.path}/deliveries?limit=1`, `${path}?limit=1&status=delivered`]) {
      const answer = await tenant.api.get(`${foreign}&cursor=${body.page.nextCursor}`);
      expect([answer.status, answer.body['code']]).toEqual([400, 'cursor_invalid']);
    }
  });

  it('are unknown to another tenant', async () => {
    const { tenant, endpoint } = await stageOne();
    const stranger = await stage.platform.tenant();
    await stage.deal(tenant);
    const [delivery] = await stage.statuses(endpoint, ['delivered']);
    for (const id of [delivery!.id, uuidv7()])
      expect((await stranger.api.get(`/api/webhooks/deliveries/${id}`)).status).toBe(404);
    expect((await tenant.api.get('/api/webhooks/deliveries/not-an-id')).status).toBe(400);
  });
});
