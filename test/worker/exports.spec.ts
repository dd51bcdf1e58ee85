import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import ExcelJS from 'exceljs';
import { FileContents } from '#libs/files/file-contents.js';
import { JobWorker } from '#libs/jobs/job-worker.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { MailDelivery } from '#libs/mail/mail-delivery.js';
import { until } from '#libs/testing/until.js';
import { ExportUpkeep } from '#src/areas/exports/jobs/export-upkeep.js';
import { define } from '../e2e/custom-fields/custom-field-calls.js';
import { itemsOf } from '../e2e/reports/report-calls.js';
import { DEALS, makeDeal } from '../e2e/sales/deal-calls.js';
import { makeCandidate, onCandidate } from '../e2e/talent/talent-calls.js';
import type { Client } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import { startSmtp } from '../harness/smtp.js';
import { exhaust } from './automation-stage.js';
import { Stage } from './stage.js';

const EXPORTS = '/api/exports';
const SCHEDULES = `${EXPORTS}/schedules`;
const smtp = await startSmtp();
const stage = await Stage.open({ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@platform.example' });
afterAll(async () => {
  await stage.close();
  await smtp.close();
});
afterEach(() => stage.stopWorkers());

interface Export {
  id: string;
  status: string;
  rowCount: number | null;
  url: string | null;
  asOf: string | null;
  sha256: string | null;
  sizeBytes: number | null;
  jobId: string;
  error: { code: string } | null;
}
type Person = { id: string; api: Client };

let tenant: TestTenant;
let boss: Person;
let ada: Person;
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  [boss, ada] = [await person('owner'), await person('manager')];
  smtp.mails.length = 0;
});

const person = (role: string) => stage.platform.member(tenant, `A ${role}`, ['*'], { roles: [role] });
const request = (api: Client, more: object = {}, query = '') =>
  api.post<Export>(`${EXPORTS}${query}`, { type: 'sales.deal', format: 'csv', ...more });
const find = async (api: Client, id: string) => (await api.get<Export>(`${EXPORTS}/${id}`)).body;
const work = async () => exhaust(await stage.idleWorker());
const events = async (type: string) =>
  stage.sql<{ data: object }>(
    `select envelope::jsonb -> 'data' as data from data.events where tenant_id = $1 and envelope::jsonb ->> 'type' like $2`,
    [tenant.id, `${type}%`],
  );
const fetched = async (api: Client, path: string, init: RequestInit = {}) => {
  const { headers, ...more } = init;
  return fetch(api.url + path, { ...more, headers: { ...api.headers, ...(headers as Record<string, string>) } });
};
/** The text of a file in the response. */
async function inline(api: Client, body: object): Promise<string> {
  const answer = await fetched(api, `${EXPORTS}?inline=true`, {
    method: 'POST',
    body: JSON.stringify({ type: 'sales.deal', format: 'csv', ...body }),
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  return answer.text();
}
async function requested(api: Client, more: object = {}): Promise<Export> {
  const answer = await request(api, more);
  if (answer.status !== 202) throw new Error(answer.text);
  return answer.body;
}
const lines = (text: string) => text.split('\r\n').slice(0, -1);

/** Adds copies of the tenant's only deal, each with an id and a name of its own. */
async function copyDeal(count: number): Promise<void> {
  const columns = await stage.sql<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'data.sales_deals'::regclass and attnum > 0
      and not attisdropped and attgenerated = ''`,
  );
  const own: Record<string, string> = {
    id: 'gen_random_uuid()',
    reference: `'COPY-' || n`,
    name: `'copy ' || n`,
    updated_at: `updated_at + n * interval '1 millisecond'`,
  };
  const names = columns.map(({ name }) => name);
  await stage.sql(
    `insert into data.sales_deals (${names.join(', ')}) select ${names.map((name) => own[name] ?? name).join(', ')}
      from data.sales_deals cross join generate_series(1, $2::integer) n where tenant_id = $1`,
    [tenant.id, count],
  );
}

describe('a file in the response', () => {
  it('has the records and the order of the list, without formulas, with names, custom fields and amounts', async () => {
    await define(boss.api, { key: 'region', label: 'Region' });
    const names = ['=1+1', '+1', '-1', '@SUM(1)', '＝1', 'plain, "quoted"'];
    for (const name of names)
      await makeDeal(boss.api, { name, valueMinor: 123456, currency: 'EUR', customFields: { region: `=${name}` } });
    await makeDeal(boss.api, { name: 'another currency', valueMinor: 5, currency: 'JPY' });
    const query = {
      currency: 'EUR',
      sort: 'createdAt',
      fields: 'name,valueMinor,currency,customFields.region',
      include: 'owner',
    };
    const [header, ...rows] = lines(await inline(boss.api, { query, locale: 'de-DE' }));
    expect(header).toBe('id,name,valueMinor,value,currency,customFields.region,owner.reference,owner.name');
    const listed = await itemsOf(boss.api, `${DEALS}?currency=EUR&sort=createdAt`);
    expect(rows.map((row) => row.slice(0, 36))).toEqual(listed.map(({ id }) => id));
    expect(rows.map((row) => row.slice(37)).slice(0, 5)).toEqual(
      names.slice(0, 5).map((name) => `'${name},123456,"1234,56",EUR,'=${name},,A owner`),
    );
    expect(rows[5]!.slice(37)).toBe(`"plain, ""quoted""",123456,"1234,56",EUR,"'=plain, ""quoted""",,A owner`);
    expect(await inline(boss.api, { query: { fields: 'name', name: '+1' }, byteOrderMark: true })).toMatch(
      /^\ufeff?id,name\r\n[0-9a-f-]{36},'\+1\r\n$/,
    );
  });

  it('has each record as the list shows it, in ndjson', async () => {
    await makeDeal(ada.api, { name: 'one' });
    await makeDeal(ada.api, { name: 'two' });
    const parsed = async (query: object) =>
      (await inline(ada.api, { format: 'ndjson', query }))
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(await parsed({})).toEqual(await itemsOf(ada.api, DEALS));
    const [first] = await parsed({ fields: 'name,ownerId', include: 'owner', sort: 'name' });
    expect(first).toEqual({
      ...{ id: expect.any(String) as string, object: 'sales.deal', name: 'one', ownerId: ada.id },
      included: { [ada.id]: { object: 'core.membership', id: ada.id, reference: null, name: 'A manager' } },
    });
  });

  it('is a workbook with typed cells', async () => {
    await makeDeal(boss.api, { name: '=1', valueMinor: 123456, currency: 'EUR' });
    const answer = await fetched(boss.api, `${EXPORTS}?inline=true`, {
      method: 'POST',
      body: JSON.stringify({ type: 'sales.deal', format: 'xlsx', query: { fields: 'name,valueMinor,createdAt' } }),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="deals-\d{4}-\d\d-\d\d\.xlsx"$/);
    const workbook = new ExcelJS.Workbook();
    await workbook.xlsx.load(await answer.arrayBuffer());
    const [, , name, minor, value, at] = workbook.worksheets[0]!.getRow(2).values as unknown[];
    expect([name, minor, value]).toEqual(['=1', 123456, 1234.56]);
    expect(at).toBeInstanceOf(Date);
  });

  it('lacks the records and fields that the caller may not see', async () => {
    await makeDeal(boss.api, { name: 'of somebody else' });
    const bob = await person('member');
    await makeDeal(bob.api, { name: 'own' });
    const own = lines(await inline(bob.api, { query: { fields: 'name' } }));
    expect(own).toHaveLength(1 + (await itemsOf(bob.api, DEALS)).length);
    const header = async (api: Client) => lines(await inline(api, { type: 'people.employee' }))[0]!.split(',');
    const [all, some] = [await header(boss.api), await header(ada.api)];
    const hidden = all.filter((column) => !some.includes(column));
    expect(hidden).toContain('personalEmail');
    expect(await request(bob.api, { type: 'finance.ledger' }, '?inline=true')).toMatchObject({ status: 400 });
    const [reads] = [await stage.platform.key(tenant, ['exports:write'])];
    expect(await request(reads, {}, '?inline=true')).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
  });

  it('is refused with the place of what is wrong, and for more than 5,000 records', async () => {
    const faults = async (query: object) =>
      (await boss.api.post<{ errors: object[] }>(EXPORTS, { type: 'sales.deal', format: 'csv', query })).body;
    expect((await faults({ colour: 'red', sort: 'age', limit: '5' })).errors).toMatchObject([
      { pointer: '/query/colour', code: 'unknown_parameter' },
      { pointer: '/query/sort', code: 'invalid_value' },
      { pointer: '/query/limit', code: 'unknown_parameter' },
    ]);
    expect((await faults({ fields: 'customFields.none' })).errors).toMatchObject([
      { pointer: '/query/fields', code: 'unknown_custom_field' },
    ]);
    expect((await faults({ include: 'allowedActions' })).errors).toMatchObject([{ code: 'not_applicable' }]);
    await makeDeal(boss.api);
    await copyDeal(5_000);
    expect(await request(boss.api, {}, '?inline=true')).toMatchObject({
      status: 409,
      body: { code: 'export_too_large' },
    });
    expect(lines(await inline(boss.api, { query: { 'name[contains]': 'copy' } }))).toHaveLength(5_001);
  });
});

describe('an export', () => {
  it('continues after its worker died, with each record of the list at that moment once, whatever moves', async () => {
    await makeDeal(ada.api, { name: 'copy 0' });
    await copyDeal(20_500);
    const { id, jobId } = await requested(ada.api, { query: { sort: '-updatedAt', fields: 'name' } });
    const [dying, living] = [await stage.idleWorker(), await stage.idleWorker()];
    // The second part is stored, then the worker stands still: nobody learns of it.
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
    expect(await find(ada.api, id)).toMatchObject({ status: 'running', rowCount: null, url: null });
    expect(await ada.api.get(`/api/operations/jobs/${jobId}`)).toMatchObject({
      body: { status: 'running', progress: { done: 10_000, total: 20_501, phase: 'writing' } },
    });
    // Records that are still to come move to the front, one appears and one goes to the trash.
    await stage.sql(
      `update data.sales_deals set updated_at = now() + interval '1 hour' where tenant_id = $1 and reference in ('COPY-7', 'COPY-3000')`,
      [tenant.id],
    );
    await makeDeal(ada.api, { name: 'too late' });
    const [gone] = await itemsOf(ada.api, `${DEALS}?reference=COPY-5`);
    await ada.api.delete(`${DEALS}/${gone!.id}`);
    await stage.sql(`update data.job_queue set lease_until = now() - interval '1 second'`);
    await exhaust(living);
    await until(async () => {
      await living.get(JobWorker).pass();
      return (await find(ada.api, id)).status === 'ready';
    });
    revive();
    await died;
    const row = await find(ada.api, id);
    expect(row).toMatchObject({ status: 'ready', rowCount: 20_500, url: `${EXPORTS}/${id}/download` });
    const answer = await fetched(ada.api, row.url!);
    const file = Buffer.from(await answer.arrayBuffer());
    expect(createHash('sha256').update(file).digest('hex')).toBe(row.sha256);
    expect(file.length).toBe(row.sizeBytes);
    const rows = lines(file.toString());
    const names = new Set(rows.slice(1).map((each) => each.slice(37)));
    expect([rows.length - 1, names.size]).toEqual([20_500, 20_500]);
    expect(names.has('too late') || names.has('copy 5')).toBe(false);
    expect(rows[1]!.slice(37)).toBe('copy 20500'); // the order at that moment
    expect(await ada.api.get(`/api/operations/jobs/${jobId}`)).toMatchObject({
      body: { status: 'succeeded', result: { exportId: id, rowCount: 20_500, url: row.url } },
    });
    expect(await events('exports.job.ready')).toMatchObject([{ data: { id, rowCount: 20_500 } }]);
    const told = await ada.api.get<{ data: object[] }>('/api/home/notifications');
    expect(told.body.data).toMatchObject([
      { kind: 'export', title: expect.stringContaining('20500 records') as string },
    ]);
  });

  it('is only for who requested it, with all scopes that it had, and until it expires', async () => {
    await makeDeal(ada.api);
    const { id } = await requested(ada.api, { format: 'xlsx' });
    expect(await ada.api.get(`${EXPORTS}/${id}/download`)).toMatchObject({ status: 409, body: { code: 'blocked' } });
    await work();
    const path = (await find(ada.api, id)).url!;
    const whole = await fetched(ada.api, path);
    expect(whole.headers.get('content-type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    const bytes = await buffer(whole.body!);
    const part = await fetched(ada.api, path, { headers: { range: 'bytes=0-9' } });
    expect([part.status, await buffer(part.body!)]).toEqual([206, bytes.subarray(0, 10)]);
    const narrow = await stage.platform.key(tenant, ['exports:read'], { memberId: ada.id });
    for (const api of [boss.api, narrow]) expect(await api.get(path)).toMatchObject({ status: 404 });
    const downloads = `select 1 from data.audit_log where tenant_id = $1 and action = 'exports.job.downloaded'`;
    expect(await stage.sql(downloads, [tenant.id])).toHaveLength(2);
    await stage.sql(`delete from data.role_assignments where tenant_id = $1 and membership_id = $2`, [
      tenant.id,
      ada.id,
    ]);
    expect(await ada.api.get(path)).toMatchObject({ status: 403 });
    await stage.sql(`update data.export_jobs set expires_at = now() where id = $1`, [id]);
    stage.platform.clock.advance(1_000);
    await (await stage.idleWorker()).get(ExportUpkeep).sweep();
    const [row] = await stage.sql(`select status, content_id, url from data.export_jobs where id = $1`, [id]);
    expect(row).toEqual({ status: 'expired', content_id: null, url: null });
    expect(await stage.sql(`select 1 from data.file_content_uses where object_id = $1`, [id])).toEqual([]);
    expect(await events('exports.job.expired')).toHaveLength(1);
  });

  it('fails, and says so, when the requester has lost the right', async () => {
    const { id } = await requested(ada.api);
    const { viewer } = SYSTEM_ROLE_IDS; // who may see exports, but not make them
    await stage.sql(`update data.role_assignments set role_id = $3 where tenant_id = $1 and membership_id = $2`, [
      tenant.id,
      ada.id,
      viewer,
    ]);
    await work();
    const [row] = await stage.sql(`select status, error from data.export_jobs where id = $1`, [id]);
    expect(row).toMatchObject({ status: 'failed', error: { code: 'permission_denied' } });
    expect(await events('exports.job.failed')).toHaveLength(1);
    const told = await ada.api.get<{ data: object[] }>('/api/home/notifications');
    expect(told.body.data).toMatchObject([{ kind: 'export', title: 'The export of deals failed' }]);
  });

  it('can be cancelled, also through its job, and ends without a file', async () => {
    await makeDeal(ada.api);
    const [first, second] = [await requested(ada.api), await requested(ada.api)];
    expect(await ada.api.post(`${EXPORTS}/${first.id}/cancel`)).toMatchObject({ body: { status: 'cancelled' } });
    await ada.api.post(`/api/operations/jobs/${second.jobId}/cancel`);
    await work();
    for (const { id } of [first, second])
      expect(await find(ada.api, id)).toMatchObject({ status: 'cancelled', url: null });
    expect(await ada.api.post(`${EXPORTS}/${first.id}/cancel`)).toMatchObject({ status: 409 });
    expect(await events('exports.job.cancelled')).toHaveLength(2);
    expect(await stage.sql(`select 1 from data.export_parts where tenant_id = $1`, [tenant.id])).toEqual([]);
  });

  it('is removed when a record in it is erased', async () => {
    const { id: candidate } = await makeCandidate(boss.api);
    const { id } = await requested(boss.api, { type: 'talent.candidate' });
    await work();
    const { url } = await find(boss.api, id);
    await onCandidate(boss.api, candidate, 'anonymize');
    expect(await find(boss.api, id)).toMatchObject({ status: 'expired', url: null });
    expect(await boss.api.get(url!)).toMatchObject({ status: 410, body: { code: 'export_expired' } });
    expect(await stage.sql(`select 1 from data.file_content_uses where object_id = $1`, [id])).toEqual([]);
  });
});

describe('a scheduled export', () => {
  const make = async (api: Client, more: object = {}) => {
    const body = { name: 'Deals', type: 'sales.deal', format: 'csv', cron: '30 7 * * *', timeZone: 'UTC', ...more };
    const answer = await api.post<{ id: string }>(SCHEDULES, body);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.id;
  };
  const nextDay = async () => {
    stage.platform.clock.advance(DAY_MS);
    await work();
    await work();
  };

  it('is made once for each time, and told by mail to recipients who may see it', async () => {
    await makeDeal(ada.api);
    const [bob, outsider] = [await person('manager'), await person('developer')];
    const id = await make(ada.api, { recipientIds: [bob.id, outsider.id] });
    await nextDay();
    const [row, ...more] = (await ada.api.get<{ data: Export[] }>(`${EXPORTS}?scheduleId=${id}`)).body.data;
    expect(more).toEqual([]);
    expect(row).toMatchObject({ status: 'ready', rowCount: 1, requesterId: ada.id });
    const worker = await stage.idleWorker();
    while ((await worker.get(MailDelivery).pass()) > 0);
    const told = smtp.mails.filter(({ text }) => text.includes(row!.url!)).flatMap(({ to }) => to);
    expect([...told].sort()).toEqual([ada, bob].map((each) => `${each.id}@example.test`).sort());
    expect((await fetched(bob.api, row!.url!)).status).toBe(200);
    expect(await outsider.api.get(row!.url!)).toMatchObject({ status: 403 });
    expect(await bob.api.post(`${EXPORTS}/${row!.id}/cancel`)).toMatchObject({ status: 403 });
    await nextDay();
    expect((await ada.api.get<{ data: Export[] }>(`${EXPORTS}?scheduleId=${id}`)).body.data).toHaveLength(2);
  });

  it.each([
    [
      'owner_inactive',
      `update data.memberships set status = 'suspended', version = version + 1 where tenant_id = $1 and id = $2`,
    ],
    ['owner_not_permitted', `delete from data.role_assignments where tenant_id = $1 and membership_id = $2`],
  ])('is paused with the reason %s', async (reason, statement) => {
    const id = await make(ada.api);
    await stage.sql(statement, [tenant.id, ada.id]);
    await nextDay();
    const [row] = await stage.sql(`select paused, paused_reason from data.export_schedules where id = $1`, [id]);
    expect(row).toEqual({ paused: true, paused_reason: reason });
    expect(await events('exports.schedule.paused')).toHaveLength(1);
    const told = await boss.api.get<{ data: object[] }>('/api/home/notifications');
    expect(told.body.data).toMatchObject([{ kind: 'export', body: expect.stringContaining(reason) as string }]);
    expect(await stage.sql(`select 1 from data.export_jobs where schedule_id = $1`, [id])).toEqual([]);
  });

  it('can be paused, resumed, changed and deleted by its owner, and runs at most hourly', async () => {
    const refused = async (more: object) => {
      const answer = await ada.api.post<{ errors: { code: string }[] }>(SCHEDULES, {
        ...{ name: 'Deals', type: 'sales.deal', format: 'csv', cron: '30 7 * * *', ...more },
      });
      return [answer.status, answer.body.errors?.[0]?.code];
    };
    expect(await refused({ cron: '*/30 * * * *' })).toEqual([400, 'too_often']);
    expect(await refused({ cron: 'H 7 * * *' })).toEqual([400, 'invalid_format']);
    expect(await refused({ cron: '0 0 30 2 *' })).toEqual([400, 'invalid_cron']);
    expect(await refused({ recipientIds: [crypto.randomUUID()] })).toEqual([400, 'unknown_reference']);
    const id = await make(ada.api, { paused: true });
    expect(await boss.api.get(`${SCHEDULES}/${id}`)).toMatchObject({ status: 404 });
    await nextDay();
    expect(await ada.api.patch(`${SCHEDULES}/${id}`, { paused: false, cron: '0 8 * * *' })).toMatchObject({
      status: 200,
      body: { paused: false, nextRunAt: expect.stringContaining('T08:00:00') as string },
    });
    await nextDay();
    expect(await ada.api.delete(`${SCHEDULES}/${id}`)).toMatchObject({ status: 200 });
    await nextDay();
    expect(await stage.sql(`select 1 from data.export_jobs where schedule_id = $1`, [id])).toHaveLength(1);
  });
});
