import type { MigrationInterface, QueryRunner } from 'typeorm';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { tenantTable } from '#libs/database/tenant-table.js';
import { aiRuns } from './1763700000026-ai-runs.js';

const OVER = `'succeeded', 'failed', 'rejected', 'expired', 'over_cost_cap', 'cancelled'`;

/**
 * Jobs for models. A row without a decision of the policy cannot be; what a job costs stays within its cap unless a
 * provider bills more than it was allowed to.
 */
export class AiJobs1763700000026 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await recordTable(
      runner,
      'data.ai_jobs',
      'intelligence.job',
      `
      status text not null check (status in ('queued', 'awaiting_approval', 'approved', 'running', 'awaiting_review', ${OVER})),
      kind text not null check (length(kind) between 1 and 60),
      agent_id uuid,
      agent_version integer,
      autonomy text check (autonomy in ('suggest', 'approve_each', 'auto')),
      provider text not null check (length(provider) between 1 and 100),
      model text not null check (length(model) between 1 and 100),
      priority smallint not null check (priority between 0 and 2),
      approval text not null check (approval in ('auto', 'required')),
      deadline_at timestamptz(3),
      tools jsonb not null check (jsonb_typeof(tools) = 'array'),
      targets jsonb not null check (jsonb_typeof(targets) = 'array'),
      max_output_tokens integer not null check (max_output_tokens > 0),
      cost_cap_micros bigint not null check (cost_cap_micros > 0),
      approved_cap_micros bigint not null check (approved_cap_micros >= cost_cap_micros),
      estimated_cost_micros bigint not null check (estimated_cost_micros >= 0),
      reserved_cost_micros bigint not null check (reserved_cost_micros >= 0),
      actual_cost_micros bigint not null check (actual_cost_micros >= 0),
      currency text not null check (length(currency) = 3),
      reservation_id uuid,
      decision jsonb not null check (decision ?& '{outcome,rules,policyVersion}' and decision->>'outcome' <> 'deny'),
      personal_data text not null check (personal_data in ('block', 'mask', 'allow')),
      pii_findings jsonb not null check (jsonb_typeof(pii_findings) = 'array'),
      input_hash text not null check (length(input_hash) = 64),
      approval_digest text not null check (length(approval_digest) = 64),
      approval_id uuid,
      sealed_input text,
      sealed_context text,
      sealed_places text,
      output jsonb check (jsonb_typeof(output) = 'object'),
      proposed_actions jsonb not null check (jsonb_typeof(proposed_actions) = 'array'),
      steps jsonb not null check (jsonb_typeof(steps) = 'array'),
      usage jsonb not null check (usage ?& '{inputTokens,outputTokens,calls}'),
      error jsonb check (error ?& '{code,message}'),
      attempts integer not null check (attempts >= 0),
      requester jsonb not null check (requester ?& '{type,id,name,membershipId,keyId}'),
      requester_person uuid not null,
      queued_at timestamptz(3) not null,
      started_at timestamptz(3),
      finished_at timestamptz(3),
      check ((agent_id is null) = (agent_version is null)),
      check (kind <> 'agent.run' or agent_id is not null),
      check ((status in (${OVER})) = (finished_at is not null)),
      check (status not in ('failed', 'over_cost_cap') or error is not null),
      check (status not in ('awaiting_approval', 'approved') or approval_id is not null),
      check (deleted_at is null and archived_at is null),
      foreign key (tenant_id, agent_id, agent_version)
        references data.intelligence_agent_versions (tenant_id, agent_id, agent_version),
      foreign key (tenant_id, approval_id) references data.approvals (tenant_id, id)`,
    );
    await listIndexes(runner, 'data.ai_jobs', {
      sorts: ['actual_cost_micros', 'priority', { column: 'finished_at', nullable: 'timestamptz' }],
      filters: ['status', 'kind', 'agent_id', 'requester_person', 'model'],
    });
    await runner.query(`
      create table data.ai_job_targets (
        tenant_id uuid not null,
        job_id uuid not null,
        object text not null,
        record_id uuid not null,
        primary key (tenant_id, record_id, job_id),
        foreign key (tenant_id, job_id) references data.ai_jobs (tenant_id, id)
      )`);
    await runner.query(`create index ai_job_targets_job_idx on data.ai_job_targets (tenant_id, job_id)`);
    await tenantTable(runner, 'data.ai_job_targets', { grant: 'select, insert' });
    await guards(runner);
    await aiRuns(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** What a decision was about stays as it was decided; what is over begins again only by a retry. */
async function guards(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.guard_ai_job() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if (new.kind, new.agent_id, new.agent_version, new.provider, new.model, new.tools, new.targets, new.input_hash, new.requester_person)
          is distinct from
         (old.kind, old.agent_id, old.agent_version, old.provider, old.model, old.tools, old.targets, old.input_hash, old.requester_person) then
        raise exception 'what an AI job was decided on never changes' using errcode = '23514';
      end if;
      if old.status in ('succeeded', 'rejected', 'cancelled') and new.status <> old.status then
        raise exception 'an AI job that is over stays over' using errcode = '23514';
      end if;
      if new.status = 'running' and old.status not in ('queued', 'approved', 'running') then
        raise exception 'an AI job starts when it is queued or approved' using errcode = '23514';
      end if;
      return new;
    end $$`);
  await runner.query(`
    create trigger guard_ai_job before update on data.ai_jobs for each row execute function data.guard_ai_job()`);
}
