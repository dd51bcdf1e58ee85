import { DAY_MS } from '#libs/kernel/durations.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, draft, INVOICES, ISSUABLE, issued, type ShownInvoice } from './invoice-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
/** Ids of one invoice in each state, by name. */
const ids: Record<string, string> = {};
beforeAll(async () => {
  platform = await startPlatform();
  // Numbers begin anew each year, so all days are of one.
  const nextYear = new Date(platform.clock.nowMs()).getUTCFullYear() + 1;
  platform.clock.advance(Date.parse(`${nextYear}-07-01T12:00:00Z`) - platform.clock.nowMs());
  tenant = await platform.tenant();
  const { api } = tenant;
  const day = (offset: number) => new Date(platform.clock.nowMs() + offset * DAY_MS).toISOString().slice(0, 10);
  const one = async (name: string, unitPriceMinor: number, input: Record<string, unknown> = {}) => {
    const body = { ...ISSUABLE, name, lineItems: [{ description: 'Work', unitPriceMinor }] };
    ids[name] = (await issued(api, body, { issueDate: day(-10), ...input })).id;
    return ids[name];
  };
  ids['draft'] = (await draft(api, { ...ISSUABLE, name: 'draft', amount: undefined })).id;
  await one('issued', 500, { issueDate: day(-1) });
  await act(api, await one('partial', 700, { issueDate: day(-2) }), 'pay', { amountMinor: 100 });
  await one('overdue', 300, { issueDate: day(-40) });
  await act(api, await one('overdue in part', 900, { issueDate: day(-50) }), 'pay', { amountMinor: 100 });
  await act(api, await one('paid', 400), 'pay');
  await act(api, await one('void', 200), 'void', { reason: 'x' });
  await act(api, await one('written off', 600), 'write-off', { reason: 'x' });
});
afterAll(() => platform.close());

const named = async (query: string) => {
  const { status, body } = await tenant.api.get<{ data: ShownInvoice[] }>(`${INVOICES}?limit=200&${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data.map(({ name }) => name as string);
};
const sorted = async (query: string) => (await named(query)).sort();

it.each([
  ['status=draft', ['draft']],
  ['status=issued', ['issued']],
  ['status=partially_paid', ['partial']],
  ['status=overdue', ['overdue', 'overdue in part']],
  ['status=paid', ['paid']],
  ['status=void', ['void']],
  ['status=uncollectible', ['written off']],
  ['status[in]=issued,overdue', ['issued', 'overdue', 'overdue in part']],
  ['status[ne]=overdue', ['draft', 'issued', 'paid', 'partial', 'void', 'written off']],
  ['isOverdue=true', ['overdue', 'overdue in part']],
  ['isOverdue=false', ['draft', 'issued', 'paid', 'partial', 'void', 'written off']],
  ['isOverdue=true&status=issued', []],
  ['totalMinor[gte]=600&totalMinor[lt]=900', ['partial', 'written off']],
  ['balanceMinor=0', ['paid', 'written off']],
  ['number[isNull]=true', ['draft']],
  ['issueDate[isNull]=false&dueDate[isNull]=true', []],
  ['currency=EUR', []],
  ['sentAt[isNull]=false', []],
  ['q=globex&status=void', ['void']],
  ['q=INV-20&status=paid', ['paid']],
])('filters by %s', async (query, expected) => {
  expect(await sorted(query)).toEqual(expected);
});

it('shows the same invoice in the list and by itself, and filters by the status it shows', async () => {
  for (const [name, id] of Object.entries(ids)) {
    const { body } = await tenant.api.get<ShownInvoice>(`${INVOICES}/${id}`);
    const list = await tenant.api.get<{ data: ShownInvoice[] }>(`${INVOICES}?ids=${id}&status=${body.status}`);
    expect({ name, found: list.body.data }).toEqual({ name, found: [{ ...body, allowedActions: null }] });
  }
});

it.each([
  ['totalMinor', ['void', 'overdue', 'paid', 'issued', 'written off', 'partial', 'overdue in part', 'draft']],
  ['-balanceMinor', ['draft', 'overdue in part', 'partial', 'issued', 'overdue', 'void']],
  ['issueDate', ['overdue in part', 'overdue']],
  ['-dueDate', ['issued', 'partial']],
  ['number', ['issued', 'partial', 'overdue', 'overdue in part', 'paid', 'void', 'written off', 'draft']],
  ['-number', ['written off', 'void', 'paid', 'overdue in part', 'overdue', 'partial', 'issued', 'draft']],
])('sorts by %s, empty values last', async (sort, first) => {
  expect((await named(`sort=${sort}`)).slice(0, first.length)).toEqual(first);
});

it('shows an issued invoice as overdue from midnight, in lists and items, without a worker', async () => {
  const other = await platform.tenant();
  const { id, dueDate } = await issued(other.api, { ...ISSUABLE, paymentTermsDays: 1 });
  const status = async () => {
    const item = (await other.api.get<ShownInvoice>(`${INVOICES}/${id}`)).body.status;
    const [inList] = (await other.api.get<{ data: ShownInvoice[] }>(`${INVOICES}?status=${item}`)).body.data;
    return inList?.id === id ? item : `${item} is not found`;
  };
  const midnight = Date.parse(`${dueDate as string}T00:00:00Z`) + DAY_MS;
  platform.clock.advance(midnight - platform.clock.nowMs() - 60_000);
  expect(await status()).toBe('issued');
  platform.clock.advance(120_000);
  expect(await status()).toBe('overdue');
});
