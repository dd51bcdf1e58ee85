import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { uuidv7 } from '#libs/kernel/id.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { asAdmin } from '../../harness/database.js';
import { connect } from '../scim/scene.js';
import { KEYS, makeKey } from '../settings/key-calls.js';
import { keyWorks, MANAGER, MEMBER, MEMBERSHIPS, person, VIEWER } from './people-calls.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import {
  command,
  type Crew,
  crewOf,
  decide,
  type Item,
  itemsOf,
  type Review,
  REVIEWS,
  startReview,
} from './review-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
let crew: Crew;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
  crew = await crewOf(platform, tenant);
});

const named = (...membershipIds: string[]) => ({ reviewers: { strategy: 'named', membershipIds } });
const auditActions = async (target: string) =>
  (
    await asAdmin<{ action: string }>(
      platform.database,
      'select action from data.audit_log where tenant_id = $1 and target_id = $2 order by occurred_at, id',
      [tenant.id, target],
    )
  ).map(({ action }) => action);

it('decides on members whatever characters their names have', async () => {
  const { owner, reviewer } = crew;
  const emoji = await platform.member(tenant, 'Emoji', ['*'], { roles: ['viewer'] });
  const name = `Y${'😀'.repeat(199)}`;
  expect((await emoji.api.patch('/api/settings/profile', { name })).status).toBe(200);
  const review = await startReview(platform, owner.api, { memberships: true }, named(reviewer.id, crew.deputy.id));
  const item = (await itemsOf(owner.api, review.id)).get(name)!;
  expect((await decide(owner.api, review.id, [item], 'keep')).body.results).toMatchObject([{ ok: true }]);
});

describe('completing a review', () => {
  it('removes each kind of access, so that the next use fails, and audits it', async () => {
    const { owner, reviewer } = crew;
    const colleague = await platform.member(tenant, 'Colleague', ['*'], { roles: ['viewer'] });
    const several = await platform.member(tenant, 'Several', ['*'], { roles: ['viewer', 'member'] });
    const kept = await platform.member(tenant, 'Kept', ['*'], { roles: ['viewer'] });
    const { apiKey, ...key } = await makeKey(tenant.api, { name: 'Service', kind: 'service', scopes: ['deals:read'] });
    const provider = await connect(platform, { name: 'Provider' }, tenant);
    const { body: deal } = await tenant.api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Deal' });
    const outsider = await platform.member(tenant, 'Outsider', ['*'], { roles: [], workspaces: {} });
    const principal = { type: 'membership', id: outsider.id };
    const grant = { object: 'sales.deal', objectId: deal.id, principal, level: 'view' };
    expect((await tenant.api.post('/api/admin/resource-permissions', grant)).status).toBe(200);
    const readDeal = async () => (await outsider.api.get(`/api/v1/sales/deals/${deal.id}`)).status;
    const keyed = async () =>
      (await platform.anonymous().send('GET', '/api/v1/sales/deals', undefined, { 'x-api-key': apiKey })).status;
    const provisioned = async () => (await provider.scim.get('/Users')).status;
    expect([await keyWorks(colleague.api), await keyed(), await readDeal(), await provisioned()]).toEqual([
      200, 200, 200, 200,
    ]);

    const scope = { memberships: true, apiKeys: true, grants: true, scimConfigurations: true };
    const review = await startReview(platform, owner.api, scope, named(reviewer.id, crew.deputy.id));
    const items = await itemsOf(owner.api, review.id);
    const grantItem = [...items.values()].find(({ subject }) => subject.type === 'resource_permission')!;
    const gone = [items.get('Colleague')!, items.get('Service')!, grantItem, items.get('Provider')!];
    const reduced = items.get('Several')!;
    const rest = [...items.values()].filter((item) => !gone.includes(item) && item !== reduced);
    expect((await decide(owner.api, review.id, gone, 'revoke')).body.results.map(({ ok }) => ok)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(
      (await decide(owner.api, review.id, [reduced], 'reduce', { reason: 'Too much', newRoleIds: [VIEWER] })).body
        .results,
    ).toMatchObject([{ ok: true }]);
    const own = rest.filter(({ subject }) => subject.id === owner.id);
    const others = rest.filter(({ subject }) => subject.id !== owner.id);
    expect((await decide(owner.api, review.id, others, 'keep')).body).toMatchObject({ status: 'in_progress' });
    expect((await decide(owner.api, review.id, own, 'keep')).body.results).toMatchObject([
      { ok: false, error: { code: 'not_by_oneself' } },
    ]);
    expect((await decide(crew.deputy.api, review.id, own, 'keep')).body).toMatchObject({
      status: 'pending_actions',
      stats: { pending: 0, revoked: 4, reduced: 1, applied: 0 },
    });
    expect(await keyWorks(colleague.api)).toBe(200); // nothing is removed before the review is completed

    const done = await command(owner.api, { action: 'complete', campaignId: review.id });
    expect(done).toMatchObject({ status: 200, body: { status: 'completed', stats: { applied: 5, failed: 0 } } });
    expect(done.body.effects.map(({ type }) => type).sort()).toEqual([
      'api_key_revoked',
      'grant_deleted',
      'membership_suspended',
      'roles_removed',
      'scim_configuration_removed',
    ]);
    expect([await keyWorks(colleague.api), await keyed(), await readDeal(), await provisioned()]).toEqual([
      401, 401, 403, 401,
    ]);
    expect(await keyWorks(kept.api)).toBe(200);
    const { body: left } = await tenant.api.get<{ roleIds: string[] }>(`${MEMBERSHIPS}/${several.id}`);
    expect(left.roleIds).toEqual([VIEWER]);

    expect(await auditActions(colleague.id)).toContain('core.membership.suspended');
    expect(await auditActions(key.id)).toContain('settings.api_key.revoked');
    expect(await auditActions(provider.id)).toContain('scim.configuration.deleted');
    expect(await auditActions(gone[0]!.id)).toEqual([
      'compliance.access_review_item.decided',
      'compliance.access_review_item.applied',
    ]);
    const actions = await auditActions(review.id);
    expect([...new Set(actions)]).toEqual(
      ['created', 'started', 'decided', 'decisions_finished', 'completed'].map(
        (verb) => `compliance.access_review.${verb}`,
      ),
    );
    expect(await command(owner.api, { action: 'complete', campaignId: review.id })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', state: 'completed', allowedActions: [] },
    });
  });

  it('lets no API key decide on itself, or on a key of its owner, also after a rotation', async () => {
    const scopes = ['access-reviews:read', 'access-reviews:decide'];
    const service = await makeKey(crew.owner.api, { name: 'Service', kind: 'service', scopes, allowProtected: true });
    const personal = await makeKey(crew.owner.api, {
      name: 'Personal',
      kind: 'personal',
      scopes,
      allowProtected: true,
    });
    await makeKey(tenant.api, { name: 'Other', kind: 'service', scopes: ['deals:read'] });
    const { body: rotated } = await crew.owner.api.post<{ apiKey: string }>(`${KEYS}/${service.id}/rotate`, {});
    const review = await startReview(platform, crew.owner.api, { apiKeys: true }, named(crew.reviewer.id));
    const items = await itemsOf(crew.owner.api, review.id);
    const keep = async ({ apiKey }: { apiKey: string }, name: string) => {
      const decisions = [{ itemId: items.get(name)!.id, decision: 'keep', reason: 'Checked' }];
      const body = { action: 'decide', campaignId: review.id, decisions };
      return (await platform.anonymous().post<Review>(REVIEWS, body, { 'x-api-key': apiKey })).body.results[0];
    };
    const refused = { ok: false, error: { code: 'not_by_oneself' } };
    expect(await keep(service, 'Service')).toMatchObject(refused);
    expect(await keep(rotated, 'Service')).toMatchObject(refused);
    expect(await keep(personal, 'Personal')).toMatchObject(refused);
    const decidedBy = { type: 'api_key', name: 'Service' };
    expect(await keep(service, 'Other')).toMatchObject({ ok: true, item: { decidedBy } });
  });

  it('keeps the error of a refused revocation and completes once it has been applied', async () => {
    const { owner, deputy } = crew;
    const victim = await platform.member(tenant, 'Victim', ['*'], { roles: ['viewer'] });
    const roleIds = ['00000000-0000-7000-8000-000000000001', VIEWER];
    const review = await startReview(platform, owner.api, { roleIds }, named(deputy.id));
    const items = await itemsOf(deputy.api, review.id);
    expect([...items.keys()].sort()).toEqual(['A owner', 'Victim']);
    await decide(deputy.api, review.id, items.values(), 'revoke');
    expect(await command(deputy.api, { action: 'complete', campaignId: review.id })).toMatchObject({
      status: 200,
      body: {
        status: 'pending_actions',
        effects: [{ type: 'membership_suspended', id: victim.id }],
        stats: { applied: 1, failed: 1 },
      },
    });
    const errorOf = async () => (await itemsOf(deputy.api, review.id)).get('A owner')!.applyError?.code;
    expect(await errorOf()).toBe('permission_denied'); // only owners act on owners
    const again = await command(owner.api, { action: 'complete', campaignId: review.id });
    expect(again).toMatchObject({ status: 200, body: { status: 'pending_actions', effects: [] } });
    expect(await errorOf()).toBe('last_owner');
    const second = await person(platform, tenant, 'owner');
    expect(await command(second.api, { action: 'complete', campaignId: review.id })).toMatchObject({
      body: { status: 'completed', effects: [{ id: owner.id }], stats: { applied: 2, failed: 0 } },
    });
    expect(await keyWorks(owner.api)).toBe(401);
  });

  it('can end although a revocation cannot be applied, because the item is decided again with a reason', async () => {
    const { owner, deputy } = crew;
    await platform.member(tenant, 'Plain', ['*'], { roles: ['viewer'] });
    const roleIds = ['00000000-0000-7000-8000-000000000001', VIEWER];
    const review = await startReview(platform, owner.api, { roleIds }, named(deputy.id));
    const complete = () => command(owner.api, { action: 'complete', campaignId: review.id });
    const items = await itemsOf(deputy.api, review.id);
    await decide(deputy.api, review.id, items.values(), 'revoke');
    expect((await complete()).body).toMatchObject({ status: 'pending_actions', stats: { applied: 1, failed: 1 } });
    const again = async (api: Crew['owner']['api'], name: string, decision: string, more: object) =>
      (await decide(api, review.id, [items.get(name)!], decision, more)).body.results[0];
    const reason = { reason: 'The last owner' };
    const errors = (field: string, code: string) => ({
      ok: false,
      error: { errors: [{ pointer: `/decisions/0/${field}`, code }] },
    });
    expect(await again(deputy.api, 'A owner', 'keep', {})).toMatchObject(errors('reason', 'required'));
    expect(await again(deputy.api, 'A owner', 'defer', reason)).toMatchObject(errors('decision', 'invalid_value'));
    expect(await again(owner.api, 'A owner', 'keep', reason)).toMatchObject({ error: { code: 'not_by_oneself' } });
    expect(await again(deputy.api, 'Plain', 'keep', reason)).toMatchObject({ error: { code: 'invalid_transition' } });
    expect(await again(deputy.api, 'A owner', 'keep', reason)).toMatchObject({
      ok: true,
      item: { decision: 'keep', applyError: null, history: [{ decision: 'revoke' }, { decision: 'keep' }] },
    });
    expect((await complete()).body).toMatchObject({ status: 'completed', stats: { applied: 1, failed: 0, kept: 1 } });
  });

  it('is left to the last owner if nobody else may decide any more', async () => {
    const { owner, deputy } = crew;
    const review = await startReview(platform, owner.api, { memberships: true }, named(deputy.id));
    const items = await itemsOf(owner.api, review.id);
    const own = items.get('A owner')!;
    await decide(deputy.api, review.id, [own, items.get('A manager')!], 'revoke');
    await decide(owner.api, review.id, [items.get('A admin')!], 'revoke');
    const keep = async () => (await decide(owner.api, review.id, [own], 'keep', { reason: 'The last one' })).body;
    expect((await keep()).results).toMatchObject([{ error: { code: 'not_by_oneself' } }]);
    const complete = async () => (await command(owner.api, { action: 'complete', campaignId: review.id })).body;
    expect(await complete()).toMatchObject({ status: 'pending_actions', stats: { applied: 2, failed: 1 } });
    expect((await keep()).results).toMatchObject([{ ok: true, item: { decision: 'keep' } }]);
    expect(await complete()).toMatchObject({ status: 'completed' });
  });

  it('can end although an identity provider manages a member', async () => {
    const { owner, deputy } = crew;
    const provider = await connect(platform, { name: 'Provider' }, tenant);
    const body = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'm@a.test',
      displayName: 'Managed',
    };
    expect((await provider.scim.post('/Users', body)).status).toBe(201);
    const review = await startReview(platform, owner.api, { memberships: true }, named(deputy.id, owner.id));
    const items = await itemsOf(owner.api, review.id);
    const managed = items.get('Managed')!;
    await decide(owner.api, review.id, [managed], 'revoke');
    await decide(owner.api, review.id, [items.get('A admin')!, items.get('A manager')!], 'keep');
    await decide(deputy.api, review.id, [items.get('A owner')!], 'keep');
    const complete = async () => (await command(owner.api, { action: 'complete', campaignId: review.id })).body;
    expect(await complete()).toMatchObject({ status: 'pending_actions', stats: { failed: 1 } });
    expect((await itemsOf(owner.api, review.id)).get('Managed')!.applyError!.code).toBe('managed_by_scim');
    await decide(deputy.api, review.id, [managed], 'keep', { reason: 'The provider decides' });
    expect(await complete()).toMatchObject({ status: 'completed' });
  });

  it('reduces to other roles with permissions that the member holds, also while suspended', async () => {
    const { owner, deputy } = crew;
    const member = await platform.member(tenant, 'Busy', ['*'], { roles: ['manager'] });
    const review = await startReview(platform, owner.api, { memberships: true, roleIds: [MANAGER] }, named(deputy.id));
    const items = await itemsOf(deputy.api, review.id);
    expect([...items.keys()].sort()).toEqual(['A manager', 'Busy']);
    const reduce = async (newRoleIds: string[]) =>
      (await decide(deputy.api, review.id, [items.get('Busy')!], 'reduce', { reason: 'Less', newRoleIds })).body
        .results;
    const wider = [{ ok: false, error: { errors: [{ pointer: '/decisions/0/newRoleIds', code: 'invalid_value' }] } }];
    const admin = '00000000-0000-7000-8000-000000000002';
    for (const roles of [[admin], [MANAGER], [MANAGER, VIEWER]]) expect(await reduce(roles)).toMatchObject(wider);
    expect(await reduce([VIEWER])).toMatchObject([{ ok: true, item: { newRoleIds: [VIEWER] } }]);
    await decide(deputy.api, review.id, [items.get('A manager')!], 'keep');
    await tenant.api.patch(`${MEMBERSHIPS}/${member.id}`, { status: 'suspended', reason: 'Away' });
    const done = await command(owner.api, { action: 'complete', campaignId: review.id });
    expect(done.body).toMatchObject({ status: 'completed', effects: [{ type: 'roles_removed', id: member.id }] });
    const { body } = await tenant.api.get(`${MEMBERSHIPS}/${member.id}`);
    expect(body).toMatchObject({ roleIds: [VIEWER], status: 'suspended' });
  });

  it('gives no role that has grown beyond what the member holds', async () => {
    const { owner, deputy } = crew;
    const role = { name: 'Reader', permissions: ['deals:read@workspace'] };
    const { body: reader } = await tenant.api.post<{ id: string }>('/api/admin/roles', role);
    await platform.member(tenant, 'Busy', ['*'], { roles: ['viewer', 'member'] });
    const review = await startReview(platform, owner.api, { roleIds: [VIEWER] }, named(deputy.id));
    const [busy] = [...(await itemsOf(deputy.api, review.id)).values()];
    const less = await decide(deputy.api, review.id, [busy!], 'reduce', { reason: 'Less', newRoleIds: [reader.id] });
    expect(less.body.results).toMatchObject([{ ok: true }]);
    await tenant.api.patch(`/api/admin/roles/${reader.id}`, { permissions: ['deals:read'] });
    const done = await command(owner.api, { action: 'complete', campaignId: review.id });
    expect(done.body).toMatchObject({ status: 'pending_actions', stats: { failed: 1 } });
    const after = await itemsOf(deputy.api, review.id);
    expect(after.get('Busy')!.applyError!.code).toBe('approval_changed');
  });

  it('requires the permissions to remove such access, and protection for privileged access', async () => {
    const { owner, deputy, reviewer } = crew;
    const review = await startReview(platform, owner.api, { memberships: true }, named(reviewer.id));
    const items = await itemsOf(owner.api, review.id);
    const of = (id: string) => [...items.values()].find(({ subject }) => subject.id === id)!;
    await decide(owner.api, review.id, [of(deputy.id)], 'revoke');
    await decide(owner.api, review.id, [of(reviewer.id)], 'keep');
    await decide(reviewer.api, review.id, [of(owner.id)], 'keep');
    const complete = (api: Crew['owner']['api']) => command(api, { action: 'complete', campaignId: review.id });
    expect(await complete(await platform.key(tenant, ['access-reviews:manage']))).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'members:manage' },
    });
    expect(await complete(await platform.key(tenant, ['*']))).toMatchObject({
      status: 403,
      body: { code: 'step_up_required' },
    });
    expect(await complete(owner.api)).toMatchObject({ status: 200, body: { status: 'completed' } });
  });

  it('treats access that has already ended as applied', async () => {
    const { owner, deputy } = crew;
    const { id } = await makeKey(owner.api, { name: 'Service', kind: 'service', scopes: ['deals:read'] });
    const review = await startReview(platform, owner.api, { apiKeys: true }, named(deputy.id));
    const items = await itemsOf(deputy.api, review.id);
    expect([...items.keys()]).toEqual(['Service']);
    await decide(deputy.api, review.id, items.values(), 'revoke');
    await owner.api.post(`${KEYS}/${id}/revoke`);
    expect(await command(owner.api, { action: 'complete', campaignId: review.id })).toMatchObject({
      body: { status: 'completed', effects: [{ type: 'already_gone', id }] },
    });
  });
});

describe('the population', () => {
  it('is frozen with its hash, snapshots and flags', async () => {
    const { owner, deputy } = crew;
    const idle = await platform.member(tenant, 'Idle', ['*'], { roles: ['viewer'] });
    await asAdmin(
      platform.database,
      `update data.memberships set created_at = now() - interval '200 days', version = version + 1 where id = $1`,
      [idle.id],
    );
    await asAdmin(
      platform.database,
      `insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at) values ($1, $2, $3, now())`,
      [tenant.id, idle.id, MEMBER],
    );
    await makeKey(owner.api, { name: 'Forever', kind: 'service', scopes: ['*'], expiresAt: null });
    const review = await startReview(platform, owner.api, { memberships: true, apiKeys: true }, named(deputy.id));
    const { body } = await owner.api.get<Review>(`${REVIEWS}?campaignId=${review.id}&limit=200&include=items`);
    const { data } = body.items;
    const frozen = data.map(({ subject, snapshot, flags }) => ({ subject, snapshot, flags }));
    expect(createHash('sha256').update(canonicalize(frozen)!).digest('hex')).toBe(review.populationHash);
    expect(review).toMatchObject({
      status: 'in_progress',
      itemCount: data.length,
      stats: { items: data.length, pending: data.length },
    });
    const items = await itemsOf(owner.api, review.id);
    expect(items.get('Idle')).toMatchObject({
      flags: ['inactive_90d', 'no_mfa', 'role_growth', 'never_used'],
      snapshot: { mfa: false, lastActiveAt: null },
    });
    expect(items.get('Forever')).toMatchObject({
      flags: ['privileged', 'never_used', 'no_expiry'],
      snapshot: { source: 'service', mfa: null },
    });
    expect(items.get('A owner')!.flags).toEqual(expect.arrayContaining(['privileged', 'no_mfa', 'conflicting_duties']));
    const before = items.get('Idle')!.snapshot;
    await tenant.api.patch(`${MEMBERSHIPS}/${idle.id}`, { roleIds: [VIEWER] });
    await platform.member(tenant, 'Late');
    expect((await itemsOf(owner.api, review.id)).get('Idle')!.snapshot).toEqual(before);
    expect((await itemsOf(owner.api, review.id)).has('Late')).toBe(false);
  });

  it('marks terminated employees, and members added since the last completed review', async () => {
    const { owner, deputy } = crew;
    const leaver = await platform.member(tenant, 'Leaver', ['*'], { roles: ['viewer'] });
    const employee = await tenant.api.post<{ id: string }>('/api/v1/people/employees', {
      firstName: 'Lea',
      lastName: 'Ver',
      membershipId: leaver.id,
      startDate: '2026-01-01',
      employmentType: 'full_time',
    });
    expect(employee.status).toBe(201);
    await asAdmin(
      platform.database,
      `update data.people_employees set status = 'terminated', termination_date = '2026-02-01', termination_type = 'voluntary' where id = $1`,
      [employee.body.id],
    );
    const first = await startReview(platform, owner.api, { roleIds: [VIEWER] }, named(deputy.id));
    const items = await itemsOf(deputy.api, first.id);
    expect(items.get('Leaver')!.flags).toContain('terminated_employee');
    await decide(deputy.api, first.id, items.values(), 'keep');
    expect((await command(owner.api, { action: 'complete', campaignId: first.id })).body.status).toBe('completed');
    await platform.member(tenant, 'Newcomer', ['*'], { roles: ['viewer'] });
    const second = await startReview(platform, owner.api, { roleIds: [VIEWER] }, named(deputy.id));
    const flags = async (name: string) => (await itemsOf(owner.api, second.id)).get(name)!.flags;
    expect(await flags('Newcomer')).toContain('new_since_last_review');
    expect(await flags('Leaver')).not.toContain('new_since_last_review');
  });

  it('never assigns an item to its subject, and is refused without another reviewer', async () => {
    const { owner, deputy, reviewer } = crew;
    const review = await startReview(platform, owner.api, { memberships: true }, named(reviewer.id, deputy.id));
    for (const { subject, reviewerId } of (await itemsOf(owner.api, review.id)).values())
      expect(reviewerId).not.toBe(subject.id);
    const alone = await platform.tenant();
    const only = await person(platform, alone, 'owner');
    const dueAt = new Date(Date.now() + DAY_MS).toISOString();
    const start = { name: 'Alone', scope: { memberships: true }, dueAt, start: true };
    expect(await command(only.api, start)).toMatchObject({ status: 409, body: { code: 'no_reviewer' } });
    expect((await only.api.get<{ data: unknown[] }>(REVIEWS)).body.data).toEqual([]);
    expect(await command(only.api, { ...start, scope: { grants: true } })).toMatchObject({
      status: 409,
      body: { code: 'nothing_to_review' },
    });
  });

  it('never assigns a key to who has made or rotated it', async () => {
    const { owner, deputy, reviewer } = crew;
    await makeKey(owner.api, { name: 'Of owner', kind: 'service', scopes: ['deals:read'] });
    const { id } = await makeKey(deputy.api, { name: 'Of two', kind: 'service', scopes: ['deals:read'] });
    expect((await owner.api.post(`${KEYS}/${id}/rotate`, {})).status).toBe(200);
    const review = await startReview(platform, owner.api, { apiKeys: true }, named(owner.id, deputy.id, reviewer.id));
    const items = await itemsOf(owner.api, review.id);
    expect(items.get('Of owner')!.reviewerId).toBe(deputy.id);
    expect(items.get('Of two')!.reviewerId).toBe(reviewer.id);
  });

  it('goes to managers and workspace leads', async () => {
    const { owner, reviewer } = crew;
    const report = await platform.member(tenant, 'Report', ['*'], { roles: ['viewer'] });
    const hire = async (name: string, membershipId: string, managerId?: string) =>
      (
        await tenant.api.post<{ id: string }>('/api/v1/people/employees', {
          firstName: name,
          lastName: 'X',
          membershipId,
          startDate: '2026-01-01',
          employmentType: 'full_time',
          ...(managerId && { managerId }),
        })
      ).body.id;
    await hire('Report', report.id, await hire('Boss', reviewer.id));
    const byManager = await startReview(platform, owner.api, { roleIds: [VIEWER] });
    expect((await itemsOf(owner.api, byManager.id)).get('Report')!.reviewerId).toBe(reviewer.id);
    await asAdmin(platform.database, 'update data.workspaces set lead_id = $2 where tenant_id = $1 and is_default', [
      tenant.id,
      crew.deputy.id,
    ]);
    const byLead = await startReview(
      platform,
      owner.api,
      { roleIds: [VIEWER] },
      { reviewers: { strategy: 'workspace_lead' } },
    );
    expect((await itemsOf(owner.api, byLead.id)).get('Report')!.reviewerId).toBe(crew.deputy.id);
  });
});

describe('deciding', () => {
  let review: Review;
  let items: Map<string, Item>;
  const subjects = ['One', 'Two', 'Three'];
  beforeEach(async () => {
    for (const name of subjects) await platform.member(tenant, name, ['*'], { roles: ['viewer'] });
    review = await startReview(platform, crew.owner.api, { roleIds: [VIEWER] }, named(crew.reviewer.id));
    items = await itemsOf(crew.owner.api, review.id);
  });
  const item = (name: string) => items.get(name)!;

  it('is for assigned reviewers and for those who may decide everything', async () => {
    const stranger = await person(platform, tenant, 'manager');
    expect(await decide(stranger.api, review.id, [item('One')], 'keep')).toMatchObject({
      status: 200,
      body: { results: [{ ok: false, error: { code: 'not_found' } }] },
    });
    const viewer = await person(platform, tenant, 'viewer');
    expect(await decide(viewer.api, review.id, [item('One')], 'keep')).toMatchObject({ status: 403 });
    expect(await command(crew.reviewer.api, { action: 'cancel', campaignId: review.id, reason: 'x' })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'access-reviews:manage' },
    });
    expect((await decide(crew.reviewer.api, review.id, [item('One')], 'keep')).body.results).toMatchObject([
      { ok: true },
    ]);
    expect((await decide(crew.owner.api, review.id, [item('Two')], 'keep')).body.results).toMatchObject([{ ok: true }]);
  });

  it('accepts 50 decisions per request, each once, with their reasons', async () => {
    const many = Array.from({ length: 51 }, () => ({ id: uuidv7() }));
    const refused = await decide(crew.owner.api, review.id, many, 'keep');
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/decisions', code: 'too_many' }] } });
    const bare = await decide(crew.owner.api, review.id, [item('One'), item('One')], 'revoke', {});
    expect(bare.body.errors).toMatchObject([
      { pointer: '/decisions/0/reason', code: 'required' },
      { pointer: '/decisions/1/itemId', code: 'not_unique' },
      { pointer: '/decisions/1/reason', code: 'required' },
    ]);
    const wrong = await decide(crew.owner.api, review.id, [item('One')], 'reduce', {
      reason: 'x',
      newRoleIds: [MANAGER],
    });
    expect(wrong.body.results).toMatchObject([{ ok: false, error: { code: 'validation_failed' } }]);
  });

  it('keeps the history, defers, and does not change final decisions', async () => {
    await decide(crew.reviewer.api, review.id, [item('One')], 'defer', {});
    expect((await command(crew.owner.api, { action: 'complete', campaignId: review.id })).body).toMatchObject({
      code: 'invalid_transition',
      state: 'in_progress',
    });
    await decide(crew.reviewer.api, review.id, [item('One')], 'keep', {});
    const [again] = (await decide(crew.owner.api, review.id, [item('One')], 'revoke')).body.results;
    expect(again).toMatchObject({ ok: false, error: { code: 'invalid_transition', state: 'keep' } });
    const one = (await itemsOf(crew.owner.api, review.id)).get('One')!;
    expect(one).toMatchObject({ decision: 'keep', decidedBy: { name: 'test key' } });
    expect(one.history.map(({ decision }) => decision)).toEqual(['defer', 'keep']);
  });

  it('requires a reason to keep a privileged item with another flag', async () => {
    const own = await startReview(platform, crew.owner.api, { memberships: true }, named(crew.reviewer.id));
    const admin = (await itemsOf(crew.owner.api, own.id)).get('A admin')!;
    const [bare] = (await decide(crew.owner.api, own.id, [admin], 'keep', {})).body.results;
    expect(bare).toMatchObject({
      ok: false,
      error: { errors: [{ pointer: '/decisions/0/reason', code: 'required' }] },
    });
    expect((await decide(crew.owner.api, own.id, [admin], 'keep')).body.results).toMatchObject([{ ok: true }]);
  });

  it('by two reviewers at once counts each item once', async () => {
    const both = await Promise.all(
      [crew.owner, crew.reviewer].map(({ api }) => decide(api, review.id, items.values(), 'keep')),
    );
    const accepted = both.map(({ body }) => (body.results ?? []).filter(({ ok }) => ok).length);
    expect(accepted.reduce((sum, each) => sum + each, 0)).toBe(subjects.length);
    const { body } = await crew.owner.api.get<Review>(`${REVIEWS}?campaignId=${review.id}`);
    expect(body).toMatchObject({ status: 'pending_actions', stats: { kept: 3, keepRate: 1 } });
    expect(body.stats['medianDecisionSeconds']).toBeGreaterThanOrEqual(0);
    expect(body.items.data.every(({ history }) => history.length === 1)).toBe(true);
  });
});

describe('reading', () => {
  it('shows reviewers their own items only, and nothing to other tenants', async () => {
    const { owner, reviewer, deputy } = crew;
    for (const name of ['One', 'Two']) await platform.member(tenant, name, ['*'], { roles: ['viewer'] });
    const review = await startReview(platform, owner.api, { roleIds: [VIEWER] }, named(reviewer.id, deputy.id));
    expect((await itemsOf(owner.api, review.id)).size).toBe(2);
    const mine = await reviewer.api.get<Review>(`${REVIEWS}?campaignId=${review.id}`);
    expect(mine.body).toMatchObject({ stats: { items: 1 }, items: { data: [{ reviewerId: reviewer.id }] } });
    const decided = await decide(reviewer.api, review.id, mine.body.items.data, 'keep');
    expect(decided).toMatchObject({ status: 200, body: { stats: { items: 1, kept: 1, pending: 0 } } });
    const ofAll = await decide(owner.api, review.id, (await itemsOf(owner.api, review.id)).values(), 'defer');
    expect(ofAll).toMatchObject({ status: 200, body: { stats: { items: 2, kept: 1, deferred: 1 } } });
    const member = await person(platform, tenant, 'member');
    expect((await member.api.get<{ data: unknown[] }>(REVIEWS)).body.data).toEqual([]);
    expect(await member.api.get(`${REVIEWS}?campaignId=${review.id}`)).toMatchObject({ status: 404 });
    expect((await (await person(platform, tenant, 'viewer')).api.get(REVIEWS)).status).toBe(403);
    expect((await itemsOf((await person(platform, tenant, 'auditor')).api, review.id)).size).toBe(2);
    const { api } = await platform.tenant();
    expect((await api.get<{ data: unknown[] }>(REVIEWS)).body.data).toEqual([]);
    expect(await api.get(`${REVIEWS}?campaignId=${review.id}`)).toMatchObject({ status: 404 });
    expect(await command(api, { action: 'cancel', campaignId: review.id, reason: 'x' })).toMatchObject({ status: 404 });
    const foreign = await platform.tenant();
    const others = await crewOf(platform, foreign);
    const theirs = await startReview(platform, others.owner.api, { memberships: true }, named(others.reviewer.id));
    const mixed = await decide(owner.api, review.id, (await itemsOf(others.owner.api, theirs.id)).values(), 'keep');
    expect(new Set(mixed.body.results.map(({ error }) => error?.code))).toEqual(new Set(['not_found']));
  });

  it('filters reviews and items, in pages', async () => {
    const { owner, reviewer, deputy } = crew;
    const one = await platform.member(tenant, 'One', ['*'], { roles: ['viewer'] });
    await platform.member(tenant, 'Two', ['*'], { roles: ['viewer'] });
    const review = await startReview(platform, owner.api, { roleIds: [VIEWER] }, named(reviewer.id, deputy.id));
    await command(owner.api, { name: 'Draft', scope: { apiKeys: true }, dueAt: review.dueAt });
    const listed = async (query: string) =>
      (await owner.api.get<{ data: { name: string }[] }>(`${REVIEWS}?${query}`)).body.data.map(({ name }) => name);
    expect(await listed('')).toEqual(['Draft', 'Review']);
    expect(await listed('status=draft')).toEqual(['Draft']);
    expect(await listed(`subjectId=${one.id}`)).toEqual(['Review']);
    expect(await listed('decision=keep')).toEqual([]);
    expect(await listed('flag=never_used')).toEqual(['Review']);
    const names = async (api: Crew['owner']['api'], query: string) => [
      ...(await itemsOf(api, review.id, query)).keys(),
    ];
    expect(await names(owner.api, `&subjectId=${one.id}`)).toEqual(['One']);
    expect(await names(deputy.api, '&reviewerId=me')).toHaveLength(1);
    expect(await names(owner.api, '&flag=privileged')).toEqual([]);
    expect(await names(owner.api, '&decision=pending')).toEqual(['One', 'Two']);
    const page = await owner.api.get<Review>(`${REVIEWS}?campaignId=${review.id}&limit=1`);
    const next = await owner.api.get<Review>(
      `${REVIEWS}?campaignId=${review.id}&limit=1&cursor=${page.body.items.page.nextCursor}`,
    );
    expect([page, next].map(({ body }) => body.items.data[0]!.subject.name)).toEqual(['One', 'Two']);
    expect(await owner.api.get(`${REVIEWS}?include=items`)).toMatchObject({ status: 400 });
    expect(await owner.api.get(`${REVIEWS}?campaignId=${review.id}&status=draft`)).toMatchObject({ status: 400 });
  });
});

describe('commands', () => {
  it('are refused with missing, unexpected and unknown members', async () => {
    const { api } = crew.owner;
    const dueAt = new Date(Date.now() + DAY_MS).toISOString();
    const errors = async (body: object) =>
      (await command(api, body)).body.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
    expect(await errors({})).toEqual(['/name required', '/scope required', '/dueAt required']);
    expect(await errors({ name: 'X', scope: {}, dueAt })).toEqual(['/scope required']);
    expect(await errors({ name: 'X', scope: { apiKeys: true }, dueAt: '2020-01-01T00:00:00Z', reason: 'x' })).toEqual([
      '/reason not_with_action',
      '/dueAt out_of_range',
    ]);
    const members = [uuidv7()];
    expect(await errors({ name: 'X', scope: { apiKeys: true }, dueAt, ...named(...members) })).toEqual([
      '/reviewers/membershipIds/0 unknown_reference',
    ]);
    expect(await errors({ name: 'X', scope: { roleIds: [uuidv7()] }, dueAt })).toEqual([
      '/scope/roleIds/0 unknown_reference',
    ]);
    expect(await errors({ action: 'cancel', campaignId: uuidv7() })).toEqual(['/reason required']);
    expect(await command(api, { action: 'start', campaignId: uuidv7() })).toMatchObject({ status: 404 });
  });

  it('start and cancel drafts', async () => {
    const { api } = crew.owner;
    const dueAt = new Date(platform.clock.nowMs() + DAY_MS).toISOString();
    const { body: draft } = await command(api, { name: 'Draft', scope: { memberships: true }, dueAt });
    expect(draft).toMatchObject({ status: 'draft', itemCount: 0, populationHash: null });
    expect((await command(api, { action: 'start', campaignId: draft.id })).body.status).toBe('in_progress');
    expect(await command(api, { action: 'cancel', campaignId: draft.id, reason: 'Wrong scope' })).toMatchObject({
      body: { status: 'cancelled' },
    });
    expect(await command(api, { action: 'remind', campaignId: draft.id })).toMatchObject({ status: 409 });
    expect(await auditActions(draft.id)).toEqual(
      ['created', 'started', 'cancelled'].map((verb) => `compliance.access_review.${verb}`),
    );
  });

  it('remind reviewers at most once an hour', async () => {
    const { owner, reviewer } = crew;
    await reviewer.api.patch('/api/settings/notifications', { kinds: { review: { email: 'instant' } } });
    await platform.member(tenant, 'One', ['*'], { roles: ['viewer'] });
    const review = await startReview(platform, owner.api, { roleIds: [VIEWER] }, named(reviewer.id));
    const remind = () => command(owner.api, { action: 'remind', campaignId: review.id });
    const mails = () => asAdmin(platform.database, 'select id from data.mails where subject_id = $1', [review.id]);
    expect(await remind()).toMatchObject({
      status: 200,
      body: { effects: [{ type: 'reviewer_reminded', id: reviewer.id }] },
    });
    expect(await mails()).toHaveLength(2);
    expect(await remind()).toMatchObject({ status: 409, body: { code: 'reminded_recently' } });
    platform.clock.advance(3_700_000);
    expect((await remind()).status).toBe(200);
    expect(await mails()).toHaveLength(3);
  });
});
