import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { replaceGates } from '../../harness/gates.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, draft, INVOICES, ISSUABLE, issued, read, type ShownInvoice } from './invoice-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const year = () => new Date(platform.clock.nowMs()).getUTCFullYear();
const day = (offset: number) => new Date(platform.clock.nowMs() + offset * 86_400_000).toISOString().slice(0, 10);
const settings = (values: object) => tenant.api.patch('/api/admin/settings', values);
const account = async (body: object = {}) =>
  (await tenant.api.post<{ id: string }>('/api/v1/sales/accounts', { name: 'Globex', ...body })).body.id;

describe('issuing', () => {
  it('assigns number, dates and seller, opens the balance and locks the invoice', async () => {
    await settings({ finance: { legalEntity: { legalName: 'Acme Ltd', taxId: 'GB1' } } });
    const invoice = await issued(tenant.api);
    expect(invoice).toMatchObject({
      status: 'issued',
      number: `INV-${year()}-00001`,
      issueDate: day(0),
      dueDate: day(30),
      paymentTermsDays: 30,
      seller: { legalName: 'Acme Ltd', address: null, taxId: 'GB1', bank: null },
      totalMinor: 36_000,
      balanceMinor: 36_000,
      version: 2,
      exchange: null,
      allowedActions: ['send', 'pay', 'credit', 'void', 'write-off'],
    });
  });

  it('also works by a PATCH of the status', async () => {
    const { id } = await draft(tenant.api);
    const answer = await tenant.api.patch(`${INVOICES}/${id}`, { status: 'issued', issueDate: day(-3) });
    expect(answer).toMatchObject({ status: 200, body: { status: 'issued', issueDate: day(-3) } });
  });

  it('copies the current name, address and terms of the account', async () => {
    const accountId = await account({ billingEmail: 'pay@globex.example', paymentTermsDays: 14, taxId: 'T1' });
    const { id } = await draft(tenant.api, { accountId, amount: 10 });
    await tenant.api.patch(`/api/v1/sales/accounts/${accountId}`, { name: 'Globex Ltd' });
    const { body } = await act(tenant.api, id, 'issue');
    expect(body).toMatchObject({
      customer: { name: 'Globex Ltd', email: 'pay@globex.example', taxId: 'T1', address: null },
      dueDate: day(14),
    });
    await tenant.api.patch(`/api/v1/sales/accounts/${accountId}`, { name: 'Initech' });
    expect((await read(tenant.api, id))['customer']).toMatchObject({ name: 'Globex Ltd' });
  });

  it('prefers the customer, due date and terms set on the draft', async () => {
    const accountId = await account({ paymentTermsDays: 14 });
    expect(await issued(tenant.api, { ...ISSUABLE, accountId })).toMatchObject({ customer: { name: 'Globex Ltd' } });
    expect(await issued(tenant.api, { ...ISSUABLE, accountId, paymentTermsDays: 0 })).toMatchObject({
      dueDate: day(0),
    });
    expect(await issued(tenant.api, { ...ISSUABLE, dueDate: day(3) })).toMatchObject({ dueDate: day(3) });
  });

  it('uses the current date in the tenant’s time zone', async () => {
    await settings({ general: { timezone: 'Pacific/Kiritimati' }, finance: { paymentTermsDays: 7 } });
    const local = (ms: number) => new Date(ms + 14 * 3_600_000).toISOString().slice(0, 10);
    const now = platform.clock.nowMs();
    expect(await issued(tenant.api)).toMatchObject({ issueDate: local(now), dueDate: local(now + 7 * 86_400_000) });
  });

  it('numbers each year separately', async () => {
    const numbers = [];
    for (const issueDate of ['2025-12-30', '2026-01-02', '2025-12-31'])
      numbers.push((await issued(tenant.api, ISSUABLE, { issueDate })).number);
    expect(numbers).toEqual(['INV-2025-00001', 'INV-2026-00001', 'INV-2025-00002']);
  });

  it('marks the invoice as paid immediately when the total is zero', async () => {
    const invoice = await issued(tenant.api, { ...ISSUABLE, lineItems: [{ description: 'Free', unitPriceMinor: 0 }] });
    expect(invoice).toMatchObject({ status: 'paid', balanceMinor: 0 });
    expect(invoice['paidAt']).not.toBeNull();
  });

  it('stores the total in the tenant’s currency', async () => {
    const invoice = await issued(tenant.api, { ...ISSUABLE, currency: 'EUR', exchange: { rate: '1.0842' } });
    expect(invoice['exchange']).toEqual({ rate: '1.0842', baseCurrency: 'USD', baseTotalMinor: 39_031 });
  });

  it('hashes the content that can no longer change', async () => {
    const invoice = await issued(tenant.api, { ...ISSUABLE, poNumber: 'PO-1', notes: 'private' });
    const { contentHash } = invoice;
    const fields = ['currency', 'customer', 'dealId', 'discountMinor', 'dueDate', 'exchange', 'issueDate', 'language', 'lineItems', 'name',
      'netMinor', 'number', 'paymentTermsDays', 'poNumber', 'projectId', 'purchaseRef', 'seller', 
      'subtotalMinor', 'taxBreakdown', 'taxInclusive', 'taxMinor', 'terms', 'totalMinor']; // prettier-ignore
    const document = Object.fromEntries(fields.map((field) => [field, invoice[field]]));
    expect(contentHash).toBe(createHash('sha256').update(canonicalize(document)!).digest('hex'));
    const again = await read(tenant.api, invoice.id);
    expect(again['contentHash']).toBe(contentHash);
  });

  it('posts the receivable to the ledger, summing to zero', async () => {
    const { id } = await issued(tenant.api, { ...ISSUABLE, currency: 'EUR', exchange: { rate: '1.0842' } });
    const entries = await ledgerOf(id);
    expect(entries).toEqual([
      { account: 'receivable', minor: 36_000, base: 39_031 },
      { account: 'revenue', minor: -30_000, base: -32_526 },
      { account: 'tax', minor: -6_000, base: -6_505 },
    ]);
  });

  it('also sends the invoice on request', async () => {
    const { id } = await draft(tenant.api);
    const { body } = await act(tenant.api, id, 'issue', { send: true });
    expect(body).toMatchObject({ status: 'issued', sentTo: ['billing@globex.example'], version: 3 });
    expect(body['sentAt']).not.toBeNull();
    const issuer = await platform.key(tenant, ['invoices:read', 'invoices:write', 'invoices:issue']);
    const other = await draft(issuer);
    expect((await act(issuer, other.id, 'issue', { send: true })).status).toBe(403);
    expect(await read(tenant.api, other.id)).toMatchObject({ status: 'draft', number: null });
    const silent = await draft(tenant.api, { ...ISSUABLE, customer: { name: 'Globex' } });
    expect(await act(tenant.api, silent.id, 'issue', { send: true })).toMatchObject({
      status: 409,
      body: { code: 'recipient_missing' },
    });
    expect((await issued(tenant.api)).number).toBe(`INV-${year()}-00002`);
  });
});

/** Entries of the journals of an invoice, debit positive. */
async function ledgerOf(id: string) {
  const { body } = await tenant.api.get<{ data: Record<string, unknown>[] }>(
    '/api/v1/finance/ledger-entries?limit=200',
  );
  const own = body.data.filter((entry) => (entry['source'] as { id: string }).id === id);
  return own
    .map((entry) => ({
      account: entry['accountCode'] as string,
      minor: (entry['debitMinor'] as number) - (entry['creditMinor'] as number),
      base: entry['baseMinor'] as number,
    }))
    .sort((a, b) => (a.account < b.account ? -1 : a.account > b.account ? 1 : b.minor - a.minor));
}

describe('is rejected with a specific code', () => {
  const refusal = async (body: object, input: object = {}) => {
    const { id } = await draft(tenant.api, body as never);
    const answer = await act(tenant.api, id, 'issue', input as never);
    expect(await read(tenant.api, id)).toMatchObject({ status: 'draft', number: null, version: 1 });
    return `${answer.status} ${String(answer.body['code'])}`;
  };

  it('without a customer', async () => {
    expect(await refusal({ amount: 10 })).toBe('409 customer_missing');
  });

  it('without a line', async () => {
    expect(await refusal({ ...ISSUABLE, lineItems: [] })).toBe('409 lines_missing');
  });

  it('without an exchange rate for another currency', async () => {
    expect(await refusal({ ...ISSUABLE, currency: 'EUR' })).toBe('409 exchange_rate_missing');
  });

  it('for a blocked account', async () => {
    const accountId = await account();
    expect(
      (await tenant.api.post(`/api/v1/sales/accounts/${accountId}/block`, { reason: 'Does not pay' })).status,
    ).toBe(200);
    expect(await refusal({ ...ISSUABLE, accountId })).toBe('409 account_blocked');
  });

  it('when the due date is before the issue date', async () => {
    expect(await refusal({ ...ISSUABLE, dueDate: '2020-01-01' })).toBe('409 due_date_before_issue');
  });

  it('before the date of the last invoice, only if the tenant requires ascending dates', async () => {
    await issued(tenant.api, ISSUABLE, { issueDate: '2026-03-02' });
    await issued(tenant.api, ISSUABLE, { issueDate: '2026-03-01' });
    await settings({ finance: { strictChronology: true } });
    expect(await refusal(ISSUABLE, { issueDate: '2026-03-01' })).toBe('409 issue_date_out_of_order');
    expect(await refusal(ISSUABLE, { issueDate: '2025-12-31' })).toBe('409 issue_date_out_of_order');
    expect((await issued(tenant.api, ISSUABLE, { issueDate: '2026-03-02' })).number).toBe('INV-2026-00003');
  });

  it('without the scope invoices:issue', async () => {
    const writer = await platform.key(tenant, ['invoices:read', 'invoices:write']);
    const invoice = await draft(writer);
    expect(invoice.allowedActions).toEqual([]);
    expect((await act(writer, invoice.id, 'issue')).status).toBe(403);
  });
});

describe('sending', () => {
  it('records time, recipients and content, and emits the event for mail delivery', async () => {
    const { id } = await issued(tenant.api);
    const { body } = await act(tenant.api, id, 'send', {
      to: ['a@globex.example', 'b@globex.example'],
      message: 'Thanks',
    });
    expect(body).toMatchObject({
      status: 'issued',
      sentTo: ['a@globex.example', 'b@globex.example'],
      sentMessage: 'Thanks',
    });
    const unsent = await tenant.api.get<{ data: ShownInvoice[] }>(`${INVOICES}?sentAt[isNull]=false`);
    expect(unsent.body.data.map((each) => each.id)).toEqual([id]);
  });

  it('is rejected for drafts, for void invoices and without a recipient', async () => {
    const { id } = await draft(tenant.api, { ...ISSUABLE, customer: { name: 'Globex' } });
    expect(await act(tenant.api, id, 'send')).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    await act(tenant.api, id, 'issue');
    expect(await act(tenant.api, id, 'send')).toMatchObject({ status: 409, body: { code: 'recipient_missing' } });
    await act(tenant.api, id, 'void', { reason: 'Wrong' });
    expect(await act(tenant.api, id, 'send', { to: ['a@globex.example'] })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    });
  });
});

describe('an approval gate of the tenant', () => {
  const approvalOf = (body: object) => (body as { approval: { id: string } }).approval.id;

  it('holds an issue until another member approves it, without taking a number meanwhile', async () => {
    await settings({ gates: [{ key: 'invoice.issue', effect: 'require_approval' }] });
    const [ada, bob] = [await platform.member(tenant, 'Ada'), await platform.member(tenant, 'Bob')];
    const { id } = await draft(ada.api);
    const parked = await act(ada.api, id, 'issue');
    expect(parked.status).toBe(202);
    expect(await read(tenant.api, id)).toMatchObject({ status: 'draft', number: null });
    await replaceGates(tenant.api, []);
    expect((await issued(tenant.api)).number).toBe(`INV-${year()}-00001`);
    const decision = await bob.api.post(`/api/home/approvals/${approvalOf(parked.body)}/approve`, {});
    expect(decision.status).toBe(200);
    expect(await read(tenant.api, id)).toMatchObject({ status: 'issued', number: `INV-${year()}-00002` });
  });

  it('denies a void that matches its conditions', async () => {
    const conditions = [{ field: 'totalMinor', op: 'gt', value: 1_000 }];
    await settings({ gates: [{ key: 'invoice.void', effect: 'deny', conditions }] });
    const large = await issued(tenant.api);
    const small = await issued(tenant.api, { customer: { name: 'Globex' }, amount: 1 });
    expect(await act(tenant.api, large.id, 'void', { reason: 'x' })).toMatchObject({
      status: 403,
      body: { code: 'gate_denied' },
    });
    expect((await act(tenant.api, small.id, 'void', { reason: 'x' })).status).toBe(200);
  });
});
