import { DAY_MS } from '#libs/kernel/durations.js';
import { MailDelivery } from '#libs/mail/mail-delivery.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { until } from '#libs/testing/until.js';
import { ReportRunUpkeep } from '#src/areas/reports/runs/report-run-upkeep.js';
import { REPORTS, RUNS } from '../e2e/reports/report-calls.js';
import { makeDeal } from '../e2e/sales/deal-calls.js';
import { act, makeCandidate, SCORECARDS } from '../e2e/talent/talent-calls.js';
import type { Client } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import { startSmtp } from '../harness/smtp.js';
import { exhaust } from './automation-stage.js';
import { Stage } from './stage.js';

const DAILY = { frequency: 'daily', time: '07:30', timeZone: 'UTC' };
const smtp = await startSmtp();
const stage = await Stage.open({ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@platform.example' });
afterAll(async () => {
  await stage.close();
  await smtp.close();
});
afterEach(() => stage.stopWorkers());

interface Run {
  id: string;
  status: string;
  trigger: string;
  jobId: string;
  rowCount: number | null;
  error: { code: string } | null;
}
type Person = { id: string; api: Client };

let tenant: TestTenant;
let ada: Person;
let bob: Person;
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  [ada, bob] = [await person('manager'), await person('member')];
  smtp.mails.length = 0;
});

const person = (role: string) => stage.platform.member(tenant, `A ${role}`, ['*'], { roles: [role] });
const addressOf = ({ id }: { id: string }) => `${id}@example.test`;

async function store(api: Client, more: object = {}): Promise<string> {
  const body = { name: 'Deals by status', recordType: 'sales.deal', dimensions: [{ field: 'status' }] };
  const answer = await api.post<{ id: string }>(REPORTS, { ...body, measures: [{ aggregate: 'count' }], ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id;
}

async function schedule(api: Client, id: string, more: object = {}): Promise<void> {
  const answer = await api.post(`${REPORTS}/${id}/schedule`, { ...DAILY, ...more });
  if (answer.status !== 200) throw new Error(answer.text);
}

const runsOf = async (api: Client, id: string) => (await api.get<{ data: Run[] }>(`${REPORTS}/${id}/runs`)).body.data;
const work = async () => exhaust(await stage.idleWorker());
const nextDay = async () => {
  stage.platform.clock.advance(DAY_MS);
  await work();
};
const events = async (verb: string) =>
  (
    await stage.sql(`select 1 from data.events where tenant_id = $1 and envelope::jsonb ->> 'type' like $2`, [
      tenant.id,
      `reports.${verb}%`,
    ])
  ).length;

describe('a stored run', () => {
  it('has the rights and the rows of the requester, who alone can read it', async () => {
    await makeDeal(tenant.api);
    const id = await store(ada.api, { shared: 'tenant' });
    const started = await ada.api.post<Run>(`${REPORTS}/${id}/runs`);
    expect(started).toMatchObject({ status: 201, body: { status: 'queued', trigger: 'request', rowCount: null } });
    const path = `${RUNS}/${started.body.id}`;
    expect(await ada.api.get(`${path}?format=csv`)).toMatchObject({ status: 409, body: { code: 'blocked' } });
    await work();
    expect(await ada.api.get(path)).toMatchObject({
      status: 200,
      body: { status: 'succeeded', rowCount: 1, result: { rows: [{ values: { status: 'open', count: 1 } }] } },
    });
    expect((await ada.api.get(`${path}?format=csv`)).text).toBe('status,count\r\nopen,1\r\n');
    expect(await ada.api.get(`/api/operations/jobs/${started.body.jobId}`)).toMatchObject({
      body: { status: 'succeeded', result: { status: 'succeeded', rowCount: 1 } },
    });
    expect(await bob.api.get(path)).toMatchObject({ status: 404 });
    expect(await runsOf(bob.api, id)).toEqual([]);
    expect(await events('run.completed')).toBe(1);
  });

  it('fails if the requester has lost the permission', async () => {
    const id = await store(bob.api);
    const { body } = await bob.api.post<Run>(`${REPORTS}/${id}/runs`);
    await stage.sql(`delete from data.role_assignments where tenant_id = $1 and membership_id = $2`, [
      tenant.id,
      bob.id,
    ]);
    await work();
    const [run] = await stage.sql<{ status: string; error: object }>(
      `select status, error from data.report_runs where id = $1`,
      [body.id],
    );
    expect(run).toMatchObject({ status: 'failed', error: { code: 'permission_denied' } });
    expect(await events('run.failed')).toBe(1);
  });

  it('is deleted when it expires', async () => {
    const id = await store(ada.api);
    await ada.api.post(`${REPORTS}/${id}/runs`);
    await work();
    const sweep = async () => (await stage.idleWorker()).get(ReportRunUpkeep).sweep();
    await sweep();
    expect(await runsOf(ada.api, id)).toHaveLength(1);
    stage.platform.clock.advance(31 * DAY_MS);
    await sweep();
    expect(await runsOf(ada.api, id)).toEqual([]);
  });
});

describe('a scheduled report', () => {
  it('runs once for each time, and is sent to members who may read it and want it', async () => {
    await makeDeal(tenant.api);
    const [outsider, quiet] = [await person('developer'), await person('member')];
    await quiet.api.patch('/api/settings/notifications', { kinds: { report: { email: 'none' } } });
    const id = await store(ada.api);
    await schedule(ada.api, id, { recipientIds: [bob.id, outsider.id, quiet.id] });
    await work();
    expect(await runsOf(ada.api, id)).toEqual([]);
    await nextDay();
    await work();
    const [run, ...more] = await runsOf(ada.api, id);
    expect(more).toEqual([]);
    expect(run).toMatchObject({ status: 'succeeded', trigger: 'schedule', rowCount: 1 });
    const worker = await stage.idleWorker();
    while ((await worker.get(MailDelivery).pass()) > 0);
    expect(smtp.mails.flatMap(({ to }) => to)).toEqual([addressOf(bob)]);
    expect(smtp.mails[0]!.text).toContain(`${RUNS}/${run!.id}?format=csv`);
    expect(await bob.api.get(`${RUNS}/${run!.id}`)).toMatchObject({ status: 200, body: { rowCount: 1 } });
    expect(await outsider.api.get(`${RUNS}/${run!.id}`)).toMatchObject({ status: 403 });
    await nextDay();
    expect(await runsOf(ada.api, id)).toHaveLength(2);
  });

  it('makes up for times without a worker with one run', async () => {
    const id = await store(ada.api);
    await schedule(ada.api, id);
    stage.platform.clock.advance(5 * DAY_MS);
    await work();
    expect(await runsOf(ada.api, id)).toHaveLength(1);
  });

  it.each([
    [
      'owner_inactive',
      `update data.memberships set status = 'suspended', version = version + 1 where tenant_id = $1 and id = $2`,
    ],
    ['owner_not_permitted', `delete from data.role_assignments where tenant_id = $1 and membership_id = $2`],
  ])('is paused with the reason %s and an event', async (reason, statement) => {
    const boss = await person('admin');
    const id = await store(ada.api, { shared: 'tenant' });
    await schedule(ada.api, id, { recipientIds: [bob.id] });
    await stage.sql(statement, [tenant.id, ada.id]);
    await nextDay();
    expect(await tenant.api.get(`${REPORTS}/${id}`)).toMatchObject({
      status: 200,
      body: { pausedReason: reason, nextRunAt: null },
    });
    expect(await events('report.paused')).toBe(1);
    await nextDay();
    expect(await events('report.paused')).toBe(1);
    expect(await stage.sql(`select 1 from data.report_runs where report_id = $1`, [id])).toEqual([]);
    await (await stage.idleWorker()).get(EventRelay).pass();
    await work();
    const told = await boss.api.get<{ data: object[] }>('/api/home/notifications');
    expect(told.body.data).toMatchObject([{ kind: 'report', body: expect.stringContaining(reason) as string }]);
  });

  it('does not run any more after its schedule was removed, or it was deleted', async () => {
    const [removed, deleted] = [await store(ada.api), await store(ada.api)];
    for (const id of [removed, deleted]) await schedule(ada.api, id);
    await ada.api.delete(`${REPORTS}/${removed}/schedule`);
    await ada.api.delete(`${REPORTS}/${deleted}`);
    await nextDay();
    expect(await stage.sql(`select 1 from data.report_runs where tenant_id = $1`, [tenant.id])).toEqual([]);
  });

  it('has one run, one result and one mail even if its worker dies while it stores the result', async () => {
    await makeDeal(tenant.api);
    const id = await store(ada.api);
    await schedule(ada.api, id, { recipientIds: [bob.id] });
    stage.platform.clock.advance(DAY_MS);
    const blocker = await stage.transaction({ text: 'lock table data.report_results in access exclusive mode' });
    const dying = await stage.idleWorker();
    const lost = exhaust(dying).catch(() => undefined);
    const waiting = await until(async () => {
      const [row] = await stage.sql<{ pid: number }>(
        `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%report_results%'`,
      );
      return row ?? null;
    });
    await stage.sql('select pg_terminate_backend($1)', [waiting.pid]); // as if its process had been killed
    await blocker.end();
    await lost;
    stage.platform.clock.advance(60_000);
    await until(async () => {
      await work();
      return (await runsOf(ada.api, id)).every(({ status }) => status === 'succeeded');
    });
    expect(await runsOf(ada.api, id)).toHaveLength(1);
    expect(await events('run.completed')).toBe(1);
    const count = async (table: string) =>
      (await stage.sql(`select 1 from ${table} where tenant_id = $1`, [tenant.id])).length;
    expect([await count('data.report_results'), await count('data.mails')]).toEqual([1, 1]);
  });
});

describe('a run ordered with an API key', () => {
  const SCOPES = ['reports:read', 'reports:write', 'interview-scorecards:read'];
  const keyOf = async (scopes: readonly string[]) => {
    const made = await ada.api.post<{ apiKey: string; id: string }>('/api/settings/developer/api-keys', {
      name: 'Reports',
      kind: 'personal',
      scopes,
    });
    if (made.status !== 201) throw new Error(made.text);
    const { apiKey, id } = made.body;
    return { id, api: stage.platform.anonymous().as({ 'x-api-key': apiKey }) };
  };
  const scorecards = (api: Client) => store(api, { recordType: 'talent.scorecard', dimensions: [] });
  const rowsOf = async (api: Client, run: string) =>
    (await api.get<{ result: { rows: { values: { count: number } }[] } }>(`${RUNS}/${run}`)).body.result.rows;

  beforeEach(async () => {
    ada = await person('owner');
    const eve = await person('owner');
    const { applicationId } = await makeCandidate(eve.api);
    const card = { applicationId, ratings: [{ criterion: 'Code', score: 5 }], recommendation: 'yes' };
    const { body } = await eve.api.post<{ id: string }>(SCORECARDS, card);
    await act(eve.api, `${SCORECARDS}/${body.id}`, 'submit');
  });

  it('has only the rights of the key', async () => {
    const narrow = await keyOf(SCOPES);
    const { body } = await narrow.api.post<Run>(`${REPORTS}/${await scorecards(narrow.api)}/runs`);
    await work();
    expect((await rowsOf(narrow.api, body.id))[0]?.values.count ?? 0).toBe(0);
    const own = await ada.api.post<Run>(`${REPORTS}/${await scorecards(ada.api)}/runs`);
    await work();
    expect((await rowsOf(ada.api, own.body.id))[0]!.values.count).toBe(1);
  });

  it('can be read by credentials whose scopes include those that it had, and by no others', async () => {
    const narrow = await keyOf(SCOPES);
    const id = await scorecards(ada.api);
    const { body: wide } = await ada.api.post<Run>(`${REPORTS}/${id}/runs`);
    const { body: small } = await narrow.api.post<Run>(`${REPORTS}/${id}/runs`);
    await work();
    expect((await narrow.api.get(`${RUNS}/${wide.id}`)).status).toBe(404);
    expect((await narrow.api.get(`${RUNS}/${small.id}`)).status).toBe(200);
    expect((await runsOf(narrow.api, id)).map((run) => run.id)).toEqual([small.id]);
    expect((await runsOf(ada.api, id)).map((run) => run.id).sort()).toEqual([small.id, wide.id].sort());
    const other = await keyOf(['reports:read', 'interview-scorecards:read']);
    expect((await other.api.get(`${RUNS}/${small.id}`)).status).toBe(404);
  });

  it('is scheduled with the rights of the key, also of its next secret, and pauses when the key has ended', async () => {
    const narrow = await keyOf(SCOPES);
    const id = await scorecards(narrow.api);
    await schedule(narrow.api, id);
    expect((await ada.api.post(`/api/settings/developer/api-keys/${narrow.id}/rotate`, {})).status).toBe(200);
    await nextDay();
    const [run] = await runsOf(ada.api, id);
    expect(run).toMatchObject({ status: 'succeeded', trigger: 'schedule' });
    expect((await rowsOf(ada.api, run!.id))[0]?.values.count ?? 0).toBe(0);
    expect((await ada.api.post(`/api/settings/developer/api-keys/${narrow.id}/revoke`, {})).status).toBe(200);
    await nextDay();
    expect(await runsOf(ada.api, id)).toHaveLength(1);
    expect((await ada.api.get(`${REPORTS}/${id}`)).body).toMatchObject({
      pausedReason: 'credential_ended',
      nextRunAt: null,
    });
    await schedule(ada.api, id);
    await nextDay();
    expect((await runsOf(ada.api, id))[0]).toMatchObject({ status: 'succeeded' });
  });
});
