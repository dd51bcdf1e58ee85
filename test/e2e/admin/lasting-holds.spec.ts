import { Stage } from '../../worker/stage.js';
import type { TestTenant } from '../../harness/platform.js';
import { made } from '../people/people-calls.js';
import { ACCOUNTS, CONTACTS, makeAccount, makeContact, makeProduct, PRODUCTS } from '../sales/sales-calls.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { command, night, RETENTION, work } from './retention-stage.js';

const PROJECTS = '/api/v1/work/projects';
const TASKS = '/api/v1/work/tasks';
const CANDIDATES = '/api/v1/talent/candidates';

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
const hold = (scope: object) => command(tenant, { action: 'place_hold', name: 'Dispute', reason: 'Lawsuit', scope });
const release = (id: unknown) => command(tenant, { action: 'release_hold', id, reason: 'Settled' });
const deletion = async (path: string, id: string) => {
  const { status, body } = await tenant.api.delete(`${path}/${id}`);
  return status === 200 ? 'deleted' : `${status} ${String(body['code'])}`;
};
const HELD = '423 legal_hold';

/** An account on hold, another one, and a contact of the first. */
async function heldContact() {
  const [account, other] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
  const contact = await makeContact(tenant.api, { accountId: account.id });
  return { account, other, contact, placed: await hold({ accountIds: [account.id] }) };
}

describe('a record that a change takes out of the scope of a legal hold', () => {
  it('stays under the hold until it is released', async () => {
    const { other, contact, placed } = await heldContact();
    expect((await tenant.api.patch(`${CONTACTS}/${contact.id}`, { accountId: other.id })).status).toBe(200);
    expect(await deletion(CONTACTS, contact.id)).toBe(HELD);
    const { body } = await tenant.api.delete(`${CONTACTS}?ids=${contact.id}`);
    expect(body['results']).toMatchObject([{ ok: false, problem: { code: 'legal_hold' } }]);
    days(100);
    const policy = await command(tenant, { object: 'sales.contact', retainDays: 30, enabled: false });
    const preview = () => command(tenant, { action: 'preview', id: policy['id'] });
    expect(await preview()).toEqual({ wouldAffect: 0, sampleIds: [], heldBack: 1, inUse: 0 });
    await command(tenant, { action: 'run_now', id: policy['id'], confirm: true });
    await work(stage);
    expect((await tenant.api.get(RETENTION)).body).toMatchObject({
      runs: [{ policyId: policy['id'], examined: 1, affected: 0, heldBack: 1 }],
    });
    await release(placed['id']);
    expect(await preview()).toEqual({ wouldAffect: 1, sampleIds: [contact.id], heldBack: 0, inUse: 0 });
    expect(await deletion(CONTACTS, contact.id)).toBe('deleted');
  });

  it('stays under the hold after a change of several records and after further changes', async () => {
    const { account, other, contact } = await heldContact();
    const items = [{ id: contact.id, accountId: null }];
    expect((await tenant.api.patch(CONTACTS, { items })).body).toMatchObject({ results: [{ ok: true }] });
    await tenant.api.patch(`${CONTACTS}/${contact.id}`, { accountId: account.id });
    await tenant.api.patch(`${CONTACTS}/${contact.id}`, { accountId: other.id });
    expect(await deletion(CONTACTS, contact.id)).toBe(HELD);
  });

  it('stays under the hold when accounts are merged, also in the trash', async () => {
    const { account, other, contact, placed } = await heldContact();
    await release(placed['id']);
    const trashed = await makeContact(tenant.api, { accountId: account.id });
    expect(await deletion(CONTACTS, trashed.id)).toBe('deleted');
    const again = await hold({ accountIds: [account.id] });
    expect((await tenant.api.post(`${ACCOUNTS}/${account.id}/merge`, { intoId: other.id })).status).toBe(200);
    expect((await tenant.api.get(`${CONTACTS}/${contact.id}`)).body).toMatchObject({ accountId: other.id });
    expect(await deletion(CONTACTS, contact.id)).toBe(HELD);
    const inTrash = async () => {
      const { body } = await tenant.api.get<{ data: { id: string; deletedAt: string | null }[] }>(
        `${CONTACTS}?includeDeleted=true`,
      );
      return body.data.filter(({ deletedAt }) => deletedAt !== null).map(({ id }) => id);
    };
    days(100);
    await night(stage);
    expect(await inTrash()).toEqual([trashed.id]);
    await release(again['id']);
    await night(stage);
    expect(await inTrash()).toEqual([]);
  });

  it('stays under the hold when SQL changes it', async () => {
    const { contact, placed } = await heldContact();
    const remove = () => stage.sql('delete from data.sales_contacts where id = $1', [contact.id]);
    await stage.sql('update data.sales_contacts set account_id = null where id = $1', [contact.id]);
    await expect(remove()).rejects.toThrow('the record is under a legal hold');
    await release(placed['id']);
    await remove();
  });

  it('cannot be erased', async () => {
    const member = await stage.platform.member(tenant, 'Ana');
    const candidate = await made(tenant.api, CANDIDATES, { name: 'Ada Lovelace', ownerId: member.id });
    const placed = await hold({ objects: ['talent.candidate'], membershipIds: [member.id] });
    const { body } = await tenant.api.patch(`${CANDIDATES}/${candidate.id}`, { ownerId: null });
    expect(body).toMatchObject({ ownerId: null });
    const erase = async () => (await tenant.api.post(`${CANDIDATES}/${candidate.id}/anonymize`)).status;
    expect(await erase()).toBe(423);
    await release(placed['id']);
    expect(await erase()).toBe(200);
  });

  it('keeps its parts under the hold, among the types of the hold', async () => {
    const [account, other] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
    const project = await made(tenant.api, PROJECTS, { name: 'Rollout', accountId: account.id });
    const task = await made(tenant.api, TASKS, { name: 'Plan', projectId: project.id });
    await hold({ objects: ['work.task'], accountIds: [account.id] });
    await tenant.api.patch(`${PROJECTS}/${project.id}`, { accountId: other.id });
    expect(await deletion(TASKS, task.id)).toBe(HELD);
    const free = await made(tenant.api, PROJECTS, { name: 'Audit', accountId: other.id });
    await tenant.api.patch(`${TASKS}/${task.id}`, { projectId: free.id });
    expect(await deletion(TASKS, task.id)).toBe(HELD);
    expect(await deletion(PROJECTS, project.id)).toBe('deleted');
  });

  it('is free if it left the scope before the hold was placed', async () => {
    const account = await makeAccount(tenant.api);
    const contact = await makeContact(tenant.api, { accountId: account.id });
    await tenant.api.patch(`${CONTACTS}/${contact.id}`, { accountId: null });
    await hold({ accountIds: [account.id] });
    expect(await deletion(CONTACTS, contact.id)).toBe('deleted');
  });

  it('is not covered by another hold with the same scope that is placed later', async () => {
    const { account, contact, placed } = await heldContact();
    await tenant.api.patch(`${CONTACTS}/${contact.id}`, { accountId: null });
    await release(placed['id']);
    await hold({ accountIds: [account.id] });
    expect(await deletion(CONTACTS, contact.id)).toBe('deleted');
  });
});

it('a hold waits for changes that are in progress', async () => {
  const account = await makeAccount(tenant.api);
  const contact = await makeContact(tenant.api, { accountId: account.id });
  const text = 'update data.sales_contacts set account_id = null where id = $1';
  const change = await stage.transaction({ text, values: [contact.id] });
  const placing = hold({ accountIds: [account.id] });
  await change.isWaitedFor();
  await change.end();
  expect(await placing).toMatchObject({ status: 'active' });
});

it('a record that no hold covers is not recorded', async () => {
  const { id } = await makeProduct(tenant.api);
  const { other } = await heldContact();
  await tenant.api.patch(`${PRODUCTS}/${id}`, { name: 'Support' });
  await tenant.api.patch(`${ACCOUNTS}/${other.id}`, { name: 'Globex' });
  const added = `select from data.legal_hold_ids k join data.legal_holds h on (h.tenant_id, h.id) = (k.tenant_id, k.hold_id)
    where k.tenant_id = $1 and not h.scope -> 'accountIds' ? k.named_id::text`;
  expect(await stage.sql(added, [tenant.id])).toEqual([]);
});
