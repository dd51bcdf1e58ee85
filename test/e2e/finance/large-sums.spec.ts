import { MAX_MINOR } from '#libs/kernel/money.js';
import type { Aging, TrialBalance } from '#src/areas/finance/ledger/ledger-report.dto.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { expectStatus, INVOICES, issuedInvoice } from './payment-calls.js';

/** Sums are exact, or null where JSON cannot represent them exactly. */
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

it('shows exact sums, and null instead of rounded ones', async () => {
  const { api } = await platform.tenant();
  const aging = async () => expectStatus(await api.get<Aging>('/api/v1/finance/invoices/aging'), 200).data;
  const receivable = async () => {
    const { data } = expectStatus(await api.get<TrialBalance>('/api/v1/finance/trial-balance'), 200);
    return data.find(({ accountCode }) => accountCode === 'receivable');
  };
  const first = await issuedInvoice(api, MAX_MINOR);
  expect(await aging()).toMatchObject([{ currentMinor: MAX_MINOR, totalMinor: MAX_MINOR }]);
  await issuedInvoice(api, MAX_MINOR - 1);
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
    creditMinor: MAX_MINOR,
    balanceMinor: MAX_MINOR - 1,
    baseBalanceMinor: MAX_MINOR - 1,
  });
});
