import { randomUUID } from 'node:crypto';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { ask, jobOf, makeJob, setPolicy } from './job-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  await setPolicy(tenant, { personalData: 'allow' });
});
afterAll(() => platform.close());

const create = async (path: string, body: object): Promise<string> => {
  const answer = await tenant.api.post<{ id: string }>(path, body);
  if (answer.status > 201) throw new Error(answer.text);
  return answer.body.id;
};
const about = (object: string, id: string) => ({ kind: 'record.summarize', input: {}, targets: [{ object, id }] });
/** Fields of the only record in a job's context. */
async function shownTo(api: Client, object: string, id: string, more: object = {}): Promise<Record<string, unknown>> {
  const job = await makeJob(api, { ...about(object, id), ...more });
  const { input } = await jobOf(api, job.id);
  const [record] = (input as { records: { object: string; id: string; fields: Record<string, unknown> }[] }).records;
  expect(record).toMatchObject({ object, id });
  return record!.fields;
}
const makeAgent = async (more: object): Promise<string> => {
  const id = await create('/api/v1/intelligence/agents', { name: 'Scout', ...more });
  const answer = await tenant.api.post(`/api/v1/intelligence/agents/${id}/activate`);
  if (answer.status !== 200) throw new Error(answer.text);
  return id;
};
const employee = () =>
  create('/api/v1/people/employees', {
    firstName: 'Ada',
    lastName: 'Bern',
    startDate: '2026-01-01',
    personalEmail: 'ada@example.test',
    nationalId: '756.1234.5678.97',
  });

test('a record is passed as visible to the caller, without its envelope', async () => {
  const id = await create('/api/v1/sales/deals', { name: 'Acme renewal', nextStep: 'Call' });
  const fields = await shownTo(tenant.api, 'sales.deal', id);
  expect(fields).toMatchObject({ name: 'Acme renewal', nextStep: 'Call', status: 'open' });
  for (const field of ['id', 'object', 'version', 'createdBy', 'updatedBy', 'allowedActions', 'lostReason'])
    expect(fields).not.toHaveProperty(field);
});

test('sensitive fields are never passed, personal ones only with permission and if agent or policy allow them', async () => {
  const id = await employee();
  const fields = await shownTo(tenant.api, 'people.employee', id);
  expect(fields).toMatchObject({ personalEmail: 'ada@example.test' });
  expect(fields).not.toHaveProperty('nationalId');
  const reader = await platform.member(tenant, 'Bob', ['ai-jobs:*', 'employees:read', 'agents:read']);
  expect(await shownTo(reader.api, 'people.employee', id)).not.toHaveProperty('personalEmail');
  const shy = await makeAgent({});
  const open = await makeAgent({ dataScope: { includePersonal: true } });
  expect(await shownTo(tenant.api, 'people.employee', id, { agentId: shy })).not.toHaveProperty('personalEmail');
  expect(await shownTo(tenant.api, 'people.employee', id, { agentId: open })).toHaveProperty('personalEmail');
});

test('an unreadable record is treated like an unknown one', async () => {
  const id = await create('/api/v1/sales/deals', { name: 'Acme renewal' });
  const unknown = { status: 400, body: { errors: [{ pointer: '/targets/0/id', code: 'unknown_reference' }] } };
  const blind = await platform.member(tenant, 'Eve', ['ai-jobs:*']);
  expect(await ask(blind.api, about('sales.deal', id))).toMatchObject(unknown);
  const other = await platform.tenant();
  expect(await ask(other.api, about('sales.deal', id))).toMatchObject(unknown);
  expect(await ask(tenant.api, about('sales.deal', randomUUID()))).toMatchObject(unknown);
});

test('an agent only reads records within its data scope', async () => {
  const id = await create('/api/v1/sales/deals', { name: 'Acme renewal' });
  const workspace = await create('/api/admin/workspaces', { name: 'Elsewhere', key: 'ELSE' });
  const outside = { status: 400, body: { errors: [{ pointer: '/targets/0/id', code: 'outside_data_scope' }] } };
  const people = await makeAgent({ dataScope: { areas: ['people'] } });
  expect(await ask(tenant.api, { ...about('sales.deal', id), agentId: people })).toMatchObject(outside);
  const elsewhere = await makeAgent({ dataScope: { workspaceIds: [workspace] } });
  expect(await ask(tenant.api, { ...about('sales.deal', id), agentId: elsewhere })).toMatchObject(outside);
  const sales = await makeAgent({ dataScope: { areas: ['sales'] } });
  expect((await ask(tenant.api, { ...about('sales.deal', id), agentId: sales })).status).toBe(201);
});

test('only an active agent accepts jobs, within its own limit', async () => {
  const draft = await create('/api/v1/intelligence/agents', { name: 'Scout' });
  expect(await ask(tenant.api, { agentId: draft })).toMatchObject({ status: 409, body: { code: 'agent_inactive' } });
  const thrifty = await makeAgent({ limits: { maxCostMicrosPerJob: 5_000 } });
  expect((await makeJob(tenant.api, { agentId: thrifty })).costCapMicros).toBe(5_000);
  expect(await ask(tenant.api, { agentId: thrifty, costCapMicros: 5_001 })).toMatchObject({
    status: 400,
    body: { code: 'cost_cap_above_policy' },
  });
});

test('blocked content is not sent, and only the decision is stored', async () => {
  const strict = await platform.tenant();
  await setPolicy(strict, { personalData: 'block' });
  const answer = await ask(strict.api, { input: { text: 'Write to ada@example.test. She waits.' } });
  expect(answer).toMatchObject({ status: 403, body: { rules: ['personal_data_blocked'] } });
  expect(answer.text).not.toContain('ada@');
});
