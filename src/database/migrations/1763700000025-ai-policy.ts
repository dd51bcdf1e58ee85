import type { MigrationInterface, QueryRunner } from 'typeorm';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { tenantTable } from '#libs/database/tenant-table.js';

/** What a tenant allows AI to do, what was decided by it, the kill switch, prompts, and what people say about results. */
export class AiPolicy1763700000025 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await policies(runner);
    await pauses(runner);
    await prompts(runner);
    await feedback(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** Refuses to change or delete rows. */
async function never(runner: QueryRunner, table: string, what: string): Promise<void> {
  await runner.query(`
    create function data.guard_${table}() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      raise exception '${what} never change' using errcode = '23514';
    end $$`);
  await runner.query(`
    create trigger guard_${table} before update or delete on data.${table}
      for each row execute function data.guard_${table}()`);
}

/** Every version is kept, since decisions name theirs. A decision says nothing of what the job was about. */
async function policies(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.ai_policies (
      tenant_id uuid not null,
      id uuid not null,
      version integer not null check (version > 0),
      policy jsonb not null check (jsonb_typeof(policy) = 'object'),
      created_at timestamptz(3) not null,
      created_by jsonb not null,
      primary key (tenant_id, id),
      constraint ai_policies_version_key unique (tenant_id, version)
    )`);
  await tenantTable(runner, 'data.ai_policies', { grant: 'select, insert' });
  await never(runner, 'ai_policies', 'versions of a policy');
  await runner.query(`
    create trigger epoch after insert on data.ai_policies for each row execute function directory.bump_epoch()`);
  await runner.query(`
    create table data.ai_decisions (
      tenant_id uuid not null,
      id uuid not null,
      job_id uuid,
      outcome text not null check (outcome in ('allow', 'deny', 'require_approval')),
      rules text[] not null check (cardinality(rules) > 0),
      policy_version integer not null check (policy_version >= 0),
      kind text not null,
      facts_digest text not null check (facts_digest ~ '^[0-9a-f]{64}$'),
      decided_at timestamptz(3) not null,
      decided_for jsonb not null,
      primary key (tenant_id, id),
      check (outcome = 'deny' or job_id is not null)
    )`);
  await runner.query(`create index ai_decisions_job_idx on data.ai_decisions (tenant_id, job_id)`);
  await tenantTable(runner, 'data.ai_decisions', { grant: 'select, insert' });
  await never(runner, 'ai_decisions', 'decisions about AI jobs');
}

/** Whether AI work is paused: it is while there is a reason. */
async function pauses(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.ai_pauses (
      tenant_id uuid not null,
      version integer not null check (version > 0),
      reason text check (length(reason) between 1 and 1000),
      changed_at timestamptz(3) not null,
      changed_by jsonb not null,
      primary key (tenant_id)
    )`);
  await tenantTable(runner, 'data.ai_pauses', { grant: 'select, insert, update' });
}

const CONTENT = `
  template text not null check (length(template) between 1 and 20000),
  variables text[] not null,
  commit_note text check (length(commit_note) between 1 and 500)`;

async function prompts(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.ai_prompts',
    'ai.prompt',
    `key text collate "C" not null check (key ~ '^[a-z][a-z0-9._-]{0,99}$'),
    prompt_version integer not null check (prompt_version > 0),
    ${CONTENT},
    labels jsonb not null check (jsonb_typeof(labels) = 'array'),
    search tsvector not null generated always as (${searchedWords("name || ' ' || reference || ' ' || key")}) stored`,
  );
  await runner.query(
    `create unique index ai_prompts_key_key on data.ai_prompts (tenant_id, key) where deleted_at is null`,
  );
  await listIndexes(runner, 'data.ai_prompts', { sorts: ['name', 'updated_at', 'key'], filters: [], rareFilters: [] });
  await searchFunction(runner, 'data.ai_prompts');
  await runner.query(`
    create table data.ai_prompt_versions (
      tenant_id uuid not null,
      id uuid not null,
      prompt_id uuid not null,
      prompt_version integer not null check (prompt_version > 0),
      ${CONTENT},
      created_at timestamptz(3) not null,
      created_by jsonb not null,
      primary key (tenant_id, id),
      constraint ai_prompt_versions_number_key unique (tenant_id, prompt_id, prompt_version),
      foreign key (tenant_id, prompt_id) references data.ai_prompts (tenant_id, id)
    )`);
  await tenantTable(runner, 'data.ai_prompt_versions', { grant: 'select, insert' });
  await never(runner, 'ai_prompt_versions', 'versions of prompts');
  await runner.query(`
    create table data.ai_prompt_uses (
      tenant_id uuid not null,
      job_id uuid not null,
      prompt_id uuid not null,
      prompt_version integer not null,
      primary key (tenant_id, job_id),
      foreign key (tenant_id, prompt_id, prompt_version)
        references data.ai_prompt_versions (tenant_id, prompt_id, prompt_version)
    )`);
  await runner.query(
    `create index ai_prompt_uses_prompt_idx on data.ai_prompt_uses (tenant_id, prompt_id, prompt_version)`,
  );
  await tenantTable(runner, 'data.ai_prompt_uses', { grant: 'select, insert' });
  await promptGuards(runner);
}

/** The row shows its newest version, labels stand on versions that there are, and what a job used is not thrown away. */
async function promptGuards(runner: QueryRunner): Promise<void> {
  const same = ['template', 'variables', 'commit_note'].map(
    (column) => `v.${column} is not distinct from new.${column}`,
  );
  await runner.query(`
    create function data.guard_ai_prompt() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if new.prompt_version not in (old.prompt_version, old.prompt_version + 1) or not exists (
          select 1 from data.ai_prompt_versions v where v.tenant_id = new.tenant_id and v.prompt_id = new.id
            and v.prompt_version = new.prompt_version and ${same.join(' and ')}) then
        raise exception 'a prompt shows its newest version' using errcode = '23514';
      end if;
      if new.deleted_at is not null and old.deleted_at is null and exists (
          select 1 from data.ai_prompt_uses u where u.tenant_id = new.tenant_id and u.prompt_id = new.id) then
        raise exception 'a prompt that a job has used stays'
          using errcode = '23514', constraint = 'ai_prompts_used_check';
      end if;
      return null;
    end $$`);
  await runner.query(`
    create trigger guard_ai_prompt after update on data.ai_prompts
      for each row execute function data.guard_ai_prompt()`);
}

/** `person` is the member, or the lineage of a key that acts for nobody. */
async function feedback(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.ai_feedback (
      tenant_id uuid not null,
      id uuid not null,
      job_id uuid not null,
      person uuid not null,
      rating smallint not null check (rating in (-1, 1)),
      comment text check (length(comment) between 1 and 5000),
      corrected_output text check (length(corrected_output) between 1 and 100000),
      version integer not null check (version > 0),
      created_at timestamptz(3) not null,
      created_by jsonb not null,
      updated_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint ai_feedback_person_key unique (tenant_id, job_id, person)
    )`);
  await tenantTable(runner, 'data.ai_feedback', { grant: 'select, insert, update' });
}
