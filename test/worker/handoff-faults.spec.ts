import { HOUR_MS } from '#libs/kernel/durations.js';
import { until } from '#libs/testing/until.js';
import type { TestTenant } from '../harness/platform.js';
import { changed, DEALS, type Handoff, handoff, type Json, read, template } from '../e2e/admin/handoff-calls.js';
import { exhaust } from './automation-stage.js';
import { Stage } from './stage.js';

/** Steps of handoffs after faults: of workers, and of what the steps have made. */
let stage: Stage;
let tenant: TestTenant;
let worker: Awaited<ReturnType<typeof another>>;
beforeAll(async () => {
  stage = await Stage.open();
  worker = await another();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterAll(() => stage.close());

const another = () => stage.idleWorker();
const work = () => exhaust(worker);
const get = async (path: string) => (await tenant.api.get<Json>(path)).body;
const targetOf = ({ steps }: Handoff, key: string) => steps.find((step) => step.key === key)!.target!.id;

async function accepted(): Promise<Handoff> {
  const made = await handoff(tenant.api);
  await changed(tenant.api, made.id, { action: 'submit' });
  return changed(await stage.platform.key(tenant, ['*']), made.id, { action: 'accept' });
}

describe('an accepted handoff', () => {
  /** Lets the timer of a handoff fire once more. */
  const fireAgain = async (id: string) => {
    await stage.sql(
      `update data.automation_runs set state = 'ready', finished_at = null where kind = 'sales.handoff.execute' and key = $1`,
      [id],
    );
    await work();
  };

  it('fails once the project that it has made is gone for good', async () => {
    const made = await accepted();
    await work();
    await stage.sql(
      `update data.sales_handoffs set status = 'executing', project_id = null, completed_at = null,
         steps = jsonb_set(steps, '{4}', '{"key":"deal","status":"pending","target":null,"error":null,"at":null}')
       where id = $1`,
      [made.id],
    );
    await fireAgain(made.id);
    const failed = await read(tenant.api, made);
    expect(failed).toMatchObject({ status: 'failed', projectId: null });
    expect(failed.steps.at(-1)).toMatchObject({
      key: 'deal',
      status: 'failed',
      error: { code: 'not_found', message: 'What the step project made is gone.' },
    });
  });

  it('makes the project anew on retry, with what was about it, but no second deposit', async () => {
    await template(tenant.api, { isDefault: true, depositPercent: 30 });
    const made = await accepted();
    await work();
    const before = await read(tenant.api, made);
    await stage.sql(
      `update data.sales_handoffs set status = 'failed', project_id = null, completed_at = null,
         steps = jsonb_set(steps, '{4,status}', '"failed"') where id = $1`,
      [made.id],
    );
    await changed(tenant.api, made.id, { action: 'retry' });
    await work();
    const after = await read(tenant.api, made);
    expect(after).toMatchObject({ status: 'completed', invoiceId: before['invoiceId'] });
    const isNew = (key: string) => targetOf(after, key) !== targetOf(before, key);
    expect(['project', 'links', 'kickoff', 'invoice', 'deal'].filter(isNew)).toEqual(['project', 'links', 'kickoff']);
    expect(after['projectId']).toBe(targetOf(after, 'project'));
    expect(await get(`${DEALS}/${made.dealId}`)).toMatchObject({ projectId: after['projectId'] });
  });

  const events = async (id: string) => {
    const query = 'select type from data.events where tenant_id = $1 and subject_id = $2 order by id';
    return (await stage.sql<{ type: string }>(query, [tenant.id, id])).map(({ type }) => type);
  };

  it('runs each step once, even if a worker dies in the middle of one and two others take over', async () => {
    await template(tenant.api, { isDefault: true, depositPercent: 30 });
    const made = await accepted();
    const before = await events(made.id);
    const others = [await another(), worker];
    const blocker = await stage.transaction({ text: 'lock table data.work_tasks in exclusive mode' });
    const lost = exhaust(await another()).catch(() => undefined);
    const waiting = await until(async () => {
      const [row] = await stage.sql<{ pid: number }>(
        `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%work_tasks%'`,
      );
      return row ?? null;
    });
    await stage.sql('select pg_terminate_backend($1)', [waiting.pid]); // as if its process had been killed
    await blocker.end();
    await lost;
    stage.platform.clock.advance(HOUR_MS);
    await until(async () => {
      await Promise.all(others.map((each) => exhaust(each)));
      return (await read(tenant.api, made)).status === 'completed';
    });
    const after = await events(made.id);
    expect(after.slice(before.length)).toEqual([
      ...Array<string>(4).fill('sales.handoff.updated'),
      'sales.handoff.completed',
    ]);
    const count = async (path: string) => ((await get(path))['data'] as unknown[]).length;
    const { projectId } = await read(tenant.api, made);
    expect(await count(`/api/v1/work/projects?dealId=${made.dealId}`)).toBe(1);
    expect(await count(`/api/v1/work/tasks?projectId=${String(projectId)}`)).toBe(1);
    expect(await count(`/api/v1/finance/invoices?dealId=${made.dealId}`)).toBe(1);
  });

  it('runs each step once if its timer fires again', async () => {
    const made = await accepted();
    await work();
    await fireAgain(made.id);
    expect((await get(`/api/v1/work/projects?dealId=${made.dealId}`))['data']).toHaveLength(1);
    expect(await read(tenant.api, made)).toMatchObject({ status: 'completed' });
  });
});
