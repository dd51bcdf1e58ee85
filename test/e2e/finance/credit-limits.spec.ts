import { replaceGates } from '../../harness/gates.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { makeAccount } from '../sales/sales-calls.js';
import { act, draft, issued, type ShownInvoice } from './invoice-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const WARNED = [{ code: 'credit_limit_exceeded' }];
const bill = (accountId: string, unitPriceMinor: number, more: object = {}) => ({
  accountId,
  lineItems: [{ description: 'Work', unitPriceMinor }],
  ...more,
});

it('warns at the issue that exceeds the limit, and keeps the warning', async () => {
  const { id } = await makeAccount(tenant.api, { name: 'Globex', creditLimitMinor: 10_000 });
  expect(await issued(tenant.api, bill(id, 10_000))).toMatchObject({ warnings: [] });
  const second = await issued(tenant.api, bill(id, 1));
  expect(second['warnings']).toEqual([
    {
      code: 'credit_limit_exceeded',
      detail: 'The account Globex owes 100.01 USD, 0.01 USD more than its credit limit.',
    },
  ]);
  await act(tenant.api, second.id, 'pay');
  expect((await tenant.api.get<ShownInvoice>(`/api/v1/finance/invoices/${second.id}`)).body).toMatchObject({
    status: 'paid',
    warnings: WARNED,
  });
});

it('counts what is open, in the currency of the limit', async () => {
  const { id } = await makeAccount(tenant.api, { creditLimitMinor: 100, currency: 'EUR' });
  const exchange = { rate: '1.1' };
  const paid = await issued(tenant.api, bill(id, 100, { exchange }));
  await act(tenant.api, paid.id, 'pay');
  expect(await issued(tenant.api, bill(id, 500, { currency: 'USD' }))).toMatchObject({ warnings: [] });
  expect(await issued(tenant.api, bill(id, 100, { exchange }))).toMatchObject({ warnings: [] });
  expect(await issued(tenant.api, bill(id, 1, { exchange }))).toMatchObject({ warnings: WARNED });
});

it('warns one of two concurrent issues that only together exceed the limit', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await makeAccount(tenant.api, { creditLimitMinor: 100 });
    const drafts = [await draft(tenant.api, bill(id, 60)), await draft(tenant.api, bill(id, 60))];
    const answers = await Promise.all(drafts.map((each) => act(tenant.api, each.id, 'issue')));
    const counts = answers.map(({ body }) => (body['warnings'] as unknown[]).length);
    expect(counts.sort()).toEqual([0, 1]);
  }
});

it('can be a condition of a gate', async () => {
  const conditions = [{ field: 'exceedsCreditLimit', op: 'eq', value: true }];
  await replaceGates(tenant.api, [{ key: 'invoice.issue', effect: 'deny', conditions }]);
  const { id } = await makeAccount(tenant.api, { creditLimitMinor: 100 });
  await issued(tenant.api, bill(id, 100));
  const refused = await act(tenant.api, (await draft(tenant.api, bill(id, 1))).id, 'issue');
  expect(refused).toMatchObject({ status: 403, body: { code: 'gate_denied' } });
});
