import type { MigrationInterface, QueryRunner } from 'typeorm';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

const RECORD = `
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null check (length(name) between 1 and 200),
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamptz(3),
  deleted_at timestamptz(3),
  primary key (tenant_id, id),
  unique (tenant_id, reference)`;

/** Sales pipelines and deals. What the domain says can never be is refused here, not only in code. */
export class Sales1763700000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    await runner.query(`create extension if not exists btree_gin with schema public`);

    await runner.query(`
      create table data.sales_pipelines (
        ${RECORD},
        is_default boolean not null,
        stages jsonb not null,
        check (not (is_default and (deleted_at is not null or archived_at is not null)))
      )`);
    await runner.query(
      `create unique index sales_pipelines_default_key on data.sales_pipelines (tenant_id) where is_default`,
    );
    await runner.query(
      `create index sales_pipelines_time_idx on data.sales_pipelines (tenant_id, created_at desc, id desc)`,
    );
    await tenantTable(runner, 'data.sales_pipelines', { grant: 'select, insert, update' });

    // The stages of each pipeline with their category, so that a deal can refer to one. Kept by a trigger.
    await runner.query(`
      create table data.sales_pipeline_stages (
        tenant_id uuid not null,
        pipeline_id uuid not null,
        stage text not null,
        category text not null check (category in ('open', 'won', 'lost')),
        primary key (tenant_id, pipeline_id, stage, category),
        constraint sales_pipeline_stages_key unique (tenant_id, pipeline_id, stage),
        foreign key (tenant_id, pipeline_id) references data.sales_pipelines (tenant_id, id)
      )`);
    await tenantTable(runner, 'data.sales_pipeline_stages', { grant: 'select, insert, update, delete' });
    await runner.query(`
      create function data.keep_pipeline_stages() returns trigger language plpgsql
        set search_path = pg_catalog as $$
      begin
        delete from data.sales_pipeline_stages s
          where s.tenant_id = new.tenant_id and s.pipeline_id = new.id and not exists (
            select 1 from jsonb_array_elements(new.stages) x
            where x->>'key' = s.stage and x->>'category' = s.category);
        insert into data.sales_pipeline_stages (tenant_id, pipeline_id, stage, category)
          select new.tenant_id, new.id, x->>'key', x->>'category' from jsonb_array_elements(new.stages) x
          on conflict (tenant_id, pipeline_id, stage, category) do nothing;
        return null;
      end $$`);
    await runner.query(`
      create trigger stages after insert or update of stages on data.sales_pipelines
        for each row execute function data.keep_pipeline_stages()`);
    await runner.query(`
      create trigger epoch after insert or update or delete on data.sales_pipelines
        for each row execute function directory.bump_epoch()`);

    await runner.query(`
      create table data.sales_deals (
        ${RECORD},
        value_minor bigint check (value_minor between 0 and 9007199254740991),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        pipeline_id uuid not null,
        stage text not null,
        status text not null check (status in ('open', 'won', 'lost')),
        probability integer not null check (probability between 0 and 100),
        forecast_category text not null check (forecast_category in ('pipeline', 'best_case', 'commit', 'omitted')),
        expected_close_date date,
        deal_type text not null check (deal_type in ('new_business', 'expansion', 'renewal')),
        source text not null check (source in
          ('inbound', 'outbound', 'referral', 'partner', 'event', 'demo_request', 'import', 'other')),
        recurring jsonb,
        renewal_of_deal_id uuid,
        next_step text check (length(next_step) <= 500),
        next_step_date date,
        lost_reason text,
        lost_notes text,
        competitor text,
        closed_at timestamptz(3),
        stage_entered_at timestamptz(3) not null,
        stale_at timestamptz(3),
        search tsvector not null generated always as
          (${searchedWords("name || ' ' || reference || ' ' || coalesce(next_step, '')")}) stored,
        constraint sales_deals_stage_of_pipeline foreign key (tenant_id, pipeline_id, stage, status)
          references data.sales_pipeline_stages (tenant_id, pipeline_id, stage, category),
        constraint sales_deals_renewal_of foreign key (tenant_id, renewal_of_deal_id)
          references data.sales_deals (tenant_id, id),
        check ((status = 'open') = (closed_at is null)),
        check (status <> 'won' or (probability = 100 and deleted_at is null)),
        check (status <> 'lost' or probability = 0),
        check ((status = 'lost') = (lost_reason is not null))
      )`);
    await runner.query(
      `create index sales_deals_time_idx on data.sales_deals (tenant_id, created_at desc, id desc)
         where deleted_at is null and archived_at is null`,
    );
    await runner.query(
      `create index sales_deals_updated_idx on data.sales_deals (tenant_id, updated_at desc, id desc)`,
    );
    await runner.query(
      `create index sales_deals_stage_idx on data.sales_deals (tenant_id, pipeline_id, stage, created_at desc, id desc)`,
    );
    await runner.query(`create index sales_deals_name_idx on data.sales_deals (tenant_id, name, id)`);
    await runner.query(
      `create index sales_deals_renewal_idx on data.sales_deals (tenant_id, renewal_of_deal_id)
         where renewal_of_deal_id is not null`,
    );
    await tenantTable(runner, 'data.sales_deals', { grant: 'select, insert, update' });
    await searchFunction(runner, 'data.sales_deals');
    await runner.query(`grant execute on all functions in schema data to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
