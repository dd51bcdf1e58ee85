import type { MigrationInterface, QueryRunner } from 'typeorm';
import { searchedWords, searchFunction } from '#libs/database/search.js';

const TEXT = `action || ' ' || coalesce(entry::json #>> '{actor,name}', '')
  || ' ' || coalesce(details::json ->> 'targetName', '') || ' ' || coalesce(details::json ->> 'reason', '')`;

/** Columns and indexes of the filters of the audit log. */
export class AuditFilters1763700000098 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.events add column correlation_id text`);
    // The words follow from the details, so erasing the details also erases them.
    await runner.query(`
      alter table data.audit_log add column workspace_id uuid, add column correlation_id text,
        add column search tsvector not null generated always as (${searchedWords(`data.fold(${TEXT})`)}) stored`);
    await searchFunction(runner, 'data.audit_log');
    await allowErasure(runner);
    for (const column of ['actor_id', 'action', 'target_type', 'client_ip', 'request_id', 'correlation_id'])
      await byTime(runner, column);
    await byTime(runner, 'workspace_id', 'workspace_id is not null');
    await byTime(runner, 'outcome', `outcome <> 'success'`);
    await byTime(runner, 'risk_level', `risk_level <> 'low'`);
    await byTime(runner, 'actor_type', `actor_type <> 'api_key' and actor_type <> 'member'`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** Serves a filter in the order of the list; the frequent values of some columns are left out. */
async function byTime(runner: QueryRunner, column: string, where?: string): Promise<void> {
  await runner.query(`
    create index audit_log_${column}_idx on data.audit_log (tenant_id, ${column}, occurred_at desc, id desc)
      ${where === undefined ? '' : `where ${where}`}`);
}

/** As before, without the generated column, which has no value yet when the trigger runs. */
async function allowErasure(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create or replace function data.refuse_all_but_erasure() returns trigger language plpgsql
      set search_path = pg_catalog as $$
    declare
      erased text[] := '{details,details_salt,erased_at,search}';
    begin
      if tg_op = 'UPDATE' and old.erased_at is null and new.erased_at is not null and new.details_salt is null
        and new.details = data.erased_details(old.details, old.outcome)
        and to_jsonb(new) - erased = to_jsonb(old) - erased then
        return new;
      end if;
      raise exception 'the audit log is append-only' using errcode = 'TOP03';
    end $$`);
}
