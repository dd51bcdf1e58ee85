import { hash } from 'node:crypto';
import { makeTemplate } from '../e2e/documents/template-calls.js';
import { pdfPages } from '../harness/pdf-text.js';
import type { TestTenant } from '../harness/platform.js';
import { auditOf, eventsOf } from '../harness/written.js';
import { exhaust } from './automation-stage.js';
import { Stage } from './stage.js';

const PATH = '/api/v1/documents/documents';
const INVOICE_TEMPLATE = '00000000-0000-7000-8000-000000000501';

interface Document {
  id: string;
  name: string;
  status: string;
  contentHash: string | null;
  pageCount: number | null;
  templateVersion: number;
  data: Record<string, unknown> | null;
  renderError: { code: string } | null;
}

const stage = await Stage.open();
const { platform } = stage;
afterAll(() => stage.close());
afterEach(() => stage.stopWorkers());

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await platform.tenant();
});

const work = async () => exhaust(await stage.idleWorker());
const read = async (id: string) => (await tenant.api.get<Document>(`${PATH}/${id}`)).body;
const published = async (body: string, more: object = {}): Promise<string> =>
  (await makeTemplate(tenant, { body, ...more }, true)).id;
const made = async (body: object): Promise<Document> => {
  const { status, body: answer, text } = await tenant.api.post<Document>(PATH, body);
  if (status !== 201) throw new Error(text);
  await work();
  return read(answer.id);
};
const pdfOf = async (id: string): Promise<Buffer> => {
  const { url, headers } = tenant.api;
  return Buffer.from(await (await fetch(`${url}${PATH}/${id}/content`, { headers })).arrayBuffer());
};

it('prints a document from a record, frozen as it was', async () => {
  const { body: deal } = await tenant.api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Lighthouse' });
  const templateId = await published('<h1>{{ deal.name }}</h1><p>{{ note }}</p>', { subject: 'About {{ deal.name }}' });
  const target = { object: 'sales.deal', id: deal.id };
  const { status, body } = await tenant.api.post<Document>(PATH, { templateId, target, data: { note: 'Valid' } });
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { status: 'draft', name: 'About Lighthouse', templateVersion: 1 },
  });
  expect(await tenant.api.get(`${PATH}/${body.id}/content`)).toMatchObject({
    status: 409,
    body: { code: 'file_not_available' },
  });
  await tenant.api.patch(`/api/v1/sales/deals/${deal.id}`, { name: 'Changed' });
  await tenant.api.patch(`/api/admin/document-templates/${templateId}`, { body: 'Other', publish: true });
  await work();
  const after = await read(body.id);
  expect(after).toMatchObject({
    status: 'rendered',
    pageCount: 1,
    data: { note: 'Valid', deal: { name: 'Lighthouse' } },
  });
  const pdf = await pdfOf(body.id);
  expect(hash('sha256', pdf, 'hex')).toBe(after.contentHash);
  expect(pdfPages(pdf)[0]).toMatch(/Lighthouse.*Valid.*1 \/ 1/);
  const events = await eventsOf(platform, tenant, body.id);
  expect(events.map(({ type }) => type)).toEqual(['documents.document.created', 'documents.document.rendered']);
});

it('never changes a final document, and supersedes it by another one', async () => {
  const templateId = await published('<p>{{ n }}</p>');
  const first = await made({ templateId, name: 'First', data: { n: 1 } });
  expect(await tenant.api.post(`${PATH}/${first.id}/finalize`)).toMatchObject({
    status: 200,
    body: { status: 'final' },
  });
  expect((await tenant.api.patch(`${PATH}/${first.id}`, { name: 'Other' })).status).toBe(409);
  expect((await tenant.api.post(`${PATH}/${first.id}/finalize`)).status).toBe(409);
  expect((await tenant.api.delete(`${PATH}/${first.id}`)).status).toBe(409);
  const second = await made({ templateId, name: 'Second', data: { n: 2 }, replacesId: first.id });
  const third = await made({ templateId, name: 'Third', data: { n: 3 }, replacesId: first.id });
  expect((await read(first.id)).status).toBe('final');
  await tenant.api.post(`${PATH}/${second.id}/finalize`);
  expect(await read(first.id)).toMatchObject({ status: 'superseded', contentHash: first.contentHash });
  expect(await tenant.api.post(`${PATH}/${third.id}/finalize`)).toMatchObject({
    status: 409,
    body: { code: 'record_locked' },
  });
  expect(await tenant.api.post(`${PATH}/${second.id}/void`, { reason: 'Wrong' })).toMatchObject({
    status: 200,
    body: { status: 'void', voidReason: 'Wrong' },
  });
  expect((await pdfOf(second.id)).subarray(0, 5).toString()).toBe('%PDF-');
  const actions = (await auditOf(platform, tenant, first.id)).map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(['documents.document.finalized', 'documents.document.superseded']));
});

it('refuses what cannot be rendered, and says at which variable', async () => {
  const schema = { type: 'object', properties: { a: { type: 'object', required: ['b'] } }, required: ['a', 'c'] };
  const templateId = await published('<p>{{ a.b }}</p>', { variablesSchema: schema });
  const { status, body } = await tenant.api.post<{ errors: { pointer: string }[] }>(PATH, {
    templateId,
    data: { a: {} },
  });
  expect(status).toBe(400);
  expect(body.errors.map(({ pointer }) => pointer).sort()).toEqual(['/data/a/b', '/data/c']);
  const draft = await makeTemplate(tenant, { body: '<p>a</p>' });
  for (const [given, code] of [
    [{ templateId: draft.id }, 'not_published'],
    [{ templateId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30' }, 'unknown_reference'],
    [{ templateId, target: { object: 'sales.deal', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30' } }, 'unknown_reference'],
  ] as const)
    expect((await tenant.api.post<{ errors: { code: string }[] }>(PATH, given)).body.errors[0]!.code).toBe(code);
});

it('says why the PDF of a document cannot be made', async () => {
  const templateId = await published('{% for n in (1..1200) %}<p style="page-break-before: always">a</p>{% endfor %}');
  const { status, renderError, id } = await made({ templateId });
  expect({ status, renderError }).toMatchObject({ status: 'draft', renderError: { code: 'pdf_too_large' } });
  expect((await tenant.api.get(`${PATH}/${id}/content`)).status).toBe(409);
});

it('shows the data and the PDF to those alone who may see the record', async () => {
  const { body: deal } = await tenant.api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Secret' });
  const templateId = await published('<p>{{ deal.name }}</p>');
  const { id } = await made({ templateId, target: { object: 'sales.deal', id: deal.id } });
  const reader = await platform.key(tenant, ['documents:read']);
  expect(await reader.get(`${PATH}/${id}`)).toMatchObject({ status: 200, body: { data: null } });
  expect((await reader.get(`${PATH}/${id}/content`)).status).toBe(404);
});

it('prints the templates of the platform in the look and the language of the tenant', async () => {
  await tenant.api.patch('/api/admin/settings', {
    general: { locale: 'de-DE', country: 'US' },
    branding: { displayName: 'Muster', primaryColor: '#aa3300' },
  });
  const lineItems = [{ description: 'Beratung', quantity: 2, unit: 'h', unitPriceMinor: 123450, netMinor: 246900 }];
  const invoice = {
    number: 'R-1',
    currency: 'EUR',
    lineItems,
    totalMinor: 246900,
    subtotalMinor: 246900,
    discountMinor: 0,
  };
  const { id } = await made({
    templateId: INVOICE_TEMPLATE,
    data: { invoice: { ...invoice, issueDate: '2026-12-01' } },
  });
  const pdf = await pdfOf(id);
  expect(pdfPages(pdf)[0]).toMatch(/Muster.*Beratung.*1\.234,50 €/);
  expect(pdf.toString('latin1')).toContain('[0 0 612 792]');
});
