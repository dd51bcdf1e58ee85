import { uuidv7 } from '#libs/kernel/id.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { AppRole, ENTRIES, expectStatus, payment } from './payment-calls.js';

/** Invariants of the ledger, tested by direct SQL. */
let platform: TestPlatform;
let tenant: TestTenant;
let app: AppRole;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  app = await AppRole.of(platform, tenant);
});
afterAll(async () => {
  await app.close();
  await platform.close();
});

type Line = [account: string, amountMinor: number, baseMinor: number, currency?: string];

/** The SQL that inserts these lines as one journal. */
function journal(journalId: string, ...lines: Line[]): [string, unknown[]] {
  const values = lines.map(([account, amount, base, currency = 'USD']) => {
    const sides = `${Math.max(amount, 0)}, ${Math.max(-amount, 0)}`;
    return `('${tenant.id}', '${uuidv7()}', '${journalId}', '2026-11-21', '${account}', ${sides}, '${currency}', ${base},
      'test', '${journalId}', now())`;
  });
  return [
    `insert into data.finance_ledger_entries (tenant_id, id, journal_id, entry_date, account_code, debit_minor,
       credit_minor, currency, base_minor, source_object, source_id, created_at) values ${values.join(', ')}`,
    [],
  ];
}

it('accepts a balanced journal, as a control for the rejections below', async () => {
  expect(await app.broken(journal(uuidv7(), ['cash', 5, 5], ['revenue', -3, -3], ['tax', -2, -2]))).toBe('no error');
  const mixed: Line[] = [
    ['cash', 5, 6],
    ['revenue', -5, -5],
    ['exchange_difference', 0, -1],
  ];
  expect(await app.broken(journal(uuidv7(), ...mixed))).toBe('no error');
});

describe('a journal is never', () => {
  it('out of balance', async () => {
    expect(await app.broken(journal(uuidv7(), ['cash', 5, 5], ['revenue', -4, -5]))).toBe('TOP06');
    expect(await app.broken(journal(uuidv7(), ['cash', 5, 5]))).toBe('TOP06');
  });

  it('out of balance in one of its currencies or in that of the tenant', async () => {
    const currencies: Line[] = [
      ['cash', 5, 5],
      ['revenue', -5, -5, 'EUR'],
    ];
    expect(await app.broken(journal(uuidv7(), ...currencies))).toBe('TOP06');
    expect(await app.broken(journal(uuidv7(), ['cash', 5, 5], ['revenue', -5, -4]))).toBe('TOP06');
  });

  it('extended later, even with balanced entries', async () => {
    const id = uuidv7();
    const lines: Line[] = [
      ['cash', 5, 5],
      ['revenue', -5, -5],
    ];
    expect(await app.broken(journal(id, ...lines), journal(id, ...lines))).toBe('TOP06');
  });
});

it('changed or shortened', async () => {
  await payment(tenant.api, 500);
  for (const text of [
    'update data.finance_ledger_entries set entry_date = now()',
    'delete from data.finance_ledger_entries',
    'truncate data.finance_ledger_entries',
  ])
    expect(await app.broken([text])).toBe('42501');
  const { data } = expectStatus(await tenant.api.get<{ data: { id: string }[] }>(ENTRIES), 200);
  for (const method of ['PATCH', 'DELETE', 'PUT'])
    expect((await tenant.api.send(method, `${ENTRIES}/${data[0]!.id}`, {})).status).toBe(405);
  expect((await tenant.api.post(ENTRIES, {})).status).toBe(405);
});

it('stored with a receivable without an invoice, or with an empty or two-sided entry', async () => {
  expect(await app.broken(journal(uuidv7(), ['receivable', 5, 5], ['revenue', -5, -5]))).toMatch(/^23514/);
  expect(await app.broken(journal(uuidv7(), ['cash', 0, 0]))).toMatch(/^23514/);
});
