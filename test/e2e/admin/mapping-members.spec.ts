import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import type { TestTenant } from '../../harness/platform.js';
import { type Hall, openHall } from '../invitations/hall.js';
import { CANDIDATES } from '../talent/talent-calls.js';
import { change, EMPLOYEES, hired, type Json, mappingOf, MAPPINGS, newTemplate, type Shown } from './mapping-calls.js';

/** Talent mappings whose employee has accepted the invitation. */
const hall: Hall = await openHall();
afterAll(() => hall.close());

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await hall.platform.tenant();
});

interface Item {
  key: string;
  role?: string;
  assigneeId: string | null;
}
interface Joined {
  candidate: string;
  mapping: Shown;
  membershipId: string;
  session: string;
}

const ROLES = { admin: '00000000-0000-7000-8000-000000000002', viewer: '00000000-0000-7000-8000-000000000005' };
const BILLING = '00000000-0000-7000-8000-000000000007';
const dayIn = (days: number) => new Date(hall.platform.clock.nowMs() + days * DAY_MS).toISOString().slice(0, 10);
const get = async (path: string) => tenant.api.get<Json>(path);
const itemsOf = async (employeeId: string | null) => {
  const { body } = await tenant.api.get<{ data: { items: Item[] }[] }>(
    `/api/operations/checklists?subject=people.employee:${employeeId}`,
  );
  return body.data[0]!.items;
};

async function work(): Promise<void> {
  await hall.worker.get(EventRelay).pass();
  while ((await hall.worker.get(AutomationWorker).pass()) !== 'none');
}

/** A hire who has accepted the invitation of their mapping. */
async function joined(template: object = {}): Promise<Joined> {
  await newTemplate(tenant.api, { isDefault: true, createMembership: true, ...template });
  const candidate = await hired(tenant.api, dayIn(5));
  await work();
  const mapping = await mappingOf(tenant.api, candidate);
  const email = String((await get(`/api/admin/invitations/${mapping.invitationId}`)).body['email']);
  const answer = await hall.accept(await hall.tokenFor(email), { idToken: await hall.proof(email) });
  const { token, membership } = answer.body as { token: string; membership: { id: string } };
  return { candidate, mapping, membershipId: membership.id, session: token };
}

describe('cancelling after the invitation was accepted', () => {
  it('suspends the membership and puts the employee into the trash', async () => {
    const { candidate, mapping, membershipId, session } = await joined();
    const { id, employeeId, invitationId } = mapping;
    expect((await get(`${EMPLOYEES}/${employeeId}`)).body).toMatchObject({ membershipId, version: 2 });
    expect((await get(`/api/admin/memberships/${membershipId}`)).body).toMatchObject({ source: 'talent_mapping' });
    expect(await hall.as(session).get('/api/home')).toMatchObject({ status: 200 });
    expect(await change(tenant.api, id, { action: 'cancel' })).toMatchObject({
      status: 200,
      body: {
        status: 'cancelled',
        effects: [
          { key: 'invitation', status: 'kept', target: { id: invitationId } },
          { key: 'employee', status: 'reverted', target: { id: employeeId } },
          { key: 'membership', status: 'reverted', target: { object: 'core.membership', id: membershipId } },
        ],
      },
    });
    expect(await get(`${EMPLOYEES}/${employeeId}`)).toMatchObject({ status: 404 });
    expect((await get(`/api/admin/memberships/${membershipId}`)).body).toMatchObject({ status: 'suspended' });
    expect(await hall.as(session).get('/api/home')).toMatchObject({ status: 401 });
    expect((await get(`${CANDIDATES}/${candidate}`)).body).toMatchObject({ employeeId: null });
  });

  it('keeps the access of an employee whom somebody has changed', async () => {
    const { mapping, membershipId } = await joined();
    await tenant.api.patch(`${EMPLOYEES}/${mapping.employeeId}`, { jobTitle: 'Star gazer' });
    expect(await change(tenant.api, mapping.id, { action: 'cancel' })).toMatchObject({
      body: {
        effects: [
          { key: 'invitation', status: 'kept' },
          { key: 'employee', status: 'kept' },
          { key: 'membership', status: 'kept' },
        ],
      },
    });
    expect((await get(`${EMPLOYEES}/${mapping.employeeId}`)).body).toMatchObject({ membershipId });
    expect((await get(`/api/admin/memberships/${membershipId}`)).body).toMatchObject({ status: 'active' });
  });
});

describe('the checklist', () => {
  it('assigns the items of the employee on acceptance, and those of the manager to the nearest active one', async () => {
    const boss = await hall.platform.member(tenant, 'Boss');
    const employee = async (body: object) => (await tenant.api.post<Json>(EMPLOYEES, body)).body.id;
    const top = await employee({ name: 'Boss', membershipId: boss.id });
    const managerId = await employee({ name: 'Middle', managerId: top });
    const { id: onboardingTemplateId } = (
      await tenant.api.post<Json>('/api/settings/checklist-templates', {
        name: 'Welcome',
        appliesTo: 'onboarding',
        checklistItems: [
          { key: 'desk', title: 'Desk', assignee: { role: 'manager' } },
          { key: 'tax', title: 'Tax form', assignee: { role: 'employee' } },
          { key: 'photo', title: 'Photo', assignee: { role: 'employee' } },
          { key: 'lunch', title: 'Lunch' },
        ],
      })
    ).body;
    const { mapping, membershipId, session } = await joined({ onboardingTemplateId, defaults: { managerId } });
    expect(await itemsOf(mapping.employeeId)).toMatchObject([
      { key: 'desk', role: 'manager', assigneeId: boss.id },
      { key: 'tax', role: 'employee', assigneeId: membershipId },
      { key: 'photo', role: 'employee', assigneeId: membershipId },
      { key: 'lunch', assigneeId: null },
    ]);
    await work();
    const notices = async (api: Pick<typeof tenant.api, 'get'>) =>
      ((await api.get('/api/home/notifications')).body as { data: Json[] }).data;
    expect(await notices(hall.as(session))).toMatchObject([
      { kind: 'assignment', title: 'Assigned to you: Welcome', body: 'Tax form, Photo' },
    ]);
    expect(await notices(boss.api)).toMatchObject([{ title: 'Assigned to you: Welcome', body: 'Desk' }]);
  });
});

describe('the invitation', () => {
  it('that a mapping has yet to send is not preceded by one of the onboarding', async () => {
    const { api } = tenant;
    const defaults = { workEmail: '{{lastName}}@acme.example', roleIds: [ROLES.viewer] };
    await newTemplate(api, { isDefault: true, createMembership: true, defaults });
    const candidate = await hired(api, dayIn(40));
    await work();
    const { employeeId } = await mappingOf(api, candidate);
    expect(await api.post(`${EMPLOYEES}/${employeeId}/start-onboarding`)).toMatchObject({ status: 200 });
    const sent = async () => (await api.get<{ data: Json[] }>('/api/admin/invitations')).body.data;
    expect(await sent()).toEqual([]);
    hall.platform.clock.advance(30 * DAY_MS);
    await work();
    expect(await sent()).toMatchObject([{ employeeId, roleIds: [ROLES.viewer] }]);
  });

  it('is not sent if the member who applied the mapping may no longer do that', async () => {
    const { api } = tenant;
    await api.patch('/api/admin/settings', { talent: { autoApply: false } });
    const defaults = { roleIds: [ROLES.viewer] };
    await newTemplate(api, { isDefault: true, createMembership: true, defaults });
    const { membership, token } = await hall.signedIn(tenant);
    const roles = (roleIds: string[]) => api.patch(`/api/admin/memberships/${membership.id}`, { roleIds });
    await hall.platform.member(tenant, 'Owner', ['*'], { roles: ['owner'] });
    expect(await roles([ROLES.admin])).toMatchObject({ status: 200 });
    const candidate = await hired(api, dayIn(40));
    await work();
    const { id } = await mappingOf(api, candidate);
    expect(await hall.as(token).patch(MAPPINGS, { id, action: 'apply' })).toMatchObject({ status: 200 });
    await work();
    expect(await mappingOf(api, candidate)).toMatchObject({ status: 'applying', appliedBy: { id: membership.id } });
    expect(await roles([BILLING])).toMatchObject({ status: 200 });
    hall.platform.clock.advance(30 * DAY_MS);
    await work();
    const refused = await mappingOf(api, candidate);
    expect(refused).toMatchObject({ status: 'failed', invitationId: null });
    expect(refused.steps.at(-1)).toMatchObject({ key: 'invitation', error: { code: 'permission_denied' } });
    expect(await roles([ROLES.admin])).toMatchObject({ status: 200 });
    await change(api, id, { action: 'retry' });
    await work();
    expect(await mappingOf(api, candidate)).toMatchObject({ status: 'applied' });
  });
});
