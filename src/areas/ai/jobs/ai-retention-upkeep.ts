import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { IS_FREE_JOB, lockDeletions } from '#libs/resource/retention/holds.js';
import { currentTenant, runAsSystem } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { AiPolicies } from '#src/areas/ai/policy/ai-policies.js';
import { Upkeep } from '#libs/worker/upkeep.js';

const EVERY_MS = 60_000;
/** Rows per tenant and round. */
const BATCH = 1_000;

const OVER = `('succeeded', 'failed', 'rejected', 'expired', 'over_cost_cap', 'cancelled')`;
/** Jobs in these states can be retried, which requires their input, so it is kept for a day. */
const REPEATABLE = `('failed', 'expired', 'over_cost_cap')`;
const HAS_INPUT = `coalesce(j.sealed_input, j.sealed_context, j.sealed_places) is not null`;
const WIPE_INPUTS = `
  update data.ai_jobs set sealed_input = null, sealed_context = null, sealed_places = null
  where tenant_id = $1 and id in (
    select j.id from data.ai_jobs j where j.tenant_id = $1 and ${HAS_INPUT} and j.status in ${OVER}
      and j.finished_at <= case when j.status in ${REPEATABLE} then $3::timestamptz else $2::timestamptz end and ${IS_FREE_JOB}
    order by j.finished_at limit ${BATCH} for update skip locked)`;
const WIPE_OUTPUTS = `
  update data.ai_jobs set output = null, proposed_actions = '[]'
  where tenant_id = $1 and id in (
    select j.id from data.ai_jobs j where j.tenant_id = $1 and (j.output is not null or j.proposed_actions <> '[]')
      and j.status in ${OVER} and j.finished_at <= $2::timestamptz and ${IS_FREE_JOB}
    order by j.finished_at limit ${BATCH} for update skip locked)`;
const WIPE_FEEDBACK = `
  update data.ai_feedback set comment = null, corrected_output = null
  where tenant_id = $1 and id in (
    select f.id from data.ai_feedback f join data.ai_jobs j on j.tenant_id = f.tenant_id and j.id = f.job_id
    where f.tenant_id = $1 and coalesce(f.comment, f.corrected_output) is not null and j.finished_at <= $2::timestamptz
      and ${IS_FREE_JOB}
    limit ${BATCH} for update of f skip locked)`;

/**
 * Deletes inputs, outputs and feedback of AI jobs according to each tenant's policy. Inputs that are not kept are
 * deleted when the job ends, or a day later if the job can be retried; everything is deleted after the retention
 * period. The job, its cost and its decisions stay. What a legal hold covers is kept until the hold is released.
 */
@Injectable()
export class AiRetentionUpkeep extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantFactsReader,
    private readonly policies: AiPolicies,
    private readonly clock: Clock,
  ) {
    super('The retention of AI jobs', EVERY_MS);
  }

  async sweep(): Promise<Work> {
    let full = false;
    for await (const tenant of this.tenants.all())
      full = (await runAsSystem(tenant, 'AI retention', uuidv7(), () => this.wipe())) || full;
    return full ? 'full' : 'none';
  }

  /** Returns whether more rows remain. */
  private async wipe(): Promise<boolean> {
    const { policy } = await this.policies.current();
    const now = this.clock.nowMs();
    const at = (ms: number): string => new Date(ms).toISOString();
    const oldest = at(now - policy.retentionDays * DAY_MS);
    const isKept = policy.storeInputs === 'full';
    const { id } = currentTenant();
    const [, ...answers] = await this.database.aside([
      lockDeletions(),
      statement(WIPE_INPUTS, [id, isKept ? oldest : at(now), isKept ? oldest : at(now - DAY_MS)]),
      statement(WIPE_OUTPUTS, [id, oldest]),
      statement(WIPE_FEEDBACK, [id, oldest]),
    ]);
    return answers.some(({ count }) => count === BATCH);
  }
}
