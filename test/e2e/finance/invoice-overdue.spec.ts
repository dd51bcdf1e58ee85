import { DAY_MS } from '#libs/kernel/durations.js';
import { until } from '#libs/testing/until.js';
import { Stage } from '../../worker/stage.js';
import { asAdmin } from '../../harness/database.js';
import type { TestTenant } from '../../harness/platform.js';
import { act, INVOICES, ISSUABLE, issued, read } from './invoice-calls.js';

let stage: Stage;
let tenant: TestTenant;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.worker();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterAll(() => stage.close());

const verbs = async (id: string) => {
  const rows = await asAdmin<{ type: string }>(
    stage.platform.database,
    'select type from data.events where subject_id = $1 order by id',
    [id],
  );
  return rows.map(({ type }) => type.replace('finance.invoice.', ''));
};
const timerOf = async (id: string) => {
  const rows = await asAdmin<{ state: string }>(
    stage.platform.database,
    `select state from data.automation_runs where key = $1 and kind = 'finance.invoice.overdue'`,
    [id],
  );
  return rows[0]?.state;
};
const day = (offset: number) => new Date(stage.platform.clock.nowMs() + offset * DAY_MS).toISOString().slice(0, 10);
const later = (days: number) => stage.platform.clock.advance(days * DAY_MS);
const untilVerbs = (id: string, expected: string[]) =>
  until(async () => JSON.stringify(await verbs(id)) === JSON.stringify(expected));

it('is emitted once when the due date passes, whatever happens to the invoice afterwards', async () => {
  const { id } = await issued(tenant.api, { ...ISSUABLE, paymentTermsDays: 2 });
  later(4);
  await untilVerbs(id, ['created', 'issued', 'overdue']);
  expect(await read(tenant.api, id)).toMatchObject({ status: 'overdue', isOverdue: true, version: 3 });
  await act(tenant.api, id, 'pay', { amountMinor: 100 });
  expect(await read(tenant.api, id)).toMatchObject({ status: 'overdue', amountPaidMinor: 100 });
  await act(tenant.api, id, 'pay');
  expect(await read(tenant.api, id)).toMatchObject({ status: 'paid', isOverdue: false });
  expect(await verbs(id)).toEqual(['created', 'issued', 'overdue', 'payment_recorded', 'payment_recorded', 'paid']);
});

it('is emitted for an invoice that was overdue when it was issued', async () => {
  const { id, status } = await issued(tenant.api, { ...ISSUABLE, paymentTermsDays: 0 }, { issueDate: day(-3) });
  expect(status).toBe('overdue');
  await untilVerbs(id, ['created', 'issued', 'overdue']);
});

it('is never emitted for an invoice that was settled in time', async () => {
  const ids = [];
  for (const [action, body] of [
    ['pay', {}],
    ['void', { reason: 'x' }],
    ['write-off', { reason: 'x' }],
  ] as const) {
    const { id } = await issued(tenant.api, { ...ISSUABLE, paymentTermsDays: 2 });
    expect(await timerOf(id)).toBe('waiting');
    await act(tenant.api, id, action, body);
    expect(await timerOf(id)).toBe('cancelled');
    ids.push(id);
  }
  const witness = await issued(tenant.api, { ...ISSUABLE, paymentTermsDays: 2 });
  later(4);
  await untilVerbs(witness.id, ['created', 'issued', 'overdue']);
  for (const id of ids) expect(await verbs(id)).not.toContain('overdue');
});

it('is emitted again for a paid invoice whose payment is reversed after the due date', async () => {
  const { id } = await issued(tenant.api, { ...ISSUABLE, paymentTermsDays: 2 });
  const payment = await tenant.api.post<{ id: string }>(`${INVOICES}/${id}/payments`, {});
  later(4);
  await tenant.api.post(`/api/v1/finance/payments/${payment.body.id}/refund`, { reason: 'Bounced' });
  expect(await read(tenant.api, id)).toMatchObject({ status: 'overdue', balanceMinor: 36_000 });
  await until(async () => (await verbs(id)).at(-1) === 'overdue');
  expect((await verbs(id)).filter((verb) => verb === 'overdue')).toHaveLength(1);
});

it('preserves how long an invoice was open before it became overdue', async () => {
  const { id } = await issued(tenant.api, { ...ISSUABLE, paymentTermsDays: 2 });
  later(4);
  await untilVerbs(id, ['created', 'issued', 'overdue']);
  const rows = await asAdmin(
    stage.platform.database,
    'select action, from_state, to_state from data.record_transitions where record_id = $1 order by occurred_at, id',
    [id],
  );
  expect(rows).toEqual([
    { action: 'issue', from_state: 'draft', to_state: 'issued' },
    { action: 'fall_due', from_state: 'issued', to_state: 'overdue' },
  ]);
});
