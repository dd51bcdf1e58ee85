import { until } from '#libs/testing/until.js';
import { StatusMeasuring } from '#src/areas/public/status/status-measuring.js';
import { Stage } from './stage.js';

const STATUS = '/api/public/status';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

interface Status {
  status: string;
  components: { key: string; status: string }[];
  updatedAt: string;
}

const read = async () => {
  stage.platform.clock.advance(61_000); // a new window of the rate limit
  const { status, body, headers } = await stage.platform.anonymous().get<Status>(STATUS);
  expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=5']);
  expect(Object.keys(body).sort()).toEqual(['components', 'maintenance', 'status', 'updatedAt']);
  return { status: body.status, ...Object.fromEntries(body.components.map(({ key, status }) => [key, status])) };
};

const UP = {
  ...{ status: 'operational', api: 'operational', database: 'operational', worker: 'operational' },
  ...{ webhooks: 'operational', audit: 'operational' },
};
const WITHOUT_WORKER = { ...UP, status: 'degraded', worker: 'outage', webhooks: 'degraded', audit: 'degraded' };

test('the status shows whether a worker is running', async () => {
  expect(await read()).toEqual(WITHOUT_WORKER);
  const worker = await stage.worker();
  await until(async () => (await read())['status'] === 'operational');
  expect(await read()).toEqual(UP);
  await worker.close();
  await until(async () => (await read())['status'] === 'degraded');
  expect(await read()).toEqual(WITHOUT_WORKER);
});

test('the status shows how late background work is', async () => {
  const tenant = await stage.platform.tenant();
  await stage.deal(tenant);
  const worker = await stage.idleWorker();
  /** Moves the ids, which contain the time, 10 minutes back. */
  const age = async (table: string, column: string) => {
    const earlier = `overlay(${column}::text placing lpad(to_hex((extract(epoch from now() - interval '10 minutes') * 1000)::bigint >> 16), 8, '0') from 1 for 8)::uuid`;
    await stage.sql(`update data.${table} set ${column} = ${earlier} where tenant_id = $1`, [tenant.id]);
    await worker.get(StatusMeasuring).measure();
  };
  await worker.get(StatusMeasuring).measure();
  const [row] = await stage.sql<object>(`select relay_seconds, sealing_seconds from directory.background_lags`);
  expect(row).toMatchObject({ relay_seconds: expect.any(Number) as number });
  await age('audit_pending', 'entry_id');
  const [late] = await stage.sql<{ sealing_seconds: number }>(`select sealing_seconds from directory.background_lags`);
  expect(late!.sealing_seconds).toBeGreaterThan(500);
  await age('events_pending', 'event_id');
  const [later] = await stage.sql<{ relay_seconds: number }>(`select relay_seconds from directory.background_lags`);
  expect(later!.relay_seconds).toBeGreaterThan(500);
});

test('the status is limited per address', async () => {
  const answers: number[] = [];
  for (let times = 0; times < 125; times++) answers.push((await stage.platform.anonymous().get(STATUS)).status);
  expect(answers).toContain(429);
  expect(answers[0]).toBe(200);
});
