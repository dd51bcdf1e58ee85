import type { ShownCreditNote } from '#src/areas/finance/credit-notes/credit-note.js';
import type { ShownInvoice } from '#src/areas/finance/invoices/invoice.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  act,
  balances,
  CREDIT_NOTES,
  creditNote,
  expectStatus,
  INVOICES,
  issuedInvoice,
  TAX_RATES,
} from './payment-calls.js';

/** Credits return the base and the tax that an invoice charged, per tax and in total. */
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

const TWO = [
  { description: 'Work', unitPriceMinor: 10_000, taxPercent: 19 },
  { description: 'Stamps', unitPriceMinor: 10_000 },
];
const line = (unitPriceMinor: number, taxPercent?: number) => ({ description: 'Work', unitPriceMinor, taxPercent });
const path = (id: string) => `${CREDIT_NOTES}/${id}`;

async function roundTotals(): Promise<void> {
  expectStatus(await api.patch('/api/admin/settings', { finance: { taxRounding: 'total' } }), 200);
}

/** Creates a credit note, issues it and applies it. */
async function credited(invoiceId: string, more: object = {}): Promise<ShownCreditNote> {
  const { id } = await creditNote(api, invoiceId, more);
  await act(api, path(id), 'issue');
  return act<ShownCreditNote>(api, path(id), 'apply');
}

/** Base and tax of all credit notes of an invoice, by percentage. */
async function creditedTaxes(invoiceId: string): Promise<Record<string, [base: number, tax: number]>> {
  const { body } = await api.get<{ data: ShownCreditNote[] }>(`${CREDIT_NOTES}?invoiceId=${invoiceId}&limit=200`);
  return taxesOf(body.data.flatMap(({ lineItems }) => lineItems));
}

function taxesOf(lines: ShownCreditNote['lineItems']): Record<string, [number, number]> {
  const sums: Record<string, [number, number]> = {};
  for (const { taxPercent, netMinor, taxMinor } of lines) {
    const [base, tax] = sums[String(taxPercent)] ?? [0, 0];
    sums[String(taxPercent)] = [base + netMinor, tax + taxMinor];
  }
  return sums;
}

it('mirrors the figures of an invoice whose tax was rounded in the total', async () => {
  await roundTotals();
  const lineItems = [6_833, 6_833, 5_750, 8_500].map((price) => line(price, 20));
  const invoice = await issuedInvoice(api, 0, { lineItems });
  expect(invoice).toMatchObject({ taxMinor: 5_583, totalMinor: 33_499 });
  const note = await credited(invoice.id);
  const figures = ({ subtotalMinor, taxMinor, totalMinor, taxBreakdown }: ShownInvoice | ShownCreditNote) => ({
    subtotalMinor,
    taxMinor,
    totalMinor,
    taxBreakdown,
  });
  expect(figures(note)).toEqual(figures(invoice));
  const amounts = ({ lineItems: all }: ShownInvoice | ShownCreditNote) =>
    all.map(({ netMinor, taxMinor, totalMinor }) => [netMinor, taxMinor, totalMinor]);
  expect(amounts(note)).toEqual(amounts(invoice));
  expect(await balances(api)).toEqual({});
});

it('credits the same invoice by its action, and line by line', async () => {
  await roundTotals();
  const prices = [6_833, 6_833, 5_750, 8_500];
  const lineItems = prices.map((price) => line(price, 20));
  const [whole, parts] = [await issuedInvoice(api, 0, { lineItems }), await issuedInvoice(api, 0, { lineItems })];
  const answer = await api.post(`${INVOICES}/${whole.id}/credit`, { reason: 'Returned' });
  expect(expectStatus(answer, 200)).toMatchObject({ status: 'paid', balanceMinor: 0 });
  for (const price of prices) await credited(parts.id, { lineItems: [line(price, 20)] });
  expect(await creditedTaxes(parts.id)).toEqual({ 20: [27_916, 5_583] });
  expect(await balances(api)).toEqual({});
});

it('returns the remainder of each tax', async () => {
  const { id } = await issuedInvoice(api, 0, { lineItems: TWO });
  const first = await credited(id, { lineItems: [TWO[0]] });
  expect(first).toMatchObject({ taxMinor: 1_900, totalMinor: 11_900 });
  const rest = await credited(id);
  expect(rest).toMatchObject({ taxMinor: 0, totalMinor: 10_000 });
  expect(await creditedTaxes(id)).toEqual({ 19: [10_000, 1_900], null: [10_000, 0] });
  expect(await balances(api)).toEqual({});
});

it.each([
  ['another percentage', { taxPercent: 7 }],
  ['no tax', {}],
  ['another rate of the same percentage', { taxRateId: '' }],
])('rejects a line with %s', async (_what, tax: { taxPercent?: number; taxRateId?: string }) => {
  const { id } = await issuedInvoice(api, 0, { lineItems: [line(10_000, 19)] });
  if (tax.taxRateId !== undefined) {
    const body = { name: 'VAT', percent: 19, kind: 'standard', code: 'VAT19' };
    tax = { taxRateId: expectStatus(await api.post<{ id: string }>(TAX_RATES, body), 201).id };
  }
  const lineItems = [{ description: 'Work', unitPriceMinor: 100, ...tax }];
  const body = { invoiceId: id, reason: 'x', lineItems };
  const made = await api.post(CREDIT_NOTES, body);
  expect([made.status, made.body['code']]).toEqual([409, 'tax_mismatch']);
  const acted = await api.post(`${INVOICES}/${id}/credit`, { reason: 'x', lineItems });
  expect([acted.status, acted.body['code']]).toEqual([409, 'tax_mismatch']);
  const kept = await creditNote(api, id, { amountMinor: 100 });
  expect((await api.patch(path(kept.id), { lineItems })).body['code']).toBe('tax_mismatch');
});

it('rejects more than the remainder of one tax, even if it is less than the invoice total', async () => {
  const { id } = await issuedInvoice(api, 0, { lineItems: TWO });
  for (const lineItems of [[line(10_001, 19)], [line(10_001)], [line(10_000, 19), line(1, 19)]]) {
    const refused = await api.post(CREDIT_NOTES, { invoiceId: id, reason: 'x', lineItems });
    expect([refused.status, refused.body['code']]).toEqual([409, 'amount_exceeds_balance']);
  }
  const early = await creditNote(api, id, { lineItems: [TWO[0]] });
  await credited(id, { lineItems: [line(1, 19)] });
  const refused = await api.post(`${path(early.id)}/issue`);
  expect([refused.status, refused.body['code']]).toEqual([409, 'amount_exceeds_balance']);
});

it('recomputes the tax of a draft at issue, after everything credited by then', async () => {
  const { id } = await issuedInvoice(api, 0, { lineItems: [line(5, 20)] });
  const [one, two] = [await creditNote(api, id, { amountMinor: 3 }), await creditNote(api, id, { amountMinor: 3 })];
  expect([one.taxMinor, two.taxMinor]).toEqual([1, 1]);
  const issued = [
    await act<ShownCreditNote>(api, path(one.id), 'issue'),
    await act<ShownCreditNote>(api, path(two.id), 'issue'),
  ];
  expect(issued.map(({ taxMinor, totalMinor }) => [taxMinor, totalMinor])).toEqual([
    [1, 3],
    [0, 3],
  ]);
  expect(await creditedTaxes(id)).toEqual({ 20: [5, 1] });
});

it('returns the tax in the tenant’s currency to the cent', async () => {
  const more = { lineItems: [line(1_000, 19)], currency: 'EUR', exchange: { rate: '1.0537' } };
  const { id } = await issuedInvoice(api, 0, more);
  for (const amountMinor of [333, 333, undefined]) await credited(id, amountMinor === undefined ? {} : { amountMinor });
  const { body } = await api.get<{ data: { baseBalanceMinor: number }[] }>('/api/v1/finance/trial-balance');
  expect(body.data.map(({ baseBalanceMinor }) => baseBalanceMinor)).toEqual(body.data.map(() => 0));
});
