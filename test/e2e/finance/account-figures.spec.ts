import type { ShownAccount } from '#src/areas/sales/accounts/account.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { ACCOUNTS, makeAccount } from '../sales/sales-calls.js';
import { act, draft, issued } from './invoice-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const bill = (accountId: string, unitPriceMinor: number, currency = 'USD') => ({
  accountId,
  currency,
  lineItems: [{ description: 'Work', unitPriceMinor }],
  ...(currency === 'USD' ? {} : { exchange: { rate: '1.1' } }),
});
async function figures(id: string, api = tenant.api): Promise<Pick<ShownAccount, 'receivableMinor' | 'lifetimeMinor'>> {
  const { receivableMinor, lifetimeMinor } = (await api.get<ShownAccount>(`${ACCOUNTS}/${id}`)).body;
  return { receivableMinor: receivableMinor!, lifetimeMinor: lifetimeMinor! };
}
const usd = (valueMinor: number) => ({ currency: 'USD', valueMinor });
const eur = (valueMinor: number) => ({ currency: 'EUR', valueMinor });

it('follow the invoices of the account, each currency by itself', async () => {
  const { id } = await makeAccount(tenant.api);
  expect(await figures(id)).toEqual({ receivableMinor: [], lifetimeMinor: [] });
  await draft(tenant.api, bill(id, 5));
  const first = await issued(tenant.api, bill(id, 1_000));
  const second = await issued(tenant.api, bill(id, 500));
  await issued(tenant.api, bill(id, 70, 'EUR'));
  expect(await figures(id)).toEqual({ receivableMinor: [eur(70), usd(1_500)], lifetimeMinor: [eur(70), usd(1_500)] });
  await act(tenant.api, first.id, 'pay', { amountMinor: 300 });
  await act(tenant.api, first.id, 'credit', { amountMinor: 200, reason: 'Returned' });
  expect(await figures(id)).toEqual({ receivableMinor: [eur(70), usd(1_000)], lifetimeMinor: [eur(70), usd(1_300)] });
  await act(tenant.api, second.id, 'void', { reason: 'Wrong' });
  await act(tenant.api, first.id, 'write-off', { reason: 'Insolvent' });
  expect(await figures(id)).toEqual({ receivableMinor: [eur(70)], lifetimeMinor: [eur(70), usd(300)] });
});

it('are correct after concurrent issues and payments', async () => {
  const { id } = await makeAccount(tenant.api);
  const drafts = await Promise.all(Array.from({ length: 8 }, (_, i) => draft(tenant.api, bill(id, 100 + i))));
  await Promise.all(drafts.map((each) => act(tenant.api, each.id, 'issue')));
  await Promise.all(drafts.slice(0, 4).map((each) => act(tenant.api, each.id, 'pay')));
  expect(await figures(id)).toEqual({ receivableMinor: [usd(104 + 105 + 106 + 107)], lifetimeMinor: [usd(828)] });
});

it('are shown on one account to callers who may read invoices', async () => {
  const { id } = await makeAccount(tenant.api);
  await issued(tenant.api, bill(id, 1_000));
  const unknown = { receivableMinor: null, lifetimeMinor: null };
  expect(await figures(id, await platform.key(tenant, ['accounts:read']))).toEqual(unknown);
  const both = await platform.key(tenant, ['accounts:read', 'invoices:read']);
  expect(await figures(id, both)).toEqual({ receivableMinor: [usd(1_000)], lifetimeMinor: [usd(1_000)] });
  const { body } = await tenant.api.get<{ data: ShownAccount[] }>(ACCOUNTS);
  expect(body.data).toMatchObject([unknown]);
});
