import { civilDateAt } from '#libs/kernel/civil-time.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { Aging } from '#src/areas/finance/ledger/ledger-report.dto.js';
import type { ShownInvoice } from '#src/areas/finance/invoices/invoice.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  act,
  creditNote,
  CREDIT_NOTES,
  expectStatus,
  INVOICES,
  issuedInvoice,
  payment,
  PAYMENTS,
} from './payment-calls.js';

/** Postings are not in the future, and on no day is more paid for an invoice than it owed. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

/** The date in a zone, some days from now. */
const day = (days: number, zone = 'UTC') => civilDateAt(Date.now() + days * DAY_MS, zone);
const refused = (pointer: string, code = 'in_future') => ({ status: 400, body: { errors: [{ pointer, code }] } });
const draft = async (body: object = {}) => {
  const lineItems = [{ description: 'Work', unitPriceMinor: 100 }];
  const answer = await tenant.api.post<ShownInvoice>(INVOICES, { customer: { name: 'Globex' }, lineItems, ...body });
  return expectStatus(answer, 201).id;
};

it('no invoice is issued on a day to come', async () => {
  const { api } = tenant;
  const id = await draft({ issueDate: day(2) });
  expect(await api.post(`${INVOICES}/${id}/issue`)).toMatchObject(refused('/issueDate'));
  expect(await api.post(`${INVOICES}/${id}/issue`, { issueDate: day(1) })).toMatchObject(refused('/issueDate'));
  expect(await api.post(`${INVOICES}/${id}/issue`, { issueDate: day(0) })).toMatchObject({ status: 200 });
});

it('no money arrives on a day to come', async () => {
  const { api } = tenant;
  const receivedDate = day(1);
  const { id } = await issuedInvoice(api, 1_000);
  expect(await api.post(`${INVOICES}/${id}/pay`, { receivedDate })).toMatchObject(refused('/receivedDate'));
  expect(await api.post(`${INVOICES}/${id}/payments`, { receivedDate })).toMatchObject(refused('/receivedDate'));
  for (const status of ['pending', 'succeeded'])
    expect(await api.post(PAYMENTS, { amountMinor: 5, status, receivedDate })).toMatchObject(refused('/receivedDate'));
  const pending = expectStatus(await api.post<{ id: string }>(PAYMENTS, { amountMinor: 5, status: 'pending' }), 201);
  const path = `${PAYMENTS}/${pending.id}`;
  expect(await api.patch(path, { receivedDate })).toMatchObject(refused('/receivedDate'));
  expect(await api.post(`${path}/succeed`, { receivedDate })).toMatchObject(refused('/receivedDate'));
  expect(await api.get(`${INVOICES}/${id}`)).toMatchObject({ body: { status: 'issued', balanceMinor: 1_000 } });
  expect(await api.post(`${path}/succeed`, { receivedDate: day(0) })).toMatchObject({ status: 200 });
});

it('nothing is posted before the books begin', async () => {
  const { api } = tenant;
  const tooOld = (pointer: string) => refused(pointer, 'out_of_range');
  const [receivedDate, first] = ['1999-12-31', '2000-01-01'];
  const { id } = await issuedInvoice(api, 1_000, { issueDate: first });
  for (const issueDate of ['1900-01-01', receivedDate])
    expect(await api.post(`${INVOICES}/${await draft({ issueDate })}/issue`)).toMatchObject(tooOld('/issueDate'));
  const note = await creditNote(api, id);
  expect(await api.post(`${CREDIT_NOTES}/${note.id}/issue`, { issueDate: receivedDate })).toMatchObject(
    tooOld('/issueDate'),
  );
  expect(await api.post(`${INVOICES}/${id}/pay`, { receivedDate })).toMatchObject(tooOld('/receivedDate'));
  expect(await api.post(`${INVOICES}/${id}/payments`, { receivedDate })).toMatchObject(tooOld('/receivedDate'));
  for (const status of ['pending', 'succeeded'])
    expect(await api.post(PAYMENTS, { amountMinor: 5, status, receivedDate })).toMatchObject(tooOld('/receivedDate'));
  const pending = await payment(api, 5, { status: 'pending', receivedDate: first });
  const path = `${PAYMENTS}/${pending.id}`;
  expect(await api.patch(path, { receivedDate })).toMatchObject(tooOld('/receivedDate'));
  expect(await api.post(`${path}/succeed`, { receivedDate })).toMatchObject(tooOld('/receivedDate'));
  expect(await api.post(`${path}/succeed`)).toMatchObject({ status: 200, body: { receivedDate: first } });
  expect(await api.post(`${INVOICES}/${id}/pay`, { receivedDate: first })).toMatchObject({ status: 200 });
});

it('a credit note is issued between the date of its invoice and today', async () => {
  const { api } = tenant;
  const { id } = await issuedInvoice(api, 1_000, { issueDate: day(-5) });
  const note = await creditNote(api, id);
  const issue = (issueDate: string) => api.post(`${CREDIT_NOTES}/${note.id}/issue`, { issueDate });
  expect(await issue(day(1))).toMatchObject(refused('/issueDate'));
  expect(await issue(day(-6))).toMatchObject(refused('/issueDate', 'out_of_range'));
  expect(await issue(day(-5))).toMatchObject({ status: 200, body: { issueDate: day(-5) } });
});

it('the day is that of the tenant’s time zone', async () => {
  const { api } = tenant;
  const east = 'Pacific/Kiritimati'; // 26 hours ahead of Niue's neighbour Pago Pago, never on the same day
  const west = 'Pacific/Pago_Pago';
  const inZone = async (timezone: string) =>
    expectStatus(await api.patch('/api/admin/settings', { general: { timezone } }), 200);
  await inZone(east);
  const { id } = await issuedInvoice(api, 1_000, { issueDate: day(0, east) });
  await inZone(west);
  expect(await api.post(`${INVOICES}/${await draft()}/issue`, { issueDate: day(0, east) })).toMatchObject(
    refused('/issueDate'),
  );
  // The invoice is of a day to come now; what follows from it is not older.
  const note = await creditNote(api, id, { amountMinor: 100 });
  expect(await act(api, `${CREDIT_NOTES}/${note.id}`, 'issue')).toMatchObject({ issueDate: day(0, east) });
  await act(api, `${CREDIT_NOTES}/${note.id}`, 'apply');
  await act(api, `${INVOICES}/${id}`, 'pay', { amountMinor: 400 });
  await act(api, `${INVOICES}/${id}`, 'write-off', { reason: 'Gone' });
  await expectSoundAging([day(0, west), day(0, east)]);
});

it('the balances add up to the aging of today, which is negative on no day', async () => {
  const { api } = tenant;
  const invoice = (totalMinor: number, issueDate: string) => issuedInvoice(api, totalMinor, { issueDate });
  const pay = (id: string, amountMinor: number, receivedDate: string) =>
    payment(api, amountMinor, { receivedDate, allocations: [{ invoiceId: id, amountMinor }] });

  const early = await invoice(1_000, day(-3));
  await pay(early.id, 400, day(-9));
  const twice = await invoice(500, day(-8));
  const { id: first } = await pay(twice.id, 500, day(-7));
  await act(api, `${PAYMENTS}/${first}`, 'refund', { reason: 'Disputed' });
  await pay(twice.id, 500, day(-8));
  const lost = await invoice(700, day(-8));
  await act(api, `${INVOICES}/${lost.id}`, 'write-off', { reason: 'Gone' });
  await act(api, `${INVOICES}/${lost.id}`, 'pay', { amountMinor: 300, receivedDate: day(-6) });
  const credited = await invoice(900, day(-5));
  await pay(credited.id, 900, day(-5));
  await act(api, `${INVOICES}/${credited.id}`, 'credit', { amountMinor: 200, reason: 'Late' });
  const both = await Promise.all([invoice(50, day(-2)), invoice(60, day(-4))]);
  await payment(api, 120, {
    receivedDate: day(-10),
    allocations: both.map(({ id, totalMinor }) => ({ invoiceId: id, amountMinor: totalMinor - 5 })),
  });

  await expectSoundAging(Array.from({ length: 12 }, (_, i) => day(-i)));
  const open = [early.id, twice.id, lost.id, credited.id, ...both.map(({ id }) => id)];
  const balances = await Promise.all(open.map(async (id) => (await api.get(`${INVOICES}/${id}`)).body['balanceMinor']));
  expect(balances).toEqual([600, 0, 400, 0, 5, 5]);
});

/** Fails for a day on which more was paid than owed, and unless the newest day shows the balances. */
async function expectSoundAging(days: string[]): Promise<void> {
  const { api } = tenant;
  const totals = await Promise.all(
    days.map(async (asOf) => {
      const { data } = expectStatus(await api.get<Aging>(`${INVOICES}/aging?asOf=${asOf}`), 200);
      return [asOf, data.reduce((sum, { totalMinor }) => sum + totalMinor!, 0)] as const;
    }),
  );
  expect(totals.filter(([, total]) => total < 0)).toEqual([]);
  const { data } = (await api.get<{ data: ShownInvoice[] }>(`${INVOICES}?limit=200&status[ne]=draft`)).body;
  const owed = data.reduce((sum, { balanceMinor }) => sum + balanceMinor, 0);
  expect(new Map(totals).get([...days].sort().at(-1)!)).toBe(owed);
}
