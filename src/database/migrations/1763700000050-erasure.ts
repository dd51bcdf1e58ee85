import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationRoles } from '#libs/database/tenant-table.js';

/**
 * What entries of the audit log tell of people stands beside the hashed text, which has a salted commitment to it, and can be
 * erased: that is the only change which an entry takes. So can the reasons of moves and stored answers. ADR 0037.
 */
export class Erasure1763700000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    await runner.query(`
      alter table data.audit_log
        add column details text, add column details_salt bytea, add column about_id uuid, add column erased_at timestamptz(3)`);
    // Rows are changed by the owner, who otherwise sees none without a tenant.
    await runner.query(`alter table data.audit_log no force row level security, disable trigger append_only`);
    await divideEntries(runner);
    await erasedForm(runner);
    await findRecords(runner);
    await runner.query(`alter table data.audit_log force row level security, alter column details set not null`);
    await runner.query(
      `create index audit_log_about_idx on data.audit_log (tenant_id, about_id) where about_id is not null`,
    );
    await allowErasure(runner);
    await runner.query(
      `create index talent_candidates_merged_into_idx on data.talent_candidates (tenant_id, merged_into_id)
         where merged_into_id is not null`,
    );
    await runner.query(`grant update (details, details_salt, erased_at) on data.audit_log to ${app}, ${system}`);
    await runner.query(`grant update (reason) on data.record_transitions to ${app}, ${system}`);
    await runner.query(`grant update (body, terms) on data.idempotency_keys to ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** Entries of the first form hold everything. `json` gives the members of canonical text back as they stand in it. */
async function divideEntries(runner: QueryRunner): Promise<void> {
  await runner.query(`
    with parts as materialized (
      select tenant_id, id, entry::json as e, uuid_send(gen_random_uuid()) as salt,
        '{"targetName":' || coalesce(entry::json #> '{target,name}', 'null')::text
          || ',"reason":' || (entry::json -> 'reason')::text || ',"changes":' || (entry::json -> 'changes')::text || '}' as details
      from data.audit_log),
    divided as (
      select tenant_id, id, salt, details, '{"action":' || (e -> 'action')::text || ',"actor":' || (e -> 'actor')::text
        || coalesce(',"allowedBy":' || (e -> 'allowedBy')::text, '')
        || ',"contextCommitment":' || (e -> 'contextCommitment')::text
        || ',"detailsCommitment":"' || encode(sha256(salt || convert_to(details, 'UTF8')), 'hex')
        || '","id":' || (e -> 'id')::text || ',"occurredAt":' || (e -> 'occurredAt')::text
        || ',"outcome":' || (e -> 'outcome')::text || ',"requestId":' || (e -> 'requestId')::text
        || ',"riskLevel":' || (e -> 'riskLevel')::text || ',"schemaVersion":2,"target":'
        || coalesce('{"id":' || (e #> '{target,id}')::text || ',"type":' || (e #> '{target,type}')::text || '}', 'null')
        || ',"tenantId":' || (e -> 'tenantId')::text || '}' as entry
      from parts)
    update data.audit_log a
      set entry = d.entry, details = d.details, details_salt = d.salt,
        leaf_hash = sha256('\\x00'::bytea || convert_to(d.entry, 'UTF8'))
      from divided d where d.tenant_id = a.tenant_id and d.id = a.id`);
}

/**
 * Entries about what hangs on a record lead to it; the first of each thing names the record. Those of watchers, who have the
 * ids of members, only name it where they begin: the later ones lose the name instead.
 */
async function findRecords(runner: QueryRunner): Promise<void> {
  await runner.query(`
    update data.audit_log a set about_id = first.about_id
      from (
        select tenant_id, id, target_type, target_id, coalesce(
          details::jsonb #>> '{changes,record,to,id}', details::jsonb #>> '{changes,objectId,to}')::uuid as about_id
        from data.audit_log
        where action in ('core.comment.created', 'core.attachment.created', 'core.link.created', 'core.watcher.created',
          'core.resource_permission.granted')) first
      where first.about_id is not null
        and first.tenant_id = a.tenant_id and first.target_id = a.target_id and first.target_type = a.target_type
        and (a.target_type <> 'core.watcher' or a.id = first.id)`);
  await runner.query(`
    update data.audit_log a set about_id = f.job_id from data.ai_feedback f
      where a.target_type = 'ai.feedback' and f.tenant_id = a.tenant_id and f.id::text = a.target_id`);
  await runner.query(`
    update data.audit_log a set details = data.erased_details(details, outcome), details_salt = null, erased_at = now()
      where a.target_type = 'core.watcher' and a.about_id is null`);
}

/** What is left of the details of an entry: which fields changed, and the code of a refusal. */
async function erasedForm(runner: QueryRunner): Promise<void> {
  const { app, system } = migrationRoles();
  await runner.query(`
    create function data.erased_details(details text, outcome text) returns text
      language sql immutable set search_path = pg_catalog as $$
      select jsonb_build_object('targetName', null, 'reason', case when outcome <> 'success' then d -> 'reason' end,
        'changes', case when jsonb_typeof(d -> 'changes') = 'object' then (
          select coalesce(jsonb_object_agg(k, '{"from": "(erased)", "to": "(erased)"}'::jsonb), '{}')
          from jsonb_object_keys(d -> 'changes') k) end)::text
      from (select details::jsonb as d) parsed $$`);
  await runner.query(`grant execute on function data.erased_details(text, text) to ${app}, ${system}`);
}

async function allowErasure(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.refuse_all_but_erasure() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      erased text[] := '{details,details_salt,erased_at}';
    begin
      if tg_op = 'UPDATE' and old.erased_at is null and new.erased_at is not null and new.details_salt is null
        and new.details = data.erased_details(old.details, old.outcome)
        and to_jsonb(new) - erased = to_jsonb(old) - erased then
        return new;
      end if;
      raise exception 'the audit log is append-only' using errcode = 'TOP03';
    end $$`);
  await runner.query(`drop trigger append_only on data.audit_log`);
  await runner.query(`
    create trigger append_only before update or delete on data.audit_log
      for each row execute function data.refuse_all_but_erasure()`);
}
