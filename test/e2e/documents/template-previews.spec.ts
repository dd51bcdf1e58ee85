import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  listTemplates,
  makeTemplate,
  PATH,
  refusedAs,
  type Refusal,
  rendered,
  type Template,
} from './template-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const preview = <T = Template>(id: string, target: object) => tenant.api.patch<T>(`${PATH}/${id}`, { preview: target });
const make = async (path: string, body: object) => (await tenant.api.post<{ id: string }>(path, body)).body.id;

it('escapes by format', async () => {
  const data = { name: `<b title="x">O'Neil & Co</b>` };
  expect((await rendered(tenant, '<p>{{ name }}</p>', data)).content).toBe(
    '<p>&lt;b title=&quot;x&quot;&gt;O&#39;Neil &amp; Co&lt;/b&gt;</p>',
  );
  expect((await rendered(tenant, 'Hi {{ name }}', data, { format: 'text' })).content).toBe(`Hi ${data.name}`);
  expect((await rendered(tenant, '# {{ name }} <i>', data, { format: 'markdown' })).content).toBe(
    `# &lt;b title="x">O'Neil & Co&lt;/b> &lt;i>`,
  );
  const link = 'See <https://acme.example/a?b=1>';
  expect((await rendered(tenant, link, {}, { format: 'markdown' })).content).toBe(link);
});

it('renders the subject as one line', async () => {
  const { subject } = await rendered(
    tenant,
    'x',
    { name: 'A\r\nBcc: b@c.example\u0007' },
    { subject: '{{ name }} & {{ name }}' },
  );
  expect(subject).toMatch(/^A Bcc: b@c\.example ?& A Bcc: b@c\.example$/);
  expect((await rendered(tenant, 'x')).subject).toBeNull();
});

it('writes amounts, dates and numbers in the locale of the template and the time zone of the tenant', async () => {
  await tenant.api.patch('/api/admin/settings', { general: { timezone: 'Asia/Tokyo' } });
  const data = { minor: 123456789, yen: 1500, at: '2026-11-30T20:30:00.000Z', day: '2026-11-30', n: 1234.5 };
  const body = [
    "{{ minor | money: 'EUR' }}",
    "{{ yen | money: 'JPY' }}",
    "{{ at | date: '%d.%m.%Y %H:%M' }}",
    "{{ day | date: 'long' }}",
    "{{ at | date: 'iso' }}",
    '{{ n | number: 2 }}',
    '{{ none | money }}',
  ].join('|');
  const { content } = await rendered(tenant, body, { ...data, none: null }, { locale: 'de-DE', format: 'text' });
  expect(content.replaceAll(/\s/g, ' ')).toBe(
    '1.234.567,89 €|1.500 ¥|01.12.2026 05:30|30. November 2026|2026-12-01|1.234,50|',
  );
  const { content: same, warnings } = await rendered(tenant, "{{ a | money: 'EUR' }} {{ a | date }} {{ a | number }}", {
    a: 'abc',
  });
  expect(same).toBe('abc abc abc');
  expect(warnings).toHaveLength(3);
});

it('lists required variables that are missing, and others that it does not know', async () => {
  const variablesSchema = {
    type: 'object',
    properties: { customer: { type: 'object', required: ['name', 'city'] }, days: { type: 'integer', minimum: 1 } },
    required: ['customer', 'number'],
  };
  const body = '{{ customer.name }} {{ customer.street }} {{ number }} {{ days }} {{ other }}';
  const found = await rendered(tenant, body, { customer: { name: 'A' }, days: 0 }, { variablesSchema, format: 'text' });
  expect(found.missingVariables.sort()).toEqual(['customer.city', 'number']);
  expect(found.warnings.join(' ')).toMatch(/customer\.street/);
  expect(found.warnings.join(' ')).toMatch(/`other`/);
  expect(found.warnings.join(' ')).toMatch(/`days`/);
  expect(found.warnings.join(' ')).not.toMatch(/`number`/);
});

it('shows the tenant and today', async () => {
  await tenant.api.patch('/api/admin/settings', {
    finance: { legalEntity: { legalName: 'Acme Ltd', address: '1 High Street\nLondon' } },
    branding: { displayName: 'Acme' },
  });
  const body = '{{ tenant.name }}|{{ tenant.legalName }}|{{ tenant.address }}|{{ today }}';
  const { content } = await rendered(tenant, body, { tenant: { name: 'Forged' } }, { format: 'text' });
  expect(content).toMatch(/^Acme\|Acme Ltd\|1 High Street\nLondon\|\d{4}-\d{2}-\d{2}$/);
});

it('puts the styles of HTML before its content', async () => {
  const { content } = await rendered(tenant, '<p>x</p>', {}, { styles: 'p { color: red }' });
  expect(content).toBe('<style>\np { color: red }\n</style>\n<p>x</p>');
});

it('includes published templates of its format by key, and sees their cycles', async () => {
  const foot = await makeTemplate(tenant, { key: 'foot', body: '<i>{{ name }}</i>' });
  const body = "{% render 'foot' %}";
  expect(await refusedAs(tenant, body)).toEqual({ status: 400, pointer: '/body', code: 'unknown_partial' });
  await tenant.api.patch(`${PATH}/${foot.id}`, { publish: true });
  expect((await rendered(tenant, body, { name: '<A>' })).content).toBe('<i>&lt;A&gt;</i>');
  await tenant.api.patch(`${PATH}/${foot.id}`, { body: 'draft' });
  expect((await rendered(tenant, body, { name: 'A' })).content).toBe('<i>A</i>');
  expect((await refusedAs(tenant, body, {}, { format: 'text' })).code).toBe('unknown_partial');

  await makeTemplate(tenant, { key: 'a', body: "{% render 'b' %}" }, true);
  await makeTemplate(tenant, { key: 'b', body: "{% render 'a' %}" }, true);
  expect((await refusedAs(tenant, "{% render 'a' %}")).code).toBe('template_cycle');
  for (const n of [1, 2, 3, 4, 5, 6])
    await makeTemplate(tenant, { key: `l${n}`, body: n < 6 ? `{% render 'l${n + 1}' %}` : 'x' }, true);
  expect((await rendered(tenant, "{% render 'l2' %}")).content).toBe('x');
  expect((await refusedAs(tenant, "{% render 'l1' %}")).code).toBe('template_too_costly');

  const stranger = await platform.tenant();
  expect((await refusedAs(stranger, body)).code).toBe('unknown_partial');
});

it('renders each system template with a record of its type and misses nothing', async () => {
  const account = await make('/api/v1/sales/accounts', { name: 'Buyer <GmbH>' });
  const lineItems = [{ description: 'Work & travel', quantity: 2.5, unit: 'days', unitPriceMinor: 80_000 }];
  const dealId = await make('/api/v1/sales/deals', { name: 'Big deal', currency: 'EUR', lineItems });
  const invoiceId = await make('/api/v1/finance/invoices', { accountId: account, lineItems });
  const issued = await tenant.api.post(`/api/v1/finance/invoices/${invoiceId}/issue`);
  expect([issued.status, issued.text]).toEqual([200, issued.text]);
  const noteId = await make('/api/v1/finance/credit-notes', { invoiceId, reason: 'Too much', amountMinor: 1_000 });
  const projectId = await make('/api/v1/work/projects', { name: 'Project' });
  const candidateId = await make('/api/v1/talent/candidates', { name: 'Ana Silva' });
  const targets: Record<string, { object: string; id: string }> = {
    'system.invoice': { object: 'finance.invoice', id: invoiceId },
    'system.credit-note': { object: 'finance.credit_note', id: noteId },
    'system.proposal': { object: 'sales.deal', id: dealId },
    'system.contract': { object: 'sales.deal', id: dealId },
    'system.handoff': { object: 'work.project', id: projectId },
    'system.rejection': { object: 'talent.candidate', id: candidateId },
  };
  for (const level of [1, 2, 3]) targets[`system.reminder-${level}`] = { object: 'finance.invoice', id: invoiceId };
  const terms = {
    jobTitle: 'Engineer',
    employmentType: 'full_time',
    startDate: '2027-01-01',
    pay: null,
    expiresAt: null,
  };
  const offer = { name: 'Offer', ...terms };
  const interview = { startAt: '2027-01-04T09:00:00.000Z', endAt: '2027-01-04T10:00:00.000Z', location: null };
  const about = { candidate: { name: 'Ana Silva', firstName: 'Ana' }, job: { name: 'Engineer' }, link: null };
  const data: Record<string, object> = {
    'system.acknowledgement': about,
    'system.offer': { ...about, offer },
    'system.offer-letter': { ...about, offer },
    'system.interview-cancellation': { ...about, interview },
    'system.interview-invitation': { ...about, interview },
  };
  const system = (await listTemplates(tenant)).filter(({ isSystem }) => isSystem);
  for (const { id, key } of system) {
    const { status, body } = await preview(id, targets[key] ? { target: targets[key] } : { data: data[key] });
    expect([key, status]).toEqual([key, 200]);
    expect([key, body.rendered!.missingVariables, body.rendered!.warnings]).toEqual([key, [], []]);
    expect(body.rendered!.subject).not.toBe('');
  }
  const invoice = system.find(({ key }) => key === 'system.invoice')!;
  const { content } = (await preview(invoice.id, { target: targets['system.invoice'] })).body.rendered!;
  expect(content).toContain('Buyer &lt;GmbH&gt;');
  expect(content).toContain('Work &amp; travel');
  expect(content).toContain('2,000.00');
});

it('shows a record with the rights of the caller alone', async () => {
  const body = '{{ candidate.name }}|{{ candidate.salaryExpectation.minMinor }}';
  const { id: templateId } = await makeTemplate(tenant, { body, format: 'text' });
  const salaryExpectation = { minMinor: 7_500_000, maxMinor: null, currency: 'EUR', period: 'year' };
  const id = await make('/api/v1/talent/candidates', { name: 'Ana', salaryExpectation });
  const target = { object: 'talent.candidate', id };
  const all = await preview(templateId, { target });
  expect(all.body.rendered!.content).toBe('Ana|7500000');

  const path = `${PATH}/${templateId}`;
  const few = await platform.key(tenant, ['document-templates:write', 'candidates:read']);
  const { rendered: shown } = (await few.patch<Template>(path, { preview: { target } })).body;
  expect(shown!.content).toBe('Ana|');
  expect(shown!.warnings.join()).toContain('candidate.salaryExpectation');
  const none = await platform.key(tenant, ['document-templates:write']);
  const unknown = { code: 'validation_failed', errors: [{ pointer: '/preview/target/id', code: 'unknown_reference' }] };
  expect((await none.patch(path, { preview: { target } })).body).toMatchObject(unknown);
  const other = await platform.tenant();
  const { id: othersTemplate } = await makeTemplate(other);
  const foreign = await other.api.patch(`${PATH}/${othersTemplate}`, { preview: { target } });
  expect(foreign.body).toMatchObject(unknown);
  const typo = await preview<Refusal>(templateId, { target: { ...target, object: 'talent.nobody' } });
  expect(typo.body.errors).toMatchObject([{ pointer: '/preview/target/object', code: 'unknown_type' }]);
  const both = await preview<Refusal>(templateId, { target, data: {} });
  expect(both.body.errors).toMatchObject([{ code: 'not_with_target' }]);
});

it('changes nothing by a preview alone, and nothing that cannot be rendered', async () => {
  const { id, version } = await makeTemplate(tenant);
  expect((await preview(id, { data: {} })).body.version).toBe(version);
  const failing = { body: "{% render 'nowhere' %}", preview: { data: {} } };
  expect((await tenant.api.patch<Refusal>(`${PATH}/${id}`, failing)).status).toBe(400);
  const [template] = (await listTemplates(tenant)).filter((each) => each.id === id);
  expect(template).toMatchObject({ version, body: '<p>Hello</p>' });
  const edited = await tenant.api.patch<Template>(`${PATH}/${id}`, { body: '{{ a }}', preview: { data: { a: 1 } } });
  expect(edited.body).toMatchObject({ version: version + 1, rendered: { content: '1' } });
});

it('repeats a rendering under an idempotency key', async () => {
  const body = { name: 'A', kind: 'generic', body: '{{ a }}', preview: { data: { a: 1 } } };
  const once = () => tenant.api.post<Template>(PATH, body, { 'idempotency-key': 'create' });
  const [first, again] = [await once(), await once()];
  expect(again.text).toBe(first.text);
  expect(again.body.rendered!.content).toBe('1');
  const patch = () =>
    tenant.api.patch<Template>(`${PATH}/${first.body.id}`, { preview: body.preview }, { 'idempotency-key': 'b' });
  const [changed, same] = [await patch(), await patch()];
  expect(same.text).toBe(changed.text);
  expect(same.body.rendered!.content).toBe('1');
});
