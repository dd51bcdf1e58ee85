import { DAY_MS } from '#libs/kernel/durations.js';
import type { TestTenant } from '../../harness/platform.js';
import { Stage } from '../../worker/stage.js';
import { acted, dayFrom, EMPLOYEES, made, makeEmployee } from '../people/people-calls.js';
import { command, night, work } from './retention-stage.js';

const ACCOUNTS = '/api/v1/sales/accounts';
const CONTACTS = '/api/v1/sales/contacts';
const MILESTONES = '/api/v1/work/milestones';

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
const account = (body: object = {}) => made(tenant.api, ACCOUNTS, { name: 'Globex', ...body });
const jobOf = async (jobId: unknown) => (await tenant.api.get(`/api/operations/jobs/${String(jobId)}`)).body;

/** The preview of a new policy, and the job of its run. */
async function previewAndRun(object: string, retainDays: number) {
  const policy = await command(tenant, { object, retainDays, enabled: false });
  const preview = await command(tenant, { action: 'preview', id: policy['id'] });
  const { jobId } = await command(tenant, { action: 'run_now', id: policy['id'], confirm: true });
  await work(stage);
  return { preview, job: await jobOf(jobId) };
}

describe('a preview equals the run', () => {
  it('of a duplicate and the record that it was merged into', async () => {
    const duplicate = await made(tenant.api, CONTACTS, { name: 'Ada' });
    const survivor = await made(tenant.api, CONTACTS, { name: 'Ada Lovelace' });
    await acted(tenant.api, CONTACTS, duplicate.id, 'merge', { intoId: survivor.id });
    days(100);
    const { preview, job } = await previewAndRun('sales.contact', 30);
    const sampleIds = [duplicate.id, survivor.id].sort();
    expect(preview).toEqual({ wouldAffect: 2, sampleIds, heldBack: 0, inUse: 0 });
    expect(job).toMatchObject({
      progress: { done: 2, total: 2 },
      result: { examined: 2, affected: 2, heldBack: 0, inUse: 0 },
    });
  });

  it('of accounts above one that stays, and of a line that goes', async () => {
    const top = await account();
    const middle = await account({ parentAccountId: top.id });
    const going = await account();
    const last = await account({ parentAccountId: (await account({ parentAccountId: going.id })).id });
    days(100);
    await account({ parentAccountId: middle.id });
    const fresh = await account({ parentAccountId: last.id });
    const { preview, job } = await previewAndRun('sales.account', 30);
    expect(preview).toMatchObject({ wouldAffect: 0, sampleIds: [], heldBack: 0, inUse: 5 });
    expect(job).toMatchObject({ progress: { done: 0, total: 0 }, result: { examined: 5, affected: 0, inUse: 5 } });
    await tenant.api.patch(`${ACCOUNTS}/${fresh.id}`, { parentAccountId: null });
    days(31);
    const scope = { objectIds: [middle.id] };
    await command(tenant, { action: 'place_hold', name: 'Dispute', reason: 'Lawsuit', scope });
    const second = await previewAndRun('sales.account', 30);
    expect(second.preview).toMatchObject({ wouldAffect: 4, heldBack: 2, inUse: 1 });
    expect(second.job).toMatchObject({
      progress: { done: 4, total: 4 },
      result: { examined: 7, affected: 4, heldBack: 2, inUse: 1 },
    });
  });

  it('of employees who have managed each other', async () => {
    const now = stage.platform.clock.nowMs();
    const startDate = dayFrom(now, -90);
    const first = await makeEmployee(tenant.api, { startDate });
    const second = await makeEmployee(tenant.api, { startDate, managerId: first.id });
    const reports = (id: string, managerId: string | null, ago: number) =>
      acted(tenant.api, EMPLOYEES, id, 'change-employment', { managerId, effectiveDate: dayFrom(now, -ago) });
    await reports(second.id, null, 60);
    await reports(first.id, second.id, 40);
    await reports(first.id, null, 20);
    for (const { id } of [first, second]) await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'voluntary' });
    days(400);
    const { preview, job } = await previewAndRun('people.employee', 365);
    expect(preview).toEqual({ wouldAffect: 0, sampleIds: [], heldBack: 0, inUse: 2 });
    expect(job).toMatchObject({ progress: { done: 0, total: 0 }, result: { affected: 0, inUse: 2 } });
  });
});

it('shows as many as were deleted when records in the trash free those of other types', async () => {
  const contact = await made(tenant.api, CONTACTS, { name: 'Ada' });
  const project = await made(tenant.api, '/api/v1/work/projects', { name: 'Rollout' });
  const milestone = await made(tenant.api, MILESTONES, {
    ...{ name: 'Go-live', projectId: project.id },
    acceptance: { contactId: contact.id },
  });
  await tenant.api.delete(`${MILESTONES}/${milestone.id}`);
  for (const { id } of [contact, await made(tenant.api, CONTACTS, { name: 'Grace' })])
    await tenant.api.delete(`${CONTACTS}/${id}`);
  days(31);
  await night(stage);
  const [job] = await stage.sql<{ id: string }>(
    `select id from data.jobs where tenant_id = $1 and kind = 'core.retention'`,
    [tenant.id],
  );
  expect(await jobOf(job!.id)).toMatchObject({ progress: { done: 3, total: 3 }, result: { affected: 3, inUse: 0 } });
});
