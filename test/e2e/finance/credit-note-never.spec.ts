import type { ShownCreditNote } from '#src/areas/finance/credit-notes/credit-note.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  act,
  AppRole,
  balances,
  CREDIT_NOTES,
  creditNote,
  expectStatus,
  INVOICES,
  invoice,
  issuedInvoice,
  statuses,
} from './payment-calls.js';

/** Invariants of credit notes, tested with single requests, concurrent requests and direct SQL. */
let platform: TestPlatform;
let tenant: TestTenant;
let app: AppRole;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  app = await AppRole.of(platform, tenant);
});
afterEach(() => app.close());
afterAll(() => platform.close());

const note = (id: string) => `${CREDIT_NOTES}/${id}`;
const drafts = (invoiceId: string, count: number, amountMinor: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      creditNote(tenant.api, invoiceId, { amountMinor, disposition: 'account_credit' }),
    ),
  );

describe('the invoice total is never exceeded by credits', () => {
  it('when credit notes are issued concurrently', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 1_000);
    const notes = await drafts(id, 5, 400);
    const answers = await Promise.all(notes.map((each) => api.post(`${note(each.id)}/issue`)));
    expect(statuses(answers)).toEqual([200, 200, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body['code']).toBe('amount_exceeds_balance');
    expect(await balances(api)).toEqual({
      'receivable USD': 1_000,
      'revenue USD': -200,
      'customer_credit USD': -800,
    });
  });

  it('when the invoice action runs concurrently with them', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 1_000);
    const [one, two] = await drafts(id, 2, 700);
    const answers = await Promise.all([
      api.post(`${INVOICES}/${id}/credit`, { amountMinor: 700, reason: 'x' }),
      api.post(`${note(one!.id)}/issue`),
      api.post(`${INVOICES}/${id}/credit`, { amountMinor: 700, reason: 'y' }),
      api.post(`${note(two!.id)}/issue`),
    ]);
    expect(statuses(answers)).toEqual([200, 409, 409, 409]);
  });

  it('while the invoice is being paid', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 1_000);
    const notes = await drafts(id, 3, 400);
    for (const each of notes.slice(0, 2)) await act(api, note(each.id), 'issue');
    const answers = await Promise.all([
      ...notes.slice(0, 2).map((each) => api.post(`${note(each.id)}/apply`)),
      api.post(`${INVOICES}/${id}/payments`, { amountMinor: 1_000 }),
      api.post(`${INVOICES}/${id}/payments`, { amountMinor: 600 }),
      api.post(`${INVOICES}/${id}/pay`, { amountMinor: 200 }),
    ]);
    expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([200, 200]);
    const after = await invoice(api, id);
    expect(after.balanceMinor).toBe(1_000 - after.amountPaidMinor - 800);
    expect(after.balanceMinor).toBeGreaterThanOrEqual(0);
    const total = Object.values(await balances(api)).reduce((sum, each) => sum + each, 0);
    expect(total).toBe(0);
  });

  it('even by direct SQL', async () => {
    const { id } = await issuedInvoice(tenant.api, 1_000);
    const [one, two] = await drafts(id, 2, 700);
    await act(tenant.api, note(one!.id), 'issue');
    const issue = `update data.finance_credit_notes set status = 'issued', number = 'CN-9', issue_date = now(),
      base_total_minor = total_minor, base_tax_minor = 0 where id = $1`;
    expect(await app.broken([issue, [two!.id]])).toBe('23514 finance_credit_notes_within_invoice');
  });
});

describe('a credit note is never', () => {
  it('numbered twice, and no number is skipped, by concurrent issues', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 1_000);
    const notes = await drafts(id, 14, 100);
    const answers = await Promise.all(notes.map((each) => api.post<ShownCreditNote>(`${note(each.id)}/issue`)));
    expect(statuses(answers)).toEqual([...Array<number>(10).fill(200), ...Array<number>(4).fill(409)]);
    const numbers = answers.flatMap(({ status, body }) => (status === 200 ? [body.number!] : [])).sort();
    const year = new Date().getUTCFullYear();
    expect(numbers).toEqual(Array.from({ length: 10 }, (_, i) => `CN-${year}-${String(i + 1).padStart(5, '0')}`));
  });

  it('issued, applied or voided twice', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 1_000);
    const [one, two] = await drafts(id, 2, 100);
    const times = (action: string, target: ShownCreditNote, body?: object) =>
      Promise.all([1, 2, 3].map(() => api.post(`${note(target.id)}/${action}`, body)));
    expect(statuses(await times('issue', one!))).toEqual([200, 409, 409]);
    expect(statuses(await times('apply', one!))).toEqual([200, 409, 409]);
    expect(await invoice(api, id)).toMatchObject({ amountCreditedMinor: 100 });
    await act(api, note(two!.id), 'issue');
    expect(statuses(await times('void', two!, { reason: 'x' }))).toEqual([200, 409, 409]);
    const late = await api.post(`${note(two!.id)}/apply`);
    expect(late.body).toMatchObject({ code: 'invalid_transition', state: 'void' });
  });

  it('changed after it was issued', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 1_000);
    const [one] = await drafts(id, 1, 100);
    await act(api, note(one!.id), 'issue');
    for (const patch of [{ amountMinor: 5 }, { reason: 'other' }, { disposition: 'refund' }, { lineItems: [] }])
      expect([400, 409]).toContain((await api.patch(note(one!.id), patch)).status);
    expect((await api.patch(note(one!.id), { reason: 'other' })).body['code']).toBe('record_locked');
    expect((await api.delete(note(one!.id))).body['code']).toBe('record_locked');
    const set = (assignment: string) =>
      app.broken([`update data.finance_credit_notes set ${assignment} where id = $1`, [one!.id]]);
    expect(await set(`owner_id = null`)).toBe('no error');
    for (const assignment of [`total_minor = 5`, `number = 'CN-7'`, `status = 'draft', number = null`, `reason = 'x'`])
      expect(await set(assignment)).toBe('TOP05');
  });

  it('created for an invoice that is a draft, void or owned by another tenant', async () => {
    const { api } = tenant;
    const other = await platform.tenant();
    const { id: foreign } = await issuedInvoice(other.api, 1_000);
    const refused = await api.post(CREDIT_NOTES, { invoiceId: foreign, reason: 'x' });
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/invoiceId', code: 'unknown_reference' }] });
    const voided = await issuedInvoice(api, 500);
    expectStatus(await api.post(`${INVOICES}/${voided.id}/void`, { reason: 'x' }), 200);
    const { body: draft } = await api.post<{ id: string }>(INVOICES, { amount: 5 });
    for (const invoiceId of [voided.id, draft.id]) {
      const { id } = await creditNote(api, invoiceId, { amountMinor: 100 });
      const issue = await api.post(`${note(id)}/issue`);
      expect([issue.status, issue.body['code']]).toEqual([409, 'invalid_transition']);
    }
  });

  it('left in effect against a void invoice', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 1_000);
    const [one] = await drafts(id, 1, 100);
    await act(api, note(one!.id), 'issue');
    const refused = await api.post(`${INVOICES}/${id}/void`, { reason: 'x' });
    expect(refused.status).toBe(409);
    expect(await invoice(api, id)).toMatchObject({ status: 'issued' });
    const both = await Promise.all([
      api.post(`${note(one!.id)}/void`, { reason: 'x' }),
      api.post(`${INVOICES}/${id}/void`, { reason: 'x' }),
    ]);
    expect(both[0].status).toBe(200);
  });
});
