import { AUDITED } from '../harness/audit.js';
import { AiStage, type JobAnswer } from './ai-stage.js';

const POLICY = '/api/ai/policy';
const JOBS = '/api/ai/jobs';
const CONTACTS = '/api/v1/sales/contacts';
const DEALS = '/api/v1/sales/deals';
const USAGE = { inputTokens: 100, outputTokens: 20 };

/** One text of each kind of personal data. */
const DATA = {
  email: 'ada.lovelace@example.com',
  phone: '+49 30 901820',
  payment_card: '4111 1111 1111 1111',
  iban: 'DE89 3704 0044 0532 0130 00',
  national_id: '078-05-1120',
  ip_address: '192.0.2.17',
  date_of_birth: '1980-05-04',
};
const ALL = `Mail ${DATA.email}, call ${DATA.phone}, card ${DATA.payment_card}, account ${DATA.iban}, ssn ${DATA.national_id}, from ${DATA.ip_address}, born ${DATA.date_of_birth}.`;
const CLEAN = { kind: 'text.generate', input: { prompt: 'Write one sentence about tea.' } };

interface Finding {
  kind: string;
  count: number;
  where: string;
}

let ai: AiStage;
let known: number;
beforeAll(async () => {
  ai = await AiStage.open();
  await ai.worker();
});
beforeEach(() => (known = ai.server.calls.length));
afterEach(async () => {
  await policy({
    ...{ enabled: null, personalData: null, personalDataKinds: null, processingRegions: null, approvalRules: null },
    ...{ allowedKinds: null, allowedProviders: null, allowedModels: null },
  });
  expect(await ai.discrepancies()).toEqual([]);
});
afterAll(() => ai.close());

/** Everything the provider has received since the test began. */
const arrived = () => ai.server.calls.slice(known).map(({ body }) => JSON.stringify(body));

async function policy(patch: object): Promise<number> {
  const answer = await ai.api.patch<{ version: number }>(POLICY, patch);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.version;
}

const ask = async (body: object) => ai.job({ ...CLEAN, ...(await ai.model()), ...body });

/** Jobs, decisions and money of the tenant. */
async function traces() {
  const [row] = await ai.stage.sql<{ jobs: number; reservations: number; ledger: number; events: number }>(
    `select (select count(*) from data.ai_jobs where tenant_id = $1)::int as jobs,
       (select count(*) from data.ai_reservations where tenant_id = $1)::int as reservations,
       (select count(*) from data.ai_ledger where tenant_id = $1)::int as ledger,
       (select count(*) from data.events where tenant_id = $1)::int as events`,
    [ai.tenant.id],
  );
  return row!;
}

const lastDecision = async () => {
  const [row] = await ai.stage.sql<{ outcome: string; rules: string[]; policy_version: number; job_id: string | null }>(
    `select outcome, rules, policy_version, job_id from data.ai_decisions where tenant_id = $1 order by id desc limit 1`,
    [ai.tenant.id],
  );
  return row;
};

/** Requests a job that must be denied, and returns what it left behind. */
async function denied(body: object): Promise<string[]> {
  const before = await traces();
  const answer = await ai.api.post<{ code: string; rules: string[] }>(JOBS, body);
  expect(answer).toMatchObject({ status: 403, body: { code: 'ai_policy_denied' } });
  expect(await traces()).toEqual(before);
  expect(await lastDecision()).toMatchObject({ outcome: 'deny', rules: answer.body.rules, job_id: null });
  const { body: audit } = await ai.api.get<{ data: object[] }>(
    '/api/admin/audit-logs?action=intelligence.job.denied&limit=1',
  );
  expect(audit.data).toMatchObject([{ outcome: 'denied' }]);
  return answer.body.rules;
}

async function contact(): Promise<string> {
  const body = {
    firstName: 'Ada',
    lastName: 'Lovelace',
    emails: [DATA.email],
    phones: [DATA.phone],
  };
  const answer = await ai.api.post<{ id: string }>(CONTACTS, body);
  if (answer.status === 201) return answer.body.id;
  throw new Error(answer.text);
}

describe('personal data that the policy blocks', () => {
  it.each(Object.entries(DATA))('is not sent, and the job is not created: %s', async (kind, text) => {
    const model = await ai.model();
    await policy({ personalData: 'block' });
    const label = kind === 'date_of_birth' ? 'born' : 'see';
    expect(await denied({ ...CLEAN, ...model, input: { prompt: `Please ${label} ${text} and answer.` } })).toEqual([
      'personal_data_blocked',
    ]);
    expect(arrived()).toEqual([]);
  });

  it('is not sent with a target record either', async () => {
    const model = await ai.model();
    await policy({ personalData: 'block' });
    const targets = [{ object: 'sales.contact', id: await contact() }];
    expect(await denied({ kind: 'record.summarize', input: {}, targets, ...model })).toEqual(['personal_data_blocked']);
    expect(arrived()).toEqual([]);
  });

  it('does not block input without it or with other kinds only', async () => {
    await policy({ personalData: 'block', personalDataKinds: ['iban', 'national_id'] });
    const { id } = await ask({ input: { prompt: `Write to ${DATA.email}.` } });
    expect(await ai.reached(id, 'succeeded')).toMatchObject({ error: null });
    expect(arrived()[0]).toContain(DATA.email);
  });
});

describe('personal data that the policy masks', () => {
  it('is replaced by placeholders, and restored in the output', async () => {
    ai.server.script({ text: 'To [EMAIL_1], born [DATE_OF_BIRTH_1], [PHONE_9].', usage: USAGE });
    const job = await ask({ input: { prompt: `${ALL} Again: ${DATA.email}` } });
    expect(await ai.reached(job.id, 'succeeded')).toMatchObject({
      output: { text: `To ${DATA.email}, born ${DATA.date_of_birth}, [PHONE_9].` },
    });
    const [sent] = arrived();
    for (const text of Object.values(DATA)) expect(sent).not.toContain(text);
    for (const kind of Object.keys(DATA)) expect(sent).toContain(`[${kind.toUpperCase()}_1]`);
    expect(sent).not.toContain('_2]');
  });

  it('is also replaced by placeholders in records and in agent instructions', async () => {
    const targets = [{ object: 'sales.contact', id: await contact() }];
    ai.server.script({ text: 'Call [PHONE_1].', usage: USAGE });
    const { id } = await ask({ kind: 'record.summarize', input: {}, targets });
    await ai.over(id);
    expect(arrived()).not.toHaveLength(0);
    for (const sent of arrived()) for (const text of [DATA.email, DATA.phone]) expect(sent).not.toContain(text);

    const model = await ai.model();
    const made = await ai.api.post<{ id: string }>('/api/v1/intelligence/agents', {
      ...{ name: 'Helper', ...model, instructions: `Report to ${DATA.email}.`, tools: [], grants: [] },
    });
    await ai.api.post(`/api/v1/intelligence/agents/${made.body.id}/activate`, {});
    const run = await ai.job({ kind: 'agent.run', agentId: made.body.id, prompt: 'Go' });
    await ai.over(run.id);
    for (const sent of arrived()) expect(sent).not.toContain(DATA.email);
  });

  it('is counted but not revealed in the job, the audit log and the events', async () => {
    const job = (await ask({ input: { prompt: `${ALL} ${DATA.email}` } })) as JobAnswer & { piiFindings: Finding[] };
    expect(job.piiFindings).toContainEqual({ kind: 'email', count: 2, where: '/input/prompt' });
    expect(new Set(job.piiFindings.map(({ kind }) => kind))).toEqual(new Set(Object.keys(DATA)));
    await ai.reached(job.id, 'succeeded');
    const kept = await ai.stage.sql<{ text: string }>(
      `select ${AUDITED} as text from data.audit_log where tenant_id = $1 union all
       select envelope from data.events where tenant_id = $1 and type like 'intelligence.job.%' union all
       select d::text from data.ai_decisions d where tenant_id = $1 union all
       select (to_jsonb(j) - 'output')::text from data.ai_jobs j where tenant_id = $1 and id = $2`,
      [ai.tenant.id, job.id],
    );
    expect(kept.length).toBeGreaterThan(4);
    for (const { text } of kept)
      for (const value of [DATA.payment_card, DATA.iban, DATA.national_id]) expect(text).not.toContain(value);
  });

  it('is masked only for the kinds in the policy', async () => {
    await policy({ personalDataKinds: ['payment_card'] });
    const { id } = await ask({ input: { prompt: ALL } });
    await ai.reached(id, 'succeeded');
    const [sent] = arrived();
    expect(sent).toContain(DATA.email);
    expect(sent).toContain('[PAYMENT_CARD_1]');
    expect(sent).not.toContain(DATA.payment_card);
  });

  it('may contain text that looks like a placeholder, which is returned unchanged', async () => {
    ai.server.script({ text: '[TEXT_1] [EMAIL_1]', usage: USAGE });
    const { id } = await ask({ input: { prompt: `What is [EMAIL_1]? ${DATA.email}` } });
    expect(await ai.reached(id, 'succeeded')).toMatchObject({ output: { text: `[EMAIL_1] ${DATA.email}` } });
  });
});

it('personal data that the policy allows is sent unchanged', async () => {
  await policy({ personalData: 'allow' });
  const { id } = await ask({ input: { prompt: ALL } });
  await ai.reached(id, 'succeeded');
  expect(arrived()[0]).toContain(ALL);
});

describe('a job denied by the policy', () => {
  it.each<[string, object, string]>([
    ['everything', { enabled: false }, 'policy.disabled'],
    ['the kind', { allowedKinds: ['text.summarize'] }, 'kind_not_allowed'],
    ['the provider', { allowedProviders: ['local'] }, 'provider_not_allowed'],
    ['the model', { allowedModels: ['local-1'] }, 'model_not_allowed'],
    ['the region', { processingRegions: ['antarctica'] }, 'region_not_allowed'],
  ])('is never sent, and leaves only the decision: %s', async (_what, patch, rule) => {
    const model = await ai.model();
    const version = await policy(patch);
    expect(await denied({ ...CLEAN, ...model })).toEqual([rule]);
    expect(await lastDecision()).toMatchObject({ policy_version: version });
    expect(arrived()).toEqual([]);
  });

  it('is never sent if it is denied only after approval', async () => {
    const model = await ai.model();
    const { id } = await ai.job({ ...CLEAN, ...model, approval: 'required' });
    const { api: approver } = await ai.platform.member(ai.tenant, 'Approver');
    await policy({ allowedModels: ['local-1'] });
    expect(await approver.post(`${JOBS}/${id}/approve`, {})).toMatchObject({ status: 200 });
    expect(await ai.over(id)).toMatchObject({ status: 'failed', error: { code: 'ai_policy_denied' } });
    expect(arrived()).toEqual([]);
  });
});

describe('a job that requires approval by policy', () => {
  it('waits for the approvers in the rules, and is not sent before', async () => {
    const boss = await ai.platform.member(ai.tenant, 'Boss');
    const other = await ai.platform.member(ai.tenant, 'Other');
    const model = await ai.model();
    const version = await policy({
      approvalRules: [
        { when: { personalData: true }, approvers: { memberIds: [boss.id] } },
        { when: { areas: ['people'] } },
      ],
    });
    const { id } = await ai.job({ ...CLEAN, ...model, input: { prompt: ALL } });
    expect(await ai.get(id)).toMatchObject({
      status: 'awaiting_approval',
      decision: { outcome: 'require_approval', rules: ['approval_rules[0]'], policyVersion: version },
    });
    expect(await other.api.post(`${JOBS}/${id}/approve`, {})).toMatchObject({ status: 403 });
    expect(arrived()).toEqual([]);
    expect(await boss.api.post(`${JOBS}/${id}/approve`, {})).toMatchObject({ status: 200 });
    await ai.reached(id, 'succeeded');
    expect(arrived()).toHaveLength(1);
    const { id: clean } = await ai.job({ ...CLEAN, ...model });
    await ai.reached(clean, 'succeeded');
  });

  it('can be selected by the area of a record', async () => {
    const model = await ai.model();
    const deal = await ai.api.post<{ id: string }>(DEALS, { name: 'Acme renewal' });
    await policy({ approvalRules: [{ when: { areas: ['sales'] } }] });
    const targets = [{ object: 'sales.deal', id: deal.body.id }];
    const parked = await ai.job({ kind: 'record.summarize', input: {}, targets, ...model });
    expect(parked).toMatchObject({ status: 'awaiting_approval' });
    expect(await ai.api.post(`${JOBS}/${parked.id}/cancel`, {})).toMatchObject({ status: 200 });
    const free = await ai.job({ ...CLEAN, ...model });
    expect(await ai.reached(free.id, 'succeeded')).toMatchObject({ error: null });
  });
});
