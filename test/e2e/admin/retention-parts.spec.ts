import { Stage } from '../../worker/stage.js';
import type { TestTenant } from '../../harness/platform.js';
import { act, balances, INVOICES, issuedInvoice, journals, payment, PAYMENTS } from '../finance/payment-calls.js';
import { acted, EMPLOYEES, made, makeEmployee } from '../people/people-calls.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { command, work } from './retention-stage.js';

const PRODUCTS = '/api/v1/sales/products';
const PROJECTS = '/api/v1/work/projects';
const TASKS = '/api/v1/work/tasks';
const AGENTS = '/api/v1/intelligence/agents';
const PROMPTS = '/api/ai/prompts';

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
