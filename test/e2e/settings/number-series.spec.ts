import pg from 'pg';
import { until } from '#libs/testing/until.js';
import type { NumberSeriesView } from '#src/areas/setup/settings/number-series/number-series.dto.js';
import type { SettingsView } from '#src/areas/setup/settings/settings.dto.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, draft, INVOICES, issued } from '../finance/invoice-calls.js';
import { act as actOn, creditNote, CREDIT_NOTES, issuedInvoice } from '../finance/payment-calls.js';

/** Number series: document series can be changed in the settings and never assign a number twice. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const SERIES = '/api/settings/number-series';
const SETTINGS = '/api/admin/settings';
const INVOICE = `${SERIES}/finance.invoice.number`;

const year = () => new Date(platform.clock.nowMs()).getUTCFullYear();
const day = () => new Date(platform.clock.nowMs()).toISOString().slice(0, 10);
const change = (patch: object, api: Client = tenant.api) => api.patch<NumberSeriesView>(INVOICE, patch);
const read = async (path = INVOICE) => (await tenant.api.get<NumberSeriesView>(path)).body;
const numberOf = async (issueDate = day()) => {
  const { id } = await draft(tenant.api);
  const { status, text, body } = await act(tenant.api, id, 'issue', { issueDate });
  expect({ status, text }).toMatchObject({ status: 200 });
  return body['number'];
};

describe('number series', () => {
  it('are listed with their pattern and next number', async () => {
    await tenant.api.post('/api/v1/sales/deals', { name: 'Acme' });
    const { body } = await tenant.api.get<{ data: NumberSeriesView[] }>(`${SERIES}?limit=200`);
    const of = (key: string) => body.data.find((series) => series.key === key);
    expect(of('finance.invoice.number')).toMatchObject({
      ...{ object: 'finance.invoice', pattern: 'INV-{YYYY}-{seq:5}', resets: 'yearly', scope: 'tenant' },
      ...{ gapless: true, changeable: true, next: 1, preview: `INV-${year()}-00001` },
    });
    expect(of('finance.credit_note.number')).toMatchObject({ preview: `CN-${year()}-00001` });
    const reference = { pattern: 'DEAL-{seq:6}', resets: 'never', gapless: false, changeable: false };
    expect(of('sales.deal.reference')).toMatchObject({ ...reference, next: 2, preview: 'DEAL-000002' });
    expect(of('sales.contact.reference')).toMatchObject({ next: 1 });
    const { next } = await read(`${SERIES}/sales.deal.reference`);
    expect(next).toBe(2);
  });

  it('preview the number of the next document', async () => {
    await issued(tenant.api);
    const { preview, next } = await read();
    expect({ preview, next }).toEqual({ preview: `INV-${year()}-00002`, next: 2 });
    expect(await numberOf()).toBe(preview);
  });
});

describe('a change', () => {
  it('applies to the next document and is stored in the settings', async () => {
    await issued(tenant.api);
    const { status, body } = await change({ pattern: 'RE-{YYYY}-{seq:3}' });
    expect({ status, body }).toMatchObject({ status: 200, body: { preview: `RE-${year()}-002`, version: 2 } });
    expect(await numberOf()).toBe(`RE-${year()}-002`);
    const settings = (await tenant.api.get<SettingsView>(SETTINGS)).body;
    expect(settings.finance!.series.invoice).toEqual({ pattern: 'RE-{YYYY}-{seq:3}', resets: 'yearly', startAt: 1 });
    await tenant.api.patch(SETTINGS, { finance: { series: { invoice: { pattern: 'IN-{YYYY}-{seq:4}' } } } });
    expect(await read()).toMatchObject({ preview: `IN-${year()}-0003`, version: 3 });
    const credit = await read(`${SERIES}/finance.credit_note.number`);
    expect(credit).toMatchObject({ pattern: 'CN-{YYYY}-{seq:5}', next: 1 });
  });

  it('of the reset starts another counter, and the old counter continues when it is restored', async () => {
    await issued(tenant.api);
    await change({ pattern: 'M-{YYYY}-{MM}-{seq:2}', resets: 'monthly' });
    expect(await numberOf('2025-03-31')).toBe('M-2025-03-01');
    expect(await numberOf('2025-04-01')).toBe('M-2025-04-01');
    expect(await numberOf('2025-03-30')).toBe('M-2025-03-02');
    await change({ pattern: 'N{seq:1}', resets: 'never' });
    expect([await numberOf(), await numberOf()]).toEqual(['N1', 'N2']);
    await change({ pattern: 'INV-{YYYY}-{seq:5}', resets: 'yearly' });
    expect(await numberOf()).toBe(`INV-${year()}-00002`);
  });

  it('that could repeat a number is rejected, except before the first document', async () => {
    const used = { status: 409, body: { code: 'number_used' } };
    expect(await change({ resets: 'never' })).toMatchObject({ status: 200 });
    expect(await change({ resets: 'yearly' })).toMatchObject({ status: 200 });
    await issued(tenant.api);
    expect(await change({ resets: 'never' })).toMatchObject(used);
    expect(await change({ pattern: 'INV-{seq:5}-{YYYY}' })).toMatchObject(used);
    await change({ pattern: 'RE-{YYYY}-{seq:5}', resets: 'never' });
    expect(await change({ pattern: 'INV-{YYYY}-{seq:5}' })).toMatchObject(used);
    expect(await change({ pattern: 'INV-{YYYY}-{seq:5}', resets: 'yearly' })).toMatchObject({ status: 200 });
    const direct = { finance: { series: { invoice: { resets: 'never' } } } };
    expect(await tenant.api.patch(SETTINGS, direct)).toMatchObject(used);
  });

  it('that could repeat a number of another series is rejected, now and after that series has changed', async () => {
    const used = { status: 409, body: { code: 'number_used', detail: expect.stringContaining('credit_note') } };
    expect(await change({ pattern: 'CN-{YYYY}-{seq:5}' })).toMatchObject(used);
    expect(await change({ pattern: 'CN-{YYYY}-{seq:3}' })).toMatchObject(used);
    const both = (invoice: string, creditNote: string) =>
      tenant.api.patch(SETTINGS, {
        finance: { series: { invoice: { pattern: invoice }, creditNote: { pattern: creditNote } } },
      });
    expect(await both('A-{YYYY}-{seq:5}', 'A-{YYYY}-{seq:4}')).toMatchObject({ status: 409 });
    expect(await both('CN-{YYYY}-{seq:5}', 'C-{YYYY}-{seq:5}')).toMatchObject({ status: 200 });
    expect(await both('INV-{YYYY}-{seq:5}', 'CN-{YYYY}-{seq:5}')).toMatchObject({ status: 200 });
    const { id } = await issuedInvoice(tenant.api, 100);
    const note = await creditNote(tenant.api, id);
    await actOn(tenant.api, `${CREDIT_NOTES}/${note.id}`, 'issue');
    expect(await change({ pattern: 'C-{YYYY}-{seq:5}' }, tenant.api)).toMatchObject({ status: 200 });
    const credits = await tenant.api.patch(`${SERIES}/finance.credit_note.number`, { pattern: 'D-{YYYY}-{seq:5}' });
    expect(credits).toMatchObject({ status: 200 });
    expect(await change({ pattern: 'CN-{YYYY}-{seq:5}' })).toMatchObject(used);
  });

  it.each([
    [{ pattern: 'INV-{YYYY}' }, '/pattern', 'invalid_pattern'],
    [{ pattern: '{YYYY}{seq:5}' }, '/pattern', 'invalid_pattern'],
    [{ resets: 'monthly' }, '/pattern', 'invalid_pattern'],
    [{ pattern: 'INV-{seq:5}' }, '/pattern', 'invalid_pattern'],
    [{ resets: 'weekly' }, '/resets', 'invalid_value'],
    [{ next: 0 }, '/next', 'out_of_range'],
    [{ gapless: false }, '/gapless', 'unknown_field'],
  ])('to %j is refused', async (patch, pointer, code) => {
    expect(await change(patch)).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
    expect((await read()).version).toBe(1);
  });

  it('of the start value requires a series without documents', async () => {
    expect(await change({ next: 1000 })).toMatchObject({ body: { next: 1000, preview: `INV-${year()}-01000` } });
    expect([await numberOf(), await numberOf()]).toEqual([`INV-${year()}-01000`, `INV-${year()}-01001`]);
    expect(await numberOf(`${year() - 1}-12-31`)).toBe(`INV-${year() - 1}-00001`);
    expect(await change({ next: 5000 })).toMatchObject({ status: 409, body: { code: 'in_use' } });
    expect(await read()).toMatchObject({ next: 1002 });
  });

  it('requires the finance permission, and fails for references and unknown series', async () => {
    const as = async (role: string) => (await platform.member(tenant, `A ${role}`, ['*'], { roles: [role] })).api;
    expect(await change({ pattern: 'B-{YYYY}-{seq:5}' }, await as('billing'))).toMatchObject({ status: 200 });
    for (const role of ['developer', 'manager'])
      expect(await change({ pattern: 'D-{YYYY}-{seq:5}' }, await as(role))).toMatchObject({ status: 403 });
    const deals = `${SERIES}/sales.deal.reference`;
    expect(await tenant.api.patch(deals, { pattern: 'D-{seq:5}' })).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
    for (const key of ['finance.invoice.reference2', 'nothing'])
      expect(await tenant.api.patch(`${SERIES}/${key}`, {})).toMatchObject({ status: 404 });
    expect(await change({ version: 1, resets: 'never' })).toMatchObject({
      status: 409,
      body: { code: 'stale_version' },
    });
  });

  it('that swaps the patterns of two series while a document waits for its first number repeats none', async () => {
    const swap = () =>
      tenant.api.patch(SETTINGS, {
        finance: {
          series: { invoice: { pattern: 'CN-{YYYY}-{seq:5}' }, creditNote: { pattern: 'INV-{YYYY}-{seq:5}' } },
        },
      });
    const { id } = await draft(tenant.api);
    const holder = new pg.Client({ connectionString: platform.database.adminUrl });
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table data.document_series in exclusive mode');
      const issuing = tenant.api.post<{ number: string }>(`${INVOICES}/${id}/issue`, {});
      await until(async () => (await holder.query('select from pg_locks where not granted')).rows.length > 0);
      const swapping = swap().finally(() => holder.query('commit'));
      expect([(await swapping).status, (await issuing).status]).toEqual([200, 200]);
      const note = await creditNote(tenant.api, id);
      const { number } = await actOn<{ number: string }>(tenant.api, `${CREDIT_NOTES}/${note.id}`, 'issue');
      expect([(await issuing).body.number, number]).toEqual([`CN-${year()}-00001`, `INV-${year()}-00001`]);
    } finally {
      await holder.end();
    }
    expect(await change({ pattern: 'INV-{YYYY}-{seq:5}' })).toMatchObject({
      status: 409,
      body: { code: 'number_used' },
    });
  });

  it('of two patterns during concurrent issues of both leaves all numbers unique and without gaps', async () => {
    const drafts = await Promise.all(Array.from({ length: 6 }, () => draft(tenant.api)));
    const issue = (path: string) => tenant.api.post<{ number: string }>(`${path}/issue`, {});
    const series = { invoice: { pattern: 'CN-{YYYY}-{seq:5}' }, creditNote: { pattern: 'INV-{YYYY}-{seq:5}' } };
    const [swapped, ...issues] = await Promise.all([
      tenant.api.patch(SETTINGS, { finance: { series } }),
      ...drafts.map(({ id }) => issue(`${INVOICES}/${id}`)),
    ]);
    expect([200, 409]).toContain(swapped.status);
    const notes = await Promise.all(drafts.map(({ id }) => creditNote(tenant.api, id)));
    const credits = await Promise.all(notes.map(({ id }) => issue(`${CREDIT_NOTES}/${id}`)));
    const all = [...issues, ...credits];
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    const numbers = all.map(({ body }) => body.number).sort();
    const counted = (prefix: string) => drafts.map((_, index) => `${prefix}-${year()}-0000${index + 1}`);
    expect(numbers).toEqual([...counted('CN'), ...counted('INV')]);
  });

  it('during concurrent issues leaves numbers unique and without gaps', async () => {
    const drafts = await Promise.all(Array.from({ length: 12 }, () => draft(tenant.api)));
    const issue = ({ id }: { id: string }) => tenant.api.post(`${INVOICES}/${id}/issue`, {});
    const patterns = ['A-{YYYY}-{seq:3}', 'B-{seq:3}', 'C-{YYYY}-{seq:3}'];
    const resets = ['yearly', 'never', 'yearly'];
    const changes = patterns.map((pattern, index) => change({ pattern, resets: resets[index] }));
    const answers = await Promise.all([...drafts.map(issue), ...changes]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const numbers = answers.slice(0, drafts.length).map(({ body }) => String((body as { number?: string }).number));
    expect(new Set(numbers).size).toBe(drafts.length);
    const counted = (isYearly: boolean) =>
      numbers
        .filter((number) => number.includes(String(year())) === isYearly)
        .map((number) => Number(number.split('-').at(-1)))
        .sort((a, b) => a - b);
    for (const counts of [counted(true), counted(false)])
      expect(counts).toEqual(Array.from({ length: counts.length }, (_, index) => index + 1));
  });
});
