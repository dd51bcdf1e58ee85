import { schemaFaults } from '../../harness/e-invoice-schema.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, draft, INVOICES, issued, read } from './invoice-calls.js';

const CREDIT_NOTES = '/api/v1/finance/credit-notes';
const SETTINGS = {
  format: 'xrechnung',
  address: { line1: 'Marktplatz 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
  contact: { name: 'Billing <team>', phone: '+49 30 123456', email: 'billing@acme.example' },
  iban: 'DE02120300000000202051',
  bic: 'BYLADEM1001',
};
const CUSTOMER = {
  name: 'Globex & Söhne "GmbH"',
  email: 'rechnung@globex.example',
  taxId: 'DE 987654321',
  address: { line1: 'Ring 2', line2: 'Haus B', city: 'Köln', region: 'NRW', postalCode: '50667', country: 'DE' },
};
const LINES = [
  { description: 'Consulting', quantity: 2.5, unit: 'Stunden', unitPriceMinor: 12_000, taxPercent: 19 },
  {
    description: `Licence\nwith ${'a long text '.repeat(12)}`,
    quantity: 3,
    unit: 'crate',
    unitPriceMinor: 999,
    discountPercent: 10,
    taxPercent: 19,
    periodStartDate: '2026-11-01',
    periodEndDate: '2026-11-30',
  },
  { description: 'Given back', quantity: 1, unitPriceMinor: -500, discountPercent: 5, taxPercent: 7 },
  { description: 'Book', quantity: 1, unitPriceMinor: 2_000, taxPercent: 0 },
];
const EURO = { currency: 'EUR', exchange: { rate: '1.1' } };
const COMPLETE = { customer: CUSTOMER, ...EURO, purchaseRef: '04011000-12345-67', poNumber: 'PO-7' };

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const configure = async (eInvoice: object) => {
  const legalEntity = { legalName: 'Acme GmbH', taxId: 'DE123456789' };
  const answer = await tenant.api.patch('/api/admin/settings', { finance: { legalEntity, eInvoice } });
  expect(answer.status).toBe(200);
};
const xmlOf = async (path: string) => {
  const answer = await tenant.api.get(`${path}/e-invoice`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/xml');
  return answer.text;
};
const texts = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<ram:${name}(?: [^>]*)?>([^<]*)</ram:${name}>`, 'g'))].map(([, text]) => text);

describe('an invoice of a tenant that issues XRechnung', () => {
  it('names what it lacks, as a draft and when it is issued', async () => {
    await configure({ format: 'xrechnung', iban: SETTINGS.iban });
    const lineItems = [{ description: 'Work', unitPriceMinor: 100 }];
    const { id } = await draft(tenant.api, { lineItems, ...EURO, customer: { name: 'Globex' } });
    const missingFields = [
      'settings.finance.eInvoice.address.country',
      'customer.address.country',
      'lineItems.0.taxPercent',
      'settings.finance.eInvoice.address.city',
      'settings.finance.eInvoice.address.postalCode',
      'settings.finance.eInvoice.contact.name',
      'settings.finance.eInvoice.contact.phone',
      'settings.finance.eInvoice.contact.email',
      'customer.email',
      'customer.address.city',
      'customer.address.postalCode',
      'purchaseRef',
    ];
    expect((await read(tenant.api, id))['eInvoice']).toEqual({ format: 'xrechnung', missingFields });
    const refused = await act(tenant.api, id, 'issue');
    expect(refused).toMatchObject({ status: 409, body: { code: 'e_invoice_incomplete', missingFields } });
    expect((await tenant.api.get(`${INVOICES}/${id}/e-invoice`)).status).toBe(404);
    expect(await read(tenant.api, id)).toMatchObject({ status: 'draft', number: null });
  });

  it('is valid by the published schema and says what was issued, whatever the settings become', async () => {
    await configure(SETTINGS);
    const invoice = await issued(tenant.api, { ...COMPLETE, lineItems: LINES, terms: 'Net 30 & no <discount>' });
    expect(invoice['eInvoice']).toEqual({ format: 'xrechnung', missingFields: [] });
    const xml = await xmlOf(`${INVOICES}/${invoice.id}`);
    expect(schemaFaults(xml)).toEqual([]);
    expect(xml).toContain('urn:xeinkauf.de:kosit:xrechnung_3.0');
    expect(texts(xml, 'LineTotalAmount')).toEqual(['300.00', '26.97', '-4.75', '20.00', '342.22']);
    expect(texts(xml, 'TaxTotalAmount')).toEqual(['61.79']);
    expect(texts(xml, 'GrandTotalAmount')).toEqual(['404.01']);
    expect(texts(xml, 'DuePayableAmount')).toEqual(['404.01']);
    expect(texts(xml, 'BasisAmount')).toEqual(['326.97', '-4.75', '20.00']);
    expect(texts(xml, 'CalculatedAmount')).toEqual(['62.12', '-0.33', '0.00']);
    expect(texts(xml, 'CategoryCode').slice(-3)).toEqual(['S', 'S', 'Z']);
    expect(texts(xml, 'BilledQuantity')).toEqual(['2.5', '3', '-1', '1']);
    expect(xml).toContain('unitCode="HUR"');
    expect(texts(xml, 'Content')).toEqual(['Net 30 &amp; no &lt;discount&gt;', 'Unit: crate']);
    expect(texts(xml, 'BuyerReference')).toEqual(['04011000-12345-67']);
    expect(texts(xml, 'Name')).toContain('Globex &amp; Söhne "GmbH"');
    await configure({ format: 'none', iban: null, contact: { name: 'Other' } });
    expect(await xmlOf(`${INVOICES}/${invoice.id}`)).toBe(xml);
    const sum = Number((invoice as unknown as { totalMinor: number }).totalMinor); // as the route answers
    expect(sum).toBe(40_401);
  });

  it('is credited by an electronic credit note that names it', async () => {
    await configure(SETTINGS);
    const invoice = await issued(tenant.api, { ...COMPLETE, lineItems: LINES });
    const body = { invoiceId: invoice.id, amountMinor: 10_000, reason: 'Late' };
    const { id } = (await tenant.api.post<{ id: string }>(CREDIT_NOTES, body)).body;
    expect((await tenant.api.get(`${CREDIT_NOTES}/${id}/e-invoice`)).status).toBe(404);
    const note = await tenant.api.post(`${CREDIT_NOTES}/${id}/issue`, {});
    expect(note).toMatchObject({ status: 200, body: { eInvoice: { format: 'xrechnung', missingFields: [] } } });
    const xml = await xmlOf(`${CREDIT_NOTES}/${id}`);
    expect(schemaFaults(xml)).toEqual([]);
    expect(texts(xml, 'TypeCode')[0]).toBe('381');
    expect(texts(xml, 'IssuerAssignedID')).toContain(invoice['number']);
    expect(texts(xml, 'GrandTotalAmount')).toEqual(['100.00']);
  });
});

describe('an invoice of a tenant that issues Factur-X', () => {
  const FACTUR_X = { format: 'factur_x', address: { country: 'DE' } };

  it('needs fewer fields, and takes prices that include tax', async () => {
    await configure(FACTUR_X);
    const customer = { name: 'Globex', address: { country: 'FR' } };
    const lineItems = [
      { description: 'Ticket', quantity: 3, unit: 'pcs', unitPriceMinor: 1_190, discountPercent: 10, taxPercent: 19 },
      { description: 'Nothing', quantity: 0, unitPriceMinor: 100, taxPercent: 19 },
    ];
    const invoice = await issued(tenant.api, { customer, ...EURO, taxInclusive: true, lineItems });
    const xml = await xmlOf(`${INVOICES}/${invoice.id}`);
    expect(schemaFaults(xml)).toEqual([]);
    expect(texts(xml, 'LineTotalAmount')).toEqual(['27.00', '0.00', '27.00']);
    expect(texts(xml, 'ChargeAmount')).toEqual(['9.000000', '0.000000']);
    expect(texts(xml, 'GrandTotalAmount')).toEqual(['32.13']);
  });

  it('states reverse charge and exemption, with the tax number of the customer', async () => {
    await configure(FACTUR_X);
    const rate = async (name: string, kind: string) =>
      (await tenant.api.post<{ id: string }>('/api/v1/finance/tax-rates', { name, percent: 0, kind })).body.id;
    const lineItems = [
      { description: 'Work', unitPriceMinor: 100, taxRateId: await rate('Reverse', 'reverse_charge') },
      { description: 'Course', unitPriceMinor: 200, taxRateId: await rate('Exempt by § 4 Nr. 21 UStG', 'exempt') },
    ];
    const customer = { name: 'Globex', address: { country: 'FR' } };
    const { id } = await draft(tenant.api, { customer, ...EURO, lineItems });
    expect(await act(tenant.api, id, 'issue')).toMatchObject({
      status: 409,
      body: { missingFields: ['customer.taxId'] },
    });
    await tenant.api.patch(`${INVOICES}/${id}`, { customer: { ...customer, taxId: 'FR12345678901' } });
    expect((await act(tenant.api, id, 'issue')).status).toBe(200);
    const xml = await xmlOf(`${INVOICES}/${id}`);
    expect(schemaFaults(xml)).toEqual([]);
    expect(texts(xml, 'CategoryCode').slice(-2)).toEqual(['AE', 'E']);
    expect(texts(xml, 'ExemptionReason')).toEqual(['Reverse charge', 'Exempt by § 4 Nr. 21 UStG']);
  });

  it('cannot be in a currency with three decimals', async () => {
    await configure(FACTUR_X);
    const customer = { name: 'Globex', address: { country: 'KW' } };
    const lineItems = [{ description: 'Work', unitPriceMinor: 100, taxPercent: 5 }];
    const { id } = await draft(tenant.api, { customer, currency: 'KWD', exchange: { rate: '3' }, lineItems });
    expect(await act(tenant.api, id, 'issue')).toMatchObject({ status: 409, body: { missingFields: ['currency'] } });
  });
});

describe('an invoice of a tenant without electronic invoices', () => {
  it('has none', async () => {
    const invoice = await issued(tenant.api);
    expect(invoice['eInvoice']).toBeNull();
    expect((await tenant.api.get(`${INVOICES}/${invoice.id}/e-invoice`)).status).toBe(404);
  });
});
