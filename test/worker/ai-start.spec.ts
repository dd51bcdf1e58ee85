import { replaceGates } from '../harness/gates.js';
import { AiStage } from './ai-stage.js';

const PROMPT = { kind: 'text.generate', input: { prompt: 'Write to ada@example.com about tea.' } };
const AGENTS = '/api/v1/intelligence/agents';

/** State may change between the decision about a job and its start, so the job is checked again. */
describe('a job that waits while the policy changes', () => {
  let ai: AiStage;
  beforeAll(async () => {
    ai = await AiStage.open();
  });
  afterEach(async () => {
    await ai.stage.stopWorkers();
    await policy({ personalData: null, personalDataKinds: null, approvalRules: null, maxCostCapMicros: null });
    await gates([]);
    expect(await ai.discrepancies()).toEqual([]);
  });
  afterAll(() => ai.close());

  const changed = async (path: string, body: object) => {
    const answer = await ai.api.patch(path, body);
    if (answer.status !== 200) throw new Error(answer.text);
  };
  const policy = (patch: object) => changed('/api/ai/policy', patch);
  const gates = (list: object[]) => replaceGates(ai.api, list);

  /** Requests a job, makes a change, and lets a worker start it. */
  const startedAfter = async (change: () => Promise<unknown>, body: object = {}) => {
    const known = ai.server.calls.length;
    const { id } = await ai.job({ ...PROMPT, ...(await ai.model()), ...body });
    await change();
    await ai.worker();
    const job = await ai.over(id);
    return { id, status: job.status, code: job.error?.code, sent: ai.server.calls.slice(known) };
  };

  it('runs if it is still allowed', async () => {
    const { status, sent } = await startedAfter(() => policy({ retentionDays: 7 }));
    expect({ status, sent: sent.length }).toEqual({ status: 'succeeded', sent: 1 });
  });

  it('is not started if it now requires approval; requested again, it waits for it', async () => {
    const { id, ...outcome } = await startedAfter(() => policy({ approvalRules: [{ when: { personalData: true } }] }));
    expect(outcome).toEqual({ status: 'failed', code: 'approval_required', sent: [] });
    expect((await ai.api.post(`/api/ai/jobs/${id}/retry`, {})).body).toMatchObject({ status: 'awaiting_approval' });
    await ai.api.post(`/api/ai/jobs/${id}/cancel`, {});
  });

  it('is not started if a gate was added meanwhile', async () => {
    const asking = { key: 'ai.job.run', effect: 'require_approval' };
    expect(await startedAfter(() => gates([asking]))).toMatchObject({ code: 'approval_required', sent: [] });
    const denying = { key: 'ai.job.run', effect: 'deny' };
    await gates([]);
    expect(await startedAfter(() => gates([denying]))).toMatchObject({ code: 'ai_policy_denied', sent: [] });
  });

  it('sends no personal data that must now be masked or is blocked', async () => {
    await policy({ personalData: 'allow' });
    const masked = await startedAfter(() => policy({ personalData: 'mask' }));
    expect(masked).toMatchObject({ status: 'failed', code: 'approval_changed', sent: [] });
    await policy({ personalData: 'allow' });
    const blocked = await startedAfter(() => policy({ personalData: 'block' }));
    expect(blocked).toMatchObject({ status: 'failed', code: 'ai_policy_denied', sent: [] });
    await policy({ personalData: 'mask', personalDataKinds: ['iban'] });
    const wider = await startedAfter(() => policy({ personalDataKinds: ['iban', 'email'] }));
    expect(wider).toMatchObject({ status: 'failed', code: 'approval_changed', sent: [] });
  });

  it('is not started beyond the current cost cap', async () => {
    const lower = { maxCostCapMicros: 100, defaultCostCapMicros: 100 };
    expect(await startedAfter(() => policy(lower))).toMatchObject({ code: 'cost_cap_above_policy', sent: [] });
    await policy({ maxCostCapMicros: null, defaultCostCapMicros: null });
  });

  it('shows an agent no personal data that is now blocked', async () => {
    await policy({ personalData: 'allow' });
    const dealId = await ai.stage.deal(ai.tenant, 'Deal of ada@example.com');
    const body = { name: 'Helper', ...(await ai.model()), tools: ['deals.get'], grants: ['deals:read'] };
    const agent = await ai.api.post<{ id: string }>(AGENTS, body);
    await ai.api.post(`${AGENTS}/${agent.body.id}/activate`, {});
    const usage = { inputTokens: 100, outputTokens: 20 };
    const call = { name: 'deals__get', params: { id: dealId } };
    ai.server.script({ toolCalls: [call], usage }, { text: 'Seen.', usage });
    const asked = { kind: 'agent.run', agentId: agent.body.id, input: { goal: 'Look after the deal.' } };
    const { status, sent } = await startedAfter(() => policy({ personalData: 'mask' }), asked);
    expect({ status, sent: sent.length }).toEqual({ status: 'succeeded', sent: 2 });
    expect(JSON.stringify(sent)).toContain('Deal of [EMAIL_1]');
    expect(JSON.stringify(sent)).not.toContain('ada@example.com');
  });
});
