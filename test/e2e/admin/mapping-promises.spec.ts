import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { Client } from '../../harness/client.js';
import type { TestTenant } from '../../harness/platform.js';
import { Stage } from '../../worker/stage.js';
import { CANDIDATES } from '../talent/talent-calls.js';
import {
  change,
  EMPLOYEES,
  hired,
  type Json,
  mappingOf,
  MAPPINGS,
  newTemplate,
  type Shown,
  workerOf,
} from './mapping-calls.js';

/** What was approved when a mapping was applied is what its later steps do, or they fail. */
let stage: Stage;
let tenant: TestTenant;
let work: () => Promise<void>;
beforeAll(async () => {
  stage = await Stage.open();
  work = await workerOf(stage);
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterAll(() => stage.close());

const { admin, viewer } = SYSTEM_ROLE_IDS;
const ATTACKER = 'boss@evil.example';
const KEYS = '/api/settings/developer/api-keys';
const dayIn = (days: number) => new Date(stage.platform.clock.nowMs() + days * DAY_MS).toISOString().slice(0, 10);
const invited = async () => {
  const { body } = await tenant.api.get<{ data: Json[] }>('/api/admin/invitations');
  return body.data.map(({ email }) => email);
};
const soon = () => {
  stage.platform.clock.advance(30 * DAY_MS);
  return work();
};

/** Somebody with a role of their own that has these permissions and nothing else. */
async function holderOf(...permissions: string[]): Promise<Client> {
  const { id } = (await tenant.api.post<Json>('/api/admin/roles', { name: permissions.join(' '), permissions })).body;
  return (await stage.platform.member(tenant, 'Weak', ['*'], { roles: [id] })).api;
}

/** A role that is not privileged. */
async function plainRole(): Promise<string[]> {
  const role = { name: 'Helper', permissions: ['deals:read'] };
  return [(await tenant.api.post<Json>('/api/admin/roles', role)).body.id];
}

interface Terms {
  template?: object;
  values?: object;
  by?: Client;
}

/** A mapping whose invitation waits, applied by a caller; by the automation without one. */
async function waiting({ template = {}, values = {}, by }: Terms = {}): Promise<Shown> {
  if (by) await tenant.api.patch('/api/admin/settings', { talent: { autoApply: false } });
  await newTemplate(tenant.api, { isDefault: true, createMembership: true, ...template });
  const candidate = await hired(tenant.api, dayIn(40));
  await work();
  const { id } = await mappingOf(tenant.api, candidate);
  if (by) {
    if (Object.keys(values).length > 0) await change(tenant.api, id, { values });
    expect(await change(by, id, { action: 'apply' })).toMatchObject({ status: 200 });
    await work();
  }
  const mapping = await mappingOf(tenant.api, candidate);
  expect(mapping.steps.at(-1)).toMatchObject({ key: 'invitation', status: 'waiting' });
  return mapping;
}

const failed = async ({ candidateId }: Json, code: string) => {
  const mapping = await mappingOf(tenant.api, String(candidateId));
  expect(mapping).toMatchObject({ status: 'failed', invitationId: null });
  expect(mapping.steps.at(-1)).toMatchObject({ key: 'invitation', status: 'failed', error: { code } });
  expect(await invited()).toEqual([]);
  return mapping;
};

describe('an invitation', () => {
  it.each([
    ['the address at work', { workEmail: ATTACKER }, ['employees:read', 'employees:write']],
    ['the private address', { personalEmail: ATTACKER }, ['employees:*', 'employees.personal:*']],
  ])('is not sent once somebody changes %s', async (_field, patch, permissions) => {
    const mapping = await waiting({ by: tenant.api, values: { roleIds: [admin] } });
    expect(mapping).toMatchObject({ invitee: expect.stringContaining('@home.example') });
    const weak = await holderOf(...permissions);
    const answer = await weak.patch(`${EMPLOYEES}/${mapping.employeeId}`, { ...patch, startDate: dayIn(1) });
    expect(answer).toMatchObject({ status: 200 });
    await work();
    await failed(mapping, 'approval_changed');
    await change(tenant.api, mapping.id, { action: 'retry' });
    await work();
    await failed(mapping, 'approval_changed'); // whoever retries approves the address that the mapping shows
    const approved = await change(tenant.api, mapping.id, { values: { workEmail: ATTACKER }, action: 'retry' });
    expect(approved.body).toMatchObject({ invitee: ATTACKER });
    await work();
    expect(await invited()).toEqual([ATTACKER]);
  });

  it('that nobody has promised does not follow a changed address', async () => {
    const mapping = await waiting();
    const weak = await holderOf('employees:read', 'employees:write');
    await weak.patch(`${EMPLOYEES}/${mapping.employeeId}`, { workEmail: ATTACKER });
    await soon();
    await failed(mapping, 'approval_changed');
  });

  it('that nobody has promised gives no role that has become privileged', async () => {
    const [id] = await plainRole();
    const mapping = await waiting({ template: { defaults: { roleIds: [id] } } });
    await tenant.api.patch(`/api/admin/roles/${id}`, { permissions: ['members:manage'] });
    await soon();
    await failed(mapping, 'permission_denied');
  });

  it('is the one that was promised, however the template and the candidate change', async () => {
    const mapping = await waiting({ by: tenant.api, template: { defaults: { roleIds: [viewer] } } });
    const weak = await holderOf('talent-mapping-templates:manage', 'candidates:read', 'candidates:write');
    const template = { defaults: {}, inviteDaysBeforeStart: 0, createMembership: false };
    expect(await weak.patch(`${MAPPINGS}/templates/${String(mapping['templateId'])}`, template)).toMatchObject({
      status: 200,
    });
    await weak.patch(`${CANDIDATES}/${String(mapping['candidateId'])}`, { email: ATTACKER });
    await soon();
    expect(await mappingOf(tenant.api, String(mapping['candidateId']))).toMatchObject({ status: 'applied' });
    const { body } = await tenant.api.get<{ data: Json[] }>('/api/admin/invitations');
    expect(body.data).toMatchObject([{ email: mapping['invitee'], roleIds: [viewer] }]);
  });
});

describe('the right of who applied with a key', () => {
  /** A member with a personal key of the API. */
  async function keyHolder() {
    const member = await stage.platform.member(tenant, 'Boss', ['*'], { roles: ['admin'] });
    const scopes = ['talent-mappings:*', 'members:invite', 'candidates:read', 'deals:*'];
    const key = await member.api.post<Json & { apiKey: string }>(KEYS, { name: 'Own', kind: 'personal', scopes });
    if (key.status !== 201) throw new Error(key.text);
    return { member, keyId: key.body.id, key: tenant.api.as({ 'x-api-key': key.body.apiKey }) };
  }

  it('is asked again: a member who has been demoted since promises nothing', async () => {
    await stage.platform.member(tenant, 'Owner', ['*'], { roles: ['owner'] });
    const { member, key } = await keyHolder();
    const mapping = await waiting({ by: key, values: { roleIds: await plainRole() } });
    const roles = (roleIds: string[]) => tenant.api.patch(`/api/admin/memberships/${member.id}`, { roleIds });
    expect(await roles([viewer])).toMatchObject({ status: 200 });
    await soon();
    await failed(mapping, 'permission_denied');
    expect(await roles([admin])).toMatchObject({ status: 200 });
    await change(key, mapping.id, { action: 'retry' });
    await work();
    expect(await invited()).toHaveLength(1);
  });

  it('ends with the key', async () => {
    const { key, keyId } = await keyHolder();
    const mapping = await waiting({ by: key, values: { roleIds: await plainRole() } });
    expect(await tenant.api.post(`${KEYS}/${keyId}/revoke`)).toMatchObject({ status: 200 });
    await soon();
    await failed(mapping, 'unauthenticated');
  });

  it('outlives the rotation of the key', async () => {
    const { member, key, keyId } = await keyHolder();
    await waiting({ by: key, values: { roleIds: await plainRole() } });
    expect(await member.api.post(`${KEYS}/${keyId}/rotate`, { overlapHours: 0 })).toMatchObject({ status: 200 });
    await soon();
    expect(await invited()).toHaveLength(1);
  });
});
