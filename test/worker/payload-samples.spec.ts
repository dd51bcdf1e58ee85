import { Metrics } from '#libs/metrics/metrics.js';
import { until } from '#libs/testing/until.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

it('an event that violates its schema is counted and still sent', async () => {
  const tenant = await stage.platform.tenant();
  const receiver = await stage.receiver();
  const endpoint = await stage.endpoint(tenant, receiver.url, { eventTypes: ['sales.deal.created', 'sales.deal.won'] });
  const deal = await stage.deal(tenant);
  expect((await tenant.api.post(`/api/v1/sales/deals/${deal}/win`)).status).toBe(200);
  const replace = (text: string, by: string) =>
    stage.sql(
      `update data.events set envelope = replace(envelope, $2, $3) where tenant_id = $1 and type = 'sales.deal.created'`,
      [tenant.id, text, by],
    );
  await replace('"value":25000', '"value":"much"');
  const worker = await stage.worker();
  await stage.statuses(endpoint, ['delivered', 'delivered']);
  expect(receiver.ofType('sales.deal.created')).toMatchObject([{ event: { data: { value: 'much' } } }]);
  const counted = async () =>
    (await worker.get(Metrics).registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('events_invalid_total{'));
  await until(async () => (await counted()).length > 0);
  expect(await counted()).toEqual(['events_invalid_total{type="sales.deal.created"} 1']);
  // The stage validates all events when it closes.
  await replace('"value":"much"', '"value":25000');
});
