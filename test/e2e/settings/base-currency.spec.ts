import pg from 'pg';
import { until } from '#libs/testing/until.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, draft, ISSUABLE, issued } from '../finance/invoice-calls.js';

const SETTINGS = '/api/admin/settings';
const PAYMENTS = '/api/v1/finance/payments';

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  api = tenant.api;
});
afterAll(() => platform.close());

const change = (baseCurrency: unknown, more: object = {}) =>
  api.patch<Record<string, unknown>>(SETTINGS, { finance: { baseCurrency, ...more } });
const fixed = { status: 409, body: { code: 'base_currency_fixed' } };

it('changes before anything is posted, and holds from the next request on', async () => {
  expect(await change('EUR', { paymentTermsDays: 7 })).toMatchObject({
    status: 200,
    body: {
      version: 2,
      changed: ['finance.baseCurrency', 'finance.paymentTermsDays'],
      finance: { baseCurrency: 'EUR', paymentTermsDays: 7 },
    },
  });
  expect(await api.get(SETTINGS)).toMatchObject({ body: { finance: { baseCurrency: 'EUR', paymentTermsDays: 7 } } });
  expect(await change('EUR')).toMatchObject({ status: 200, body: { version: 2, changed: [] } });
  expect(await api.post('/api/v1/sales/deals', { name: 'Acme' })).toMatchObject({ body: { currency: 'EUR' } });
  const { body: audit } = await api.get<{ data: { changes: object }[] }>(
    '/api/admin/audit-logs?action=admin.settings.updated',
  );
  expect(audit.data).toMatchObject([
    { changes: { finance: { from: { baseCurrency: 'USD' }, to: { baseCurrency: 'EUR' } } } },
  ]);
});

it.each([
  [null, 'not_nullable'],
  ['eur', 'unknown_currency'],
])('cannot become %p', async (currency, code) => {
  expect(await change(currency)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/finance/baseCurrency', code }] },
  });
});

it('stays when the settings of the section go back to their defaults', async () => {
  await change('EUR', { paymentTermsDays: 7 });
  expect(await api.patch(SETTINGS, { finance: null })).toMatchObject({
    status: 200,
    body: { changed: ['finance.paymentTermsDays'], finance: { baseCurrency: 'EUR', paymentTermsDays: 30 } },
  });
});

it.each([
  ['an invoice', () => issued(api)],
  ['a payment', () => api.post(PAYMENTS, { amountMinor: 5, status: 'succeeded' })],
])('is fixed once %s is posted', async (_what, post) => {
  await post();
  expect(await change('EUR', { paymentTermsDays: 7 })).toMatchObject(fixed);
  expect(await api.get(SETTINGS)).toMatchObject({
    body: { version: 1, finance: { baseCurrency: 'USD', paymentTermsDays: 30 } },
  });
  expect(await change('USD')).toMatchObject({ status: 200, body: { changed: [] } });
});

it('books what was written before in the currency that holds', async () => {
  const [invoice, own] = [
    await draft(api),
    await draft(api, { ...ISSUABLE, currency: 'EUR', exchange: { rate: '2' } }),
  ];
  const pay = async (body: object) => (await api.post<{ id: string }>(PAYMENTS, { amountMinor: 500, ...body })).body.id;
  const [payment, ours] = [await pay({}), await pay({ currency: 'EUR', exchangeRate: '2' })];
  expect(await change('EUR')).toMatchObject({ status: 200 });
  const missing = { status: 409, body: { code: 'exchange_rate_missing' } };
  expect(await act(api, invoice.id, 'issue')).toMatchObject(missing);
  expect(await api.post(`${PAYMENTS}/${payment}/succeed`)).toMatchObject(missing);
  expect(await act(api, own.id, 'issue')).toMatchObject({ status: 200, body: { exchange: null } });
  expect(await api.post(`${PAYMENTS}/${ours}/succeed`)).toMatchObject({ status: 200, body: { exchangeRate: null } });
  const { body } = await api.get<{ data: { balanceMinor: number; baseBalanceMinor: number }[] }>(
    '/api/v1/finance/trial-balance',
  );
  expect(body.data.length).toBeGreaterThan(0);
  for (const { balanceMinor, baseBalanceMinor } of body.data) expect(baseBalanceMinor).toBe(balanceMinor);
});

it('is one currency for all that is posted, whoever changes it meanwhile', async () => {
  for (let i = 0; i < 5; i++) {
    const other = await platform.tenant();
    const drafts = await Promise.all([1, 2, 3].map(() => draft(other.api)));
    const [changed, ...posted] = await Promise.all([
      other.api.patch(SETTINGS, { finance: { baseCurrency: 'EUR' } }),
      ...drafts.map(({ id }) => act(other.api, id, 'issue')),
    ]);
    const statuses = posted.map(({ status }) => status);
    expect([changed.status, ...statuses]).toEqual(changed.status === 200 ? [200, 409, 409, 409] : [409, 200, 200, 200]);
  }
});

it('waits for a posting that is under way, and is refused after it', async () => {
  const { id } = await draft(api);
  const holder = new pg.Client({ connectionString: platform.database.adminUrl });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(
      `insert into data.finance_ledger_entries select $1::uuid, gen_random_uuid(), j, now()::date, a, d, c,
        'USD', d - c, null, null, 'finance.payment', gen_random_uuid(), now()
      from (select gen_random_uuid() as j) x, (values ('cash', 5, 0), ('customer_credit', 0, 5)) v (a, d, c)`,
      [tenant.id],
    );
    await holder.query(`select set_config('app.tenant_id', $1, true)`, [tenant.id]);
    await holder.query(`select directory.hold_currency('USD')`);
    let isDone = false;
    const changing = change('EUR').finally(() => (isDone = true));
    await until(async () => {
      const { rows } = await holder.query(`select from pg_locks where locktype = 'advisory' and not granted`);
      return rows.length > 0;
    });
    expect(isDone).toBe(false);
    await holder.query('commit');
    expect(await changing).toMatchObject(fixed);
  } finally {
    await holder.end();
  }
  expect(await act(api, id, 'issue')).toMatchObject({ status: 200 });
});
