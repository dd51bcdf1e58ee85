import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, draft, INVOICES, ISSUABLE, issued, read } from './invoice-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const year = () => new Date(platform.clock.nowMs()).getUTCFullYear();
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `INV-${year()}-${String(index + 1).padStart(5, '0')}`);
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

it('duplicate numbers or gaps: 50 drafts issued concurrently, a third of them failing', async () => {
  const ids = await times(75, async (index) => {
    const customer = index % 3 === 2 ? null : ISSUABLE['customer'];
    return (await draft(tenant.api, { ...ISSUABLE, customer })).id;
  });
  const answers = await Promise.all(ids.map((id) => act(tenant.api, id, 'issue')));
  const numbers = answers.flatMap(({ status, body }) => (status === 200 ? [body.number!] : []));
  expect(numbers.sort()).toEqual(numbered(50));
  expect((await issued(tenant.api)).number).toBe(numbered(51).at(-1));
});

it('a number lost because issuing failed after taking it', async () => {
  await tenant.api.patch('/api/admin/settings', { finance: { strictChronology: true } });
  await issued(tenant.api);
  for (const issueDate of ['2020-01-01', '2021-01-01']) {
    const { id } = await draft(tenant.api);
    expect((await act(tenant.api, id, 'issue', { issueDate })).status).toBe(409);
  }
  expect((await issued(tenant.api)).number).toBe(numbered(2)[1]);
});

it('an invoice issued twice', async () => {
  const { id } = await draft(tenant.api);
  const answers = await times(20, () => act(tenant.api, id, 'issue'));
  expect(statuses(answers)).toEqual([200, ...Array<number>(19).fill(409)]);
  expect((await issued(tenant.api)).number).toBe(numbered(2)[1]);
});

it('an invoice that changes while it is issued: its content matches the hash and the posting', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = await draft(tenant.api);
    const lineItems = [{ description: 'Other', unitPriceMinor: 100 }];
    const [issue, patch] = await Promise.all([
      act(tenant.api, id, 'issue'),
      tenant.api.patch(`${INVOICES}/${id}`, { lineItems }),
    ]);
    expect(issue.status).toBe(200);
    expect([200, 409]).toContain(patch.status);
    const after = await read(tenant.api, id);
    expect(after.totalMinor).toBe(patch.status === 200 ? 100 : 36_000);
    expect(after['contentHash']).toBe(issue.body['contentHash']);
    const [entry] = await asAdmin<{ debit_minor: string }>(
      platform.database,
      `select debit_minor from data.finance_ledger_entries where source_id = $1 and account_code = 'receivable'`,
      [id],
    );
    expect(Number(entry!.debit_minor)).toBe(after.totalMinor);
  }
});

it('a draft both issued and deleted', async () => {
  const count = 10;
  let issuedCount = 0;
  for (let round = 0; round < count; round++) {
    const { id } = await draft(tenant.api);
    const [issue, removal] = await Promise.all([act(tenant.api, id, 'issue'), tenant.api.delete(`${INVOICES}/${id}`)]);
    expect([issue.status, removal.status].filter((status) => status === 200)).toHaveLength(1);
    if (issue.status === 200) issuedCount++;
  }
  expect((await issued(tenant.api)).number).toBe(numbered(issuedCount + 1).at(-1));
});

it('an invoice paid twice or beyond its total', async () => {
  const { id } = await issued(tenant.api);
  const answers = await times(20, () => act(tenant.api, id, 'pay', { amountMinor: 10_000 }));
  expect(statuses(answers)).toEqual([...Array<number>(3).fill(200), ...Array<number>(17).fill(409)]);
  expect(await read(tenant.api, id)).toMatchObject({
    status: 'partially_paid',
    amountPaidMinor: 30_000,
    balanceMinor: 6_000,
  });
  const rest = await times(20, () => act(tenant.api, id, 'pay'));
  expect(statuses(rest)).toEqual([200, ...Array<number>(19).fill(409)]);
  expect(await read(tenant.api, id)).toMatchObject({ status: 'paid', amountPaidMinor: 36_000, balanceMinor: 0 });
});

it('a void invoice with payments', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = await issued(tenant.api);
    const [payment, voiding] = await Promise.all([
      act(tenant.api, id, 'pay'),
      act(tenant.api, id, 'void', { reason: 'Wrong' }),
    ]);
    expect(statuses([payment, voiding])).toEqual([200, 409]);
    const { status, amountPaidMinor } = (await read(tenant.api, id)) as { status: string; amountPaidMinor?: number };
    expect([status, amountPaidMinor]).toEqual(payment.status === 200 ? ['paid', 36_000] : ['void', 0]);
  }
});

it('a journal out of balance in any currency under concurrent actions', async () => {
  const bodies = [
    {},
    { currency: 'EUR', exchange: { rate: '1.0842' } },
    { currency: 'JPY', exchange: { rate: '0.0067' } },
  ];
  await times(12, async (index) => {
    const { id } = await issued(tenant.api, { ...ISSUABLE, ...bodies[index % 3] });
    await Promise.all([
      act(tenant.api, id, 'pay', { amountMinor: 3_333 }),
      act(tenant.api, id, 'credit', { amountMinor: 1_111, reason: 'x' }),
      act(tenant.api, id, 'write-off', { reason: 'x' }),
    ]);
    await act(tenant.api, id, 'pay', { amountMinor: 777 });
  });
  const unbalanced = await asAdmin(
    platform.database,
    `select journal_id from data.finance_ledger_entries where tenant_id = $1 group by journal_id
     having sum(debit_minor - credit_minor) <> 0 or sum(base_minor) <> 0`,
    [tenant.id],
  );
  expect(unbalanced).toEqual([]);
  const drifted = await asAdmin(
    platform.database,
    `select i.id from data.finance_invoices i join data.finance_ledger_entries e on e.tenant_id = i.tenant_id and e.invoice_id = i.id
     where i.tenant_id = $1 and e.account_code = 'receivable' group by i.tenant_id, i.id, i.balance_minor
     having sum(e.debit_minor - e.credit_minor) <> i.balance_minor`,
    [tenant.id],
  );
  expect(drifted).toEqual([]);
});

it('an invoice that references an account, a deal or lines of another tenant', async () => {
  const other = await platform.tenant();
  const id = async (path: string) => (await other.api.post<{ id: string }>(path, { name: 'x' })).body.id;
  for (const [field, path] of [
    ['accountId', '/api/v1/sales/accounts'],
    ['dealId', '/api/v1/sales/deals'],
  ] as const)
    expect((await tenant.api.post(INVOICES, { [field]: await id(path) })).status).toBe(400);
  const foreign = await issued(other.api);
  expect((await act(tenant.api, foreign.id, 'pay')).status).toBe(404);
  const lineItems = [{ id: foreign.lineItems[0]!.id, description: 'x', unitPriceMinor: 1 }];
  expect((await tenant.api.post(INVOICES, { lineItems })).status).toBe(400);
});
