import fc from 'fast-check';
import type { ShownAccount } from '#src/areas/sales/accounts/account.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { ACCOUNTS, makeAccount } from '../sales/sales-calls.js';
import { makeProject, readProject } from '../work/work-calls.js';
import { act, draft, type ShownInvoice } from './invoice-calls.js';

const SEED = Number(process.env['MONEY_SEED'] ?? 1);
const CURRENCIES = ['USD', 'EUR'];
const OPEN = ['issued', 'partially_paid', 'overdue'];

type Step = { kind: 'issue' | 'void' | 'pay' | 'credit' | 'write-off'; invoice: number; minor: number };

interface CreditNote {
  status: string;
  currency: string;
  totalMinor: number;
  taxMinor: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('issue', 'issue', 'void', 'pay', 'credit', 'write-off'),
  invoice: fc.nat({ max: 4 }),
  minor: fc.integer({ min: 1, max: 600 }),
});
const prices = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 5, maxLength: 5 });

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const bodyOf = ({ kind, minor }: Step): object =>
  ({
    issue: {},
    pay: { amountMinor: minor },
    credit: { amountMinor: minor, reason: 'x' },
    void: { reason: 'x' },
    'write-off': { reason: 'x' },
  })[kind];

/** Sums by currency, without those of no invoice. */
function sums(invoices: ShownInvoice[], amount: (invoice: ShownInvoice) => number) {
  return CURRENCIES.toSorted().flatMap((currency) => {
    const own = invoices.filter((each) => each['currency'] === currency);
    const valueMinor = own.reduce((sum, each) => sum + amount(each), 0);
    return own.length > 0 ? [{ currency, valueMinor }] : [];
  });
}

it('is what the invoices add up to, whatever has happened to them', async () => {
  const trial = async (given: number[], steps: Step[]): Promise<void> => {
    const account = await makeAccount(tenant.api);
    const project = await makeProject(tenant.api);
    const drafts = await Promise.all(
      given.map((unitPriceMinor, index) =>
        draft(tenant.api, {
          accountId: account.id,
          projectId: project.id,
          currency: CURRENCIES[index % 2]!,
          lineItems: [{ description: 'Work', unitPriceMinor, taxPercent: 20 }],
          ...(index % 2 === 1 ? { exchange: { rate: '1.1' } } : {}),
        }),
      ),
    );
    // Several at once; what the state does not allow is refused.
    for (let from = 0; from < steps.length; from += 3)
      await Promise.all(
        steps
          .slice(from, from + 3)
          .map((each) => act(tenant.api, drafts[each.invoice]!.id, each.kind, { ...bodyOf(each) })),
      );
    const filter = `accountId=${account.id}&limit=100`;
    const { data } = (await tenant.api.get<{ data: ShownInvoice[] }>(`/api/v1/finance/invoices?${filter}`)).body;
    const notes = (await tenant.api.get<{ data: CreditNote[] }>(`/api/v1/finance/credit-notes?${filter}`)).body.data;
    const live = data.filter(({ status }) => status !== 'draft' && status !== 'void');
    const { receivableMinor, lifetimeMinor } = (await tenant.api.get<ShownAccount>(`${ACCOUNTS}/${account.id}`)).body;
    const open = live.filter(({ status }) => OPEN.includes(status));
    expect(receivableMinor).toEqual(sums(open, ({ balanceMinor }) => balanceMinor));
    expect(lifetimeMinor).toEqual(
      sums(live, (each) => Number(each['amountPaidMinor']) + (OPEN.includes(each.status) ? each.balanceMinor : 0)),
    );
    const net = live
      .filter(({ currency }) => currency === 'USD')
      .reduce((sum, each) => sum + Number(each['netMinor']), 0);
    const credited = notes
      .filter(({ status, currency }) => (status === 'issued' || status === 'applied') && currency === 'USD')
      .reduce((sum, { totalMinor, taxMinor }) => sum + totalMinor - taxMinor, 0);
    expect((await readProject(tenant.api, project.id)).invoicedMinor).toBe(net - credited);
  };
  const property = fc.asyncProperty(prices, fc.array(step, { minLength: 6, maxLength: 18 }), trial);
  await fc.assert(property, { numRuns: 12, seed: SEED });
});
