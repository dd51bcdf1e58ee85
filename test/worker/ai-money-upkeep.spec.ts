import { MINUTE_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { LedgerUpkeep } from '#src/areas/ai/budgets/ledger-upkeep.js';
import { SpendingUpkeep } from '#src/areas/ai/budgets/spending-upkeep.js';
import { Purse } from '../harness/ai-money.js';
import { Stage } from './stage.js';

const stage = await Stage.open();
afterAll(() => stage.close());

const idle = await stage.idleWorker();
const at = (offsetMs: number) => new Date(stage.platform.clock.nowMs() + offsetMs).toISOString();

it('nothing is held for a job one minute after it could last have run', async () => {
  const own = new Purse(stage.platform, await stage.platform.tenant());
  await own.budget({ limitMicros: 10_000 });
  const job = await own.tenant.api.post<{ id: string }>('/api/ai/jobs', { prompt: 'Name three fruits.' });
  expect(job.status).toBe(201);
  const { id: jobId } = job.body;
  const reservation = await own.reserve(700, { jobId, expiresAt: at(MINUTE_MS) });
  await stage.sql(`update data.ai_jobs set reservation_id = $1, version = version + 1 where id = $2`, [
    reservation,
    jobId,
  ]);
  const sweep = () => idle.get(SpendingUpkeep).sweep();
  stage.platform.clock.advance(MINUTE_MS);
  await sweep();
  expect(await own.find(reservation)).toMatchObject({ state: 'open', heldMicros: 700 });
  stage.platform.clock.advance(MINUTE_MS);
  await sweep();
  expect(await own.find(reservation)).toMatchObject({ state: 'released', heldMicros: 0 });
  expect((await own.counters()).map(({ held }) => held)).toEqual([0, 0]);
});

it('money held for a job that was never stored is released', async () => {
  const own = new Purse(stage.platform, await stage.platform.tenant());
  const reservation = await own.reserve(700, { jobId: uuidv7() });
  stage.platform.clock.advance(MINUTE_MS);
  await idle.get(SpendingUpkeep).sweep();
  expect(await own.find(reservation)).toMatchObject({ state: 'released' });
  expect(await own.mismatches()).toEqual([]);
});

it('the ledger check reports mismatches', async () => {
  const own = new Purse(stage.platform, await stage.platform.tenant());
  await own.reserve(600);
  const figure = async () => /^ai_ledger_mismatch (\d+)$/m.exec(await idle.get(Metrics).text())?.[1];
  await idle.get(LedgerUpkeep).sweep();
  expect(await figure()).toBe('0');
  await stage.sql(`update data.ai_accounts set spent_micros = 1 where tenant_id = $1`, [own.tenant.id]);
  await idle.get(LedgerUpkeep).sweep();
  expect(await figure()).toBe('1');
});
