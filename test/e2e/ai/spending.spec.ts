import { randomInt } from 'node:crypto';
import { uuidv7 } from '#libs/kernel/id.js';
import { Purse } from '../../harness/ai-money.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform } from '../../harness/platform.js';

const platform = await startPlatform();
afterAll(() => platform.close());

const purse = async (plan?: 'free' | 'enterprise') =>
  new Purse(platform, await platform.tenant({ plan: plan ?? 'enterprise' }), plan);
const budgetAccount = async (of: Purse) => (await of.counters()).find(({ kind }) => kind === 'budget')!;
const eventsOf = (of: Purse, type: string) =>
  asAdmin<{ envelope: string }>(
    platform.database,
    `select envelope from data.events where tenant_id = $1 and type = $2`,
    [of.tenant.id, type],
  );

it('32 concurrent clients can reserve exactly what a hard budget allows', async () => {
  const own = await purse();
  await own.budget({ limitMicros: 100_000 });
  const attempts = Array.from({ length: 32 }, async () => {
    let admitted = 0;
    for (let i = 0; i < 12; i++) if ((await own.tryReserve(700)) !== null) admitted++;
    return admitted;
  });
  const admitted = (await Promise.all(attempts)).reduce((sum, each) => sum + each, 0);
  expect(admitted).toBe(Math.floor(100_000 / 700));
  expect(await budgetAccount(own)).toMatchObject({ held: admitted * 700, spent: 0, excess: 0 });
  expect(await own.mismatches()).toEqual([]);
});

it('a refusal names the budget and its reset time, reserves nothing, and emits one event', async () => {
  const own = await purse();
  const month = await own.budget({ limitMicros: 1_000_000 });
  const day = await own.budget({ period: 'day', limitMicros: 500 });
  await own.reserve(300);
  const refused = await Promise.all(
    Array.from({ length: 20 }, () => own.reserve(201).catch((error: unknown) => error)),
  );
  const { body } = await own.tenant.api.get<{ resetsAt: string; exhaustedAt: string }>(`/api/ai/budgets/${day}`);
  for (const problem of refused)
    expect(problem).toMatchObject({
      code: 'budget_exhausted',
      status: 429,
      more: {
        extensions: {
          budget: { id: day, scope: { type: 'tenant', id: null }, period: 'day', limitMicros: 500 },
          remaining: 200,
          resetsAt: body.resetsAt,
        },
        headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) as string },
      },
    });
  expect(body.exhaustedAt).not.toBeNull();
  expect((await own.counters()).map(({ held }) => held)).toEqual([300, 300, 300]);
  const told = await eventsOf(own, 'ai.budget.exhausted');
  expect(told).toHaveLength(1);
  expect(JSON.parse(told[0]!.envelope)).toMatchObject({
    subject: { type: 'ai.budget', id: day, url: `/api/ai/budgets/${day}` },
    data: { budgetId: day, spentMicros: 0, reservedMicros: 300, remainingMicros: 200 },
  });
  const { body: other } = await own.tenant.api.get<{ exhaustedAt: null }>(`/api/ai/budgets/${month}`);
  expect(other.exhaustedAt).toBeNull();
});

it('a call settled a thousand times in any order is booked once', async () => {
  const own = await purse();
  await own.budget({ limitMicros: 1_000_000 });
  const reservation = await own.reserve(50_000);
  const calls = Array.from({ length: 20 }, (_, i) => ({ callId: uuidv7(), micros: 100 + i }));
  const replays = Array.from({ length: 1_000 }, (_, i) => calls[i % calls.length]!);
  replays.sort(() => randomInt(3) - 1);
  for (let i = 0; i < replays.length; i += 50)
    await Promise.all(
      replays.slice(i, i + 50).map(({ callId, micros }) => own.settle(reservation, micros, { callId })),
    );
  // A different amount reported later is ignored.
  expect(await own.settle(reservation, 40_000, { callId: calls[0]!.callId })).toEqual({
    replayed: true,
    overrunMicros: 0,
  });
  const spent = calls.reduce((sum, { micros }) => sum + micros, 0);
  expect(await own.find(reservation)).toMatchObject({ heldMicros: 50_000 - spent, spentMicros: spent });
  expect(await budgetAccount(own)).toMatchObject({ held: 50_000 - spent, spent });
  await own.release(reservation);
  await own.release(reservation);
  expect(await budgetAccount(own)).toMatchObject({ held: 0, spent });
  expect(await own.mismatches()).toEqual([]);
});

it('costs beyond the reservation are booked and reduce the budget for the next job', async () => {
  const own = await purse();
  await own.budget({ limitMicros: 1_000 });
  const first = await own.reserve(600);
  expect(await own.settle(first, 900)).toEqual({ replayed: false, overrunMicros: 300 });
  await own.release(first);
  expect(await budgetAccount(own)).toMatchObject({ held: 0, spent: 900, overrun: 300, excess: 0 });
  await expect(own.reserve(101)).rejects.toMatchObject({ code: 'budget_exhausted' });
  const second = await own.reserve(100);
  await own.settle(second, 500);
  expect(await budgetAccount(own)).toMatchObject({ held: 0, spent: 1_400, overrun: 700, excess: 400 });
  await expect(own.reserve(1)).rejects.toMatchObject({ code: 'budget_exhausted' });
  expect(await own.mismatches()).toEqual([]);
});

it('crossing the soft limit emits one event, and another only for a higher limit', async () => {
  const own = await purse();
  const id = await own.budget({ limitMicros: 10_000, softLimitMicros: 500 });
  const reservation = await own.reserve(5_000);
  expect(await eventsOf(own, 'ai.budget.threshold_reached')).toHaveLength(0); // reserved is not spent
  await Promise.all([400, 400, 400].map((micros) => own.settle(reservation, micros)));
  expect(await eventsOf(own, 'ai.budget.threshold_reached')).toHaveLength(1);
  const change = (body: object) => own.tenant.api.patch(`/api/ai/budgets/${id}`, body);
  await change({ softLimitMicros: 2_000 });
  await own.settle(reservation, 700);
  expect(await eventsOf(own, 'ai.budget.threshold_reached')).toHaveLength(1);
  await own.settle(reservation, 200);
  expect(await eventsOf(own, 'ai.budget.threshold_reached')).toHaveLength(2);
  const lowered = await change({ softLimitMicros: 1_000 });
  expect(lowered.body).toMatchObject({ spentMicros: 2_100, softLimitReachedAt: expect.any(String) as string });
  expect(await eventsOf(own, 'ai.budget.threshold_reached')).toHaveLength(2);
});

it('a budget without a hard stop allows everything and reports when it is spent', async () => {
  const own = await purse();
  await own.budget({ limitMicros: 100, hardStop: false });
  const reservation = await own.reserve(5_000);
  await own.settle(reservation, 99);
  expect(await eventsOf(own, 'ai.budget.exhausted')).toHaveLength(0);
  await own.settle(reservation, 1);
  await own.settle(reservation, 1_000);
  expect(await eventsOf(own, 'ai.budget.exhausted')).toHaveLength(1);
});

it('the monthly limit of the plan and the daily limit of an agent apply without any budget', async () => {
  const own = await purse('free');
  const agentId = uuidv7();
  await own.reserve(9_000_000, { agentId, agentDayLimitMicros: 9_500_000 });
  await expect(own.reserve(600_000, { agentId, agentDayLimitMicros: 9_500_000 })).rejects.toMatchObject({
    more: {
      extensions: { budget: { id: null, scope: { type: 'agent', id: agentId }, period: 'day' }, remaining: 500_000 },
    },
  });
  await expect(own.reserve(1_000_001)).rejects.toMatchObject({
    more: {
      extensions: { budget: { id: null, scope: { type: 'plan', id: null }, period: 'month', limitMicros: 10_000_000 } },
    },
  });
  await own.reserve(1_000_000);
  expect(await eventsOf(own, 'ai.budget.exhausted')).toHaveLength(2);
});

it('a model without a price costs nothing and locks no account', async () => {
  const own = await purse();
  await own.budget({ limitMicros: 0 });
  const reservation = await own.reserve(0);
  await own.settle(reservation, 0);
  await own.release(reservation);
  expect(await budgetAccount(own)).toMatchObject({ held: 0, spent: 0 });
  await expect(own.reserve(1)).rejects.toMatchObject({ code: 'budget_exhausted' });
});

it('a new period starts with the full limit, and late settlements count for the period of their reservation', async () => {
  const own = await purse();
  const id = await own.budget({ period: 'day', limitMicros: 1_000 });
  const yesterday = await own.reserve(900);
  platform.clock.advance(86_400_000);
  await own.reserve(800);
  await own.settle(yesterday, 700);
  await own.release(yesterday);
  const { body } = await own.tenant.api.get(`/api/ai/budgets/${id}`);
  expect(body).toMatchObject({ spentMicros: 0, reservedMicros: 800, remainingMicros: 200 });
  expect(await own.mismatches()).toEqual([]);
});

it('a tenant that changes its time zone keeps the account of the month', async () => {
  const own = await purse();
  await own.budget({ limitMicros: 1_000 });
  await own.reserve(900);
  const answer = await own.tenant.api.patch('/api/admin/settings', { general: { timezone: 'Asia/Tokyo' } });
  expect(answer.status).toBe(200);
  await expect(own.reserve(101)).rejects.toMatchObject({ code: 'budget_exhausted' });
});
