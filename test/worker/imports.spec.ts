import { JobWorker } from '#libs/jobs/job-worker.js';
import { DAY_MS, HOUR_MS } from '#libs/kernel/durations.js';
import { until } from '#libs/testing/until.js';
import { ImportUpkeep } from '#src/areas/integrations/imports/import-upkeep.js';
import { ImportWriter } from '#src/areas/integrations/imports/import-writer.js';
import { define } from '../e2e/custom-fields/custom-field-calls.js';
import { itemsOf } from '../e2e/reports/report-calls.js';
import { DEALS, makeDeal } from '../e2e/sales/deal-calls.js';
import type { Client } from '../harness/client.js';
import { upload } from '../harness/files.js';
import type { TestTenant } from '../harness/platform.js';
import { auditOf, eventsOf } from '../harness/written.js';
import { exhaust } from './automation-stage.js';
import { Stage } from './stage.js';

const IMPORTS = '/api/integrations/imports';
const stage = await Stage.open();
afterAll(() => stage.close());
afterEach(() => stage.stopWorkers());

interface Import {
  id: string;
  status: string;
  jobId: string;
  version: number;
  mapping: Record<string, string>;
  columns: { name: string; samples: string[]; suggestion: string | null }[];
  results: Record<string, number | null>;
  error: { code: string; message: string } | null;
}
interface Fault {
  row: number;
  column: string | null;
  code: string;
  message: string;
}
type Person = { id: string; api: Client };
type Deal = Record<string, unknown> & { id: string };

let tenant: TestTenant;
let boss: Person;
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  boss = await person('owner');
});

const person = (role: string) => stage.platform.member(tenant, `A ${role}`, ['*'], { roles: [role] });
const work = async () => exhaust(await stage.idleWorker());
const find = async (api: Client, id: string) => (await api.get<Import>(`${IMPORTS}/${id}`)).body;
const deals = async (query = 'sort=createdAt') => (await itemsOf(boss.api, `${DEALS}?${query}`)) as Deal[];
const errors = async (id: string) =>
  (await boss.api.get<{ data: Fault[] }>(`${IMPORTS}/${id}/errors?limit=200`)).body.data;
const codes = async (id: string) => (await errors(id)).map(({ row, column, code }) => [row, column, code]);
const file = async (bytes: string | Buffer) => {
  const made = await upload(boss.api, bytes, { name: 'deals.csv' });
  if (made.status !== 201) throw new Error(made.text);
  return made.body.id;
};

async function prepare(bytes: string | Buffer, more: object = {}, api = boss.api): Promise<Import> {
  const fileId = await file(bytes);
  const answer = await api.post<Import>(IMPORTS, {
    object: 'sales.deal',
    fileId,
    format: 'csv',
    locale: 'en',
    ...more,
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}
/** Begins a task and waits until it is over. */
async function carryOut(id: string, task: 'validate' | 'run' | 'rollback', api = boss.api): Promise<Import> {
  const answer = await api.post<Import>(`${IMPORTS}/${id}/${task}`);
  if (answer.status !== 202) throw new Error(answer.text);
  await work();
  return find(api, id);
}
async function imported(bytes: string | Buffer, more: object = {}): Promise<Import> {
  const { id } = await prepare(bytes, more);
  await carryOut(id, 'validate');
  return carryOut(id, 'run');
}
async function refused(id: string): Promise<string> {
  const answer = await fetch(`${boss.api.url}${IMPORTS}/${id}/errors.csv`, { headers: boss.api.headers });
  if (answer.status !== 200) throw new Error(await answer.text());
  return answer.text();
}

describe('an import', () => {
  it('suggests the fields, says of each row what is wrong, and imports the others, with audit entries and events', async () => {
    const csv =
      'Name;Value;Currency;expected close date;Colour\nAcme;1250.50;USD;2027-03-01;red\n;x;USD;;\nBolt;7;USD;31.02.2027;\n';
    const made = await prepare(csv);
    expect(made).toMatchObject({
      status: 'draft',
      mapping: { Name: 'name', Value: 'value', Currency: 'currency', 'expected close date': 'expectedCloseDate' },
      results: { validRows: null },
    });
    expect(made.columns[4]).toEqual({ name: 'Colour', samples: ['red'], suggestion: null });
    expect(await carryOut(made.id, 'validate')).toMatchObject({
      status: 'validated',
      results: { validRows: 1, invalidRows: 2 },
    });
    expect(await deals()).toEqual([]);
    expect(await codes(made.id)).toEqual([
      [3, 'Value', 'invalid_amount'],
      [4, 'expected close date', 'invalid_date'],
    ]);
    expect(await carryOut(made.id, 'run')).toMatchObject({
      status: 'completed',
      results: { created: 1, updated: 0, failed: 2 },
    });
    const [deal] = await deals();
    expect(deal).toMatchObject({
      name: 'Acme',
      valueMinor: 125_050,
      expectedCloseDate: '2027-03-01',
      ownerId: boss.id,
    });
    const [event] = await eventsOf(stage.platform, tenant, deal!.id);
    expect(event).toMatchObject({ type: 'sales.deal.created', actor: { type: 'api_key' } });
    const [entry] = await auditOf(stage.platform, tenant, deal!.id);
    expect(entry).toMatchObject({
      action: 'sales.deal.created',
      reason: `import ${made.id}`,
      actor: { type: 'api_key' },
    });
    const told = await boss.api.get<{ data: object[] }>('/api/home/notifications?kind=import');
    expect(told.body.data).toMatchObject([{ title: 'The import of deals is done', count: 2 }]);
  });

  it('imports what an export has written, with the same values, formulas and separators of the locale', async () => {
    await define(boss.api, { key: 'region', label: 'Region' });
    await define(boss.api, { key: 'budget', label: 'Budget', fieldType: 'money' });
    const account = await boss.api.post<{ id: string; reference: string }>('/api/v1/sales/accounts', { name: 'Acme' });
    const names = [
      '=1+1',
      "'quoted",
      "'=2",
      '+49',
      '-1',
      '@x',
      'plain; "quoted", text',
      'ünï',
      ' '.repeat(2) + 'blank',
    ];
    for (const [index, name] of names.entries())
      await makeDeal(boss.api, {
        ...{ name, valueMinor: 123_456 + index, currency: 'EUR', probability: 35, expectedCloseDate: '2027-02-28' },
        ...{ tags: ['a b', '=c'], accountId: account.body.id, nextStep: name },
        externalRefs: [{ system: 'crm', id: `x;${index}` }],
        customFields: { region: `=${name.trim()}`, budget: { amountMinor: -5 - index, currency: 'JPY' } },
      });
    const before = await deals();
    const answer = await fetch(`${boss.api.url}/api/exports?inline=true`, {
      method: 'POST',
      body: JSON.stringify({
        type: 'sales.deal',
        format: 'csv',
        locale: 'de-DE',
        byteOrderMark: true,
        query: { sort: 'createdAt' },
      }),
      headers: { ...boss.api.headers, 'content-type': 'application/json' },
    });
    const csv = Buffer.from(await answer.arrayBuffer());
    for (const { id } of before) await boss.api.delete(`${DEALS}/${id}`);
    expect(await imported(csv, { locale: 'de-DE' })).toMatchObject({
      status: 'completed',
      results: { created: names.length, failed: 0 },
    });
    const same = ({ id: _i, reference: _r, createdAt: _c, updatedAt: _u, stageEnteredAt: _s, ...rest }: Deal) => rest;
    const after = await deals();
    expect(after.map(same).map((each) => ({ ...each, createdBy: null, updatedBy: null }))).toEqual(
      before.map(same).map((each) => ({ ...each, createdBy: null, updatedBy: null })),
    );
  });

  it('is of its requester alone: neither colleagues nor other tenants learn of it', async () => {
    const { id } = await prepare('Name\nAcme\n');
    const colleague = await person('owner');
    const stranger = await stage.platform.member(await stage.platform.tenant(), 'A stranger', ['*'], {
      roles: ['owner'],
    });
    const path = `${IMPORTS}/${id}`;
    for (const { api } of [colleague, stranger]) {
      const calls = [
        ...['', '/errors', '/errors.csv'].map((end) => api.get(`${path}${end}`)),
        ...['validate', 'run', 'rollback', 'cancel'].map((action) => api.post(`${path}/${action}`)),
        ...[api.patch(path, { locale: 'de' }), api.delete(path)],
      ];
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 404));
      expect((await api.get<{ data: object[] }>(IMPORTS)).body.data).toEqual([]);
    }
    expect(await find(boss.api, id)).toMatchObject({ id, status: 'draft', version: 1 });
  });

  it('updates what it finds by the id of another system, and creates the rest', async () => {
    const crm = (id: string) => ({
      externalRefs: [
        { system: 'crm', id },
        { system: 'erp', id: `e${id}` },
      ],
    });
    const { id } = await makeDeal(boss.api, { name: 'old', nextStep: 'stays', ...crm('1') });
    const csv = 'ref,name,nextStep\n1,new,\n2,second,call\n2,again,\n,none,\n';
    const mapping = { ref: 'externalRef:crm', name: 'name', nextStep: 'nextStep' };
    const run = await imported(csv, { mapping, mode: 'upsert', upsertBy: 'externalRef:crm' });
    expect(run).toMatchObject({ results: { created: 1, updated: 1, failed: 2 } });
    expect(await codes(run.id)).toEqual([
      [4, 'ref', 'duplicate_row'],
      [5, null, 'key_missing'],
    ]);
    const [first, second] = await deals();
    expect(first).toMatchObject({ id, name: 'new', nextStep: 'stays', version: 2 });
    expect((first!['externalRefs'] as { id: string }[]).map((each) => each.id).sort()).toEqual(['1', 'e1']);
    expect(second).toMatchObject({ name: 'second', externalRefs: [{ system: 'crm', id: '2' }] });
    // The same file again changes nothing.
    const again = await imported(csv, { mapping, mode: 'upsert', upsertBy: 'externalRef:crm' });
    expect(again).toMatchObject({ results: { created: 0, updated: 2, failed: 2 } });
    expect(await deals()).toEqual([first, second]);
  });

  it('finds references by number, id, or id in another system, people by address, and refuses others', async () => {
    const account = await boss.api.post<{ id: string; reference: string }>('/api/v1/sales/accounts', {
      name: 'Acme',
      externalRefs: [{ system: 'erp', id: '9' }],
    });
    const { id, reference } = account.body;
    const rows = [reference, id, 'erp:9', 'ACC-999999', 'nobody@x.example'];
    const csv = `name,accountId,owner\n${rows.map((each, i) => `n${i},${each},`).join('\n')}\n`;
    const run = await imported(csv);
    expect(run.mapping).toMatchObject({ accountId: 'accountId', owner: 'ownerId' });
    expect(run).toMatchObject({ results: { created: 3, failed: 2 } });
    expect((await deals()).map((deal) => deal['accountId'])).toEqual([id, id, id]);
    expect(await codes(run.id)).toEqual([
      [5, 'accountId', 'unknown_reference'],
      [6, 'accountId', 'unknown_reference'],
    ]);
  });

  it('gives back the refused rows to be corrected and imported again', async () => {
    const { id } = await imported('name,value\nok,1\n=bad,x\n"a,b",y\n');
    const text = await refused(id);
    expect(text).toBe(
      'name,value,importRow,importErrors\r\n' +
        "'=bad,x,3,value: The value must be an amount such as 1234.50.\r\n" +
        '"a,b",y,4,value: The value must be an amount such as 1234.50.\r\n',
    );
    const second = await imported(text.replace(',x,', ',2,').replace(',y,', ',3,'));
    expect(second).toMatchObject({ mapping: { name: 'name', value: 'value' }, results: { created: 2, failed: 0 } });
    expect((await deals()).map(({ name }) => name)).toEqual(['ok', '=bad', 'a,b']);
  });

  it('reads UTF-16 and Windows-1252 from Excel, and objects in lines', async () => {
    const text = 'name\tvalue\r\nGrößé\t1,5\r\n';
    await imported(Buffer.from(`\ufeff${text}`, 'utf16le'), { locale: 'de-DE' });
    await imported(Buffer.from(text, 'utf16le').swap16(), { locale: 'de-DE' });
    await imported(Buffer.from(text, 'latin1'), { locale: 'de-DE' });
    expect((await deals()).map(({ name, valueMinor }) => [name, valueMinor])).toEqual(
      Array.from({ length: 3 }, () => ['Größé', 150]),
    );
    const lines = '{"name":"one","value":1.5,"tags":["x;y"]}\n[1]\n{"name":7}\n\n{"name":"two","customFields":{}}';
    const run = await imported(lines, { format: 'ndjson' });
    expect(run).toMatchObject({ results: { created: 2, failed: 2 } });
    expect(await codes(run.id)).toEqual([
      [2, null, 'malformed_json'],
      [3, 'name', 'invalid_type'],
    ]);
    expect(await deals('name=one')).toMatchObject([{ valueMinor: 150, tags: ['x;y'] }]);
  });

  it('says what is wrong with rows that the type itself or the database refuses, and undoes nothing else', async () => {
    await makeDeal(boss.api, { name: 'there', externalRefs: [{ system: 'crm', id: '5' }] });
    const rows = Array.from({ length: 30 }, (_, i) =>
      `n${i},${i === 7 ? 'nowhere' : ''},${i === 11 ? '5' : i}x`.replace('5x', i === 11 ? '5' : '5x'),
    );
    const mapping = { name: 'name', stage: 'stage', ref: 'externalRef:crm' };
    const { id } = await prepare(`name,stage,ref\n${rows.join('\n')}\n`, { mapping });
    expect(await carryOut(id, 'validate')).toMatchObject({ results: { validRows: 28, invalidRows: 2 } });
    const expected = [
      [9, 'stage', 'unknown_stage'],
      [13, 'ref', 'duplicate'],
    ];
    expect(await codes(id)).toMatchObject(expected);
    expect(await carryOut(id, 'run')).toMatchObject({ results: { created: 28, failed: 2 } });
    expect((await deals()).length).toBe(29);
  });

  it('continues after its worker died, with no row twice or missing', async () => {
    const count = 1_250;
    const { id } = await prepare(`name\n${Array.from({ length: count }, (_, i) => `row ${i}`).join('\n')}\n`);
    await carryOut(id, 'validate');
    const [dying, living] = [await stage.idleWorker(), await stage.idleWorker()];
    // The second part is written but not committed, then the worker stands still.
    const writer = dying.get(ImportWriter);
    const write = writer.write.bind(writer);
    let written = 0;
    let revive: () => void = () => undefined;
    writer.write = async (...given) => {
      const done = await write(...given);
      if (++written === 2) await new Promise<void>((resolve) => (revive = resolve));
      return done;
    };
    await boss.api.post(`${IMPORTS}/${id}/run`);
    const died = (async () => {
      while (written < 2) await dying.get(JobWorker).pass();
    })();
    await until(() => written === 2);
    const { jobId } = await find(boss.api, id);
    expect(await boss.api.get(`/api/operations/jobs/${jobId}`)).toMatchObject({
      body: { status: 'running', progress: { done: 500, total: count, phase: 'writing' } },
    });
    // As when its connection ends with it: what it has written is undone.
    await stage.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`,
    );
    await stage.sql(
      `update data.job_queue set lease_until = now() - interval '1 second' where lease_until is not null`,
    );
    await until(async () => {
      await exhaust(living);
      return (await find(boss.api, id)).status === 'completed';
    });
    revive();
    await died.catch(() => undefined);
    expect(await find(boss.api, id)).toMatchObject({ results: { created: count, failed: 0 } });
    const names = (await deals()).map(({ name }) => name);
    expect([names.length, new Set(names).size]).toEqual([count, count]);
    const [events] = await stage.sql<{ count: number }>(
      `select count(*)::int from data.events where tenant_id = $1 and type = 'sales.deal.created'`,
      [tenant.id],
    );
    expect(events).toEqual({ count });
  }, 120_000);

  it('can be rolled back for a day: what was changed since stays', async () => {
    await makeDeal(boss.api, { name: 'old', nextStep: 'before', externalRefs: [{ system: 'crm', id: '1' }] });
    const csv = 'ref,name,nextStep\n1,new,after\n2,second,\n3,third,\n';
    const mapping = { ref: 'externalRef:crm', name: 'name', nextStep: 'nextStep' };
    const { id } = await imported(csv, { mapping, mode: 'upsert', upsertBy: 'externalRef:crm' });
    const [, , third] = await deals();
    await boss.api.patch(`${DEALS}/${third!.id}`, { name: 'edited' });
    expect(await carryOut(id, 'rollback')).toMatchObject({
      status: 'rolled_back',
      results: { rolledBack: 2, kept: 1 },
    });
    expect((await deals()).map(({ name, nextStep }) => [name, nextStep])).toEqual([
      ['old', 'before'],
      ['edited', null],
    ]);
    expect(await boss.api.post(`${IMPORTS}/${id}/rollback`)).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    });
    const late = await imported('name\nx\n');
    stage.platform.clock.advance(24 * HOUR_MS);
    expect(await boss.api.post(`${IMPORTS}/${late.id}/rollback`)).toMatchObject({
      status: 409,
      body: { code: 'blocked' },
    });
    stage.platform.clock.advance(7 * DAY_MS);
    const worker = await stage.idleWorker();
    await worker.get(ImportUpkeep).sweep();
    expect((await boss.api.get(`${IMPORTS}/${late.id}`)).status).toBe(404);
  });

  it('fails, and says so, when the requester has lost the right', async () => {
    const ada = await person('manager');
    const { id } = await prepare('name\nx\n', {}, ada.api);
    await carryOut(id, 'validate', ada.api);
    await ada.api.post(`${IMPORTS}/${id}/run`);
    const role = await boss.api.get<{ data: { id: string; key: string }[] }>('/api/admin/roles');
    const viewer = role.body.data.find(({ key }) => key === 'viewer')!.id;
    const changed = await boss.api.patch(`/api/admin/memberships/${ada.id}`, { roleIds: [viewer] });
    expect(changed.status).toBe(200);
    await work();
    const rows = await stage.sql<{ status: string; error: { code: string } }>(
      `select status, error from data.imports where id = $1`,
      [id],
    );
    expect(rows).toMatchObject([{ status: 'failed', error: { code: 'permission_denied' } }]);
    expect(await deals()).toEqual([]);
    const told = await ada.api.get<{ data: object[] }>('/api/home/notifications?kind=import');
    expect(told.body.data[0]).toMatchObject({ title: 'The import of deals failed' });
  });

  it('can be cancelled, and changed until it runs', async () => {
    const made = await prepare('a,b\nx,y\n', { mapping: { a: 'name' } });
    const changed = await boss.api.patch<Import>(`${IMPORTS}/${made.id}`, { mapping: { b: 'name' } });
    expect(changed).toMatchObject({ status: 200, body: { status: 'draft', mapping: { b: 'name' }, version: 2 } });
    await boss.api.post(`${IMPORTS}/${made.id}/validate`);
    expect(await boss.api.post(`${IMPORTS}/${made.id}/cancel`)).toMatchObject({
      status: 200,
      body: { status: 'cancelled' },
    });
    await work();
    expect(await find(boss.api, made.id)).toMatchObject({ status: 'cancelled' });
    expect((await boss.api.delete(`${IMPORTS}/${made.id}`)).status).toBe(200);
    expect((await boss.api.get(`${IMPORTS}/${made.id}`)).status).toBe(404);
  });

  it('is refused with the place of what is wrong', async () => {
    const fileId = await file('name,name,c\nx,y,z\n');
    const faults = async (more: object) => {
      const answer = await boss.api.post<{ errors: object[] }>(IMPORTS, {
        object: 'sales.deal',
        fileId,
        format: 'csv',
        ...more,
      });
      return answer.status === 400 ? answer.body.errors : answer.status;
    };
    const mapping = { none: 'name', c: 'status', name: 'recurring', 'name (2)': 'recurring.termMonths' };
    expect(await faults({ mapping, mode: 'upsert', upsertBy: 'value' })).toMatchObject([
      { pointer: '/mapping/none', code: 'unknown_column' },
      { pointer: '/mapping/c', code: 'unknown_field' },
      { pointer: '/mapping/name (2)', code: 'mapped_twice' },
      { pointer: '/upsertBy', code: 'unknown_field' },
    ]);
    expect(await faults({ mode: 'update' })).toMatchObject([{ pointer: '/upsertBy', code: 'required' }]);
    expect(await faults({ object: 'documents.file' })).toMatchObject([
      { pointer: '/object', code: 'unknown_record_type' },
    ]);
    expect(await faults({ object: 'x.y' })).toMatchObject([{ pointer: '/object', code: 'unknown_record_type' }]);
    const zip = await file(Buffer.from('504b0304140000000800', 'hex'));
    expect(await faults({ fileId: zip })).toMatchObject([{ pointer: '/fileId', code: 'not_a_text' }]);
    const reader = await stage.platform.key(tenant, ['imports:run', 'files:read']);
    expect(await reader.post(IMPORTS, { object: 'sales.deal', fileId, format: 'csv' })).toMatchObject({ status: 403 });
    const blind = await stage.platform.key(tenant, ['imports:run', 'deals:write']);
    expect(await blind.post(IMPORTS, { object: 'sales.deal', fileId, format: 'csv' })).toMatchObject({ status: 400 });
  });

  it('survives huge rows, open quotes, NUL, and rows of other lengths', async () => {
    const failing = async (csv: string) => {
      const { id } = await prepare(csv);
      return (await carryOut(id, 'validate')).error;
    };
    expect(await failing(`name\nx\n${'y'.repeat(1_100_000)}\n`)).toMatchObject({
      code: 'row_too_long',
      message: expect.stringContaining('Row 3') as string,
    });
    expect(await failing('name\nx\n"y\nz\n')).toMatchObject({
      code: 'quote_not_closed',
      message: expect.stringContaining('row 3') as string,
    });
    const { id } = await prepare('name,nextStep\na\0b,\nx,y,z\nshort\n"in ""quotes"" ok",1\n');
    await carryOut(id, 'validate');
    expect(await codes(id)).toEqual([
      [2, 'name', 'invalid_characters'],
      [3, null, 'too_many_cells'],
    ]);
  });
});
