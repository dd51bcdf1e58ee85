import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, draft, faultsOf, INVOICES, ISSUABLE, type ShownInvoice } from './invoice-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const deal = async () => ({
  object: 'sales.deal',
  id: (await tenant.api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Deal' })).body.id,
});
const charging = (...sources: object[]) => ({
  ...ISSUABLE,
  lineItems: sources.map((source) => ({ description: 'Work', unitPriceMinor: 100, source })),
});
const create = (body: object) => tenant.api.post<ShownInvoice>(INVOICES, body);
const TAKEN = { status: 409, body: { code: 'source_already_billed' } };

it('charges for a source on one draft only, and releases it when the draft is deleted', async () => {
  const source = await deal();
  const { id } = await draft(tenant.api, charging(source));
  expect(await create(charging(source))).toMatchObject(TAKEN);
  await tenant.api.delete(`${INVOICES}/${id}`);
  expect((await create(charging(source))).status).toBe(201);
});

it('charges for a source on one issued invoice only, and releases it when that is voided', async () => {
  const source = await deal();
  const { id } = await draft(tenant.api, charging(source));
  await act(tenant.api, id, 'issue');
  expect(await create(charging(source))).toMatchObject(TAKEN);
  await act(tenant.api, id, 'void', { reason: 'Wrong' });
  expect((await create(charging(source))).status).toBe(201);
});

it('releases a source whose line is removed from a draft, and claims one that is added', async () => {
  const [first, second] = [await deal(), await deal()];
  const { id } = await draft(tenant.api, charging(first));
  await tenant.api.patch(`${INVOICES}/${id}`, { lineItems: charging(second).lineItems });
  expect((await create(charging(first))).status).toBe(201);
  expect(await create(charging(second))).toMatchObject(TAKEN);
  expect(await tenant.api.patch(`${INVOICES}/${id}`, { lineItems: charging(first).lineItems })).toMatchObject(TAKEN);
});

it('rejects a source on two lines of one invoice', async () => {
  const source = await deal();
  expect(faultsOf(await create(charging(source, source)))).toEqual(['/lineItems/1/source not_unique']);
});

it('gives a source to one of twenty concurrent invoices', async () => {
  const source = await deal();
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(charging(source))));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 201)) expect(answer).toMatchObject(TAKEN);
});

it('treats a source of another tenant as unknown', async () => {
  const other = await platform.tenant();
  const foreign = (await other.api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Deal' })).body.id;
  const answer = await create(charging({ object: 'sales.deal', id: foreign }));
  expect(faultsOf(answer)).toEqual(['/lineItems unknown_reference']);
});

describe('time', () => {
  const ENTRIES = '/api/v1/work/time-entries';
  const entry = async (...actions: string[]) => {
    const ada = await platform.member(tenant, 'Ada');
    const bob = await platform.member(tenant, 'Bob');
    const made = await ada.api.post<{ id: string }>(ENTRIES, { workDate: '2026-11-20', minutes: 60, billable: true });
    if (made.status !== 201) throw new Error(made.text);
    for (const action of actions) {
      const answer = await (action === 'approve' ? bob : ada).api.post(`${ENTRIES}/${made.body.id}/${action}`);
      if (answer.status !== 200) throw new Error(answer.text);
    }
    return { object: 'work.time_entry', id: made.body.id };
  };
  const stateOf = async ({ id }: { id: string }) => (await tenant.api.get(`${ENTRIES}/${id}`)).body;

  it('is invoiced with its invoice, and approved again when that is voided', async () => {
    const source = await entry('submit', 'approve');
    const made = await draft(tenant.api, charging(source));
    expect(await stateOf(source)).toMatchObject({ status: 'approved', invoiceLineId: null });
    await act(tenant.api, made.id, 'issue');
    expect(await stateOf(source)).toMatchObject({ status: 'invoiced', invoiceLineId: made.lineItems[0]!.id });
    await act(tenant.api, made.id, 'void', { reason: 'Wrong' });
    expect(await stateOf(source)).toMatchObject({ status: 'approved', invoiceLineId: null });
  });

  it('is not charged for before it is approved', async () => {
    const source = await entry('submit');
    const made = await draft(tenant.api, charging(source));
    expect(await act(tenant.api, made.id, 'issue')).toMatchObject({
      status: 409,
      body: { code: 'source_not_billable' },
    });
    expect(await stateOf(source)).toMatchObject({ status: 'submitted' });
  });
});

it('prevents a deal with an issued invoice from being deleted', async () => {
  const { id: dealId } = await deal();
  const { id } = await draft(tenant.api, { ...ISSUABLE, dealId });
  await act(tenant.api, id, 'issue');
  expect(await tenant.api.delete(`/api/v1/sales/deals/${dealId}`)).toMatchObject({
    status: 409,
    body: { code: 'record_locked' },
  });
  await act(tenant.api, id, 'void', { reason: 'Wrong' });
  expect((await tenant.api.delete(`/api/v1/sales/deals/${dealId}`)).status).toBe(200);
});
