import type { MigrationInterface, QueryRunner } from 'typeorm';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

/** What a version holds. */
const VERSIONED = ['instructions', 'provider', 'model', 'parameters', 'tools', 'grants'];
const CONTENT = `
  instructions text check (length(instructions) <= 20000),
  provider text check (length(provider) between 1 and 100),
  model text check (length(model) between 1 and 100),
  parameters jsonb not null check (jsonb_typeof(parameters) = 'object'),
  tools jsonb not null check (jsonb_typeof(tools) = 'array'),
  grants jsonb not null check (jsonb_typeof(grants) = 'array')`;
/** What no agent may have a grant on; wildcards over resources would reach it. */
const CLOSED =
  '^([*]|agents|ai-budgets|ai-policy|api-keys|approvals|audit|policies|roles|scim|secrets|settings|webhooks)([.:]|$)';

/** AI agents and their versions. What the domain says can never be is refused here, not only in code. */
export class Intelligence1763700000016 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    await recordTable(
      runner,
      'data.intelligence_agents',
      'intelligence.agent',
      `status text not null check (status in ('draft', 'active', 'paused', 'retired')),
      description text check (length(description) <= 5000),
      ${CONTENT},
      data_scope jsonb not null check (jsonb_typeof(data_scope) = 'object'),
      autonomy text not null check (autonomy in ('suggest', 'approve_each', 'auto')),
      limits jsonb not null check (jsonb_typeof(limits) = 'object'),
      agent_version integer not null check (agent_version > 0),
      search tsvector not null generated always as
        (${searchedWords("name || ' ' || reference || ' ' || coalesce(description, '')")}) stored,
      constraint intelligence_agents_closed_grants check (
        not jsonb_path_exists(grants, '$[*] ? (@ like_regex "${CLOSED}")')),
      constraint intelligence_agents_active_check check (
        status <> 'active' or (deleted_at is null and archived_at is null))`,
    );
    await listIndexes(runner, 'data.intelligence_agents', {
      sorts: ['name', 'updated_at', 'status'],
      filters: ['status'],
      rareFilters: ['provider', 'model', 'autonomy'],
    });
    await searchFunction(runner, 'data.intelligence_agents');

    await runner.query(`
      create table data.intelligence_agent_versions (
        tenant_id uuid not null,
        id uuid not null,
        agent_id uuid not null,
        agent_version integer not null check (agent_version > 0),
        ${CONTENT},
        created_at timestamptz(3) not null,
        created_by jsonb not null,
        primary key (tenant_id, id),
        constraint intelligence_agent_versions_number_key unique (tenant_id, agent_id, agent_version),
        foreign key (tenant_id, agent_id) references data.intelligence_agents (tenant_id, id)
      )`);
    await tenantTable(runner, 'data.intelligence_agent_versions', { grant: 'select, insert' });
    await guards(runner);
    await runner.query(`grant execute on all functions in schema data to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function guards(runner: QueryRunner): Promise<void> {
  const differs = VERSIONED.map((column) => `new.${column} is distinct from old.${column}`).join(' or ');
  const same = VERSIONED.map((column) => `v.${column} is not distinct from new.${column}`).join(' and ');
  await runner.query(`
    create function data.guard_agent() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if old.status = 'retired' and new.status <> 'retired' then
        raise exception 'a retired agent stays retired' using errcode = '23514';
      end if;
      if new.agent_version <> old.agent_version + (case when ${differs} then 1 else 0 end) then
        raise exception 'the version of an agent rises with its content' using errcode = '23514';
      end if;
      if new.agent_version <> old.agent_version and not exists (select 1 from data.intelligence_agent_versions v where v.tenant_id = new.tenant_id
          and v.agent_id = new.id and v.agent_version = new.agent_version and ${same}) then
        raise exception 'the version of an agent is not kept' using errcode = '23514';
      end if;
      return null;
    end $$`);
  await runner.query(`
    create trigger guard_agent after update on data.intelligence_agents
      for each row execute function data.guard_agent()`);
  await runner.query(`
    create function data.guard_agent_version() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      raise exception 'versions of agents never change' using errcode = '23514';
    end $$`);
  await runner.query(`
    create trigger guard_agent_version before update or delete on data.intelligence_agent_versions
      for each row execute function data.guard_agent_version()`);
}
