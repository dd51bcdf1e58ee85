import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { FileContents } from '#libs/files/file-contents.js';
import { JobWorker } from '#libs/jobs/job-worker.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { until } from '#libs/testing/until.js';
import { ARCHIVE_TABLES, NOT_ARCHIVED } from '#src/areas/data-export/archive/archive-tables.js';
import { ExportRequestUpkeep } from '#src/areas/data-export/requests/export-request-upkeep.js';
import { filesOf, verifyDataExport } from '../../verify/data-export.mjs';
import { loadSample } from '../e2e/admin/sample-calls.js';
import { makeEmployee } from '../e2e/people/people-calls.js';
import { DEALS, makeDeal } from '../e2e/sales/deal-calls.js';
import { makeCandidate, onCandidate } from '../e2e/talent/talent-calls.js';
import type { Client } from '../harness/client.js';
import { upload } from '../harness/files.js';
import { replaceGates } from '../harness/gates.js';
import type { TestTenant } from '../harness/platform.js';
import { exhaust } from './automation-stage.js';
import { Stage } from './stage.js';

const REQUESTS = '/api/data-export/requests';
const ADMIN = '/api/admin/exports';
const stage = await Stage.open();
const folder = mkdtempSync(join(tmpdir(), 'data-exports-'));
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => stage.stopWorkers());

interface Request {
  id: string;
  status: string;
  recordCounts: Record<string, number> | null;
  sha256: string | null;
  sizeBytes: number | null;
  jobId: string | null;
  error: { code: string } | null;
  downloadExpiresAt: string | null;
  progress: object | null;
  isFull: boolean;
}
interface Manifest {
  files: { path: string; type: string | null; count: number }[];
  omitted: { type: string; permission: string | null; fields: string[] | null }[];
  [member: string]: unknown;
}
type Line = Record<string, unknown>;
type Person = { id: string; api: Client };

let tenant: TestTenant;
let boss: Person;
let ada: Person;
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  [boss, ada] = [await person('owner'), await person('admin')];
});

/** A member whose key may carry out protected operations. */
async function person(role: string): Promise<Person> {
  const found = await stage.platform.member(tenant, `The ${role}`, ['*'], { roles: [role] });
  await stage.sql(`update directory.credentials set allow_protected = true where member_id = $1`, [found.id]);
  return found;
}
const work = async () => exhaust(await stage.idleWorker());
const find = async (api: Client, id: string) => (await api.get<Request>(`${REQUESTS}/${id}`)).body;
const decide = (api: Client, id: string, body: object) => api.patch<Request>(`${ADMIN}/${id}`, body);

async function requested(api: Client, more: object = {}): Promise<Request> {
  const answer = await api.post<Request>(REQUESTS, { kind: 'tenant', ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Requests an export as one person, has another one approve it, and carries it out. */
async function made(more: object = {}, decision: object = {}): Promise<Request> {
  const { id } = await requested(ada.api, more);
  const answer = await decide(boss.api, id, { action: 'approve', ...decision });
  if (answer.status !== 200) throw new Error(answer.text);
  await work();
  const done = await find(ada.api, id);
  if (done.status !== 'ready') throw new Error(JSON.stringify(done.error));
  return done;
}

/** The archive of an export, downloaded and verified. */
async function archived(api: Client, { id }: Pick<Request, 'id'>) {
  const link = await api.get<{ url: string }>(`${REQUESTS}/${id}/download`);
  if (link.status !== 200) throw new Error(link.text);
  const answer = await fetch(api.url + new URL(link.body.url).pathname);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const path = join(folder, `${id}.zip`);
  writeFileSync(path, bytes);
  const keys = (await api.get<{ keys: object[] }>('/api/public/keys')).body;
  const line = await verifyDataExport(path, keys);
  const files = filesOf(path);
  const text = async (name: string): Promise<string> => {
    const pieces: Buffer[] = [];
    for await (const piece of files.get(name)!.read()) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  const lines = async (type: string): Promise<Line[]> =>
    (await text(`data/${type}.ndjson`))
      .split('\n')
      .slice(0, -1)
      .map((each) => JSON.parse(each) as Line);
  const manifest = JSON.parse(await text('manifest.json')) as Manifest;
  return { bytes, path, keys, line, names: [...files.keys()], text, lines, manifest };
}
const events = async () =>
  (
    await stage.sql<{ type: string }>(
      `select type from data.events where tenant_id = $1 and type like 'data_export.request.%' order by occurred_at, id`,
      [tenant.id],
    )
  ).map(({ type }) => type.split('.').at(-1));
const notices = async (api: Client) =>
  (await api.get<{ data: { kind: string; title: string; body: string | null }[] }>('/api/home/notifications')).body
    .data;

describe('the archive of a tenant', () => {
  it('has as many records as the lists show, each as its list shows it, and what belongs to them', async () => {
    await loadSample(boss.api);
    await boss.api.patch('/api/admin/settings', { data: { trashDays: 31 } });
    const row = await made({ reason: 'Leaving' }, { full: true });
    expect(row).toMatchObject({ status: 'ready', isFull: true, error: null, progress: null });
    const { manifest, lines, line, bytes, names, text } = await archived(ada.api, row);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(row.sha256);
    expect(bytes.length).toBe(row.sizeBytes);
    expect(line).toMatch(/^OK: \d+ records in \d+ files, tenant of /);
    expect(manifest).toMatchObject({
      formatVersion: 1,
      kind: 'tenant',
      full: true,
      omitted: [],
      tenant: { id: tenant.id },
    });

    const worker = await stage.idleWorker();
    const types = worker.get(ResourceRegistry).all();
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    for (const definition of types) {
      const { type } = definition;
      const archived = definition.list.trashPermission === undefined ? '' : '&includeArchived=true';
      const path = `${pathOf(definition)}?count=true&limit=200${archived}`;
      const listed = await boss.api.get<{ data: Line[]; page: { total: number } }>(path);
      expect([type, listed.status, row.recordCounts![type]]).toEqual([type, 200, listed.body.page.total]);
      const records = await lines(type);
      if (listed.body.page.total <= 200) expect([type, records]).toEqual([type, listed.body.data]);
      const check = ajv.compile(JSON.parse(await text(`schemas/${type}.schema.json`)) as object);
      for (const each of records) expect([type, check(each), check.errors]).toEqual([type, true, null]);
    }
    for (const { type } of ARCHIVE_TABLES) {
      const check = ajv.compile(JSON.parse(await text(`schemas/${type}.schema.json`)) as object);
      const rows = await lines(type);
      expect([type, rows.length]).toEqual([type, row.recordCounts![type]]);
      for (const each of rows) expect([type, check(each), check.errors]).toEqual([type, true, null]);
    }
    for (const type of ['core.membership', 'core.role_assignment', 'settings.values', 'audit.entry', 'core.comment'])
      expect([type, row.recordCounts![type]! > 0]).toEqual([type, true]);
    expect(names).toContain('README.txt');
    const counted = manifest.files.filter(({ path }) => path.startsWith('data/'));
    expect(Object.fromEntries(counted.map(({ type, count }) => [type, count]))).toEqual(row.recordCounts);
  });

  it('knows every table of tenants: each is a type, rows in the archive, or left out for a reason', async () => {
    const worker = await stage.idleWorker();
    const types = worker
      .get(ResourceRegistry)
      .everything()
      .map(({ service }) => service.table.split('.')[1]!);
    const rows = ARCHIVE_TABLES.map(({ table }) => table.split('.')[1]!);
    const left = Object.values(NOT_ARCHIVED).flat();
    const found = await stage.sql<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'data'::regnamespace and relkind in ('r', 'p')
        and not relispartition`,
    );
    expect([...types, ...rows, ...left].sort()).toEqual(found.map(({ name }) => name).sort());
    const sealed = await stage.sql<{ name: string }>(
      `select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'data'::regnamespace and (a.attname like '%sealed%' or a.attname ~ 'token(_|$)')`,
    );
    expect(sealed.length).toBeGreaterThan(5);
    for (const { table, without = [] } of ARCHIVE_TABLES)
      for (const { name } of sealed.filter((each) => each.name.startsWith(`${table.split('.')[1]}.`)))
        expect(without).toContain(name.split('.')[1]);
  });

  it('has no secrets, and restricted fields only if an owner approves that', async () => {
    const secret = `s3cr3t-${crypto.randomUUID()}`;
    expect(await boss.api.post('/api/admin/secrets', { name: 'MAIL/KEY', value: secret })).toMatchObject({
      status: 200,
    });
    const endpoint = await stage.endpoint(tenant, (await stage.receiver()).url);
    await makeEmployee(boss.api, { workEmail: 'eve@acme.example', personalEmail: 'eve@private.example' });
    const { id } = await requested(ada.api);
    expect(await decide(ada.api, id, { action: 'approve', full: true })).toMatchObject({ status: 403 });
    const full = await made({}, { full: true });
    const plain = await made();
    const all = async (row: Request) => {
      const { names, text } = await archived(ada.api, row);
      return (await Promise.all(names.map(text))).join('\n');
    };
    const [withAll, without] = [await all(full), await all(plain)];
    expect(withAll).toContain('eve@private.example');
    expect(without).toContain('eve@acme.example');
    expect(without).not.toContain('eve@private.example');
    for (const each of [withAll, without]) {
      expect(each).toContain(endpoint.id);
      expect(each).not.toContain(secret);
      expect(each).not.toContain(endpoint.secret);
    }
    const { manifest } = await archived(ada.api, plain);
    expect(manifest.omitted.find(({ type }) => type === 'people.employee')!.fields).toContain('personalEmail');
  });

  it('has nothing of other tenants, whose ids are unknown', async () => {
    const other = await stage.platform.tenant();
    const { id: theirs } = await makeDeal(other.api, { name: 'of another tenant' });
    await makeDeal(boss.api, { name: 'own' });
    const row = await made();
    const { names, text } = await archived(ada.api, row);
    for (const name of names) expect(await text(name)).not.toContain(theirs);
    for (const answer of [
      await other.api.get(`${REQUESTS}/${row.id}`),
      await other.api.get(`${REQUESTS}/${row.id}/download`),
      await other.api.post(`${REQUESTS}/${row.id}/cancel`),
    ])
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('is also made as CSV, with the trash and the bytes of files', async () => {
    await makeDeal(boss.api, { name: '=1+1' });
    const { id } = await makeDeal(boss.api, { name: 'in the trash' });
    await boss.api.delete(`${DEALS}/${id}`);
    const file = await upload(boss.api, 'the bytes', { name: 'note.txt' });
    const row = await made({ format: 'csv_zip', includeDeleted: true, includeFiles: true });
    const { text, names } = await archived(ada.api, row);
    expect(row.recordCounts!['sales.deal']).toBe(2);
    const deals = await text('data/sales.deal.csv');
    expect(deals).toContain("'=1+1");
    expect(deals).toContain('in the trash');
    expect(await text(`files/${file.body.id}/1.txt`)).toBe('the bytes');
    expect(names).toContain('data/core.membership.csv');
    expect((await text('data/core.membership.csv')).split('\r\n')[0]).toContain('id,email,name,status');
  });

  it('is found to be changed by the verifier', async () => {
    await makeDeal(boss.api);
    const { path, bytes, keys } = await archived(ada.api, await made());
    const changed = Buffer.from(bytes);
    const place = changed.indexOf('data/sales.deal.ndjson') + 'data/sales.deal.ndjson'.length;
    changed[place + 20] = changed[place + 20]! ^ 1;
    writeFileSync(path, changed);
    await expect(verifyDataExport(path, keys)).rejects.toThrow(/data\/sales\.deal\.ndjson/);
    writeFileSync(path, bytes);
    await expect(verifyDataExport(path, { keys: [] })).rejects.toThrow(/is not among the keys/);
    expect(await verifyDataExport(path, keys)).toMatch(/^OK/);
  });

  it('continues after its worker died, without a record twice or missing', async () => {
    await makeDeal(boss.api);
    const columns = await stage.sql<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'data.sales_deals'::regclass and attnum > 0
        and not attisdropped and attgenerated = ''`,
    );
    const own: Record<string, string> = { id: 'gen_random_uuid()', reference: `'COPY-' || n`, name: `'copy ' || n` };
    const names = columns.map(({ name }) => name);
    await stage.sql(
      `insert into data.sales_deals (${names.join(', ')}) select ${names.map((name) => own[name] ?? name).join(', ')}
        from data.sales_deals cross join generate_series(1, 20500) n where tenant_id = $1`,
      [tenant.id],
    );
    const { id } = await requested(ada.api, { kind: 'area', areas: ['sales'] });
    await decide(boss.api, id, { action: 'approve' });
    const [dying, living] = [await stage.idleWorker(), await stage.idleWorker()];
    const contents = dying.get(FileContents);
    const store = contents.store.bind(contents);
    let stored = 0;
    let revive: () => void = () => undefined;
    contents.store = async (...given) => {
      const content = await store(...given);
      if (++stored === 2) await new Promise<void>((resolve) => (revive = resolve));
      return content;
    };
    const died = (async () => {
      while (stored < 2) await dying.get(JobWorker).pass();
    })();
    await until(() => stored === 2);
    expect(await find(ada.api, id)).toMatchObject({ status: 'running', progress: { phase: 'writing' } });
    await makeDeal(boss.api, { name: 'too late' });
    await stage.sql(`update data.job_queue set lease_until = now() - interval '1 second'`);
    await until(async () => {
      await living.get(JobWorker).pass();
      return (await find(ada.api, id)).status === 'ready';
    });
    revive();
    await died;
    const { lines } = await archived(ada.api, { id });
    const deals = await lines('sales.deal');
    expect([deals.length, new Set(deals.map((deal) => deal['id'])).size]).toEqual([20_501, 20_501]);
    expect(deals.some((deal) => deal['name'] === 'too late')).toBe(false);
    expect(
      await stage.sql(`select 1 from data.file_content_uses where object = 'data_export.request' and object_id = $1`, [
        id,
      ]),
    ).toHaveLength(1);
  });

  it('is removed when a record in it is erased', async () => {
    const { id: candidate } = await makeCandidate(boss.api);
    const { id } = await made();
    await onCandidate(boss.api, candidate, 'anonymize');
    expect(await find(ada.api, id)).toMatchObject({ status: 'expired' });
    expect(await ada.api.get(`${REQUESTS}/${id}/download`)).toMatchObject({
      status: 410,
      body: { code: 'export_expired' },
    });
  });
});

describe('an archive of a part', () => {
  it('has the areas that were asked for, with what belongs to their records', async () => {
    const { id } = await makeDeal(boss.api);
    await boss.api.post(`${DEALS}/${id}/comments`, { body: 'about the deal' });
    const candidate = await makeCandidate(boss.api);
    await boss.api.post(`/api/v1/talent/candidates/${candidate.id}/comments`, { body: 'about the candidate' });
    const row = await made({ kind: 'area', areas: ['sales'] });
    const { lines } = await archived(ada.api, row);
    expect(row.recordCounts).toMatchObject({ 'sales.deal': 1, 'core.comment': 1 });
    expect(await lines('core.comment')).toMatchObject([{ body: 'about the deal', recordId: id }]);
    for (const type of ['talent.candidate', 'core.membership', 'audit.entry'])
      expect(row.recordCounts).not.toHaveProperty([type]);
    expect(await ada.api.post(REQUESTS, { kind: 'area', areas: ['sails'] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/areas/0', code: 'unknown_area' }] },
    });
    expect(await ada.api.post(REQUESTS, { kind: 'area' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/areas', code: 'required' }] },
    });
    expect(await ada.api.post(REQUESTS, { kind: 'tenant', areas: ['sales'] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/areas', code: 'not_with_kind' }] },
    });
  });

  it('of the audit log can be requested by an auditor, who can request no other', async () => {
    const max = await person('auditor');
    expect(await max.api.post(REQUESTS, { kind: 'tenant' })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
    const { id } = await requested(max.api, { kind: 'audit' });
    await decide(boss.api, id, { action: 'approve' });
    await work();
    const row = await find(max.api, id);
    const { lines } = await archived(max.api, row);
    expect(Object.keys(row.recordCounts!).sort()).toEqual(['audit.checkpoint', 'audit.entry', 'audit.leaf']);
    expect((await lines('audit.entry')).map((each) => each['action'])).toContain('data_export.request.approved');
    expect(await (await person('manager')).api.post(REQUESTS, { kind: 'audit' })).toMatchObject({ status: 403 });
  });

  it('lacks what its requester may not read, and says so', async () => {
    const role = await boss.api.post<{ id: string }>('/api/admin/roles', {
      name: 'Exporter',
      permissions: ['data-exports:request', 'accounts:read', 'deals:read@own'],
    });
    expect(role.status).toBe(200);
    const eve = await person(role.body.id);
    await makeDeal(boss.api, { name: 'not of Eve' });
    const { id } = await requested(eve.api);
    await decide(boss.api, id, { action: 'approve' });
    await work();
    const { manifest, lines } = await archived(eve.api, { id });
    expect(await lines('sales.deal')).toEqual([]);
    expect(manifest.omitted).toContainEqual({ type: 'finance.invoice', permission: 'invoices:read', fields: null });
    expect(manifest.omitted).toContainEqual({ type: 'core.membership', permission: 'members:read', fields: null });
    expect(manifest.files.map(({ type }) => type)).not.toContain('audit.entry');
  });
});

describe('a person', () => {
  const ADDRESS = 'eve@private.example';

  /** A candidate who was hired, is a contact too, and wrote a comment as a member; and another candidate. */
  async function known() {
    const eve = await person('member');
    const candidate = await makeCandidate(boss.api, { name: 'Eve Lee', email: ADDRESS });
    const other = await makeCandidate(boss.api, { name: 'Somebody Else', email: 'other@private.example' });
    const employee = await makeEmployee(boss.api, { name: 'Eve Lee', workEmail: ADDRESS, membershipId: eve.id });
    const { id: deal } = await makeDeal(boss.api);
    const path = `/api/v1/talent/candidates/${candidate.id}/comments`;
    await boss.api.post(path, { body: 'about Eve' });
    await boss.api.post(`${DEALS}/${deal}/comments`, { body: 'not about her' });
    return { eve, candidate, other, employee };
  }

  it('is found by an address in what the caller may see, with what is linked', async () => {
    const { eve, candidate, employee } = await known();
    const search = (api: Client, body: object) =>
      api.post<{ persons: { object: string; id: string }[]; appearances: object[] }>(
        '/api/data-export/subject-search',
        body,
      );
    const found = await search(boss.api, { email: ADDRESS.toUpperCase() });
    expect(found.status).toBe(200);
    const persons = found.body.persons.map(({ object, id }) => [object, id]).sort();
    expect(persons).toEqual(
      [
        ['core.membership', eve.id],
        ['people.employee', employee.id],
        ['talent.candidate', candidate.id],
      ].sort(),
    );
    expect(found.body.appearances).toContainEqual({ object: 'core.comment', field: 'recordId', count: 1 });
    const same = await search(boss.api, { object: 'talent.candidate', id: candidate.id });
    expect(same.body.persons).toHaveLength(3);
    expect((await search(boss.api, { email: 'nobody@else.example' })).body).toEqual({ persons: [], appearances: [] });
    expect(await search(boss.api, { object: 'sales.deal', id: candidate.id })).toMatchObject({ status: 400 });
    expect(await search(boss.api, {})).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/email', code: 'required' }] },
    });
    const other = await stage.platform.tenant();
    expect((await search(other.api, { email: ADDRESS })).body.persons).toEqual([]);
    expect((await search(other.api, { object: 'talent.candidate', id: candidate.id })).body.persons).toEqual([]);
    expect(await search((await person('manager')).api, { email: ADDRESS })).toMatchObject({ status: 403 });
  });

  it('is in an archive with what is theirs, without the names of others', async () => {
    const { candidate, other } = await known();
    const row = await made({ kind: 'subject', subject: { email: ADDRESS } });
    const { lines, names, text } = await archived(ada.api, row);
    expect(row.recordCounts).toMatchObject({
      'talent.candidate': 1,
      'people.employee': 1,
      'core.membership': 1,
      'core.comment': 1,
    });
    expect(await lines('core.comment')).toMatchObject([
      { body: 'about Eve', createdBy: { id: null, name: '(redacted)' } },
    ]);
    expect(await lines('talent.candidate')).toMatchObject([
      { id: candidate.id, createdBy: { id: null, name: '(redacted)' } },
    ]);
    for (const name of names)
      expect(await text(name)).not.toMatch(new RegExp(`The owner|The admin|${other.id}|not about her`));
    expect(await ada.api.post(REQUESTS, { kind: 'subject' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/subject', code: 'required' }] },
    });
  });
});

describe('a request', () => {
  it('waits for a second person, who is told; the requester hears of the decision', async () => {
    const row = await requested(ada.api, { reason: 'Moving house' });
    expect(row).toMatchObject({ status: 'pending_approval', jobId: null, isFull: false });
    expect(await notices(boss.api)).toMatchObject([{ kind: 'approval_requested', body: 'Moving house' }]);
    expect(await notices(ada.api)).toEqual([]);
    expect(await decide(ada.api, row.id, { action: 'approve' })).toMatchObject({
      status: 403,
      body: { code: 'not_by_oneself' },
    });
    expect(await decide(ada.api, row.id, { action: 'reject' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/reason', code: 'required' }] },
    });
    expect(await decide(boss.api, row.id, { action: 'reject', full: true, reason: 'No' })).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'not_with_action' }] },
    });
    expect(await decide(boss.api, row.id, { action: 'reject', reason: 'Not needed' })).toMatchObject({
      status: 200,
      body: { status: 'rejected', decisionReason: 'Not needed' },
    });
    expect(await decide(boss.api, row.id, { action: 'approve' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    });
    expect(await notices(ada.api)).toMatchObject([{ kind: 'approval_decided', body: 'Not needed' }]);
    expect(await events()).toEqual(['created', 'rejected']);
    const listed = await boss.api.get<{ data: Request[] }>(`${ADMIN}?status=rejected`);
    expect(listed.body.data).toMatchObject([{ id: row.id }]);
  });

  it('of a service key is that of the person who made the key', async () => {
    const body = { name: 'Nightly', kind: 'service', scopes: ['data-exports:request', 'deals:read'] };
    const key = await boss.api.post<{ apiKey: string }>('/api/settings/developer/api-keys', body);
    expect([key.status, key.text]).toEqual([201, key.text]);
    const request = { method: 'POST', body: '{"kind":"tenant"}' };
    const headers = {
      'x-api-key': key.body.apiKey,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    };
    const answer = await fetch(boss.api.url + REQUESTS, { ...request, headers });
    const { id } = (await answer.json()) as Request;
    expect(await decide(boss.api, id, { action: 'approve' })).toMatchObject({
      status: 403,
      body: { code: 'not_by_oneself' },
    });
    expect(await decide(ada.api, id, { action: 'approve' })).toMatchObject({ status: 200, body: { status: 'queued' } });
    await work();
    const { recordCounts } = (await ada.api.get<Request>(`${REQUESTS}/${id}`)).body;
    expect(Object.keys(recordCounts!)).toContain('sales.deal');
    expect(Object.keys(recordCounts!)).not.toContain('finance.invoice');
  });

  it('needs nobody where the setting is off, which only owners turn off', async () => {
    const off = { data: { exportNeedsApproval: false } };
    expect(await ada.api.patch('/api/admin/settings', off)).toMatchObject({ status: 403 });
    expect(await boss.api.patch('/api/admin/settings', off)).toMatchObject({ status: 200 });
    const row = await requested(ada.api);
    expect(row).toMatchObject({ status: 'queued', jobId: expect.any(String) as string });
    await work();
    expect(await find(ada.api, row.id)).toMatchObject({ status: 'ready' });
    expect(await notices(ada.api)).toMatchObject([{ kind: 'export' }]);
  });

  it('asks the gate, which is asked again when the archive is made', async () => {
    await boss.api.patch('/api/admin/settings', { data: { exportNeedsApproval: false } });
    await replaceGates(boss.api, [
      {
        key: 'data.export',
        effect: 'require_approval',
        quorum: 2,
        conditions: [{ field: 'kind', op: 'eq', value: 'tenant' }],
      },
    ]);
    expect(await requested(ada.api, { kind: 'audit' })).toMatchObject({ status: 'queued' });
    const two = await requested(ada.api);
    expect(two).toMatchObject({ status: 'pending_approval' });
    expect((await decide(boss.api, two.id, { action: 'approve' })).body).toMatchObject({ status: 'pending_approval' });
    expect(await decide(boss.api, two.id, { action: 'approve' })).toMatchObject({
      status: 409,
      body: { code: 'already_decided' },
    });
    expect((await decide((await person('owner')).api, two.id, { action: 'approve' })).body).toMatchObject({
      status: 'queued',
    });
    await replaceGates(boss.api, [{ key: 'data.export', effect: 'deny' }]);
    expect(await ada.api.post(REQUESTS, { kind: 'tenant' })).toMatchObject({
      status: 403,
      body: { code: 'gate_denied' },
    });
    await work();
    expect(await find(ada.api, two.id)).toMatchObject({ status: 'failed', error: { code: 'gate_denied' } });
    expect((await notices(ada.api)).filter(({ kind }) => kind === 'export')).toMatchObject([
      { title: expect.stringContaining('failed') as string },
      { title: expect.stringContaining('failed') as string },
    ]);
  });

  it('fails, and says so, when the requester has lost the right; it can be made again', async () => {
    const { id } = await requested(ada.api);
    await decide(boss.api, id, { action: 'approve' });
    const assign = `update data.role_assignments set role_id = $3 where tenant_id = $1 and membership_id = $2`;
    await stage.sql(assign, [tenant.id, ada.id, SYSTEM_ROLE_IDS.viewer]);
    await work();
    const failed = (await boss.api.get<Request>(`${REQUESTS}/${id}`)).body;
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'permission_denied' } });
    await stage.sql(assign, [tenant.id, ada.id, SYSTEM_ROLE_IDS.admin]);
    expect(await notices(ada.api)).toContainEqual(
      expect.objectContaining({ kind: 'export', title: 'The export of all data failed' }),
    );
    expect(await decide(boss.api, id, { action: 'retry' })).toMatchObject({
      status: 200,
      body: { status: 'queued', error: null },
    });
    await work();
    expect(await find(ada.api, id)).toMatchObject({ status: 'ready' });
    expect(await events()).toEqual(['created', 'approved', 'failed', 'retried', 'ready']);
  });

  it('is cancelled by its requester or by who approves, also through its job', async () => {
    const [first, second, third] = [await requested(ada.api), await requested(ada.api), await requested(ada.api)];
    expect(await ada.api.post(`${REQUESTS}/${first.id}/cancel`)).toMatchObject({ body: { status: 'cancelled' } });
    await decide(boss.api, second.id, { action: 'approve' });
    expect(await decide(boss.api, second.id, { action: 'cancel', reason: 'Too late' })).toMatchObject({
      body: { status: 'cancelled', decisionReason: 'Too late' },
    });
    await decide(boss.api, third.id, { action: 'approve' });
    const { jobId } = await find(ada.api, third.id);
    await boss.api.post(`/api/operations/jobs/${jobId}/cancel`);
    await work();
    expect(await find(ada.api, third.id)).toMatchObject({ status: 'cancelled' });
    expect(await ada.api.post(`${REQUESTS}/${third.id}/cancel`)).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    });
    expect(await (await person('auditor')).api.post(`${REQUESTS}/${first.id}/cancel`)).toMatchObject({ status: 404 });
  });

  it('has an archive that opens once within 15 minutes, only for the requester, until it expires or is revoked', async () => {
    const row = await made({}, { expiresInHours: 2 });
    expect(Date.parse(row.downloadExpiresAt!) - stage.platform.clock.nowMs()).toBeLessThanOrEqual(2 * HOUR_MS);
    expect(await boss.api.get(`${REQUESTS}/${row.id}/download`)).toMatchObject({ status: 403 });
    const link = async () =>
      (await ada.api.get<{ url: string; expiresAt: string }>(`${REQUESTS}/${row.id}/download`)).body;
    const open = async ({ url }: { url: string }) => (await fetch(ada.api.url + new URL(url).pathname)).status;
    const [one, two, three] = [await link(), await link(), await link()];
    expect([await open(one), await open(one)]).toEqual([200, 404]);
    expect(await events()).toEqual(['created', 'approved', 'ready', 'downloaded']);
    const linked = `select 1 from data.audit_log where tenant_id = $1 and action = 'data_export.request.linked'`;
    expect(await stage.sql(linked, [tenant.id])).toHaveLength(3);
    stage.platform.clock.advance(16 * 60_000);
    expect(await open(two)).toBe(404);
    expect(await decide(ada.api, row.id, { action: 'extend', expiresInHours: 24 })).toMatchObject({
      status: 403,
      body: { code: 'not_by_oneself' },
    });
    const longer = await decide(boss.api, row.id, { action: 'extend', expiresInHours: 24 });
    const leftMs = Date.parse(longer.body.downloadExpiresAt!) - stage.platform.clock.nowMs();
    expect(Math.abs(leftMs - 24 * HOUR_MS)).toBeLessThan(60_000);
    expect(await open(three)).toBe(404);
    const four = await link();
    await decide(boss.api, row.id, { action: 'revoke_download', reason: 'Sent to the wrong person' });
    expect(await open(four)).toBe(404);
    expect(await ada.api.get(`${REQUESTS}/${row.id}/download`)).toMatchObject({
      status: 410,
      body: { code: 'export_expired' },
    });
    const other = await made({ kind: 'audit' });
    stage.platform.clock.advance(169 * HOUR_MS);
    await (await stage.idleWorker()).get(ExportRequestUpkeep).sweep();
    expect(await find(ada.api, other.id)).toMatchObject({ status: 'expired' });
    expect(
      await stage.sql(`select 1 from data.file_content_uses where object_id in ($1, $2)`, [row.id, other.id]),
    ).toEqual([]);
  });

  it('may be approved by its requester only if nobody else could', async () => {
    await stage.sql(
      `update data.memberships set status = 'suspended', version = version + 1 where tenant_id = $1 and id = $2`,
      [tenant.id, boss.id],
    );
    const { id } = await requested(ada.api);
    expect(await decide(ada.api, id, { action: 'approve' })).toMatchObject({ status: 200, body: { status: 'queued' } });
  });
});
