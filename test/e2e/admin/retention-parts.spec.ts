import { Stage } from '../../worker/stage.js';
import type { TestTenant } from '../../harness/platform.js';
import { JOBS, makeJob, move, setPolicy } from '../ai/job-calls.js';
import { act, balances, INVOICES, issuedInvoice, journals, payment, PAYMENTS } from '../finance/payment-calls.js';
import { acted, EMPLOYEES, made, makeEmployee } from '../people/people-calls.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { command, work } from './retention-stage.js';

const PRODUCTS = '/api/v1/sales/products';
const PROJECTS = '/api/v1/work/projects';
const TASKS = '/api/v1/work/tasks';
const AGENTS = '/api/v1/intelligence/agents';
const PROMPTS = '/api/ai/prompts';
const NAME = 'Renewal of Globex';

let stage: Stage;
let tenant: TestTenant;
beforeAll(async () => {
  stage = await Stage.open();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterEach(() => stage.stopWorkers());
afterAll(() => stage.close());

const days = (count: number) => stage.platform.clock.advance(count * DAY_MS);
const statusOf = async (path: string) => (await tenant.api.get(path)).status;
const countOf = async (table: string) =>
  (await stage.sql(`select from ${table} where tenant_id = $1`, [tenant.id])).length;
const hold = (scope: object) => command(tenant, { action: 'place_hold', name: 'Dispute', reason: 'Lawsuit', scope });

/** Runs a new policy and returns the figures of the run. */
async function expire(object: string, retainDays: number): Promise<Record<string, unknown>> {
  const policy = await command(tenant, { object, retainDays, enabled: false });
  const { jobId } = await command(tenant, { action: 'run_now', id: policy['id'], confirm: true });
  await work(stage);
  const { body } = await tenant.api.get(`/api/operations/jobs/${String(jobId)}`);
  expect(body).toMatchObject({ status: 'succeeded' });
  return body['result'] as Record<string, unknown>;
}

describe('a retention run', () => {
  it('deletes settled invoices and then their payments, and leaves the books as they were', async () => {
    const settled = await issuedInvoice(tenant.api, 1_000);
    const paid = await payment(tenant.api, 1_500, { allocations: [{ invoiceId: settled.id, amountMinor: 1_000 }] });
    const books = await balances(tenant.api);
    const entries = await journals(tenant.api, settled.id);
    days(2_600);
    const later = await issuedInvoice(tenant.api, 300);
    await act(tenant.api, `${PAYMENTS}/${paid.id}`, 'allocate', {
      allocations: [{ invoiceId: later.id, amountMinor: 300 }],
    });
    expect(await expire('finance.invoice', 2_555)).toMatchObject({ affected: 1, failed: 0, inUse: 0 });
    expect(await statusOf(`${INVOICES}/${settled.id}`)).toBe(404);
    expect((await tenant.api.get(`${INVOICES}/${later.id}`)).body).toMatchObject({ status: 'paid', balanceMinor: 0 });
    expect(await countOf('data.finance_payment_allocations')).toBe(1);
    expect(await journals(tenant.api, settled.id)).toEqual(entries);
    expect(await expire('finance.payment', 2_555)).toMatchObject({ affected: 1, failed: 0, inUse: 0 });
    expect(await statusOf(`${PAYMENTS}/${paid.id}`)).toBe(404);
    expect(await countOf('data.finance_payment_allocations')).toBe(0);
    expect((await tenant.api.get(`${INVOICES}/${later.id}`)).body).toMatchObject({ status: 'paid', balanceMinor: 0 });
    expect(await balances(tenant.api)).toEqual({ ...books, 'customer_credit USD': -200, 'revenue USD': -1_300 });
  });

  it('deletes projects with their tasks and task states', async () => {
    const project = await made(tenant.api, PROJECTS, { name: 'Rollout' });
    const state = { name: 'QA', key: 'qa', category: 'started', projectId: project.id };
    await made(tenant.api, '/api/settings/task-states', state);
    await made(tenant.api, TASKS, { name: 'Plan', projectId: project.id, state: 'qa' });
    days(400);
    expect(await expire('work.project', 365)).toMatchObject({ affected: 1, failed: 0 });
    for (const table of ['projects', 'tasks', 'task_states']) expect(await countOf(`data.work_${table}`)).toBe(0);
  });

  it('deletes employees with their employments and skills', async () => {
    const { id } = await makeEmployee(tenant.api, { skills: [{ name: 'Welding', level: 3 }] });
    const stays = await makeEmployee(tenant.api);
    await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'voluntary' });
    days(400);
    expect(await expire('people.employee', 365)).toMatchObject({ affected: 1, failed: 0 });
    expect(await statusOf(`${EMPLOYEES}/${id}`)).toBe(404);
    expect(await statusOf(`${EMPLOYEES}/${stays.id}`)).toBe(200);
    expect(await countOf('data.people_employments')).toBe(1);
    expect(await countOf('data.people_skills')).toBe(0);
  });

  it('deletes agents and prompts with their versions', async () => {
    const agent = await made(tenant.api, AGENTS, { name: 'Helper' });
    await tenant.api.patch(`${AGENTS}/${agent.id}`, { instructions: 'Be brief.' });
    const prompt = await made(tenant.api, PROMPTS, { name: 'Reply', key: 'reply', template: 'Hi {{name}}' });
    await tenant.api.patch(`${PROMPTS}/${prompt.id}`, { template: 'Hello {{name}}' });
    expect(await countOf('data.intelligence_agent_versions')).toBe(2);
    expect(await countOf('data.ai_prompt_versions')).toBe(2);
    days(400);
    expect(await expire('intelligence.agent', 365)).toMatchObject({ affected: 1, failed: 0 });
    expect(await expire('ai.prompt', 365)).toMatchObject({ affected: 1, failed: 0 });
    expect(await countOf('data.intelligence_agent_versions')).toBe(0);
    expect(await countOf('data.ai_prompt_versions')).toBe(0);
  });
});

describe('the AI jobs about deleted records', () => {
  const product = () => made(tenant.api, PRODUCTS, { name: 'Licence' });
  const job = async (targets: { id: string }[]) => {
    const about = targets.map(({ id }) => ({ object: 'sales.product', id }));
    const { id } = await makeJob(tenant.api, { kind: 'record.summarize', name: NAME, targets: about, input: {} });
    await move(stage.platform, tenant, id, 'start');
    await move(stage.platform, tenant, id, 'succeed', { output: { text: 'Globex renews.', json: null } });
    await tenant.api.post(`${JOBS}/${id}/feedback`, { rating: -1, comment: 'Globex does not' });
    return id;
  };
  const kept = async (id: string) => {
    const [row] = await stage.sql<object>(
      `select j.name, j.sealed_input is not null as input, j.output is not null as output,
         (select f.comment from data.ai_feedback f where f.tenant_id = $1 and f.job_id = j.id) as comment
       from data.ai_jobs j where j.tenant_id = $1 and j.id = $2`,
      [tenant.id, id],
    );
    return row;
  };
  const whole = { name: NAME, input: true, output: true, comment: 'Globex does not' };
  const wiped = { name: '(erased)', input: false, output: false, comment: null };

  it('lose their inputs, outputs and feedback, unless a hold keeps them', async () => {
    await setPolicy(tenant, { storeInputs: 'full', ratePerMinute: 10_000 });
    const [first, second, held] = [await product(), await product(), await product()];
    days(400);
    const fresh = await product();
    await hold({ objectIds: [held.id] });
    const jobs = [await job([first]), await job([fresh, second]), await job([second, held]), await job([fresh])];
    expect(await Promise.all(jobs.map(kept))).toEqual([whole, whole, whole, whole]);
    expect(await expire('sales.product', 365)).toMatchObject({ affected: 2, heldBack: 1, failed: 0 });
    expect(await Promise.all(jobs.map(kept))).toEqual([wiped, wiped, whole, whole]);
  });

  it('keep outputs that name a deleted record while a hold keeps them', async () => {
    await setPolicy(tenant, { storeInputs: 'full', ratePerMinute: 10_000 });
    const [going, held] = [await product(), await product()];
    days(400);
    await hold({ objectIds: [held.id] });
    const id = await job([held]);
    const output = JSON.stringify({ text: `See ${going.id}.`, json: null });
    await stage.sql(`update data.ai_jobs set output = $3 where tenant_id = $1 and id = $2`, [tenant.id, id, output]);
    expect(await expire('sales.product', 365)).toMatchObject({ affected: 1, heldBack: 1 });
    expect(await kept(id)).toEqual(whole);
  });
});

describe('a legal hold', () => {
  it('refuses only the held records of a batch', async () => {
    const held = await made(tenant.api, PRODUCTS, { name: 'Licence' });
    const free = await made(tenant.api, PRODUCTS, { name: 'Support' });
    await hold({ objectIds: [held.id] });
    const { body } = await tenant.api.delete(`${PRODUCTS}?ids=${held.id},${free.id}`);
    expect(body['results']).toMatchObject([{ ok: false, problem: { status: 423, code: 'legal_hold' } }, { ok: true }]);
    expect(await statusOf(`${PRODUCTS}/${held.id}`)).toBe(200);
    expect(await statusOf(`${PRODUCTS}/${free.id}`)).toBe(404);
  });

  it('on a project keeps its tasks, and on a task keeps its project', async () => {
    const project = await made(tenant.api, PROJECTS, { name: 'Rollout' });
    const task = await made(tenant.api, TASKS, { name: 'Plan', projectId: project.id });
    const other = await made(tenant.api, PROJECTS, { name: 'Audit' });
    const heldTask = await made(tenant.api, TASKS, { name: 'Report', projectId: other.id });
    await hold({ objectIds: [project.id] });
    await hold({ objectIds: [heldTask.id] });
    expect((await tenant.api.delete(`${TASKS}/${task.id}`)).status).toBe(423);
    days(400);
    expect(await expire('work.task', 365)).toMatchObject({ affected: 0, heldBack: 2 });
    expect(await expire('work.project', 365)).toMatchObject({ affected: 0, heldBack: 2 });
    for (const { id } of [task, heldTask]) expect(await statusOf(`${TASKS}/${id}`)).toBe(200);
    for (const { id } of [project, other]) expect(await statusOf(`${PROJECTS}/${id}`)).toBe(200);
  });
});
