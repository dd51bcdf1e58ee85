import { MAX_MINOR } from '#libs/kernel/money.js';
import { MAX_POSTED_MINOR as MOST } from '#src/areas/finance/ledger/ledger.js';
import type { Aging, TrialBalance } from '#src/areas/finance/ledger/ledger-report.dto.js';
import type { ShownInvoice } from '#src/areas/finance/invoices/invoice.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { act, expectStatus, INVOICES, issuedInvoice, payment, PAYMENTS } from './payment-calls.js';

/** Sums are exact, or null where JSON cannot represent them exactly. */
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

/** Adds to the receivable of an invoice what no single posting may add. */
const addReceivable = (tenantId: string, invoiceId: string, amountMinor: number) =>
  asAdmin(
    platform.database,
    `insert into data.finance_ledger_entries select $1::uuid, gen_random_uuid(), j, now()::date, a, d, c,
      'USD', d - c, null, i, 'finance.invoice', $2::uuid, now()
    from (select gen_random_uuid() as j) x,
      (values ('receivable', $3::bigint, 0, $2::uuid), ('revenue', 0, $3::bigint, null)) v (a, d, c, i)`,
    [tenantId, invoiceId, amountMinor],
  );

it('shows exact sums, and null instead of rounded ones', async () => {
  const { api, id } = await platform.tenant();
  const aging = async () => expectStatus(await api.get<Aging>('/api/v1/finance/invoices/aging'), 200).data;
  const receivable = async () => {
    const { data } = expectStatus(await api.get<TrialBalance>('/api/v1/finance/trial-balance'), 200);
    return data.find(({ accountCode }) => accountCode === 'receivable');
  };
  const first = await issuedInvoice(api, MOST);
  await addReceivable(id, first.id, MAX_MINOR - MOST);
  expect(await aging()).toMatchObject([{ currentMinor: MAX_MINOR, totalMinor: MAX_MINOR }]);
  await issuedInvoice(api, MOST - 1);
  expect(await aging()).toMatchObject([{ currentMinor: null, days1To30Minor: 0, totalMinor: null }]);
  expect(await receivable()).toMatchObject({
    debitMinor: null,
    creditMinor: 0,
    balanceMinor: null,
    baseBalanceMinor: null,
  });
  expectStatus(await api.post(`${INVOICES}/${first.id}/pay`), 200);
  expect(await aging()).toMatchObject([{ currentMinor: MAX_MINOR - 1, totalMinor: MAX_MINOR - 1 }]);
  expect(await receivable()).toMatchObject({
    debitMinor: null,
    creditMinor: MOST,
    balanceMinor: MAX_MINOR - 1,
    baseBalanceMinor: MAX_MINOR - 1,
  });
});

it('posts no amount at once that a few others would make inexact, in either currency', async () => {
  const { api } = await platform.tenant();
  const tooLarge = { status: 409, body: { code: 'amount_too_large' } };
  const exchange = { currency: 'EUR', exchange: { rate: '1.1' } };
  for (const [unitPriceMinor, more] of [
    [MOST + 1, {}],
    [MAX_MINOR, {}],
    [MOST, exchange],
  ] as const) {
    const body = { customer: { name: 'Globex' }, lineItems: [{ description: 'Work', unitPriceMinor }], ...more };
    const { id } = expectStatus(await api.post<ShownInvoice>(INVOICES, body), 201);
    expect(await api.post(`${INVOICES}/${id}/issue`)).toMatchObject(tooLarge);
    expect(await api.patch(`${INVOICES}/${id}`, { status: 'issued' })).toMatchObject(tooLarge);
  }
  const euros = { currency: 'EUR', exchangeRate: '1.1' };
  for (const [amountMinor, more] of [
    [MOST + 1, {}],
    [MOST, euros],
  ] as const) {
    expect(await api.post(PAYMENTS, { amountMinor, status: 'succeeded', ...more })).toMatchObject(tooLarge);
    const pending = await payment(api, amountMinor, { status: 'pending', ...more });
    expect(await api.post(`${PAYMENTS}/${pending.id}/succeed`)).toMatchObject(tooLarge);
  }
  const paid = await payment(api, MOST);
  await act(api, `${PAYMENTS}/${paid.id}`, 'refund', { reason: 'Paid twice' });
});
