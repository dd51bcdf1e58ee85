import type { INestApplicationContext } from '@nestjs/common';
import { LedgerCheck } from '#src/areas/ai/budgets/ledger-check.js';
import { until } from '#libs/testing/until.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Client } from '../harness/client.js';
import { connectModel, type ModelServer, startModelServer } from '../harness/model-server.js';
import type { TestPlatform, TestTenant } from '../harness/platform.js';
import { type Backend, Stage } from './stage.js';

/** The fields of a job in the API that the tests read. */
export interface JobAnswer {
  id: string;
  status: string;
  version: number;
  reservedCostMicros: number;
  actualCostMicros: number;
  costCapMicros: number;
  usage: { inputTokens: number; outputTokens: number; calls: number };
  steps: { number: number; type: string; name: string; outcome: string; costMicros: number; durationMs: number }[];
  output: { text: string | null; json: unknown; proposedActions: ProposedActionAnswer[] } | null;
  error: { code: string; message: string } | null;
  attempts: number;
  startedAt: string | null;
  finishedAt: string | null;
  allowedActions: string[] | null;
}

export interface ProposedActionAnswer {
  id: string;
  operation: string;
  target: { object: string; id: string } | null;
  params: Record<string, unknown>;
  status: string;
  problem: { code: string; detail: string } | null;
  record: { object: string; id: string } | null;
}

export interface CallRow {
  id: string;
  job_id: string;
  state: string;
  step: number;
  tries: number;
  cost_micros: string;
  worst_micros: string;
  max_output_tokens: number;
  fault: string | null;
  answer: string | null;
  results: string | null;
}

/** Price of models connected by {@link AiStage.model}, in micros per 1,000 tokens. */
export const PRICE = { inputMicrosPer1k: 1_000, outputMicrosPer1k: 2_000, cachedMicrosPer1k: 500 };

/** A stage with a tenant and a fake provider. */
export class AiStage {
  private constructor(
    readonly stage: Stage,
    readonly server: ModelServer,
    readonly tenant: TestTenant,
  ) {}

  static async open(env: Record<string, string> = {}, backend: Backend = 'PostgreSQL'): Promise<AiStage> {
    const stage = await Stage.open(env, backend);
    return new AiStage(stage, await startModelServer(), await stage.platform.tenant());
  }

  get platform(): TestPlatform {
    return this.stage.platform;
  }

  get api(): Client {
    return this.tenant.api;
  }

  worker(): Promise<INestApplicationContext> {
    return this.stage.worker();
  }

  /** Connects a priced model of the server to the tenant; returns its reference for jobs. */
  async model(options: { api?: 'openai' | 'anthropic'; idempotent?: boolean } = {}, api = this.api) {
    return (await this.connect(options, api)).names;
  }

  /** Like {@link model}, and also returns the id of the model. */
  async connect(options: { api?: 'openai' | 'anthropic'; idempotent?: boolean } = {}, api = this.api) {
    const from = new Date(this.platform.clock.nowMs() - 60_000).toISOString();
    const id = uuidv7().slice(-12);
    const names = { provider: `p-${id}`, model: `m-${id}` };
    const { modelId } = await connectModel(api, this.server, { ...names, prices: [{ from, ...PRICE }], ...options });
    return { names, modelId };
  }

  /** Requests a job and returns it. */
  async job(body: Record<string, unknown>, api = this.api): Promise<JobAnswer> {
    const answer = await api.post<JobAnswer>('/api/ai/jobs', body);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  }

  async get(id: string, api = this.api): Promise<JobAnswer> {
    const answer = await api.get<JobAnswer>(`/api/ai/jobs/${id}`);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body;
  }

  /** Waits until a job is in a state, and out of the queue unless it has yet to run. */
  async reached(id: string, status: string, api = this.api): Promise<JobAnswer> {
    return until(async () => {
      if (status !== 'running' && (await this.entries(id)).length > 0) return null;
      const job = await this.get(id, api);
      return job.status === status ? job : null;
    });
  }

  /** Waits until a job has ended in any state. */
  async over(id: string, api = this.api): Promise<JobAnswer> {
    const states = ['succeeded', 'failed', 'rejected', 'expired', 'over_cost_cap', 'cancelled', 'awaiting_review'];
    return until(async () => {
      if ((await this.entries(id)).length > 0) return null;
      const job = await this.get(id, api);
      return states.includes(job.status) ? job : null;
    });
  }

  /** The row of a job in the queue, if there is one. */
  entries(id: string) {
    return this.stage.sql<{ state: string; lease_token: string | null; takeovers: number }>(
      'select state, lease_token, takeovers from data.ai_queue where job_id = $1',
      [id],
    );
  }

  calls(id: string): Promise<CallRow[]> {
    return this.stage.sql<CallRow>('select * from data.ai_calls where job_id = $1 order by id', [id]);
  }

  /** Waits for a number of calls to a provider. */
  async called(times: number): Promise<void> {
    await until(() => Promise.resolve(this.server.calls.length >= times || null));
  }

  /** Expires the lease of a job, as if its worker had died. */
  async loseLease(id: string): Promise<void> {
    await this.stage.sql(`update data.ai_queue set lease_until = now() - interval '1 second' where job_id = $1`, [id]);
  }

  /** Mismatches in the accounts of a tenant, including money held without a job. */
  async discrepancies(tenant = this.tenant): Promise<unknown[]> {
    const { id, slug } = tenant;
    const facts = { id, slug, plan: 'enterprise', currency: 'USD', epoch: '1' };
    const mismatches = await runAsSystem(facts, 'test', uuidv7(), () =>
      this.platform.app.get(LedgerCheck).mismatches('2000-01-01T00:00:00.000Z'),
    );
    const jobs = await this.stage.sql(
      `select j.id, j.actual_cost_micros, coalesce(sum(c.cost_micros), 0) as booked from data.ai_jobs j
       left join data.ai_calls c on c.tenant_id = j.tenant_id and c.job_id = j.id where j.tenant_id = $1
       group by j.id, j.actual_cost_micros
       having j.actual_cost_micros <> coalesce(sum(c.cost_micros), 0)`,
      [id],
    );
    const held = await this.stage.sql(
      `select r.id, r.held_micros, r.spent_micros from data.ai_reservations r where r.tenant_id = $1
         and (r.held_micros <> 0 or r.spent_micros <>
           (select coalesce(sum(c.cost_micros), 0) from data.ai_calls c where c.reservation_id = r.id))`,
      [id],
    );
    return [...mismatches, ...jobs, ...held];
  }

  async close(): Promise<void> {
    await this.stage.close();
    await this.server.close();
  }
}
