import { civilDateAt } from '#libs/kernel/civil-time.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { approvalOf, APPROVALS, dealOf, decide, park, setGate } from '../approvals/approval-calls.js';
import { auditOf, eventsOf } from '../../harness/written.js';

const PROFILE = '/api/settings/profile';

type Person = { id: string; api: Client };

let platform: TestPlatform;
let tenant: TestTenant;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  [ada, bob] = [await platform.member(tenant, 'Ada'), await platform.member(tenant, 'Bob')];
});
afterAll(() => platform.close());

const day = (offset = 0, zone = 'UTC') => civilDateAt(platform.clock.nowMs() + offset * DAY_MS, zone);
const failure = (pointer: string, code: string) => ({
  status: 400,
  body: { code: 'validation_failed', errors: [{ pointer, code }] },
});

const MORNING = { weekday: 1, from: '09:00', to: '12:00' };

describe('the profile', () => {
  it('belongs to the caller and is changed with a merge patch', async () => {
    const before = await ada.api.get(PROFILE);
    expect(before).toMatchObject({
      status: 200,
      body: { id: ada.id, name: 'Ada', locale: null, timezone: null, outOfOffice: null, version: 1 },
    });
    const etag = before.headers.get('etag')!;
    const patch = { name: 'Ada Lovelace', locale: 'de-AT', timezone: 'Europe/Vienna' };
    const changed = await ada.api.patch(PROFILE, patch, { 'if-match': etag });
    expect(changed).toMatchObject({ status: 200, body: { ...patch, version: 2 } });
    expect(await ada.api.patch(PROFILE, { name: 'X' }, { 'if-match': etag })).toMatchObject({ status: 412 });
    expect(await ada.api.patch(PROFILE, patch)).toMatchObject({ body: { version: 2 } });
    expect((await bob.api.get(PROFILE)).body).toMatchObject({ id: bob.id, name: 'Bob' });
    expect((await tenant.api.get(`/api/admin/memberships/${ada.id}`)).body).toMatchObject(patch);
    expect(await ada.api.patch(PROFILE, { locale: null })).toMatchObject({ body: { locale: null, version: 3 } });
    const audit = await auditOf(platform, tenant, ada.id);
    expect(audit.map(({ action }) => action)).toEqual(['core.membership.updated', 'core.membership.updated']);
    expect((await eventsOf(platform, tenant, ada.id)).map(({ type }) => type)).toEqual(
      audit.map(({ action }) => action),
    );
  });

  it('says when the member works, in order, as colleagues who may read members see it', async () => {
    const afternoon = { weekday: 1, from: '13:00', to: '24:00' };
    expect((await ada.api.get(PROFILE)).body).toMatchObject({ workingHours: null });
    const changed = await ada.api.patch(PROFILE, { workingHours: [afternoon, MORNING] });
    expect(changed).toMatchObject({ status: 200, body: { workingHours: [MORNING, afternoon], version: 2 } });
    expect(await ada.api.patch(PROFILE, { name: 'Ada L' })).toMatchObject({
      body: { workingHours: [MORNING, afternoon], version: 3 },
    });
    const { body } = await tenant.api.get(`/api/admin/memberships/${ada.id}`);
    expect(body).toMatchObject({ workingHours: [MORNING, afternoon] });
    expect(await ada.api.patch(PROFILE, { workingHours: null })).toMatchObject({
      body: { workingHours: null, version: 4 },
    });
  });

  it('names a delegate by a key only with the scope for approvals', async () => {
    const { api } = await platform.member(tenant, 'Cleo', ['deals:read']);
    const outOfOffice = { fromDate: day(), toDate: day(1), delegateId: bob.id };
    expect(await api.patch(PROFILE, { outOfOffice })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
  });

  it('is not available to service keys or without a credential', async () => {
    const refusal = { status: 403, body: { code: 'permission_denied' } };
    expect(await tenant.api.get(PROFILE)).toMatchObject(refusal);
    expect(await tenant.api.patch(PROFILE, { name: 'Robot' })).toMatchObject(refusal);
    expect(await platform.anonymous().get(PROFILE)).toMatchObject({ status: 401 });
    const operations = async (api: Client) =>
      (await api.get<{ data: { id: string; allowed: boolean }[] }>('/api/discovery/operations?area=settings')).body.data
        .filter(({ id }) => id.startsWith('settings.profile.'))
        .map(({ allowed }) => allowed);
    expect(await operations(tenant.api)).toEqual([false, false]);
    expect(await operations(ada.api)).toEqual([true, true]);
  });

  it('reports invalid patches', async () => {
    const away = { fromDate: day(), toDate: day(3), delegateId: bob.id };
    for (const [patch, pointer, code] of [
      [{ locale: 'klingon-x-' }, '/locale', 'unknown_locale'],
      [{ timezone: 'Mars/Olympus' }, '/timezone', 'unknown_timezone'],
      [{ name: '' }, '/name', 'too_short'],
      [{ name: null }, '/name', 'not_nullable'],
      [{ avatar: 'x' }, '/avatar', 'unknown_field'],
      [{ workingHours: [{ ...MORNING, to: '08:00' }] }, '/workingHours/0/to', 'out_of_range'],
      [{ workingHours: [{ ...MORNING, from: '25:00' }] }, '/workingHours/0/from', 'invalid_format'],
      [{ workingHours: [MORNING, { ...MORNING, from: '11:00', to: '13:00' }] }, '/workingHours/1', 'not_unique'],
      [{ outOfOffice: { fromDate: day() } }, '/outOfOffice/toDate', 'required'],
      [{ outOfOffice: { ...away, toDate: day(-1) } }, '/outOfOffice/toDate', 'out_of_range'],
      [{ outOfOffice: { ...away, delegateId: ada.id } }, '/outOfOffice/delegateId', 'not_by_oneself'],
      [{ outOfOffice: { ...away, delegateId: tenant.id } }, '/outOfOffice/delegateId', 'unknown_reference'],
    ] as const) {
      const { status, body } = await ada.api.patch(PROFILE, patch);
      expect({ patch, status, errors: body['errors'] }).toMatchObject({ status: 400 });
      expect(body['errors']).toContainEqual(expect.objectContaining({ pointer, code }));
    }
    const stranger = await platform.member(await platform.tenant(), 'Eve');
    const patch = { outOfOffice: { ...away, delegateId: stranger.id } };
    expect(await ada.api.patch(PROFILE, patch)).toMatchObject(failure('/outOfOffice/delegateId', 'unknown_reference'));
    expect((await ada.api.get(PROFILE)).body).toMatchObject({ version: 1 });
  });

  it('rejects a new name if an identity provider manages the person', async () => {
    const made = await tenant.api.post<{ id: string }>('/api/scim/v2/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'grace@acme.example',
      displayName: 'Grace',
      active: true,
    });
    expect(made.status).toBe(201);
    const grace = await platform.key(tenant, ['*'], { memberId: made.body.id });
    expect(await grace.patch(PROFILE, { name: 'Amazing Grace' })).toMatchObject({
      status: 409,
      body: { code: 'managed_by_scim', managedFields: ['name'] },
    });
    expect(await grace.patch(PROFILE, { locale: 'en-US' })).toMatchObject({ status: 200 });
  });

  it('replays its response for an idempotency key', async () => {
    const key = { 'idempotency-key': 'my-profile' };
    const first = await ada.api.patch(PROFILE, { name: 'Ada L.' }, key);
    const again = await ada.api.patch(PROFILE, { name: 'Ada L.' }, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    expect(await auditOf(platform, tenant, ada.id)).toHaveLength(1);
  });
});

describe('language and time zone', () => {
  it('appear in the bootstrap document and affect it', async () => {
    const settings = async (api: Client) =>
      (await api.get<{ settings: object }>('/api/bootstrap?fields=settings')).body.settings;
    const branding = { displayName: null, primaryColor: null };
    const usual = { locale: 'en', timezone: 'UTC', weekStart: 'monday', currency: 'USD', branding };
    await ada.api.patch(PROFILE, { timezone: 'Pacific/Kiritimati' });
    expect(await settings(ada.api)).toEqual({ ...usual, timezone: 'Pacific/Kiritimati' });
    expect(await settings(bob.api)).toEqual(usual);
    expect(await settings(tenant.api)).toEqual(usual);
  });

  it('determine which tasks are due today', async () => {
    const due = async () =>
      (await ada.api.get<{ counts: { tasksDue: number } }>('/api/bootstrap?fields=counts')).body.counts.tasksDue;
    const project = await tenant.api.post('/api/v1/work/projects', { name: 'Apollo' });
    await platform.clock.standStill(async () => {
      const [late, early] = [day(0, 'Pacific/Kiritimati'), day(0, 'Pacific/Pago_Pago')]; // at least a day apart
      expect(late > early).toBe(true);
      const task = await tenant.api.post('/api/v1/work/tasks', {
        name: 'Fly',
        projectId: project.body['id'],
        assigneeIds: [ada.id],
        dueDate: late,
      });
      expect(task.status).toBe(201);
      await ada.api.patch(PROFILE, { timezone: 'Pacific/Pago_Pago' });
      expect(await due()).toBe(0);
      await ada.api.patch(PROFILE, { timezone: 'Pacific/Kiritimati' });
      expect(await due()).toBe(1);
    });
  });
});

describe('a delegate', () => {
  let eve: Person;
  const away = (from: number, to: number, delegateId = bob.id) => ({
    outOfOffice: { fromDate: day(from), toDate: day(to), delegateId },
  });
  const waiting = async (api: Client) =>
    (await api.get<{ data: { id: string }[] }>(`${APPROVALS}?mine=to_decide`)).body.data.map(({ id }) => id);
  const counted = async (api: Client) =>
    (await api.get<{ counts: { approvals: number } }>('/api/bootstrap?fields=counts')).body.counts.approvals;

  beforeEach(async () => {
    eve = await platform.member(tenant, 'Eve', ['*'], { roles: ['manager'] });
    await setGate(tenant, { approvers: { memberIds: [ada.id] } });
  });

  it('sees and decides the approvals of the absent member, and the decision names both', async () => {
    const parked = await park(eve.api);
    expect(await waiting(bob.api)).toEqual([]);
    await ada.api.patch(PROFILE, away(0, 2));
    expect(await waiting(bob.api)).toEqual([parked.approval.id]);
    expect(await counted(bob.api)).toBe(1);
    const shown = await bob.api.get(`${APPROVALS}/${parked.approval.id}`);
    expect(shown.body).toMatchObject({ allowedActions: expect.arrayContaining(['approve', 'reject']) as unknown });
    const named = {
      by: { membershipId: bob.id },
      onBehalfOf: { type: 'member', id: ada.id, name: 'Ada', membershipId: ada.id },
    };
    expect(await decide(bob.api, parked, 'approve')).toMatchObject({
      status: 200,
      body: { status: 'executed', decisions: [named] },
    });
    expect((await dealOf(tenant.api, parked)).status).toBe('won');
    const entries = await auditOf(platform, tenant, parked.approval.id);
    expect(entries.map(({ action }) => action)).toContain('core.approval.approved');
    const approved = entries.find(({ action }) => action === 'core.approval.approved');
    expect(JSON.stringify(approved)).toContain(ada.id);
    expect(JSON.stringify(approved)).toContain(bob.id);
  });

  it('only on these days, in the time zone of the absent member', async () => {
    const parked = await park(eve.api);
    const refusal = { status: 403, body: { code: 'not_an_approver' } };
    await ada.api.patch(PROFILE, away(1, 2));
    expect(await waiting(bob.api)).toEqual([]);
    expect(await decide(bob.api, parked, 'approve')).toMatchObject(refusal);
    await ada.api.patch(PROFILE, away(-3, -2));
    expect(await decide(bob.api, parked, 'approve')).toMatchObject(refusal);
    await platform.clock.standStill(async () => {
      const zone = 'Pacific/Kiritimati';
      const pago = day(0, 'Pacific/Pago_Pago');
      const outOfOffice = { fromDate: pago, toDate: pago, delegateId: bob.id };
      await ada.api.patch(PROFILE, { timezone: zone, outOfOffice });
      expect(await waiting(bob.api)).toEqual([]);
      await ada.api.patch(PROFILE, { timezone: 'Pacific/Pago_Pago' });
      expect(await waiting(bob.api)).toEqual([parked.approval.id]);
    });
    await ada.api.patch(PROFILE, { outOfOffice: null });
    expect(await decide(bob.api, parked, 'approve')).toMatchObject(refusal);
  });

  it('never decides requests of either of the two, or for a former member', async () => {
    await ada.api.patch(PROFILE, away(0, 2));
    const refusal = { status: 403, body: { code: 'not_an_approver' } };
    const [ofBob, ofAda] = [await park(bob.api), await park(ada.api)];
    for (const parked of [ofBob, ofAda]) expect(await decide(bob.api, parked, 'approve')).toMatchObject(refusal);
    expect(await waiting(bob.api)).toEqual([]);
    await setGate(tenant, { approvers: { memberIds: [ada.id] }, allowSelfApproval: true });
    expect(await decide(bob.api, await park(bob.api), 'approve')).toMatchObject(refusal);
    const ofEve = await park(eve.api);
    await tenant.api.patch(`/api/admin/memberships/${ada.id}`, { status: 'suspended' });
    expect(await decide(bob.api, ofEve, 'approve')).toMatchObject(refusal);
  });

  it('acts for roles that a gate names, but gains no permission', async () => {
    await setGate(tenant, { approvers: { roleIds: [SYSTEM_ROLE_IDS.owner] } });
    const member = await platform.member(tenant, 'Max', ['*'], { roles: ['member'] });
    const manager = await platform.member(tenant, 'Mia', ['*'], { roles: ['manager'] });
    const parked = await park(eve.api);
    await ada.api.patch(PROFILE, away(0, 2, member.id));
    expect(await decide(member.api, parked, 'approve')).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
    expect(await decide(manager.api, parked, 'approve')).toMatchObject({ status: 403 });
    await ada.api.patch(PROFILE, away(0, 2, manager.id));
    expect(await waiting(manager.api)).toEqual([parked.approval.id]);
    expect(await decide(manager.api, parked, 'reject')).toMatchObject({ status: 200, body: { status: 'rejected' } });
    expect((await approvalOf(tenant.api, parked)).decisions).toMatchObject([{ onBehalfOf: { membershipId: ada.id } }]);
  });

  it('does not decide twice', async () => {
    await setGate(tenant, { approvers: { memberIds: [ada.id, bob.id] }, quorum: 2 });
    await ada.api.patch(PROFILE, away(0, 2));
    const parked = await park(eve.api);
    expect(await decide(bob.api, parked, 'approve')).toMatchObject({
      body: { status: 'pending', decisions: [{ onBehalfOf: null }] },
    });
    expect(await decide(bob.api, parked, 'approve')).toMatchObject({ status: 409, body: { code: 'already_decided' } });
    expect(await decide(ada.api, parked, 'approve')).toMatchObject({ body: { status: 'executed' } });
  });
});

it('keeps the days and the delegate in order in the database too', async () => {
  const set = (values: string) =>
    asAdmin(
      platform.database,
      `update data.memberships set version = version + 1, ${values} where tenant_id = $1 and id = $2`,
      [tenant.id, ada.id],
    );
  await expect(set(`away_from = '2026-01-01'`)).rejects.toThrow(/memberships_away/);
  await expect(set(`away_from = '2026-01-02', away_to = '2026-01-01', delegate_id = '${bob.id}'`)).rejects.toThrow(
    /memberships_away/,
  );
  await expect(set(`away_from = '2026-01-01', away_to = '2026-01-01', delegate_id = id`)).rejects.toThrow(
    /memberships_away/,
  );
});
