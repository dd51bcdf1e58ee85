import { DAY_MS } from '#libs/kernel/durations.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  change,
  changed,
  DEALS,
  type Handoff,
  handoff,
  HANDOFFS,
  list,
  make,
  read,
  template,
  wonDeal,
} from './handoff-calls.js';

/** Handoffs of deals to delivery, up to their acceptance. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const ITEMS = [
  { key: 'scope', title: 'Scope signed', evidence: 'note', assignee: { role: 'sales_owner' }, offsetDays: 2 },
  { key: 'plan', title: 'Plan made', dependsOn: ['scope'], assignee: { role: 'delivery_owner' } },
  { key: 'gift', title: 'Gift sent', required: false },
];
const COMPLETE = [
  { key: 'scope', status: 'done', note: 'Signed' },
  { key: 'plan', status: 'done' },
];
const other = () => platform.key(tenant, ['*']);
const refused = (status: number, code: string) => ({ status, body: { code } });

describe('a template', () => {
  it('is completed with defaults, changed by a merge patch, and deleted unless it is the default', async () => {
    const first = await template(tenant.api, { isDefault: true, items: [{ key: 'a', title: 'A' }] });
    expect(first).toMatchObject({
      isDefault: true,
      match: { pipelineIds: [], dealTypes: [], tags: [], minValueMinor: null, maxValueMinor: null },
      items: [{ key: 'a', required: true, evidence: 'none' }],
      deliveryOwnerRule: { type: 'deal_owner' },
      depositPercent: 0,
      dueInDays: 14,
    });
    const path = `${HANDOFFS}/templates`;
    expect(await tenant.api.delete(`${path}/${first.id}`)).toMatchObject(refused(409, 'in_use'));
    const second = await template(tenant.api, { match: { dealTypes: ['renewal'], minValueMinor: 100 } });
    const patched = await tenant.api.patch(`${path}/${second.id}`, { isDefault: true, match: { minValueMinor: null } });
    expect(patched).toMatchObject({
      status: 200,
      body: { isDefault: true, match: { dealTypes: ['renewal'], minValueMinor: null }, version: 2 },
    });
    const { templates } = await list(tenant.api, '?include=templates');
    expect(templates).toMatchObject([
      { id: first.id, isDefault: false },
      { id: second.id, isDefault: true },
    ]);
    expect(await tenant.api.delete(`${path}/${first.id}`)).toMatchObject({ status: 200, body: { deleted: true } });
    expect((await list(tenant.api)).templates).toEqual([]);
  });

  it.each([
    [
      {
        items: [
          { key: 'a', title: 'A' },
          { key: 'a', title: 'B' },
        ],
      },
      '/items/1/key',
      'not_unique',
    ],
    [{ match: { minValueMinor: 2, maxValueMinor: 1 } }, '/match/maxValueMinor', 'out_of_range'],
    [{ deliveryOwnerRule: { type: 'member' } }, '/deliveryOwnerRule/membershipId', 'required'],
    [{ dealId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' }, '/dealId', 'not_with_type'],
    [{ projectTemplateId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' }, '/projectTemplateId', 'unknown_reference'],
    [{ name: undefined }, '/name', 'required'],
  ])('is refused with %j', async (more, pointer, code) => {
    const answer = await tenant.api.post(HANDOFFS, { type: 'template', name: 'Wrong', ...more });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
  });

  it('is chosen by the number of criteria, the value range and the age, and the default comes last', async () => {
    const match = (name: string, criteria: object, more = {}) =>
      template(tenant.api, { name, match: criteria, ...more });
    await match('default', {}, { isDefault: true });
    await match('named only', {});
    await match('wide', { minValueMinor: 0 });
    await match('narrow', { minValueMinor: 0, maxValueMinor: 6_000_000 });
    await match('as narrow', { minValueMinor: 0, maxValueMinor: 6_000_000 });
    await match('two', { dealTypes: ['renewal'], tags: ['KEY'] });
    const chosen = async (deal: object) => {
      const { templateId } = await handoff(tenant.api, {}, { ...deal });
      const { templates } = await list(tenant.api, '?include=templates');
      return templates.find(({ id }) => id === templateId)!['name'];
    };
    expect(await chosen({ value: 50_000 })).toBe('narrow');
    expect(await chosen({ value: 70_000 })).toBe('wide');
    expect(await chosen({ value: 50_000, dealType: 'renewal', tags: ['key'] })).toBe('two');
    expect(await chosen({ value: null, dealType: 'renewal' })).toBe('default');
    expect(await chosen({ value: 50_000, currency: 'EUR' })).toBe('default');
  });
});

describe('a handoff', () => {
  it('copies its template, and the deal names it', async () => {
    const [seller, deliverer] = [await platform.member(tenant, 'Seller'), await platform.member(tenant, 'Deliverer')];
    const { id: templateId } = await template(tenant.api, {
      items: ITEMS,
      requiredFields: ['summary.scope'],
      deliveryOwnerRule: { type: 'member', membershipId: deliverer.id },
      depositPercent: 30,
      dueInDays: 10,
    });
    const dealId = await wonDeal(tenant.api, { ownerId: seller.id });
    const made = await make(tenant.api, HANDOFFS, { dealId, templateId, summary: { goals: 'Faster' } });
    expect(made).toMatchObject({
      name: 'Acme rollout',
      status: 'draft',
      dealId,
      templateId,
      salesOwnerId: seller.id,
      deliveryOwnerId: deliverer.id,
      depositPercent: 30,
      requiredFields: ['summary.scope'],
      summary: { scope: null, goals: 'Faster', stakeholders: [] },
      checklist: [{ key: 'scope', assigneeId: seller.id }, { key: 'plan', assigneeId: deliverer.id }, { key: 'gift' }],
      allowedActions: ['submit', 'cancel'],
      overdue: false,
    });
    expect(await tenant.api.get(`${DEALS}/${dealId}`)).toMatchObject({ body: { handoffId: made.id, projectId: null } });
    const { body } = await tenant.api.get(`/api/operations/checklists?subject=sales.deal:${dealId}`);
    expect(body).toMatchObject({ data: [{ id: made['checklistId'], kind: 'handoff' }] });
    expect(Date.parse(String(made['dueAt'])) - platform.clock.nowMs()).toBeGreaterThan(9 * 86_400_000);
  });

  it('requires a deal that is won, or early one that is committed', async () => {
    const { id: dealId } = await make(tenant.api, DEALS, { name: 'Open', value: 10 });
    expect(await tenant.api.post(HANDOFFS, { dealId })).toMatchObject(refused(409, 'deal_not_won'));
    expect(await tenant.api.post(HANDOFFS, { dealId, early: true })).toMatchObject(refused(409, 'deal_not_won'));
    await make(tenant.api, `${DEALS}/${dealId}/move`, { stage: 'commit' });
    const early = await make(tenant.api, HANDOFFS, { dealId, early: true });
    expect(await tenant.api.delete(`${DEALS}/${dealId}`)).toMatchObject(refused(409, 'record_locked'));
    await changed(tenant.api, early.id, { action: 'submit' });
    const api = await other();
    expect(await change(api, early.id, { action: 'accept' })).toMatchObject(refused(409, 'deal_not_won'));
    await make(tenant.api, `${DEALS}/${dealId}/win`);
    expect(await changed(api, early.id, { action: 'accept' })).toMatchObject({ status: 'accepted' });
  });

  it('is the only live one of its deal, also with concurrent requests', async () => {
    const dealId = await wonDeal(tenant.api);
    const answers = await Promise.all(Array.from({ length: 8 }, () => tenant.api.post(HANDOFFS, { dealId })));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    for (const answer of answers.filter((each) => each !== made[0]))
      expect(answer).toMatchObject(refused(409, 'handoff_exists'));
    const { id } = made[0]!.body as { id: string };
    await changed(tenant.api, id, { action: 'cancel', reason: 'Wrong template' });
    expect(await make(tenant.api, HANDOFFS, { dealId })).toMatchObject({ status: 'draft' });
  });

  it('is submitted once it is complete', async () => {
    await template(tenant.api, {
      isDefault: true,
      items: ITEMS,
      requiredFields: ['summary.scope', 'summary.stakeholders', 'deliveryOwnerId'],
    });
    const { id } = await handoff(tenant.api);
    expect(await change(tenant.api, id, { action: 'submit' })).toMatchObject({
      status: 409,
      body: {
        code: 'handoff_incomplete',
        openItems: ['scope', 'plan'],
        missingFields: ['summary.scope', 'summary.stakeholders', 'deliveryOwnerId'],
      },
    });
    const { id: deliveryOwnerId } = await platform.member(tenant, 'Deliverer');
    const summary = { scope: 'Two sites', stakeholders: [{ name: 'Grace', role: 'Sponsor' }] };
    const done = await changed(tenant.api, id, { summary, deliveryOwnerId, checklist: COMPLETE, action: 'submit' });
    expect(done).toMatchObject({
      status: 'submitted',
      summary: { scope: 'Two sites', goals: null },
      deliveryOwnerId,
      checklist: [{ status: 'done' }, { status: 'done' }, { status: 'pending' }],
      effects: [{ type: 'checklist_changed', object: 'core.checklist' }],
    });
  });

  it('changes nothing if a part of the request is refused', async () => {
    await template(tenant.api, { isDefault: true, items: ITEMS });
    const before = await handoff(tenant.api);
    const body = { name: 'Renamed', checklist: COMPLETE.toReversed() };
    expect(await change(tenant.api, before.id, body)).toMatchObject(refused(409, 'blocked'));
    expect(await read(tenant.api, before)).toEqual(before);
    const unknown = { checklist: [{ key: 'nothing', status: 'done' }] };
    expect(await change(tenant.api, before.id, unknown)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/checklist/0/key', code: 'unknown_key' }] },
    });
    const [first] = COMPLETE;
    expect(await change(tenant.api, before.id, { checklist: [first, { ...first, note: 'Again' }] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/checklist/1/key', code: 'not_unique' }] },
    });
    expect(await read(tenant.api, before)).toEqual(before);
  });

  it('is not accepted by the submitter, but by one other person', async () => {
    const { id } = await handoff(tenant.api);
    await changed(tenant.api, id, { action: 'submit' });
    expect(await change(tenant.api, id, { action: 'accept' })).toMatchObject(refused(403, 'not_by_oneself'));
    const clients = [await other(), await other()];
    const answers = await Promise.all(clients.map((api) => change(api, id, { action: 'accept' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      code: 'invalid_transition',
      state: 'accepted',
      allowedActions: [],
    });
    expect(answers.find(({ status }) => status === 200)!.body).toMatchObject({
      status: 'accepted',
      steps: [{ key: 'project', status: 'pending' }, {}, {}, {}, {}],
      effects: [{ type: 'execution_started' }],
    });
    expect(await change(tenant.api, id, { name: 'Late' })).toMatchObject(refused(409, 'record_locked'));
    expect(await change(tenant.api, id, { action: 'cancel', reason: 'Late' })).toMatchObject(
      refused(409, 'invalid_transition'),
    );
  });

  it('is accepted only if it is still complete', async () => {
    await template(tenant.api, { isDefault: true, items: ITEMS, requiredFields: ['summary.scope'] });
    const made = await handoff(tenant.api, { summary: { scope: 'Two sites' } });
    await changed(tenant.api, made.id, { checklist: COMPLETE, action: 'submit' });
    const item = `/api/operations/checklists/${String(made['checklistId'])}/items/plan`;
    expect(await tenant.api.patch(item, { status: 'pending' })).toMatchObject({ status: 200 });
    const api = await other();
    expect(await change(api, made.id, { action: 'accept' })).toMatchObject({
      status: 409,
      body: { code: 'handoff_incomplete', openItems: ['plan'], missingFields: [] },
    });
    expect(await read(tenant.api, made)).toMatchObject({ status: 'submitted', steps: [] });
    await tenant.api.patch(item, { status: 'done' });
    expect(await changed(api, made.id, { action: 'accept' })).toMatchObject({ status: 'accepted' });
  });

  it('is delivered by the lead of the workspace that the rule of its template names, if it has one', async () => {
    const { id: workspaceId } = await make(tenant.api, '/api/admin/workspaces', { name: 'Delivery' });
    await template(tenant.api, { isDefault: true, deliveryOwnerRule: { type: 'workspace_lead', workspaceId } });
    expect(await handoff(tenant.api)).toMatchObject({ deliveryOwnerId: null });
    const lead = await platform.member(tenant, 'Lead', ['*'], { workspaces: { [workspaceId]: 'member' } });
    const patched = await tenant.api.patch(`/api/admin/workspaces/${workspaceId}`, { leadId: lead.id });
    expect(patched).toMatchObject({ status: 200 });
    expect(await handoff(tenant.api)).toMatchObject({ deliveryOwnerId: lead.id });
  });

  it('is accepted by its delivery owner, who lacks the permission, and by no other member', async () => {
    const place = { roles: ['member'] };
    const [deliverer, stranger] = [
      await platform.member(tenant, 'Deliverer', ['*'], place),
      await platform.member(tenant, 'Stranger', ['*'], place),
    ];
    const { id } = await handoff(tenant.api, { deliveryOwnerId: deliverer.id });
    await changed(tenant.api, id, { action: 'submit' });
    expect(await change(stranger.api, id, { action: 'accept' })).toMatchObject(refused(403, 'permission_denied'));
    expect(await change(stranger.api, id, { action: 'return', reason: 'No' })).toMatchObject(
      refused(403, 'permission_denied'),
    );
    expect(await changed(deliverer.api, id, { action: 'accept' })).toMatchObject({ status: 'accepted' });
  });

  it('gives nobody the right to accept by naming themselves as its delivery owner', async () => {
    const { api, id: deliveryOwnerId } = await platform.member(tenant, 'Member', ['*'], { roles: ['member'] });
    const other = await platform.member(tenant, 'Other', ['*'], { roles: ['member'] });
    const { id } = await handoff(tenant.api);
    expect(await change(api, id, { deliveryOwnerId })).toMatchObject(refused(403, 'permission_denied'));
    expect(await change(api, id, { deliveryOwnerId: other.id })).toMatchObject({ status: 200 });
    const lead = await platform.member(tenant, 'Lead', ['*'], { roles: ['manager'] });
    expect(await change(lead.api, id, { deliveryOwnerId: lead.id })).toMatchObject({ status: 200 });
  });

  it('gets a delivery owner to whom records can be given: suspended members, but not deactivated ones', async () => {
    const { id: deliveryOwnerId } = await platform.member(tenant, 'Deliverer', ['*'], { roles: ['member'] });
    const move = async (status: string) =>
      expect(await tenant.api.patch(`/api/admin/memberships/${deliveryOwnerId}`, { status })).toMatchObject({
        status: 200,
      });
    await move('suspended');
    const { id } = await handoff(tenant.api);
    expect(await changed(tenant.api, id, { deliveryOwnerId })).toMatchObject({ deliveryOwnerId });
    expect(await handoff(tenant.api, { deliveryOwnerId })).toMatchObject({ deliveryOwnerId });
    await changed(tenant.api, id, { deliveryOwnerId: null });
    await move('deactivated');
    const unknown = {
      status: 400,
      body: { errors: [{ pointer: '/deliveryOwnerId', code: 'unknown_reference' }] },
    };
    expect(await change(tenant.api, id, { deliveryOwnerId })).toMatchObject(unknown);
    const dealId = await wonDeal(tenant.api);
    expect(await tenant.api.post(HANDOFFS, { dealId, deliveryOwnerId })).toMatchObject(unknown);
  });

  it('is returned with a reason and submitted again', async () => {
    const made = await handoff(tenant.api);
    expect(await change(tenant.api, made.id, { action: 'return' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/reason', code: 'required' }] },
    });
    await changed(tenant.api, made.id, { action: 'submit' });
    const api = await other();
    expect(await changed(api, made.id, { action: 'return', reason: 'No scope' })).toMatchObject({
      status: 'returned',
      returnReason: 'No scope',
      returnCount: 1,
    });
    await changed(tenant.api, made.id, { action: 'submit' });
    await changed(api, made.id, { action: 'accept' });
    await handoff(tenant.api);
    expect((await list(tenant.api)).stats).toEqual({ open: 2, overdue: 0, medianDaysToAccept: 0, returnRate: 1 });
  });

  it('is counted in the median of the days to the acceptance, and in the share of those that were returned', async () => {
    const api = await other();
    const submitted = async () => {
      const { id } = await handoff(tenant.api);
      await changed(tenant.api, id, { action: 'submit' });
      return id;
    };
    const ids = [await submitted(), await submitted(), await submitted(), await submitted()];
    await changed(api, ids[3]!, { action: 'return', reason: 'No scope' });
    await handoff(tenant.api); // counts in neither, because it was not submitted
    let passed = 0;
    for (const [index, days] of [1, 2, 6].entries()) {
      platform.clock.advance((days - passed) * DAY_MS);
      passed = days;
      await changed(api, ids[index]!, { action: 'accept' });
    }
    expect((await list(tenant.api)).stats).toEqual({ open: 5, overdue: 0, medianDaysToAccept: 2, returnRate: 0.25 });
  });

  it('keeps the required items from its owner and requires the evidence', async () => {
    await template(tenant.api, { isDefault: true, items: ITEMS });
    const owner = await platform.member(tenant, 'Owner', ['*'], { roles: ['member'] });
    const { id } = await handoff(tenant.api, {}, { ownerId: owner.id });
    const skip = { checklist: [{ key: 'scope', status: 'skipped', reason: 'Later' }] };
    expect(await change(owner.api, id, skip)).toMatchObject(refused(403, 'permission_denied'));
    await changed(owner.api, id, { checklist: [{ key: 'gift', status: 'skipped', reason: 'Not allowed' }] });
    const noted = await change(owner.api, id, { checklist: [{ key: 'scope', status: 'done' }] });
    expect(noted).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/checklist/0/note', code: 'required' }] },
    });
    const fileId = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b99';
    const filed = await change(owner.api, id, { checklist: [{ key: 'gift' }, { key: 'scope', fileId }] });
    expect(filed).toMatchObject({ status: 400, body: { errors: [{ pointer: '/checklist/1/fileId' }] } });
    await changed(tenant.api, id, skip);
  });

  it('can be found by its properties, and by members of its workspace only', async () => {
    const { id: workspaceId } = await make(tenant.api, '/api/admin/workspaces', { name: 'North' });
    const inside = await platform.member(tenant, 'Inside', ['*'], {
      roles: ['viewer'],
      workspaces: { [workspaceId]: 'member' },
    });
    const outside = await platform.member(tenant, 'Outside', ['*'], { roles: ['viewer'], workspaces: {} });
    const mine = await handoff(tenant.api, { dueAt: '2099-01-01T00:00:00.000Z' }, { workspaceId });
    const late = await handoff(tenant.api, { dueAt: '2020-01-01T00:00:00.000Z' });
    const found = async (query: string, api = tenant.api) => (await list(api, query)).data.map(({ id }) => id);
    expect(await found('?overdue=true')).toEqual([late.id]);
    expect(await found('?status=draft&sort=createdAt')).toEqual([mine.id, late.id]);
    expect(await found(`?dealId=${mine.dealId}`)).toEqual([mine.id]);
    expect(await found(`?accountId=${String(late['accountId'])}`)).toEqual([late.id]);
    expect(await found('', inside.api)).toEqual([mine.id]);
    expect((await list(inside.api)).stats).toMatchObject({ open: 1, overdue: 0 });
    expect(await found('', outside.api)).toEqual([]);
    expect(await change(inside.api, mine.id, { name: 'Changed' })).toMatchObject(refused(403, 'permission_denied'));
    expect((await change(outside.api, mine.id, { name: 'Changed' })).status).not.toBe(200);
  });
});

describe('reopening a deal', () => {
  it('cancels its handoff before the acceptance, and is refused afterwards', async () => {
    const made = await handoff(tenant.api);
    const reopen = () => tenant.api.post(`${DEALS}/${made.dealId}/reopen`, { reason: 'The customer hesitates' });
    expect(await reopen()).toMatchObject({ status: 200, body: { status: 'open', handoffId: null } });
    expect(await read(tenant.api, made)).toMatchObject({ status: 'cancelled' });
    await make(tenant.api, `${DEALS}/${made.dealId}/win`);
    const { id } = await make(tenant.api, HANDOFFS, { dealId: made.dealId });
    await changed(tenant.api, id, { action: 'submit' });
    await changed(await other(), id, { action: 'accept' });
    expect(await reopen()).toMatchObject(refused(409, 'record_locked'));
  });
});

test('losing a deal cancels its early handoff', async () => {
  const { id: accountId } = await make(tenant.api, '/api/v1/sales/accounts', { name: 'Acme' });
  const deal = await make(tenant.api, DEALS, { name: 'Acme rollout', accountId, stage: 'commit' });
  const made = await make<Handoff>(tenant.api, HANDOFFS, { dealId: deal.id, early: true });
  expect(await make(tenant.api, `${DEALS}/${deal.id}/lose`, { lostReason: 'price' })).toMatchObject({
    handoffId: null,
  });
  expect(await read(tenant.api, made)).toMatchObject({ status: 'cancelled' });
});

it('follows the account of its deal when accounts are merged', async () => {
  const made = await handoff(tenant.api);
  const { id: intoId } = await make(tenant.api, '/api/v1/sales/accounts', { name: 'Acme Group' });
  await make(tenant.api, `/api/v1/sales/accounts/${String(made['accountId'])}/merge`, { intoId });
  expect(await read(tenant.api, made)).toMatchObject({ accountId: intoId });
});
