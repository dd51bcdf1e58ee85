import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { auditOf, eventsOf } from '../../harness/written.js';
import { APPROVALS, DEALS, makeDeal, park, setGate, win } from './approval-calls.js';

/** Gates that allow, deny or park actions. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const setGates = (...gates: object[]) => tenant.api.patch('/api/admin/settings', { gates });

describe('a gate that denies', () => {
  test('refuses the action, is named in the response, and audited', async () => {
    await setGate(tenant, { effect: 'deny' });
    const deal = await makeDeal(tenant.api);
    expect(await win(tenant.api, deal.id)).toMatchObject({
      status: 403,
      body: { code: 'gate_denied', gate: 'deal.win' },
    });
    expect(await tenant.api.get(`${DEALS}/${deal.id}`)).toMatchObject({ body: { status: 'open', version: 1 } });
    const { body } = await tenant.api.get<{ data: object[] }>('/api/admin/audit-logs?outcome=denied');
    expect(body.data).toMatchObject([{ action: 'sales.deals.win', reason: 'gate_denied' }]);
  });

  test('does nothing when it is not enabled', async () => {
    await setGate(tenant, { effect: 'deny', enabled: false });
    expect(await win(tenant.api, (await makeDeal(tenant.api)).id)).toMatchObject({ status: 200 });
  });
});

describe('conditions', () => {
  const cases: [object[], object, number][] = [
    [[{ field: 'valueMinor', op: 'gte', value: 500_000 }], { value: 5_000 }, 403],
    [[{ field: 'valueMinor', op: 'gte', value: 500_000 }], { value: 4_999.99 }, 200],
    [[{ field: 'valueMinor', op: 'gte', value: 500_000 }], {}, 200],
    [[{ field: 'valueMinor', op: 'lt', value: 1 }], {}, 200],
    [[{ field: 'valueMinor', op: 'eq', value: null }], {}, 403],
    [[{ field: 'dealType', op: 'in', value: ['renewal', 'expansion'] }], { dealType: 'renewal' }, 403],
    [[{ field: 'dealType', op: 'in', value: ['renewal', 'expansion'] }], {}, 200],
    [[{ field: 'tags', op: 'eq', value: 'key' }], { tags: ['hot', 'key'] }, 403],
    [[{ field: 'tags', op: 'ne', value: 'key' }], { tags: ['hot', 'key'] }, 200],
    [[{ field: 'recurring.amountMinor', op: 'gt', value: 5 }], { recurring: recurring(6) }, 403],
    [[{ field: 'recurring.amountMinor', op: 'gt', value: 5 }], { recurring: null }, 200],
    [[{ field: 'expectedCloseDate', op: 'lt', value: '2027-01-01' }], { expectedCloseDate: '2026-12-31' }, 403],
    [
      [
        { field: 'currency', op: 'eq', value: 'EUR' },
        { field: 'valueMinor', op: 'gt', value: 9 },
      ],
      { currency: 'EUR' },
      200,
    ],
  ];
  test.each(cases)('%j of %j: %i', async (conditions, deal, status) => {
    await setGate(tenant, { effect: 'deny', conditions });
    expect(await win(tenant.api, (await makeDeal(tenant.api, deal)).id)).toMatchObject({ status });
  });

  test('can refer to the input of the action', async () => {
    await setGate(tenant, {
      effect: 'deny',
      conditions: [{ field: 'closedAt', op: 'lt', value: '2026-01-01T00:00:00Z' }],
    });
    const id = (await makeDeal(tenant.api)).id;
    expect(await win(tenant.api, id, { closedAt: '2025-12-31T23:00:00-02:00' })).toMatchObject({ status: 200 });
    const other = (await makeDeal(tenant.api)).id;
    expect(await win(tenant.api, other, { closedAt: '2025-12-31T23:00:00Z' })).toMatchObject({ status: 403 });
  });
});

describe('setting gates', () => {
  const gate = { key: 'deal.win', effect: 'deny' };
  test.each([
    [{ ...gate, key: 'deal.burn' }, '/gates/0/key', 'unknown_gate'],
    [{ ...gate, effect: 'warn' }, '/gates/0/effect', 'invalid_value'],
    [{ ...gate, quorum: 6 }, '/gates/0/quorum', 'out_of_range'],
    [{ ...gate, quorum: 0 }, '/gates/0/quorum', 'out_of_range'],
    [{ ...gate, expiresInHours: 0 }, '/gates/0/expiresInHours', 'out_of_range'],
    [
      { ...gate, conditions: [{ field: 'valuMinor', op: 'gt', value: 1 }] },
      '/gates/0/conditions/0/field',
      'unknown_field',
    ],
    [{ ...gate, conditions: [{ field: 'name', op: 'in', value: 'x' }] }, '/gates/0/conditions/0/value', 'invalid_type'],
    [
      { ...gate, conditions: [{ field: 'name', op: 'eq', value: ['x'] }] },
      '/gates/0/conditions/0/value',
      'invalid_type',
    ],
    [
      { ...gate, conditions: [{ field: 'valueMinor', op: 'gte', value: '100' }] },
      '/gates/0/conditions/0/value',
      'invalid_type',
    ],
    [
      { ...gate, conditions: [{ field: 'dealType', op: 'in', value: ['renewal', 'renewel'] }] },
      '/gates/0/conditions/0/value',
      'invalid_value',
    ],
    [
      { ...gate, conditions: [{ field: 'expectedCloseDate', op: 'gte', value: 'soon' }] },
      '/gates/0/conditions/0/value',
      'invalid_date',
    ],
    [
      { ...gate, conditions: [{ field: 'ownerId', op: 'eq', value: 'me' }] },
      '/gates/0/conditions/0/value',
      'invalid_id',
    ],
    [
      { ...gate, conditions: [{ field: 'name', op: 'gt', value: true }] },
      '/gates/0/conditions/0/value',
      'invalid_type',
    ],
    [
      { ...gate, conditions: [{ field: 'name', op: 'eq', value: { a: 1 } }] },
      '/gates/0/conditions/0/value',
      'invalid_value',
    ],
    [{ ...gate, approvers: { permission: 'deals:burn' } }, '/gates/0/approvers/permission', 'unknown_permission'],
    [
      { ...gate, approvers: { memberIds: ['01890000-0000-7000-8000-000000000000'] } },
      '/gates/0/approvers/memberIds',
      'unknown_reference',
    ],
    [
      { ...gate, quorum: 2, approvers: { memberIds: ['01890000-0000-7000-8000-000000000000'] } },
      '/gates/0/quorum',
      'out_of_range',
    ],
  ])('refuses %j', async (each, pointer, code) => {
    expect(await setGates(each)).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
    expect(await tenant.api.get('/api/admin/settings')).toMatchObject({ body: { version: 1, gates: [] } });
  });

  test('allows one entry per gate', async () => {
    expect(await setGates(gate, gate)).toMatchObject({ status: 400, body: { errors: [{ pointer: '/gates/1/key' }] } });
  });

  test('refuses members of other tenants as approvers', async () => {
    const stranger = await platform.member(await platform.tenant(), 'Eve');
    expect(await setGates({ ...gate, approvers: { memberIds: [stranger.id] } })).toMatchObject({ status: 400 });
  });

  test.each([
    'agent.activate',
    'credit_note.issue',
    'deal.discount',
    'deal.win',
    'employee.compensation_change',
    'invoice.issue',
    'invoice.void',
    'offer.send',
    'payment.refund',
    'talent_job.open',
  ])('%s is a known gate', async (key) => {
    expect(await setGates({ key, effect: 'deny' })).toMatchObject({ status: 200 });
  });

  test('shows defaults', async () => {
    await setGates({ key: 'deal.win', effect: 'require_approval' });
    expect(await tenant.api.get('/api/admin/settings')).toMatchObject({
      body: {
        gates: [
          {
            key: 'deal.win',
            enabled: true,
            conditions: [],
            approvers: { memberIds: [], permission: null },
            quorum: 1,
            allowSelfApproval: false,
            expiresInHours: 72,
          },
        ],
      },
    });
  });
});

describe('a gate that requires approval', () => {
  test('parks the action: nothing changes, and the response shows request and record', async () => {
    await setGate(tenant, { quorum: 2, expiresInHours: 5 });
    const ada = await platform.member(tenant, 'Ada');
    const deal = await makeDeal(ada.api, { name: 'Big one' });
    const answer = await win(ada.api, deal.id, { closedAt: '2026-01-05T00:00:00Z' });
    expect(answer).toMatchObject({
      status: 202,
      body: {
        record: { id: deal.id, status: 'open', version: 1 },
        approval: {
          object: 'core.approval',
          reference: expect.stringMatching(/^APPR-\d{6}$/),
          gate: 'deal.win',
          operation: 'sales.deals.win',
          status: 'pending',
          summary: 'Win a deal: Big one',
          target: { object: 'sales.deal', id: deal.id, version: 1, name: 'Big one' },
          requestedBy: { type: 'api_key', membershipId: ada.id },
          payload: { closedAt: '2026-01-05T00:00:00Z' },
          quorum: 2,
          decisions: [],
          failure: null,
          closedAt: null,
        },
      },
    });
    const { approval } = answer.body;
    expect(Date.parse(approval.expiresAt) - Date.parse(approval.createdAt)).toBe(5 * 3_600_000);
    expect(answer.headers.get('etag')).toBeNull();
    expect((await tenant.api.get(`${DEALS}/${deal.id}`)).body).toMatchObject({ status: 'open', version: 1 });
    expect((await eventsOf(platform, tenant, deal.id)).map(({ type }) => type)).toEqual(['sales.deal.created']);
    expect((await eventsOf(platform, tenant, approval.id)).map(({ type }) => type)).toEqual([
      'core.approval.requested',
    ]);
    expect((await auditOf(platform, tenant, approval.id)).map(({ action }) => action)).toEqual([
      'core.approval.requested',
    ]);
    const [event] = await eventsOf(platform, tenant, approval.id);
    expect(event!.data).not.toHaveProperty('payload');
    expect(JSON.stringify(event)).not.toContain('keyId');
  });

  test('refuses a second request for the same action and names the first', async () => {
    await setGate(tenant);
    const first = await park(tenant.api);
    expect(await win(tenant.api, first.record.id)).toMatchObject({
      status: 409,
      body: { code: 'approval_pending', approvalId: first.approval.id },
    });
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => (await win(tenant.api, first.record.id)).status),
    );
    expect(new Set(answers)).toEqual(new Set([409]));
  });

  test('parks one of several concurrent requests', async () => {
    await setGate(tenant);
    const deal = await makeDeal(tenant.api);
    const answers = await Promise.all(Array.from({ length: 6 }, () => win(tenant.api, deal.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
    const { body } = await tenant.api.get<{ data: object[] }>(APPROVALS);
    expect(body.data).toHaveLength(1);
  });

  test('also guards the shorthand', async () => {
    await setGate(tenant);
    const deal = await makeDeal(tenant.api);
    expect(await tenant.api.patch(`${DEALS}/${deal.id}`, { status: 'won' })).toMatchObject({
      status: 202,
      body: { approval: { gate: 'deal.win' }, record: { status: 'open' } },
    });
    const other = await makeDeal(tenant.api);
    expect(await tenant.api.patch(DEALS, { id: other.id, status: 'won' })).toMatchObject({ status: 202 });
  });

  test('guards the items of a batch individually', async () => {
    await setGate(tenant, { conditions: [{ field: 'valueMinor', op: 'gt', value: 100 }] });
    const [small, big] = [await makeDeal(tenant.api, { value: 1 }), await makeDeal(tenant.api, { value: 2 })];
    const items = [small, big, big].map(({ id }) => ({ id, status: 'won' }));
    expect(await tenant.api.patch(DEALS, { items })).toMatchObject({
      status: 200,
      body: {
        results: [
          { id: small.id, ok: true, record: { status: 'won' }, approval: null },
          { id: big.id, ok: false, record: { status: 'open' }, problem: null, approval: { status: 'pending' } },
          { id: big.id, ok: false, record: null, problem: { code: 'approval_pending' }, approval: null },
        ],
      },
    });
  });

  test('refuses impossible actions immediately', async () => {
    await setGate(tenant);
    const deal = await makeDeal(tenant.api);
    await tenant.api.post(`${DEALS}/${deal.id}/lose`, { lostReason: 'price' });
    expect(await win(tenant.api, deal.id)).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    const open = await makeDeal(tenant.api);
    expect(await win(tenant.api, open.id, { closedAt: '2099-01-01T00:00:00Z' })).toMatchObject({ status: 400 });
    const reader = await platform.key(tenant, ['deals:read', 'deals:write']);
    expect(await win(reader, open.id)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    const stale = { 'if-match': '"7"' };
    expect(await tenant.api.post(`${DEALS}/${open.id}/win`, {}, stale)).toMatchObject({ status: 412 });
    expect(await tenant.api.get(APPROVALS)).toMatchObject({ body: { data: [] } });
  });

  test('repeats the 202 for an idempotency key', async () => {
    await setGate(tenant);
    const deal = await makeDeal(tenant.api);
    const key = { 'idempotency-key': 'win-once' };
    const first = await tenant.api.post(`${DEALS}/${deal.id}/win`, {}, key);
    const second = await tenant.api.post(`${DEALS}/${deal.id}/win`, {}, key);
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await tenant.api.get<{ data: object[] }>(APPROVALS)).body.data).toHaveLength(1);
  });
});

function recurring(amountMinor: number) {
  return { intervalMonths: 12, amountMinor, termMonths: 12, startDate: '2027-01-01' };
}
