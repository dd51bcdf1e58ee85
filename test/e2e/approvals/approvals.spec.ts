import type { ApprovalView } from '#libs/resource/gates/approval.js';
import { type Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { auditOf, eventsOf } from '../../harness/written.js';
import { MEMBERSHIPS, VIEWER } from '../admin/people-calls.js';
import { approvalOf, APPROVALS, dealOf, decide, DEALS, makeDeal, park, setGate, win } from './approval-calls.js';

/** Decisions on actions parked by gates. */
let platform: TestPlatform;
let tenant: TestTenant;
let ada: { id: string; api: Client };
let bob: { id: string; api: Client };
let eve: { id: string; api: Client };
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  const names = ['Ada', 'Bob', 'Eve'];
  [ada, bob, eve] = (await Promise.all(names.map((name) => platform.member(tenant, name)))) as [
    typeof ada,
    typeof bob,
    typeof eve,
  ];
});
afterAll(() => platform.close());

const types = async (id: string) => (await eventsOf(platform, tenant, id)).map(({ type }) => type);
const listed = async (api: Client, query = '') =>
  (await api.get<{ data: ApprovalView[] }>(`${APPROVALS}${query}`)).body.data.map(({ id }) => id);

describe('approving', () => {
  beforeEach(() => setGate(tenant));

  test('executes the action immediately on behalf of the requester', async () => {
    const waiting = await park(ada.api, { name: 'Big one' });
    expect(await decide(bob.api, waiting, 'approve', { note: 'Fine' })).toMatchObject({
      status: 200,
      body: {
        status: 'executed',
        version: 3,
        failure: null,
        decisions: [{ by: { membershipId: bob.id }, decision: 'approve', note: 'Fine' }],
        allowedActions: [],
      },
    });
    const deal = await dealOf(tenant.api, waiting);
    expect(deal).toMatchObject({ status: 'won', version: 2, updatedBy: waiting.record.createdBy });
    const entry = (await auditOf(platform, tenant, deal.id)).at(-1)!;
    expect(entry).toMatchObject({
      action: 'sales.deal.won',
      actor: waiting.record.createdBy,
      reason: `approval ${waiting.approval.id}`,
    });
    const { by } = (await ada.api.get<ApprovalView>(`${APPROVALS}/${waiting.approval.id}`)).body.decisions[0]!;
    const shown = await tenant.api.get<{ data: object[] }>(`/api/admin/audit-logs?targetId=${deal.id}`);
    const approver = { type: by.type, id: by.id, name: by.name };
    expect(shown.body.data).toMatchObject([{ action: 'sales.deal.won', allowedBy: [approver] }, { allowedBy: [] }]);
    expect((await eventsOf(platform, tenant, deal.id)).at(-1)).toMatchObject({ actor: waiting.record.createdBy });
    expect(await types(waiting.approval.id)).toEqual(
      ['requested', 'approved', 'executed'].map((verb) => `core.approval.${verb}`),
    );
    const audit = await auditOf(platform, tenant, waiting.approval.id);
    expect(audit.map(({ action }) => action)).toEqual(await types(waiting.approval.id));
  });

  test('is not possible for the requester, even with other keys', async () => {
    const waiting = await park(ada.api);
    const refusal = { status: 403, body: { code: 'not_an_approver' } };
    expect(await decide(ada.api, waiting, 'approve')).toMatchObject(refusal);
    const secondKey = await platform.key(tenant, ['*'], { memberId: ada.id });
    expect(await decide(secondKey, waiting, 'approve')).toMatchObject(refusal);
    expect(await decide(secondKey, waiting, 'reject')).toMatchObject(refusal);
    const ofService = await park(tenant.api);
    expect(await decide(tenant.api, ofService, 'approve')).toMatchObject(refusal);
    expect((await dealOf(tenant.api, waiting)).status).toBe('open');
  });

  test('is possible for the requester if the gate allows it', async () => {
    await setGate(tenant, { allowSelfApproval: true });
    expect(await decide(ada.api, await park(ada.api), 'approve')).toMatchObject({ body: { status: 'executed' } });
  });

  test('requires its scope, and the members and scope named by the gate', async () => {
    const plain = await platform.member(tenant, 'Kim', ['approvals:read', 'approvals:manage', 'deals:*']);
    expect(await decide(plain.api, await park(ada.api), 'approve')).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
    await setGate(tenant, { approvers: { memberIds: [bob.id] } });
    const named = await park(ada.api);
    expect(await decide(eve.api, named, 'approve')).toMatchObject({ status: 403, body: { code: 'not_an_approver' } });
    expect(await decide(bob.api, named, 'approve')).toMatchObject({ body: { status: 'executed' } });
    await setGate(tenant, { approvers: { permission: 'invoices:issue' } });
    const scoped = await park(ada.api);
    const weak = await platform.member(tenant, 'Lee', ['approvals:*', 'deals:*']);
    expect(await decide(weak.api, scoped, 'approve')).toMatchObject({ status: 403, body: { code: 'not_an_approver' } });
    expect(await decide(eve.api, scoped, 'approve')).toMatchObject({ body: { status: 'executed' } });
  });

  test('waits until the required number of people have approved, each once', async () => {
    await setGate(tenant, { quorum: 2 });
    const waiting = await park(ada.api);
    expect(await decide(bob.api, waiting, 'approve')).toMatchObject({ body: { status: 'pending', version: 2 } });
    expect(await decide(bob.api, waiting, 'approve')).toMatchObject({ status: 409, body: { code: 'already_decided' } });
    const bobAgain = await platform.key(tenant, ['*'], { memberId: bob.id });
    expect(await decide(bobAgain, waiting, 'approve')).toMatchObject({ status: 409 });
    expect((await dealOf(tenant.api, waiting)).status).toBe('open');
    expect(await decide(eve.api, waiting, 'approve')).toMatchObject({ body: { status: 'executed', version: 4 } });
    expect(await types(waiting.approval.id)).toEqual(
      ['requested', 'updated', 'approved', 'executed'].map((verb) => `core.approval.${verb}`),
    );
  });

  test('uses the rule of the gate at the time of the request', async () => {
    await setGate(tenant, { quorum: 2 });
    const waiting = await park(ada.api);
    await setGate(tenant, { quorum: 1, enabled: false });
    expect(await decide(bob.api, waiting, 'approve')).toMatchObject({ body: { status: 'pending', quorum: 2 } });
  });

  test('executes the action with its original input', async () => {
    const deal = await makeDeal(ada.api);
    const closedAt = '2026-02-01T00:00:00.000Z';
    const { body } = await win(ada.api, deal.id, { closedAt });
    await decide(bob.api, body, 'approve');
    expect(await dealOf(tenant.api, body)).toMatchObject({ status: 'won', closedAt });
  });
});

describe('an action that can no longer be executed', () => {
  beforeEach(() => setGate(tenant));

  const failed = (code: string) => ({ status: 200, body: { status: 'failed', failure: { code } } });

  test('because the record has changed', async () => {
    const waiting = await park(ada.api);
    await tenant.api.patch(`${DEALS}/${waiting.record.id}`, { value: 1 });
    expect(await decide(bob.api, waiting, 'approve')).toMatchObject(failed('stale_target'));
    expect(await dealOf(tenant.api, waiting)).toMatchObject({ status: 'open', version: 2 });
    expect((await types(waiting.approval.id)).at(-1)).toBe('core.approval.failed');
    expect(await win(ada.api, waiting.record.id)).toMatchObject({ status: 202 });
  });

  test('because the record was deleted', async () => {
    const waiting = await park(ada.api);
    await tenant.api.delete(`${DEALS}/${waiting.record.id}`);
    expect(await decide(bob.api, waiting, 'approve')).toMatchObject(failed('not_found'));
  });

  test('because the requester’s key was revoked, has expired, or lost the scope', async () => {
    const sql = (text: string, id: string) => asAdmin(platform.database, text, [id]);
    const changes = [
      ['revoked_at = now()', 'unauthenticated'],
      ["expires_at = now() - interval '1 second'", 'unauthenticated'],
      [`scopes = '{deals:read,deals:write}'`, 'permission_denied'],
    ] as const;
    for (const [change, code] of changes) {
      const key = await platform.member(tenant, 'Kim', ['deals:*']);
      const waiting = await park(key.api);
      await sql(`update directory.credentials set ${change} where member_id = $1`, key.id);
      expect(await decide(bob.api, waiting, 'approve')).toMatchObject(failed(code));
      expect((await dealOf(tenant.api, waiting)).status).toBe('open');
    }
  });

  test('because the requester has been demoted or suspended', async () => {
    const changes = [
      [{ roleIds: [VIEWER] }, 'permission_denied'],
      [{ status: 'suspended' }, 'unauthenticated'],
    ] as const;
    for (const [change, code] of changes) {
      const requester = await platform.member(tenant, 'Kim');
      const waiting = await park(requester.api);
      const body = { ...change, reason: 'Leaves the team' };
      expect((await tenant.api.patch(`${MEMBERSHIPS}/${requester.id}`, body)).status).toBe(200);
      expect(await decide(bob.api, waiting, 'approve')).toMatchObject(failed(code));
      expect((await dealOf(tenant.api, waiting)).status).toBe('open');
    }
  });

  test('because its input is no longer valid', async () => {
    const waiting = await park(ada.api);
    await asAdmin(
      platform.database,
      `update data.home_approvals set input = '{"closedAt": "2099-01-01T00:00:00Z"}' where id = $1`,
      [waiting.approval.id],
    );
    expect(await decide(bob.api, waiting, 'approve')).toMatchObject(failed('validation_failed'));
    expect(await types(waiting.record.id)).toEqual(['sales.deal.created']);
  });

  test('because the database refuses it when it is written, and everything is rolled back', async () => {
    const waiting = await park(ada.api, { name: 'Doomed' });
    await asAdmin(
      platform.database,
      `create function public.refuse() returns trigger language plpgsql as $$
       begin raise exception '/name' using errcode = 'TOP04'; end $$`,
      [],
    );
    await asAdmin(
      platform.database,
      `create trigger refuse after update on data.sales_deals for each row
       when (new.name = 'Doomed') execute function public.refuse()`,
      [],
    );
    expect(await decide(bob.api, waiting, 'approve')).toMatchObject(failed('validation_failed'));
    expect(await dealOf(tenant.api, waiting)).toMatchObject({ status: 'open', version: 1 });
    expect(await types(waiting.record.id)).toEqual(['sales.deal.created']);
    expect((await types(waiting.approval.id)).at(-1)).toBe('core.approval.failed');
  });
});

describe('rejecting and cancelling', () => {
  beforeEach(() => setGate(tenant, { quorum: 3 }));

  test('a single rejection closes the request and needs a reason', async () => {
    const waiting = await park(ada.api);
    await decide(bob.api, waiting, 'approve');
    expect(await decide(eve.api, waiting, 'reject', {})).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/reason', code: 'required' }] },
    });
    expect(await decide(eve.api, waiting, 'reject', { reason: 'Too cheap' })).toMatchObject({
      body: { status: 'rejected', decisions: [{ decision: 'approve' }, { decision: 'reject', note: 'Too cheap' }] },
    });
    expect((await auditOf(platform, tenant, waiting.approval.id)).at(-1)).toMatchObject({ reason: 'Too cheap' });
    expect(await win(ada.api, waiting.record.id)).toMatchObject({ status: 202 });
  });

  test('the requester can cancel it, others only with approvals:manage', async () => {
    const waiting = await park(ada.api);
    const decider = await platform.member(tenant, 'Kim', ['approvals:decide', 'approvals:read']);
    expect(await decide(decider.api, waiting, 'cancel')).toMatchObject({ status: 403 });
    const asker = await platform.member(tenant, 'Lee', ['deals:*']);
    const own = await park(asker.api);
    expect(await decide(asker.api, own, 'cancel', { reason: 'Lost' })).toMatchObject({ body: { status: 'cancelled' } });
    expect(await decide(eve.api, waiting, 'cancel')).toMatchObject({ body: { status: 'cancelled' } });
  });

  test('closed requests stay closed', async () => {
    for (const end of ['reject', 'cancel'] as const) {
      const waiting = await park(ada.api);
      await decide(bob.api, waiting, end);
      for (const action of ['approve', 'reject', 'cancel'] as const)
        expect(await decide(eve.api, waiting, action)).toMatchObject({
          status: 409,
          body: { code: 'invalid_transition', action, allowedActions: [] },
        });
    }
  });

  test('If-Match applies to decisions', async () => {
    const waiting = await park(ada.api);
    const path = `${APPROVALS}/${waiting.approval.id}/approve`;
    expect(await bob.api.post(path, {}, { 'if-match': '"2"' })).toMatchObject({ status: 412 });
    expect(await bob.api.post(path, {}, { 'if-match': '"1"' })).toMatchObject({ status: 200 });
  });
});

describe('visibility', () => {
  test('is limited to the requester and possible approvers', async () => {
    await setGate(tenant, { approvers: { memberIds: [bob.id] } });
    const scopes = ['deals:*', 'approvals:decide'];
    const asker = await platform.member(tenant, 'Kim', scopes);
    const decider = await platform.key(tenant, scopes, { memberId: bob.id });
    const stranger = await platform.key(tenant, scopes, { memberId: eve.id });
    const waiting = await park(asker.api);
    const path = `${APPROVALS}/${waiting.approval.id}`;
    expect(await listed(asker.api)).toEqual([waiting.approval.id]);
    expect(await listed(decider)).toEqual([waiting.approval.id]);
    expect(await listed(stranger)).toEqual([]);
    expect(await stranger.get(path)).toMatchObject({ status: 404 });
    expect(await stranger.post(`${path}/approve`)).toMatchObject({ status: 404 });
    expect(await stranger.post(`${path}/cancel`)).toMatchObject({ status: 403 });
    expect(await stranger.post(`${APPROVALS}/${asker.id}/cancel`)).toMatchObject({ status: 403 });
    expect(await listed(await platform.key(tenant, ['approvals:read', 'deals:read']))).toEqual([waiting.approval.id]);
    expect(await (await platform.tenant()).api.get(path)).toMatchObject({ status: 404 });
    expect((await asker.api.get(path)).body).toMatchObject({ allowedActions: ['cancel'] });
    expect((await decider.get(path)).body).toMatchObject({ allowedActions: ['approve', 'reject'] });
  });

  test('of the payload is limited to the requester and those who may take the action', async () => {
    await setGate(tenant);
    const waiting = await park(ada.api);
    const path = `${APPROVALS}/${waiting.approval.id}`;
    const reader = await platform.key(tenant, ['approvals:*', 'deals:read']);
    expect((await ada.api.get(path)).body).toHaveProperty('payload');
    expect((await bob.api.get(path)).body).toHaveProperty('payload');
    expect((await reader.get(path)).body).not.toHaveProperty('payload');
    expect((await reader.get(APPROVALS)).text).not.toContain('payload');
  });

  test('lists requests to decide and own requests, by status and gate', async () => {
    await setGate(tenant, { quorum: 2 });
    const [mine, theirs] = [await park(ada.api), await park(bob.api)];
    const gone = await park(ada.api);
    await decide(ada.api, gone, 'cancel');
    expect(await listed(ada.api, '?mine=to_decide')).toEqual([theirs.approval.id]);
    expect(await listed(ada.api, '?mine=requested&status=pending')).toEqual([mine.approval.id]);
    expect(await listed(ada.api, '?mine=requested&status=cancelled&gate=deal.win')).toEqual([gone.approval.id]);
    expect(await listed(ada.api, '?gate=invoice.issue')).toEqual([]);
    expect(await listed(eve.api, '?mine=to_decide')).toHaveLength(2);
    await decide(eve.api, mine, 'approve');
    expect(await listed(eve.api, '?mine=to_decide')).toEqual([theirs.approval.id]);
    await setGate(tenant, { allowSelfApproval: true });
    const own = await park(ada.api);
    expect(await listed(ada.api, '?mine=to_decide&sort=createdAt')).toEqual([theirs.approval.id, own.approval.id]);
    expect(await ada.api.get(`${APPROVALS}?mine=all`)).toMatchObject({ status: 400 });
  });

  test('expires: nobody can decide afterwards', async () => {
    await setGate(tenant, { expiresInHours: 2 });
    const waiting = await park(ada.api);
    platform.clock.advance(2 * 3_600_000);
    for (const action of ['approve', 'reject', 'cancel'] as const)
      expect(await decide(bob.api, waiting, action)).toMatchObject({ status: 409, body: { state: 'expired' } });
    expect(await approvalOf(bob.api, waiting)).toMatchObject({ status: 'pending', allowedActions: [] });
  });
});
