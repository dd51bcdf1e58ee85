import { KINDS } from '#libs/ai/kinds/kinds.js';
import { AiRetentionUpkeep } from '#src/areas/ai/jobs/ai-retention-upkeep.js';
import type { TestTenant } from '../harness/platform.js';
import { AiStage, type JobAnswer } from './ai-stage.js';

const TEXT =
  'Acme has signed the renewal. The contract starts on 1 May 2027. The price of 12,000 EUR stays. Invoices go to the new office.';

/** A job of each kind supported by the offline provider, and its expected output. */
const JOBS: Record<
  string,
  { input: object; targets?: (records: Records) => Target[]; fits: (job: JobAnswer) => void }
> = {
  'text.generate': { input: { prompt: 'What happens in May?', context: TEXT }, fits: (job) => says(job, /May/) },
  'text.summarize': { input: { text: TEXT, maxSentences: 1 }, fits: (job) => says(job, /\w/) },
  'text.classify': {
    input: { text: 'My invoice shows a wrong price.', labels: [{ label: 'invoice' }, { label: 'holiday' }] },
    fits: (job) => expect(job.output!.json).toMatchObject({ label: 'invoice' }),
  },
  'text.extract': {
    input: { text: TEXT, fields: [{ name: 'startDate', type: 'date' }] },
    fits: (job) => expect(job.output!.json).toMatchObject({ startDate: '2027-05-01' }),
  },
  'record.summarize': {
    input: {},
    targets: ({ deal }) => [deal],
    fits: (job) => expect(JSON.stringify(job.output!.json)).toContain('Acme renewal'),
  },
  'record.next_step': {
    input: {},
    targets: ({ deal }) => [deal],
    fits: (job) => expect(job.output!.json).toHaveProperty('step'),
  },
  'ticket.triage': {
    input: { subject: 'Cannot log in', body: 'Nobody here can log in since this morning.' },
    targets: ({ task }) => [task],
    fits: (job) => expect(job.output!.json).toHaveProperty('priority'),
  },
  'ticket.reply_draft': {
    input: { body: 'When does the contract start?', knowledge: [TEXT] },
    fits: (job) => expect(JSON.stringify(job.output!.json)).toContain('May'),
  },
  'invoice.reminder_draft': {
    input: {},
    targets: ({ invoice }) => [invoice],
    fits: (job) => expect(job.output!.json).toHaveProperty('subject'),
  },
  'candidate.screen': {
    input: { criteria: [{ name: 'Knows TypeScript' }], text: 'Five years of TypeScript.' },
    targets: ({ candidate }) => [candidate],
    fits: (job) => expect(JSON.stringify(job.output!.json)).toContain('TypeScript'),
  },
  'document.draft': {
    input: { template: 'The deal {{deal.name}} is ready.' },
    targets: ({ deal }) => [deal],
    fits: (job) => expect(JSON.stringify(job.output!.json)).toContain('Acme renewal'),
  },
  'report.narrate': {
    input: {
      title: 'Sales',
      rows: [
        { month: 'May', total: 10 },
        { month: 'June', total: 30 },
      ],
    },
    fits: (job) => expect(JSON.stringify(job.output!.json)).toContain('June'),
  },
  'agent.run': {
    input: { goal: 'Find the deal of Acme and say what its next step is.' },
    fits: (job) => says(job, /\w/),
  },
};

interface Target {
  object: string;
  id: string;
}
type Records = Record<'deal' | 'task' | 'invoice' | 'candidate', Target>;

function says(job: JobAnswer, words: RegExp): void {
  expect(job.output!.text).toMatch(words);
}

describe('the offline provider', () => {
  let ai: AiStage;
  let records: Records;
  let agentId: string;
  let tenant: TestTenant;
  beforeAll(async () => {
    ai = await AiStage.open();
    ({ tenant } = ai);
    const make = async (object: string, path: string, body: object): Promise<Target> => {
      const answer = await tenant.api.post<{ id: string }>(path, body);
      if (answer.status !== 201) throw new Error(answer.text);
      return { object, id: answer.body.id };
    };
    records = {
      deal: await make('sales.deal', '/api/v1/sales/deals', { name: 'Acme renewal', value: 12_000 }),
      task: await make('work.task', '/api/v1/work/tasks', { name: 'Log-in of Acme' }),
      invoice: await make('finance.invoice', '/api/v1/finance/invoices', { name: 'Licences' }),
      candidate: await make('talent.candidate', '/api/v1/talent/candidates', {
        ...{ firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' },
      }),
    };
    const tools = ['deals.search', 'deals.get'];
    const agent = await make('intelligence.agent', '/api/v1/intelligence/agents', {
      ...{ name: 'Helper', tools, grants: ['deals:read'] },
    });
    agentId = agent.id;
    await tenant.api.post(`/api/v1/intelligence/agents/${agentId}/activate`, {});
    await ai.worker();
  });
  afterAll(() => ai.close());

  it.each([...KINDS.keys()])('supports %s', async (kind) => {
    const { input, targets, fits } = JOBS[kind]!;
    const agent = kind === 'agent.run' ? { agentId } : {};
    const { id } = await ai.job({ kind, input, targets: targets?.(records) ?? [], ...agent });
    const job = await ai.over(id);
    expect(job).toMatchObject({ error: null, actualCostMicros: 0 });
    expect(job.status).toBe(job.output!.proposedActions.length > 0 ? 'awaiting_review' : 'succeeded');
    fits(job);
    expect(await ai.discrepancies()).toEqual([]);
  });

  it('keeps output for the retention period only, and input after the end only if configured', async () => {
    // The job runner also deletes data, at other times: only the policy determines what exists at these points.
    const retention = (await ai.stage.idleWorker()).get(AiRetentionUpkeep);
    const store = async (storeInputs: string) => {
      expect(await tenant.api.patch('/api/ai/policy', { storeInputs })).toMatchObject({ status: 200 });
      await retention.sweep();
    };
    await store('full');
    const { id } = await ai.job({ kind: 'text.summarize', input: { text: TEXT } });
    const ended = await ai.over(id);
    const feedback = { rating: -1, comment: 'Too short', correctedOutput: 'More of it.' };
    expect(await tenant.api.post(`/api/ai/jobs/${id}/feedback`, feedback)).toMatchObject({ status: 200 });
    const kept = async () => {
      const [row] = await ai.stage.sql<{ input: boolean; output: boolean; feedback: boolean }>(
        `select sealed_input is not null as input, output is not null as output,
           (select coalesce(comment, corrected_output) is not null from data.ai_feedback where job_id = j.id) as feedback
         from data.ai_jobs j where id = $1`,
        [id],
      );
      return row!;
    };
    await retention.sweep();
    expect(await kept()).toEqual({ input: true, output: true, feedback: true });
    await store('hash');
    expect(await kept()).toEqual({ input: false, output: true, feedback: true });
    expect((await ai.get(id)).output).toEqual(ended.output);
    ai.platform.clock.advance(31 * 86_400_000);
    await retention.sweep();
    expect(await kept()).toEqual({ input: false, output: false, feedback: false });
    expect(await ai.get(id)).toMatchObject({ status: 'succeeded', output: null, usage: ended.usage });
  });

  it('keeps input, output and feedback under a legal hold on a record that the job is about', async () => {
    const retention = (await ai.stage.idleWorker()).get(AiRetentionUpkeep);
    await tenant.api.patch('/api/ai/policy', { storeInputs: 'full' });
    const { id } = await ai.job({ kind: 'record.summarize', input: {}, targets: [records.deal] });
    const other = await ai.job({ kind: 'text.summarize', input: { text: TEXT } });
    for (const job of [id, other.id]) await ai.over(job);
    await tenant.api.post(`/api/ai/jobs/${id}/feedback`, { rating: -1, comment: 'Too short' });
    const scope = { objectIds: [records.deal.id] };
    const hold = { action: 'place_hold', name: 'Matter', reason: 'Lawsuit', scope };
    const { body: placed } = await tenant.api.post<{ id: string }>('/api/admin/retention', hold);
    const contents = () =>
      ai.stage.sql(
        `select sealed_input is not null as input, output is not null as output,
           exists (select from data.ai_feedback f where f.job_id = j.id and f.comment is not null) as feedback
         from data.ai_jobs j where id = any($1::uuid[]) order by id = $2 desc`,
        [[id, other.id], id],
      );
    const nothing = { input: false, output: false, feedback: false };
    ai.platform.clock.advance(31 * 86_400_000);
    await retention.sweep();
    expect(await contents()).toEqual([{ input: true, output: true, feedback: true }, nothing]);
    await tenant.api.post('/api/admin/retention', { action: 'release_hold', id: placed.id, reason: 'Settled' });
    await retention.sweep();
    expect(await contents()).toEqual([nothing, nothing]);
  });
});
