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

const ENTRIES = '/api/v1/work/time-entries';
const time = {
  /** A time entry after these actions. */
  async entry(...actions: string[]) {
    const ada = await platform.member(tenant, 'Ada');
    const bob = await platform.member(tenant, 'Bob');
    const made = await ada.api.post<{ id: string }>(ENTRIES, { workDate: '2026-11-20', minutes: 60, billable: true });
    if (made.status !== 201) throw new Error(made.text);
    for (const action of actions) {
      const answer = await (action === 'approve' ? bob : ada).api.post(`${ENTRIES}/${made.body.id}/${action}`);
      if (answer.status !== 200) throw new Error(answer.text);
    }
    return { object: 'work.time_entry', id: made.body.id };
  },
  stateOf: async ({ id }: { id: string }) => (await tenant.api.get(`${ENTRIES}/${id}`)).body,
};

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
  it('is invoiced with its invoice, and approved again when that is voided', async () => {
    const source = await time.entry('submit', 'approve');
    const made = await draft(tenant.api, charging(source));
    expect(await time.stateOf(source)).toMatchObject({ status: 'approved', invoiceLineId: null });
    await act(tenant.api, made.id, 'issue');
    expect(await time.stateOf(source)).toMatchObject({ status: 'invoiced', invoiceLineId: made.lineItems[0]!.id });
    await act(tenant.api, made.id, 'void', { reason: 'Wrong' });
    expect(await time.stateOf(source)).toMatchObject({ status: 'approved', invoiceLineId: null });
  });

  it('is not charged for before it is approved', async () => {
    const source = await time.entry('submit');
    const made = await draft(tenant.api, charging(source));
    expect(await act(tenant.api, made.id, 'issue')).toMatchObject({
      status: 409,
      body: { code: 'source_not_billable' },
    });
    expect(await time.stateOf(source)).toMatchObject({ status: 'submitted' });
  });
});

describe('a credit', () => {
  const issuedFor = async (...sources: object[]) => {
    const { id } = await draft(tenant.api, charging(...sources));
    expect((await act(tenant.api, id, 'issue')).status).toBe(200);
    return id;
  };
  const NOTES = '/api/v1/finance/credit-notes';
  /** Issues a credit note without applying it. */
  const note = async (invoiceId: string, more: object = {}) => {
    const { body } = await tenant.api.post<{ id: string }>(NOTES, { invoiceId, reason: 'Wrong customer', ...more });
    expect((await tenant.api.post(`${NOTES}/${body.id}/issue`)).status).toBe(200);
    return body.id;
  };
  const voided = (id: string) => tenant.api.post(`${NOTES}/${id}/void`, { reason: 'Not agreed' });

  it('of the whole invoice releases what it charged for', async () => {
    const source = await deal();
    const id = await issuedFor(source);
    expect((await act(tenant.api, id, 'credit', { reason: 'Wrong customer' })).status).toBe(200);
    expect((await create(charging(source))).status).toBe(201);
  });

  it('releases nothing before the parts make up the whole', async () => {
    const [source, other] = [await deal(), await deal()];
    const id = await issuedFor(source, other);
    await note(id, { amountMinor: 150 });
    expect(await create(charging(source))).toMatchObject(TAKEN);
    await note(id);
    expect((await create(charging(source, other))).status).toBe(201);
  });

  it('claims the sources again when it is voided, unless another invoice charges for them', async () => {
    const source = await deal();
    const credited = await note(await issuedFor(source));
    const { id: replacement } = await draft(tenant.api, charging(source));
    expect(await voided(credited)).toMatchObject(TAKEN);
    await tenant.api.delete(`${INVOICES}/${replacement}`);
    expect((await voided(credited)).status).toBe(200);
    expect(await create(charging(source))).toMatchObject(TAKEN);
  });

  it('lets a deal be deleted whose only invoice it takes back', async () => {
    const { id: dealId } = await deal();
    const { id } = await draft(tenant.api, { ...ISSUABLE, dealId });
    await act(tenant.api, id, 'issue');
    await note(id, { amountMinor: 100 });
    expect(await tenant.api.delete(`/api/v1/sales/deals/${dealId}`)).toMatchObject({ status: 409 });
    await note(id);
    expect((await tenant.api.delete(`/api/v1/sales/deals/${dealId}`)).status).toBe(200);
  });

  it('makes time billable again, and invoiced when it is voided', async () => {
    const source = await time.entry('submit', 'approve');
    const made = await draft(tenant.api, charging(source));
    await act(tenant.api, made.id, 'issue');
    const credited = await note(made.id);
    expect(await time.stateOf(source)).toMatchObject({ status: 'approved', invoiceLineId: null });
    expect((await voided(credited)).status).toBe(200);
    expect(await time.stateOf(source)).toMatchObject({ status: 'invoiced', invoiceLineId: made.lineItems[0]!.id });
    const again = await note(made.id);
    const other = await draft(tenant.api, charging(source));
    await act(tenant.api, other.id, 'issue');
    expect(await voided(again)).toMatchObject({ status: 409, body: { code: 'source_not_billable' } });
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
