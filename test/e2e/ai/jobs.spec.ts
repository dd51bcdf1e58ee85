import { randomUUID } from 'node:crypto';
import type { ShownAiJob } from '#src/areas/ai/jobs/job.js';
import { AUDITED } from '../../harness/audit.js';
import { adminPool } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, ask, FAILED, JOBS, jobOf, makeJob, move, parkJob, setPolicy, TEXT } from './job-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
let admin: ReturnType<typeof adminPool>;
beforeAll(async () => {
  platform = await startPlatform({ env: { AI_LOCAL_PRICE_MICROS_PER_1K: '1000' } });
  admin = adminPool(platform.database.adminUrl, 1);
  tenant = await platform.tenant();
  await setPolicy(tenant, { ratePerMinute: 10_000 });
});
afterAll(async () => {
  await admin.end();
  await platform.close();
});

const ids = async (answer: Promise<{ body: { data: ShownAiJob[] } }>) => (await answer).body.data.map(({ id }) => id);
const countIn = async (table: string, { id }: TestTenant = tenant): Promise<number> =>
  Number((await admin.query(`select count(*) as n from data.${table} where tenant_id = $1`, [id])).rows[0].n);
const traces = async () =>
  Promise.all(
    ['ai_jobs', 'ai_reservations', 'ai_calls', 'ai_decisions', 'home_approvals'].map((table) => countIn(table)),
  );

describe('creating a job', () => {
  test('creates, decides, reserves and queues it immediately', async () => {
    const job = await makeJob(tenant.api, { name: 'Renewal', priority: 'high' });
    expect(job).toMatchObject({
      status: 'queued',
      object: 'intelligence.job',
      name: 'Renewal',
      kind: 'text.summarize',
      provider: 'local',
      model: 'local-1',
      priority: 'high',
      decision: { outcome: 'allow', rules: ['policy.allowed'], policyVersion: 1 },
      costCapMicros: 1_000_000,
      actualCostMicros: 0,
      attempts: 0,
      version: 1,
      requestedBy: { type: 'api_key', name: 'test', membershipId: null },
    });
    expect(job.reservedCostMicros).toBeGreaterThan(0);
    expect(job.estimatedCostMicros).toBe(job.reservedCostMicros);
    const { rows } = await admin.query('select reserved_micros from data.ai_reservations where job_id = $1', [job.id]);
    expect(rows.map(({ reserved_micros: micros }) => Number(micros))).toEqual([job.reservedCostMicros]);
    const { input, feedback } = await jobOf(tenant.api, job.id);
    expect(input).toMatchObject({ input: { text: TEXT }, records: [] });
    expect(feedback).toEqual([]);
  });

  test('stores the input encrypted and keeps it out of events and the audit log', async () => {
    const secret = `Unheard-of ${randomUUID()}.`;
    const { id } = await makeJob(tenant.api, { input: { text: `${TEXT} ${secret}` } });
    await move(platform, tenant, id, 'start');
    await move(platform, tenant, id, 'succeed', { output: { text: secret, json: null } });
    expect((await jobOf(tenant.api, id)).output).toEqual({ text: secret, json: null, proposedActions: [] });
    for (const sql of [
      'select envelope as text from data.events where subject_id = $1',
      `select ${AUDITED} as text from data.audit_log where target_id = $1`,
      'select sealed_input as text from data.ai_jobs where id = $1',
    ]) {
      const { rows } = await admin.query<{ text: string }>(sql, [id]);
      expect(rows.length).toBeGreaterThan(0);
      for (const { text } of rows) expect(text).not.toContain('Unheard-of');
    }
  });

  test('accepts a prompt instead of an input, and a cap in currency units', async () => {
    const job = await makeJob(tenant.api, { input: undefined, prompt: TEXT, costCap: 0.2 });
    expect(job).toMatchObject({ costCapMicros: 200_000 });
    expect((await jobOf(tenant.api, job.id)).input).toMatchObject({ input: { text: TEXT } });
    const same = await ask(tenant.api, { costCap: 0.2, costCapMicros: 200_000 });
    expect(same.status).toBe(201);
  });

  test('reduces the maximum output to what the cap allows', async () => {
    const whole = await makeJob(tenant.api, { maxOutputTokens: 1_000 });
    const costCapMicros = whole.reservedCostMicros - 100;
    const less = await makeJob(tenant.api, { maxOutputTokens: 1_000, costCapMicros });
    expect(less.maxOutputTokens).toBe(900);
    expect(less.reservedCostMicros).toBeLessThanOrEqual(costCapMicros);
  });

  test('fails immediately if the cap does not even allow the shortest output', async () => {
    const job = await makeJob(tenant.api, { costCapMicros: 70 });
    expect(job).toMatchObject({
      status: 'over_cost_cap',
      reservedCostMicros: 0,
      error: { code: 'cost_cap_reached' },
      version: 2,
    });
    const { rows } = await admin.query('select 1 from data.ai_reservations where job_id = $1', [job.id]);
    expect(rows).toEqual([]);
  });

  test('masks personal data before storing anything', async () => {
    const job = await makeJob(tenant.api, { input: { text: `${TEXT} Write to ada@example.test.` } });
    expect(job.piiFindings).toEqual([{ kind: 'email', count: 1, where: '/input/text' }]);
    expect(JSON.stringify((await jobOf(tenant.api, job.id)).input)).not.toContain('ada@example.test');
  });

  test('happens once per idempotency key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { kind: 'text.summarize', input: { text: TEXT } };
    const [first, second] = [
      await tenant.api.post<ShownAiJob>(JOBS, body, headers),
      await tenant.api.post<ShownAiJob>(JOBS, body, headers),
    ];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.id).toBe(first.body.id);
  });
});

describe('invalid input is refused with a specific code and leaves no traces', () => {
  const large = 'x'.repeat(262_145);
  const violation = (pointer: string, code: string) => ({ code: 'validation_failed', errors: [{ pointer, code }] });
  const CASES: [string, object, number, object][] = [
    ['an unknown kind', { kind: 'text.sing' }, 400, violation('/kind', 'unknown_kind')],
    ['an input that does not fit', { input: { text: 7 } }, 400, violation('/input/text', 'invalid_type')],
    ['an unknown member', { input: { text: TEXT, more: 1 } }, 400, violation('/input/more', 'unknown_field')],
    ['no input', { input: undefined }, 400, violation('/input', 'required')],
    ['an input twice', { prompt: TEXT }, 400, violation('/input/text', 'exactly_one')],
    [
      'an unknown stored prompt',
      { input: undefined, template: { key: 'none' } },
      400,
      violation('/template/key', 'unknown_reference'),
    ],
    [
      'a cap above the policy',
      { costCapMicros: 10_000_001 },
      400,
      { code: 'cost_cap_above_policy', errors: [{ pointer: '/costCapMicros' }], maxCostCapMicros: 10_000_000 },
    ],
    ['conflicting caps', { costCapMicros: 5, costCap: 1 }, 400, { code: 'amount_mismatch' }],
    ['a cap of zero', { costCapMicros: 0 }, 400, violation('/costCapMicros', 'out_of_range')],
    [
      'an oversized input',
      { input: { text: large } },
      413,
      { code: 'input_too_large', errors: [{ pointer: '/input' }] },
    ],
    ['an unknown model', { model: 'gpt-none' }, 400, violation('/model', 'unknown_model')],
    ['an unknown provider', { provider: 'nobody' }, 400, violation('/provider', 'unknown_model')],
    [
      'an answer longer than the model’s',
      { maxOutputTokens: 1_000_000 },
      400,
      violation('/maxOutputTokens', 'out_of_range'),
    ],
    ['an unknown agent', { agentId: randomUUID() }, 400, violation('/agentId', 'unknown_reference')],
    ['no agent for agent.run', { kind: 'agent.run', input: { goal: 'Go' } }, 400, violation('/agentId', 'required')],
    ['a past deadline', { deadlineAt: '2020-01-01T00:00:00Z' }, 400, violation('/deadlineAt', 'in_the_past')],
    [
      'an unknown record',
      { kind: 'record.summarize', input: {}, targets: [{ object: 'sales.deal', id: randomUUID() }] },
      400,
      violation('/targets/0/id', 'unknown_reference'),
    ],
    [
      'an unknown type',
      { kind: 'record.summarize', input: {}, targets: [{ object: 'sales.dream', id: randomUUID() }] },
      400,
      violation('/targets/0/object', 'unknown_type'),
    ],
  ];
  test.each(CASES)('%s', async (_name, body, status, expected) => {
    const before = await traces();
    expect(await ask(tenant.api, body)).toMatchObject({ status, body: expected });
    expect(
      await tenant.api.post('/api/ai/estimate', { kind: 'text.summarize', input: { text: TEXT }, ...body }),
    ).toMatchObject('deadlineAt' in body ? { status: 200 } : { status });
    expect(await traces()).toEqual(before);
  });

  test('a job denied by policy names the rule, and only the decision is stored', async () => {
    const strict = await platform.tenant();
    await setPolicy(strict, { allowedModels: [] });
    const answer = await ask(strict.api);
    expect(answer).toMatchObject({ status: 403, body: { code: 'ai_policy_denied', rules: ['model_not_allowed'] } });
    expect(await countIn('ai_jobs', strict)).toBe(0);
    expect(await countIn('ai_reservations', strict)).toBe(0);
    const { rows } = await admin.query('select outcome, job_id from data.ai_decisions where tenant_id = $1', [
      strict.id,
    ]);
    expect(rows).toEqual([{ outcome: 'deny', job_id: null }]);
    const audit = await strict.api.get<{ data: { outcome: string }[] }>(
      '/api/admin/audit-logs?action=intelligence.job.denied',
    );
    expect(audit.body.data).toMatchObject([{ outcome: 'denied' }]);
  });

  test('more jobs per minute than the policy allows', async () => {
    const slow = await platform.tenant();
    await setPolicy(slow, { ratePerMinute: 2 });
    await makeJob(slow.api);
    await makeJob(slow.api);
    const third = await ask(slow.api);
    expect(third).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded' } });
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await countIn('ai_reservations', slow)).toBe(2);
  });

  test('an exhausted budget', async () => {
    const poor = await platform.tenant();
    const budget = { scope: { type: 'tenant' }, period: 'month', limitMicros: 10 };
    expect((await poor.api.post('/api/ai/budgets', budget)).status).toBe(201);
    expect(await ask(poor.api)).toMatchObject({ status: 429, body: { code: 'budget_exhausted' } });
    expect(await countIn('ai_jobs', poor)).toBe(0);
    expect(await countIn('ai_reservations', poor)).toBe(0);
  });

  test('anything during a pause', async () => {
    const paused = await platform.tenant();
    expect((await paused.api.post('/api/ai/pause', { reason: 'Fire' })).status).toBe(200);
    expect(await ask(paused.api)).toMatchObject({ status: 423, body: { code: 'ai_paused' } });
    expect(await countIn('ai_jobs', paused)).toBe(0);
  });
});

describe('estimates', () => {
  test('return reservation and decision without writing anything', async () => {
    const before = await traces();
    const body = {
      kind: 'text.summarize',
      input: { text: `${TEXT} Write to ada@example.test.` },
      approval: 'required',
    };
    const { status, body: estimate } = await tenant.api.post<Record<string, unknown>>('/api/ai/estimate', body);
    expect(status).toBe(200);
    expect(estimate).toMatchObject({
      kind: 'text.summarize',
      provider: 'local',
      model: 'local-1',
      fitsCap: true,
      decision: { outcome: 'require_approval', rules: ['requested_by_caller'], policyVersion: 1 },
      approval: {
        quorum: 1,
        allowSelfApproval: false,
        expiresInMinutes: 1_440,
        approvers: { permission: 'ai-jobs:approve' },
      },
      piiFindings: [{ kind: 'email', count: 1, where: '/input/text' }],
      budgets: [],
    });
    expect(await traces()).toEqual(before);
    const job = await makeJob(tenant.api, body);
    expect(job.reservedCostMicros).toBe(estimate['worstCaseMicros']);
    expect(Number(estimate['expectedMicros'])).toBeLessThanOrEqual(job.reservedCostMicros);
  });

  test('list the affected budgets with their remaining amounts', async () => {
    const own = await platform.tenant();
    await own.api.post('/api/ai/budgets', { scope: { type: 'tenant' }, period: 'day', limitMicros: 9_000_000 });
    const { body } = await own.api.post('/api/ai/estimate', { kind: 'text.summarize', input: { text: TEXT } });
    expect(body).toMatchObject({ budgets: [{ scope: { type: 'tenant', id: null }, remainingMicros: 9_000_000 }] });
  });

  test('return the rule that would deny', async () => {
    const strict = await platform.tenant();
    await setPolicy(strict, { allowedKinds: ['text.generate'] });
    const answer = await strict.api.post('/api/ai/estimate', { kind: 'text.summarize', input: { text: TEXT } });
    expect(answer).toMatchObject({ status: 200, body: { decision: { outcome: 'deny', rules: ['kind_not_allowed'] } } });
    expect(await countIn('ai_decisions', strict)).toBe(0);
  });
});

describe('reading', () => {
  test('is limited to own jobs without ai-jobs:read-all', async () => {
    const own = await platform.tenant();
    const ada = await platform.member(own, 'Ada', ['ai-jobs:read', 'ai-jobs:write']);
    const bob = await platform.member(own, 'Bob', ['ai-jobs:read', 'ai-jobs:write']);
    const auditor = await platform.member(own, 'Eve', ['ai-jobs:read', 'ai-jobs:read-all']);
    const { id } = await makeJob(ada.api);
    for (const path of [JOBS, '/api/v1/intelligence/jobs']) {
      expect(await ids(ada.api.get(path))).toEqual([id]);
      expect(await ids(bob.api.get(path))).toEqual([]);
      expect(await ids(auditor.api.get(path))).toEqual([id]);
      expect((await ada.api.get(`${path}/${id}`)).status).toBe(200);
      expect((await bob.api.get(`${path}/${id}`)).status).toBe(404);
      expect((await auditor.api.get(`${path}/${id}`)).status).toBe(200);
    }
    expect((await act(bob.api, id, 'cancel')).status).toBe(404);
    expect((await act(auditor.api, id, 'cancel')).status).toBe(403);
    const boss = await platform.member(own, 'Max', ['ai-jobs:read', 'ai-jobs:write', 'ai-jobs:manage']);
    expect(await act(boss.api, id, 'cancel')).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  });

  test('supports all filters and sorts of jobs, through both interfaces', async () => {
    const own = await platform.tenant();
    const deal = await own.api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Acme' });
    const targets = [{ object: 'sales.deal', id: deal.body.id }];
    const low = await makeJob(own.api, { priority: 'low' });
    const high = await makeJob(own.api, { priority: 'high', kind: 'record.summarize', input: {}, targets });
    const normal = await parkJob(own.api);
    for (const path of [JOBS, '/api/v1/intelligence/jobs']) {
      const found = (query: string) => ids(own.api.get(`${path}?${query}`));
      expect(await found('sort=-priority')).toEqual([high.id, normal.id, low.id]);
      expect(await found('sort=createdAt')).toEqual([low.id, high.id, normal.id]);
      expect(await found('status=awaiting_approval')).toEqual([normal.id]);
      expect(await found('kind=record.summarize')).toEqual([high.id]);
      expect(await found(`targetId=${deal.body.id}`)).toEqual([high.id]);
      expect(await found(`requestedById=${randomUUID()}`)).toEqual([]);
      expect(await found('model=local-1&actualCostMicros[gt]=0')).toEqual([]);
      expect((await found('sort=finishedAt')).length).toBe(3);
    }
  });
});

describe('retrying', () => {
  test('applies the policy with the raised cap and makes a new reservation', async () => {
    const own = await platform.tenant();
    const { id } = await makeJob(own.api);
    await move(platform, own, id, 'fail', FAILED);
    await setPolicy(own, {
      approvalRules: [
        {
          when: { costOverMicros: 0 },
          approvers: { memberIds: [], roleIds: [], managerOfRequester: false },
          quorum: 1,
          expiresInMinutes: 60,
        },
      ],
    });
    const answer = await act(own.api, id, 'retry', { costCapMicros: 2_000_000 });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: 'awaiting_approval',
        costCapMicros: 2_000_000,
        error: null,
        finishedAt: null,
        decision: { outcome: 'require_approval', rules: ['approval_rules[0]'], policyVersion: 1 },
      },
    });
    expect(await act(own.api, id, 'retry')).toMatchObject({ status: 409 });
    expect(await countIn('ai_reservations', own)).toBe(2);
    expect(await countIn('ai_decisions', own)).toBe(2);
  });

  test('is denied if the policy now denies it, and is for the requester and managers of jobs', async () => {
    const own = await platform.tenant();
    const { id } = await makeJob(own.api);
    await move(platform, own, id, 'fail', FAILED);
    const reader = await platform.member(own, 'Max', ['ai-jobs:read', 'ai-jobs:read-all', 'ai-jobs:write']);
    expect((await act(reader.api, id, 'retry')).status).toBe(403);
    expect(await act(own.api, id, 'retry', { costCapMicros: 99_000_000 })).toMatchObject({
      status: 400,
      body: { code: 'cost_cap_above_policy' },
    });
    await setPolicy(own, { enabled: false });
    expect(await act(own.api, id, 'retry')).toMatchObject({ status: 403, body: { rules: ['policy.disabled'] } });
    expect((await jobOf(own.api, id)).status).toBe('failed');
    await setPolicy(own, { enabled: true });
    const boss = await platform.member(own, 'Ida', ['ai-jobs:read', 'ai-jobs:write', 'ai-jobs:manage']);
    expect(await act(boss.api, id, 'retry')).toMatchObject({
      status: 200,
      body: { status: 'queued', requestedBy: { name: 'test', membershipId: null }, updatedBy: { name: 'test key' } },
    });
  });
});
