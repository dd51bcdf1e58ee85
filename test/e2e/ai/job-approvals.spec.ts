import type { ApprovalView } from '#libs/resource/gates/approval.js';
import type { AiPolicy } from '#libs/ai/policy.js';
import { JobContexts } from '#src/areas/ai/jobs/job-contexts.js';
import { AiJobsService } from '#src/areas/ai/jobs/ai-jobs.service.js';
import type { ShownAiJob } from '#src/areas/ai/jobs/job.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Client } from '../../harness/client.js';
import { adminPool } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, ask, jobOf, makeJob, move, parkJob, setPolicy, TEXT } from './job-calls.js';

const APPROVALS = '/api/home/approvals';

let platform: TestPlatform;
let admin: ReturnType<typeof adminPool>;
beforeAll(async () => {
  platform = await startPlatform({ env: { AI_LOCAL_PRICE_MICROS_PER_1K: '1000' } });
  admin = adminPool(platform.database.adminUrl, 1);
});
afterAll(async () => {
  await admin.end();
  await platform.close();
});

const DECIDER = ['ai-jobs:read', 'ai-jobs:approve'];
const nobody = { memberIds: [], roleIds: [], managerOfRequester: false };
const rule = (more: object = {}): Partial<AiPolicy> => ({
  approvalRules: [{ when: {}, approvers: nobody, quorum: 1, expiresInMinutes: 60, ...more }],
});
/** A tenant with one requester and two approvers. */
async function team(policy: Partial<AiPolicy> = rule()) {
  const tenant = await platform.tenant();
  await setPolicy(tenant, policy);
  const asker = await platform.member(tenant, 'Ada', ['ai-jobs:*', 'approvals:*']);
  const one = await platform.member(tenant, 'Bob', DECIDER);
  const two = await platform.member(tenant, 'Eve', [...DECIDER, 'approvals:decide']);
  return { tenant, asker, one, two };
}
const held = async ({ id }: TestTenant) => {
  const { rows } = await admin.query('select sum(held_micros) as held from data.ai_accounts where tenant_id = $1', [
    id,
  ]);
  return Number(rows[0]!.held);
};
const requestOf = async (tenant: TestTenant, job: ShownAiJob) =>
  (await tenant.api.get<ApprovalView>(`${APPROVALS}/${job.approvalId}`)).body;

test('a job that requires approval waits, names the rule, and appears in both lists', async () => {
  const { tenant, asker, one } = await team();
  const job = await makeJob(asker.api);
  expect(job).toMatchObject({
    status: 'awaiting_approval',
    version: 2,
    decision: { outcome: 'require_approval', rules: ['approval_rules[0]'] },
  });
  expect(await requestOf(tenant, job)).toMatchObject({
    gate: 'ai.job.run',
    operation: 'ai.jobs.create',
    status: 'pending',
    target: { object: 'intelligence.job', id: job.id },
    approvers: { permission: 'ai-jobs:approve' },
    requestedBy: { membershipId: asker.id },
  });
  const waiting = await one.api.get<{ data: ShownAiJob[] }>('/api/ai/approvals');
  expect(waiting.body.data.map(({ id }) => id)).toEqual([job.id]);
  expect((await jobOf(one.api, job.id)).input).not.toBeNull();
});

test('approving it through either interface lets it run', async () => {
  const { tenant, asker, one, two } = await team();
  const [first, second] = [await makeJob(asker.api), await makeJob(asker.api)];
  expect(await act(one.api, first.id, 'approve', { note: 'Fine' })).toMatchObject({
    status: 200,
    body: { status: 'approved', version: 3 },
  });
  expect(await requestOf(tenant, first)).toMatchObject({ status: 'executed', decisions: [{ note: 'Fine' }] });
  const other = await two.api.post<ApprovalView>(`${APPROVALS}/${second.approvalId}/approve`);
  expect(other).toMatchObject({ status: 200, body: { status: 'executed' } });
  expect((await jobOf(asker.api, second.id)).status).toBe('approved');
});

test('rejecting it through either interface ends it and releases the reservation', async () => {
  const { tenant, asker, one, two } = await team();
  const [first, second] = [await makeJob(asker.api), await makeJob(asker.api)];
  expect(await held(tenant)).toBe(first.reservedCostMicros + second.reservedCostMicros);
  expect(await act(one.api, first.id, 'reject', { reason: 'Too dear' })).toMatchObject({
    body: { status: 'rejected' },
  });
  expect(await requestOf(tenant, first)).toMatchObject({ status: 'rejected' });
  await two.api.post(`${APPROVALS}/${second.approvalId}/reject`, { reason: 'No' });
  expect((await jobOf(asker.api, second.id)).status).toBe('rejected');
  expect(await held(tenant)).toBe(0);
});

test('cancelling the request cancels the job and vice versa', async () => {
  const { tenant, asker } = await team();
  const [first, second] = [await makeJob(asker.api), await makeJob(asker.api)];
  expect((await asker.api.post(`${APPROVALS}/${first.approvalId}/cancel`)).status).toBe(200);
  expect((await jobOf(asker.api, first.id)).status).toBe('cancelled');
  expect((await act(asker.api, second.id, 'cancel')).status).toBe(200);
  expect(await requestOf(tenant, second)).toMatchObject({ status: 'cancelled' });
  const third = await makeJob(asker.api);
  await move(platform, tenant, third.id, 'expire');
  expect(await requestOf(tenant, third)).toMatchObject({ status: 'expired' });
  expect(await held(tenant)).toBe(0);
});

test('the requester cannot approve unless the policy allows it', async () => {
  const { tenant, asker } = await team();
  const job = await makeJob(asker.api);
  expect(await act(asker.api, job.id, 'approve')).toMatchObject({ status: 403, body: { code: 'not_an_approver' } });
  expect(await asker.api.post(`${APPROVALS}/${job.approvalId}/approve`)).toMatchObject({ status: 403 });
  await setPolicy(tenant, { allowSelfApproval: true });
  const own = await makeJob(asker.api);
  expect(await act(asker.api, own.id, 'approve')).toMatchObject({ status: 200, body: { status: 'approved' } });
});

test('only approvers named by the rule may decide, with the required permission', async () => {
  const { tenant, asker, one, two } = await team();
  await setPolicy(tenant, rule({ approvers: { ...nobody, memberIds: [two.id] } }));
  const job = await makeJob(asker.api);
  expect(await act(one.api, job.id, 'approve')).toMatchObject({ status: 403, body: { code: 'not_an_approver' } });
  const reader = await platform.member(tenant, 'Ken', ['ai-jobs:read', 'ai-jobs:read-all']);
  expect(await act(reader.api, job.id, 'approve')).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  expect(await act(two.api, job.id, 'approve')).toMatchObject({ status: 200 });
});

test('each person counts once toward a quorum of two, and two concurrent approvals count as two', async () => {
  const { asker, one, two } = await team(rule({ quorum: 2 }));
  const job = await makeJob(asker.api);
  expect(await act(one.api, job.id, 'approve')).toMatchObject({ status: 200, body: { status: 'awaiting_approval' } });
  expect(await act(one.api, job.id, 'approve')).toMatchObject({ status: 409, body: { code: 'already_decided' } });
  expect(await act(two.api, job.id, 'approve')).toMatchObject({ status: 200, body: { status: 'approved' } });
  for (let round = 0; round < 5; round++) {
    const both = await makeJob(asker.api);
    const doors = [
      act(one.api, both.id, 'approve'),
      two.api.post<ApprovalView>(`${APPROVALS}/${both.approvalId}/approve`),
    ];
    expect((await Promise.all(doors)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await jobOf(asker.api, both.id)).status).toBe('approved');
  }
});

test('all approvers of a job are in the audit log', async () => {
  const { tenant, asker, one, two } = await team(rule({ quorum: 2 }));
  const job = await makeJob(asker.api);
  await act(one.api, job.id, 'approve');
  await act(two.api, job.id, 'approve');
  const { decisions, requestedBy } = await requestOf(tenant, job);
  const actors = [requestedBy, ...decisions.map(({ by }) => by)].map(({ type, id, name }) => ({ type, id, name }));
  const { body } = await tenant.api.get<{ data: object[] }>(`/api/admin/audit-logs?targetId=${job.id}`);
  expect(body.data[0]).toMatchObject({ action: 'intelligence.job.approved', actor: actors[0] });
  expect(body.data[0]).toMatchObject({ allowedBy: actors.slice(1), reason: `approval ${job.approvalId}` });
});

test('of two concurrent decisions through any interface one succeeds', async () => {
  const { asker, one, two } = await team();
  for (let round = 0; round < 5; round++) {
    const job = await makeJob(asker.api);
    const answers = await Promise.all([
      act(one.api, job.id, 'approve'),
      two.api.post<ApprovalView>(`${APPROVALS}/${job.approvalId}/reject`, { reason: 'No' }),
      act(two.api, job.id, 'approve'),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    expect(['approved', 'rejected']).toContain((await jobOf(asker.api, job.id)).status);
  }
});

test('an approver can lower but not raise the cap, which reduces the reservation', async () => {
  const { tenant, asker, one, two } = await team(rule({ quorum: 2 }));
  const job = await makeJob(asker.api, { costCapMicros: 500_000 });
  expect(await act(one.api, job.id, 'approve', { costCapMicros: 500_001 })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/costCapMicros', code: 'out_of_range' }] },
  });
  expect(await act(one.api, job.id, 'approve', { costCapMicros: 100 })).toMatchObject({ status: 200 });
  expect(await act(two.api, job.id, 'approve', { costCapMicros: 200 })).toMatchObject({ status: 400 });
  const done = await act(two.api, job.id, 'approve');
  expect(done).toMatchObject({
    status: 200,
    body: { status: 'approved', costCapMicros: 100, reservedCostMicros: 100 },
  });
  expect(await held(tenant)).toBe(100);
});

test.each([
  ['model', `update data.ai_jobs set max_output_tokens = max_output_tokens + 1 where id = $1`],
  ['cap', `update data.ai_jobs set approved_cap_micros = approved_cap_micros + 1 where id = $1`],
  ['digest', `update data.ai_jobs set approval_digest = repeat('0', 64) where id = $1`],
])('a job whose %s has changed is not approved', async (_name, sql) => {
  const { tenant, asker, one } = await team();
  const job = await makeJob(asker.api);
  await admin.query(sql, [job.id]);
  expect(await act(one.api, job.id, 'approve')).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  expect(await requestOf(tenant, job)).toMatchObject({ status: 'failed', failure: { code: 'approval_changed' } });
  expect(await held(tenant)).toBe(0);
});

test('the approved content cannot be changed in any row and is verified when decrypted', async () => {
  const { tenant, asker, one } = await team();
  const [job, other] = [
    await makeJob(asker.api),
    await makeJob(asker.api, { input: { text: 'Other text. Two parts.' } }),
  ];
  for (const set of [
    `model = 'other'`,
    `kind = 'text.extract'`,
    `tools = '["deals.update"]'`,
    `input_hash = repeat('0', 64)`,
  ])
    await expect(admin.query(`update data.ai_jobs set ${set} where id = $1`, [job.id])).rejects.toThrow(
      /never changes/,
    );
  await act(one.api, job.id, 'approve');
  const facts = { id: tenant.id, slug: tenant.slug, plan: 'enterprise', currency: 'USD', epoch: '0' };
  const opened = (id = job.id) =>
    runAsSystem(facts, 'test worker', 'open', async () => {
      const row = await platform.app.get(AiJobsService, { strict: false }).records.readPlainly(id);
      return platform.app.get(JobContexts, { strict: false }).open(row);
    });
  await expect(opened()).resolves.toMatchObject({ task: { kind: 'text.summarize' } });
  await admin.query(`update data.ai_jobs set max_output_tokens = max_output_tokens + 1 where id = $1`, [job.id]);
  await expect(opened()).rejects.toMatchObject({ code: 'approval_changed' });
  await admin.query(`update data.ai_jobs set max_output_tokens = max_output_tokens - 1 where id = $1`, [job.id]);
  await expect(opened()).resolves.toBeDefined();
  await admin.query(`update data.ai_jobs set approval_id = $2 where id = $1`, [job.id, other.approvalId]);
  await expect(opened()).rejects.toMatchObject({ code: 'approval_changed' });
  await setPolicy(tenant, { approvalRules: [] });
  const free = await makeJob(asker.api);
  expect(free.status).toBe('queued');
  await expect(opened(free.id)).resolves.toBeDefined();
  await admin.query(`update data.ai_jobs set max_output_tokens = max_output_tokens + 1 where id = $1`, [free.id]);
  await expect(opened(free.id)).rejects.toMatchObject({ code: 'approval_changed' });
});

test('approval of a request whose credential is no longer valid runs nothing', async () => {
  const { tenant, asker, one } = await team();
  const job = await makeJob(asker.api);
  await admin.query(
    `update data.memberships set status = 'suspended', version = version + 1 where tenant_id = $1 and id = $2`,
    [tenant.id, asker.id],
  );
  expect(await act(one.api, job.id, 'approve')).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  expect(await requestOf(tenant, job)).toMatchObject({ status: 'failed', failure: { code: 'unauthenticated' } });
});

describe('the gate ai.job.run of the settings', () => {
  const gate = (tenant: TestTenant, more: object) =>
    tenant.api.patch('/api/admin/settings', { gates: [{ key: 'ai.job.run', ...more }] });

  test('requires approval when its conditions hold', async () => {
    const { tenant, asker, one } = await team({});
    const conditions = [{ field: 'kind', op: 'eq', value: 'text.summarize' }];
    expect((await gate(tenant, { effect: 'require_approval', conditions })).status).toBe(200);
    const job = await makeJob(asker.api);
    expect(job).toMatchObject({ status: 'awaiting_approval', decision: { rules: ['gate.ai.job.run'] } });
    expect(await act(one.api, job.id, 'approve')).toMatchObject({ status: 200, body: { status: 'approved' } });
    const free = await makeJob(asker.api, { kind: 'text.generate', input: undefined, prompt: 'Hello there.' });
    expect(free.status).toBe('queued');
  });

  test('denies', async () => {
    const { tenant, asker } = await team({});
    await gate(tenant, { effect: 'deny' });
    expect(await ask(asker.api)).toMatchObject({
      status: 403,
      body: { code: 'ai_policy_denied', rules: ['gate.ai.job.run'] },
    });
  });

  test('applies in addition to the policy', async () => {
    const { tenant, asker, one } = await team();
    await gate(tenant, { effect: 'require_approval', quorum: 2 });
    const job = await parkJob(asker.api);
    expect(job.decision.rules).toEqual(['approval_rules[0]', 'requested_by_caller', 'gate.ai.job.run']);
    expect(await act(one.api, job.id, 'approve')).toMatchObject({ body: { status: 'awaiting_approval' } });
  });

  test('requires an approver accepted by both', async () => {
    const { tenant, asker, one } = await team();
    const made = await tenant.api.post<{ id: string }>('/api/admin/roles', {
      name: 'Board',
      permissions: ['deals:read'],
    });
    const roles = ['owner', made.body.id];
    const named = async (name: string, scopes: string[]) => platform.member(tenant, name, scopes, { roles });
    const onlyNamed = await named('Kim', ['approvals:*', 'ai-jobs:read']);
    const bothWays = await named('Zoe', [...DECIDER, 'approvals:decide']);
    await gate(tenant, { effect: 'require_approval', approvers: { roleIds: [made.body.id] } });
    const estimate = await asker.api.post('/api/ai/estimate', { kind: 'text.summarize', input: { text: TEXT } });
    expect(estimate.body).toMatchObject({
      approval: { approvers: { permission: 'ai-jobs:approve' }, alsoApprovers: { roleIds: [made.body.id] } },
    });
    const job = await makeJob(asker.api);
    expect(await requestOf(tenant, job)).toMatchObject({
      approvers: { permission: 'ai-jobs:approve', roleIds: [] },
      alsoApprovers: { permission: null, roleIds: [made.body.id] },
    });
    const path = `${APPROVALS}/${job.approvalId}/approve`;
    const refused = { status: 403, body: { code: 'not_an_approver' } };
    expect(await onlyNamed.api.post(path)).toMatchObject(refused);
    expect(await act(one.api, job.id, 'approve')).toMatchObject(refused);
    const lists = async (api: Client) =>
      (await api.get<{ data: { id: string }[] }>(`${APPROVALS}?mine=to_decide`)).body.data.map(({ id }) => id);
    expect(await lists(onlyNamed.api)).toEqual([]);
    expect(await lists(bothWays.api)).toEqual([job.approvalId]);
    expect(await bothWays.api.post(path)).toMatchObject({ status: 200, body: { status: 'executed' } });
    expect((await jobOf(asker.api, job.id)).status).toBe('approved');
  });
});
