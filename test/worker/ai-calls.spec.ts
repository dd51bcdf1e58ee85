import { AiStage } from './ai-stage.js';
import { BACKENDS } from './stage.js';

const PROMPT = { kind: 'text.generate', input: { prompt: 'Write one sentence about tea.' } };
const USAGE = { inputTokens: 100, outputTokens: 20 };
/** Cost of {@link USAGE} at the price of the stage. */
const COST = 140;

describe.each(BACKENDS)('a job, with queues on %s', (backend) => {
  let ai: AiStage;
  beforeAll(async () => {
    ai = await AiStage.open({}, backend);
    await ai.worker();
  });
  afterAll(() => ai.close());

  it.each(['openai', 'anthropic'] as const)('is answered by a provider with the protocol of %s', async (api) => {
    ai.server.script({ text: 'Tea is grown on hills.', usage: USAGE });
    const { id, reservedCostMicros } = await ai.job({ ...PROMPT, ...(await ai.model({ api })) });
    const job = await ai.reached(id, 'succeeded');
    expect(job).toMatchObject({
      output: { text: 'Tea is grown on hills.', json: null, proposedActions: [] },
      usage: { ...USAGE, calls: 1 },
      actualCostMicros: COST,
      attempts: 1,
      error: null,
      steps: [{ number: 1, type: 'model', outcome: 'stop', costMicros: COST }],
    });
    expect(reservedCostMicros).toBeGreaterThanOrEqual(COST);
    expect(await ai.calls(id)).toMatchObject([{ state: 'done', tries: 1, cost_micros: String(COST), answer: null }]);
    expect(await ai.discrepancies()).toEqual([]);
  });
});

describe('calls of models', () => {
  let ai: AiStage;
  let known: number;
  beforeAll(async () => {
    ai = await AiStage.open({ AI_CALL_TIMEOUT_SECONDS: '1' });
    await ai.worker();
  });
  beforeEach(() => (known = ai.server.calls.length));
  afterEach(async () => expect(await ai.discrepancies()).toEqual([]));
  afterAll(() => ai.close());

  const made = () => ai.server.calls.slice(known);
  const ask = async (options: Parameters<AiStage['model']>[0], more = {}) =>
    ai.job({ ...PROMPT, ...(await ai.model(options)), ...more });

  it('are retried when the provider asks to wait, with the same key, and paid for once', async () => {
    ai.server.script(
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 503 },
      { text: 'Here it is.', usage: USAGE },
    );
    const { id } = await ask({ idempotent: true });
    const job = await ai.reached(id, 'succeeded');
    expect(job).toMatchObject({ actualCostMicros: COST, usage: { calls: 3 } });
    expect(await ai.calls(id)).toMatchObject([{ state: 'done', tries: 3 }]);
    expect(new Set(made().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it('fail after three retries, and cost nothing if never run', async () => {
    for (let each = 0; each < 4; each++) ai.server.script({ status: 503 });
    const { id } = await ask({});
    const job = await ai.reached(id, 'failed');
    expect(job).toMatchObject({ actualCostMicros: 0, error: { code: 'provider_unavailable' } });
    expect(await ai.calls(id)).toMatchObject([{ state: 'refused', tries: 4, cost_micros: '0' }]);
    expect(made()).toHaveLength(4);
  });

  it('are not retried when the provider rejects them', async () => {
    ai.server.script({ status: 400 });
    const { id } = await ask({});
    expect(await ai.reached(id, 'failed')).toMatchObject({ error: { code: 'provider_request_refused' } });
    expect(made()).toHaveLength(1);
  });

  it('that time out are retried with their key where the provider supports keys', async () => {
    ai.server.script({ text: 'Late.', usage: USAGE, drop: 'after' });
    const { id } = await ask({ idempotent: true });
    expect(await ai.reached(id, 'succeeded')).toMatchObject({ actualCostMicros: COST });
    expect(made().filter(({ charged }) => charged)).toHaveLength(1);
  });

  it('with an unknown outcome are otherwise booked as doubtful, and repeated only within the reservation', async () => {
    ai.server.script({ hang: true });
    const { id, reservedCostMicros } = await ask({ idempotent: false });
    const job = await ai.reached(id, 'failed');
    const [doubtful, ...others] = await ai.calls(id);
    expect(others).toEqual([]);
    expect(doubtful).toMatchObject({ state: 'in_doubt', fault: 'provider_timeout', tries: 1 });
    expect(doubtful!.cost_micros).toBe(doubtful!.worst_micros);
    expect(job).toMatchObject({
      error: { code: 'provider_timeout' },
      actualCostMicros: Number(doubtful!.worst_micros),
    });
    expect(job.actualCostMicros).toBeLessThanOrEqual(reservedCostMicros);
    expect(made()).toHaveLength(1);
  });

  it('are repeated once when the output does not match the requested schema', async () => {
    const classify = {
      kind: 'text.classify',
      input: { text: 'My invoice is wrong.', labels: [{ label: 'billing' }, { label: 'other' }] },
    };
    const json = { label: 'billing', confidence: 0.9, scores: [{ label: 'billing', score: 0.9 }], reason: 'Invoice.' };
    ai.server.script({ text: 'I think it is billing.', usage: USAGE }, { json, usage: USAGE });
    const repaired = await ask({}, classify);
    expect(await ai.reached(repaired.id, 'succeeded')).toMatchObject({ output: { json }, usage: { calls: 2 } });
    ai.server.script({ text: 'Billing.', usage: USAGE }, { text: 'Billing!', usage: USAGE });
    const broken = await ask({}, classify);
    expect(await ai.reached(broken.id, 'failed')).toMatchObject({
      error: { code: 'output_invalid' },
      actualCostMicros: 2 * COST,
    });
  });

  it.each(['openai', 'anthropic'] as const)(
    'store output of %s that PostgreSQL cannot store unchanged',
    async (api) => {
      const classify = {
        kind: 'text.classify',
        input: { text: 'Wrong.', labels: [{ label: 'billing' }, { label: 'other' }] },
      };
      const scores = [{ label: 'billing', score: 0.9 }];
      const json = (reason: string) => ({ label: 'billing', confidence: 0.9, scores, reason });
      ai.server.script({ text: 'Tea\0 \uD83D', usage: USAGE }, { json: json('In\0voice \uDE00.'), usage: USAGE });
      const said = await ask({ api });
      expect(await ai.reached(said.id, 'succeeded')).toMatchObject({
        output: { text: 'Tea\uFFFD \uFFFD' },
        actualCostMicros: COST,
        attempts: 1,
      });
      const { id } = await ask({ api }, classify);
      expect(await ai.reached(id, 'succeeded')).toMatchObject({ output: { json: json('In\uFFFDvoice \uFFFD.') } });
    },
  );

  it('that cost more than allowed stop the job', async () => {
    ai.server.script({ text: 'Much.', usage: { inputTokens: 1_000_000, outputTokens: 500_000 } });
    const { id, costCapMicros } = await ask({});
    const job = await ai.reached(id, 'over_cost_cap');
    expect(job.error).toMatchObject({ code: 'provider_overrun' });
    expect(job.actualCostMicros).toBeGreaterThan(costCapMicros);
  });

  it('send placeholders instead of personal data, which is restored in the output', async () => {
    ai.server.script({ text: 'Write to [EMAIL_1].', usage: USAGE });
    const { id } = await ask({}, { input: { prompt: 'Answer to ada@example.com kindly.' } });
    expect(await ai.reached(id, 'succeeded')).toMatchObject({ output: { text: 'Write to ada@example.com.' } });
    expect(JSON.stringify(made()[0]!.body)).not.toContain('ada@example.com');
    const [row] = await ai.stage.sql<{ text: string }>(
      'select j::text as text from data.ai_calls j where job_id = $1',
      [id],
    );
    expect(row!.text).not.toContain('ada@example.com');
  });
});
