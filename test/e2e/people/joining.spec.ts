import { DAY_MS } from '#libs/kernel/durations.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { acted, EMPLOYEES, makeEmployee } from './people-calls.js';

/** The invitation of an employee whose onboarding starts. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

interface Invitation {
  id: string;
  email: string;
  status: string;
}

const INVITATIONS = '/api/admin/invitations';
const listed = async <T>(path: string, api: Client = tenant.api) => (await api.get<{ data: T[] }>(path)).body.data;
const invitations = () => listed<Invitation>(INVITATIONS);
const told = (api: Client) => listed<{ title: string; body: string }>('/api/home/notifications', api);
const newcomer = (workEmail: string | null, body: object = {}) =>
  makeEmployee(tenant.api, { name: 'Ada', status: 'pending', workEmail, ...body });
const onboard = (id: string, api: Client = tenant.api) => acted(api, EMPLOYEES, id, 'start-onboarding');

describe('an onboarding', () => {
  it('invites the employee at the work address, as a member of their workspace', async () => {
    const { id: workspaceId } = (await tenant.api.post<{ id: string }>('/api/admin/workspaces', { name: 'Lab' })).body;
    const { id } = await newcomer('ada@acme.test', { workspaceId });
    expect(await onboard(id)).toMatchObject({ status: 'onboarding' });
    expect(await invitations()).toMatchObject([
      {
        email: 'ada@acme.test',
        employeeId: id,
        status: 'pending',
        roleIds: ['00000000-0000-7000-8000-000000000004'],
        workspaceIds: [workspaceId],
        invitedBy: { name: 'test' },
      },
    ]);
  });

  it('invites nobody without a work address, with a membership or with an open invitation', async () => {
    const member = await platform.member(tenant, 'Bob');
    const invited = await newcomer('ada@acme.test');
    await tenant.api.post(INVITATIONS, { email: 'ada@home.test', employeeId: invited.id });
    for (const { id } of [
      invited,
      await newcomer(null),
      await newcomer('bob@acme.test', { membershipId: member.id, startDate: '2099-01-05' }),
    ])
      await onboard(id);
    expect(await invitations()).toMatchObject([{ email: 'ada@home.test' }]);
  });

  it('invites again once the invitation is closed', async () => {
    const { id } = await newcomer('ada@acme.test');
    const { body } = await tenant.api.post<{ data: { invitation: Invitation }[] }>(INVITATIONS, {
      email: 'ada@acme.test',
      employeeId: id,
    });
    await tenant.api.patch(`${INVITATIONS}/${body.data[0]!.invitation.id}`, { action: 'revoke' });
    await onboard(id);
    const { data } = (await tenant.api.get<{ data: { expiresAt: string }[] }>(`${INVITATIONS}?status=pending`)).body;
    expect(data).toHaveLength(1);
    expect(Date.parse(data[0]!.expiresAt) - platform.clock.nowMs()).toBeGreaterThan(29 * DAY_MS);
  });

  it('starts also if no seat is left, and tells those who can invite', async () => {
    tenant = await platform.tenant({ plan: 'free', reads: 60_000, writes: 12_000 });
    const admin = await platform.member(tenant, 'Admin', ['*'], { roles: ['admin'] });
    const emails = Array.from({ length: 9 }, (_each, i) => `guest${i}@acme.test`);
    await tenant.api.post(INVITATIONS, { emails });
    const { id } = await newcomer('ada@acme.test');
    expect(await onboard(id)).toMatchObject({ status: 'onboarding' });
    expect(await invitations()).toHaveLength(9);
    expect(await told(admin.api)).toMatchObject([
      {
        title: 'Ada is not invited yet',
        body: expect.stringContaining('The plan has no seats left.'),
        url: `${EMPLOYEES}/${id}`,
      },
    ]);
  });

  it('by somebody who may not invite leaves that to others, and tells both', async () => {
    const admin = await platform.member(tenant, 'Admin', ['*'], { roles: ['admin'] });
    const role = { name: 'People', permissions: ['employees:read', 'employees:write'] };
    const { id: roleId } = (await tenant.api.post<{ id: string }>('/api/admin/roles', role)).body;
    const clerk = await platform.member(tenant, 'Clerk', ['*'], { roles: [roleId] });
    const { id } = await newcomer('ada@acme.test');
    await onboard(id, clerk.api);
    expect(await invitations()).toEqual([]);
    for (const { api } of [admin, clerk])
      expect(await told(api)).toMatchObject([{ body: expect.stringContaining('members:invite') }]);
  });
});
