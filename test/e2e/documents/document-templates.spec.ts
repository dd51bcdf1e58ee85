import { createHash } from 'node:crypto';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { listTemplates, makeTemplate, PATH, type Refusal, type Template } from './template-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

interface Pages {
  data: Template[];
  page: { nextCursor: string | null };
}

const patch = <T = Template>(id: string, body: object) => tenant.api.patch<T>(`${PATH}/${id}`, body);
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

it('creates a draft with defaults, and a key made of its name', async () => {
  const made = await makeTemplate(tenant, { name: 'Große Rechnung' });
  expect(made).toMatchObject({
    ...{ object: 'documents.document_template', key: 'grosse-rechnung', kind: 'generic', format: 'html', locale: 'en' },
    ...{ subject: null, styles: null, variablesSchema: null, isDefault: false, status: 'draft', currentVersion: null },
    ...{ hasDraft: true, isSystem: false, versions: [], version: 1, rendered: null, bodyHash: hashOf('<p>Hello</p>') },
  });
  expect((await makeTemplate(tenant, { name: 'Große Rechnung' })).key).toBe('grosse-rechnung-2');
});

it('publishes versions that never change, and stays published while it is edited', async () => {
  const { id } = await makeTemplate(tenant, { body: 'one', format: 'text' });
  const published = await patch(id, { publish: true });
  expect(published.body).toMatchObject({ status: 'published', currentVersion: 1, hasDraft: false, version: 2 });

  const edited = await patch(id, { body: 'two' });
  expect(edited.body).toMatchObject({ status: 'published', currentVersion: 1, hasDraft: true, body: 'two' });
  expect((await patch(id, { body: 'one' })).body).toMatchObject({ hasDraft: false });
  const again = await patch(id, { body: 'two', publish: true });
  expect(again.body).toMatchObject({ status: 'published', currentVersion: 2, hasDraft: false });
  expect(again.body.versions).toMatchObject([
    { version: 2, bodyHash: hashOf('two') },
    { version: 1, bodyHash: hashOf('one') },
  ]);
  const rows = await asAdmin<{ body: string }>(
    platform.database,
    'select body from data.document_template_versions where tenant_id = $1 order by number',
    [tenant.id],
  );
  expect(rows.map(({ body }) => body)).toEqual(['one', 'two']);

  const none = await patch<Refusal>(id, { publish: true });
  expect(none.status).toBe(409);
  expect(none.body).toMatchObject({ code: 'invalid_transition', state: 'published', allowedActions: ['archive'] });
});

it('archives a template and takes it out of the archive, and lets nobody edit it there', async () => {
  const { id } = await makeTemplate(tenant, { isDefault: false }, true);
  await patch(id, { isDefault: true });
  expect((await patch(id, { archive: true })).body).toMatchObject({ status: 'archived', isDefault: false });
  expect((await patch<Refusal>(id, { name: 'Other' })).body.code).toBe('record_locked');
  expect((await patch<Refusal>(id, { archive: true })).body.code).toBe('invalid_transition');
  expect((await patch<Refusal>(id, { publish: true })).body.code).toBe('invalid_transition');
  expect((await patch<Refusal>(id, { publish: true, archive: false })).body.errors![0]!.code).toBe('not_with_publish');
  expect((await patch(id, { archive: false, name: 'Other' })).body).toMatchObject({
    status: 'published',
    name: 'Other',
  });
});

it('has one default per kind and locale, taken from the other at once, and only of published templates', async () => {
  const kind = { kind: 'invoice' };
  const draft = await makeTemplate(tenant, kind);
  expect((await patch<Refusal>(draft.id, { isDefault: true })).body.errors![0]!.code).toBe('not_published');
  const refused = await tenant.api.post<Refusal>(PATH, { name: 'A', kind: 'invoice', body: 'x', isDefault: true });
  expect(refused.body.errors).toMatchObject([{ pointer: '/isDefault', code: 'not_published' }]);

  const isDefault = async () =>
    (await listTemplates(tenant, 'kind=invoice')).filter((each) => each.isDefault).map(({ key }) => key);
  expect(await isDefault()).toEqual(['system.invoice']);
  expect((await patch(draft.id, { publish: true, isDefault: true })).body.isDefault).toBe(true);
  expect(await isDefault()).toEqual([draft.key]);
  const german = await makeTemplate(tenant, { ...kind, locale: 'de' }, true);
  await patch(german.id, { isDefault: true });
  const others = await Promise.all([1, 2, 3, 4].map((n) => makeTemplate(tenant, { ...kind, name: `N ${n}` }, true)));
  const answers = await Promise.all(others.map(({ id }) => patch(id, { isDefault: true })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const left = await isDefault();
  expect(left).toHaveLength(2);
  expect(left).toContain(german.key);
});

it('shows system templates first, copies them, and lets nobody change or delete them', async () => {
  await makeTemplate(tenant, { name: 'Aaa' });
  const [first, ...others] = await listTemplates(tenant);
  expect(first).toMatchObject({ isSystem: true, key: 'system.invoice', status: 'published', createdAt: null });
  expect(others.at(-1)!.name).toBe('Aaa');
  const { id } = first!;
  for (const refused of [
    await patch<Refusal>(id, { name: 'Mine' }),
    await patch<Refusal>(id, { archive: true }),
    await tenant.api.delete<Refusal>(`${PATH}/${id}`),
  ])
    expect([refused.status, refused.body.code]).toEqual([409, 'system_template']);
  const copied = await tenant.api.post<Template>(PATH, { name: 'Our invoice', copyFrom: id, locale: 'de' });
  expect(copied.body).toMatchObject({
    ...{ isSystem: false, kind: 'invoice', body: first!.body, styles: first!['styles'], locale: 'de', status: 'draft' },
    variablesSchema: first!['variablesSchema'],
  });
  const unknown = await tenant.api.post<Refusal>(PATH, { name: 'A', copyFrom: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b55' });
  expect(unknown.body.errors).toMatchObject([{ pointer: '/copyFrom', code: 'unknown_reference' }]);
  const empty = await tenant.api.post<Refusal>(PATH, { name: 'A' });
  expect(empty.body.errors!.map(({ pointer, code }) => [pointer, code])).toEqual([
    ['/kind', 'required'],
    ['/body', 'required'],
  ]);
});

it('lists by kind, state, language and text, in pages, with versions on request', async () => {
  await makeTemplate(tenant, { name: 'Offer one', kind: 'email', locale: 'de', format: 'text' }, true);
  await makeTemplate(tenant, { name: 'Offer two', kind: 'email', locale: 'fr', format: 'text' });
  const names = async (query: string) => (await listTemplates(tenant, query)).map(({ name }) => name);
  expect(await names('locale=de')).toEqual(['Offer one']);
  expect(await names('status=draft&kind=email')).toEqual(['Offer two']);
  expect(await names('q=OFFER-T')).toEqual(['Offer two']);
  expect(await names('q=offer&sort=-name')).toEqual(['Offer two', 'Offer one', 'Offer letter', 'Mail with an offer']);
  const [one] = await listTemplates(tenant, 'q=offer-one');
  expect(one!.versions).toBeNull();
  const [withVersions] = await listTemplates(tenant, 'q=offer-one&include=versions');
  expect(withVersions!.versions).toHaveLength(1);

  const seen: string[] = [];
  for (let next: string | null = ''; next !== null;) {
    const { body }: { body: Pages } = await tenant.api.get<Pages>(
      `${PATH}?limit=3${next && `&cursor=${encodeURIComponent(next)}`}`,
    );
    seen.push(...body.data.map(({ id }) => id));
    next = body.page.nextCursor;
  }
  expect(seen).toEqual((await listTemplates(tenant)).map(({ id }) => id));
  expect((await tenant.api.get(`${PATH}?kind=letter`)).status).toBe(400);
});

it('deletes a template with its versions', async () => {
  const { id } = await makeTemplate(tenant, {}, true);
  const { status, body } = await tenant.api.delete(`${PATH}/${id}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ id, deleted: true, archived: false });
  expect((await tenant.api.delete(`${PATH}/${id}`)).status).toBe(404);
  expect((await patch(id, { name: 'Gone' })).status).toBe(404);
  expect(
    await asAdmin(platform.database, 'select 1 from data.document_template_versions where tenant_id = $1', [tenant.id]),
  ).toEqual([]);
});

it('records each change by its name, without the text', async () => {
  const body = 'A text that stays out of the log';
  const { id } = await makeTemplate(tenant, { body });
  await patch(id, { name: 'Renamed' });
  await patch(id, { publish: true });
  await patch(id, { archive: true });
  await patch(id, { archive: false });
  await tenant.api.delete(`${PATH}/${id}`);
  const log = await tenant.api.get<{ data: { action: string }[] }>(
    `/api/admin/audit-logs?action=documents.document_template.*&sort=occurredAt`,
  );
  expect(log.body.data.map(({ action }) => action.split('.').at(-1))).toEqual([
    'created',
    'updated',
    'published',
    'archived',
    'unarchived',
    'deleted',
  ]);
  expect(log.text).not.toContain(body);
  const events = await asAdmin<{ text: string }>(
    platform.database,
    'select t::text as text from data.events t where tenant_id = $1',
    [tenant.id],
  );
  expect(events).toHaveLength(6);
  expect(JSON.stringify(events)).not.toContain(body);
});

it('keeps what a stale version would overwrite', async () => {
  const { id, version } = await makeTemplate(tenant);
  await patch(id, { name: 'Newer' });
  const stale = await tenant.api.patch<Refusal>(`${PATH}/${id}`, { name: 'Older' }, { 'if-match': `"${version}"` });
  expect(stale.body.code).toBe('version_mismatch');
});

it('limits keys to their form and to one template each', async () => {
  await makeTemplate(tenant, { key: 'foot' });
  expect((await tenant.api.post<Refusal>(PATH, { name: 'B', kind: 'generic', body: 'x', key: 'foot' })).body.code).toBe(
    'duplicate',
  );
  const system = await tenant.api.post<Refusal>(PATH, { name: 'B', kind: 'generic', body: 'x', key: 'system.invoice' });
  expect(system.body.errors).toMatchObject([{ pointer: '/key', code: 'invalid_format' }]);
});
