import { AccountingUpkeep } from '#libs/request-counts/accounting-upkeep.js';
import type { TestTenant } from '../harness/platform.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const PLACE = `'/api/v1/x', 'GET', 'api_key', '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20'::uuid`;
const FIGURES = `2, 1, 1, 3, 0, array[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 10`;

/** Figures of two processes for every minute of some hours, the last starting `hoursAgo` hours ago. */
async function minutes(tenant: TestTenant, hoursAgo: number, hours: number): Promise<void> {
  await stage.sql(
    `insert into data.request_stats_minute
     select $1, date_trunc('hour', now()) - interval '1 hour' * $2 - interval '1 minute' * n, ${PLACE},
       p, 1, ${FIGURES} from generate_series(-59, 60 * ($3::int - 1)) n, unnest(array[gen_random_uuid(), gen_random_uuid()]) p`,
    [tenant.id, hoursAgo, hours],
  );
}

async function totals(tenant: TestTenant): Promise<Record<string, unknown>[]> {
  const sums = `count(*)::int as rows, sum(count)::int as count, sum(c429)::int as refused,
    sum(latency[1])::int as fast, sum(latency[12])::int as slow, sum(bytes_out)::int as bytes`;
  return stage.sql(
    ['minute', 'hour', 'day']
      .map((grain) => `select '${grain}' as grain, ${sums} from data.request_stats_${grain} where tenant_id = $1`)
      .join(' union all '),
    [tenant.id],
  );
}

const figures = (n: number) => ({ count: 2 * n, refused: 3 * n, fast: n, slow: n, bytes: 10 * n });
const nothing = { rows: 0, count: null, refused: null, fast: null, slow: null, bytes: null };

describe('old request figures', () => {
  it('are aggregated to hours after 14 days and days after 100, by any worker, with equal sums', async () => {
    const tenant = await stage.platform.tenant();
    await minutes(tenant, 13 * 24, 2);
    await minutes(tenant, 15 * 24, 50);
    const workers = await Promise.all([stage.idleWorker(), stage.idleWorker()]);
    const sweep = () => Promise.all(workers.map((worker) => worker.get(AccountingUpkeep).sweep()));
    await sweep();
    await sweep();
    expect(await totals(tenant)).toEqual([
      { grain: 'minute', rows: 240, ...figures(240) },
      { grain: 'hour', rows: 50, ...figures(6_000) },
      { grain: 'day', ...nothing },
    ]);

    await stage.sql(`update data.request_stats_hour set hour = hour - interval '100 days' where tenant_id = $1`, [
      tenant.id,
    ]);
    await sweep();
    const [, hours, days] = await totals(tenant);
    expect(hours).toEqual({ grain: 'hour', ...nothing });
    expect(days).toMatchObject({ grain: 'day', ...figures(6_000) });
    expect([2, 3, 4]).toContain(days!['rows']);
  });

  it('that arrive late are added to existing aggregates', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await stage.idleWorker();
    for (let round = 1; round <= 2; round++) {
      await minutes(tenant, 20 * 24, 1);
      await worker.get(AccountingUpkeep).sweep();
      const [, hours] = await totals(tenant);
      expect(hours).toEqual({ grain: 'hour', rows: 1, ...figures(120 * round) });
    }
  });
});
