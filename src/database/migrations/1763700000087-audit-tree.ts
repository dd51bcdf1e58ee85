import type { MigrationInterface, QueryRunner } from 'typeorm';
import { systemTable } from '#libs/database/tenant-table.js';

/** The Merkle tree over the audit log of each tenant. ADR 0046. */
export class AuditTree1763700000087 implements MigrationInterface {
  name = 'AuditTree1763700000087';

  async up(runner: QueryRunner): Promise<void> {
    // Entries that have no number yet. The order is that in which they were written, whenever they are committed.
    await runner.query(`
      create table data.audit_pending (
        tenant_id uuid not null,
        position bigint not null generated always as identity,
        entry_id uuid not null,
        leaf_hash bytea not null check (length(leaf_hash) = 32),
        primary key (tenant_id, position)
      ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
        autovacuum_analyze_scale_factor = 0.05)`);
    await systemTable(runner, 'data.audit_pending', {
      app: { grant: 'select, insert, delete' },
      system: { grant: 'select, insert, delete' },
    });
    // hashes: of the complete subtrees that end with this leaf, beginning with the leaf itself, 32 bytes each.
    await runner.query(`
      create table data.audit_tree (
        tenant_id uuid not null,
        seq bigint not null check (seq > 0),
        entry_id uuid not null,
        hashes bytea not null check (length(hashes) % 32 = 0 and (seq & -seq) = 1::bigint << length(hashes) / 32 - 1),
        primary key (tenant_id, seq),
        constraint audit_tree_entry_key unique (tenant_id, entry_id)
      )`);
    await systemTable(runner, 'data.audit_tree', {
      app: { grant: 'select, insert' },
      system: { grant: 'select, insert' },
    });
    await runner.query(`
      create trigger append_only before update or delete on data.audit_tree
        for each row execute function data.refuse_change()`);
    await runner.query(`
      create trigger append_only_all before truncate on data.audit_tree
        for each statement execute function data.refuse_change()`);
    await runner.query(`
      create table data.audit_checkpoints (
        tenant_id uuid not null,
        size bigint not null check (size > 0),
        root_hash bytea not null check (length(root_hash) = 32),
        note text not null,
        created_at timestamptz(3) not null default now(),
        primary key (tenant_id, size)
      )`);
    await systemTable(runner, 'data.audit_checkpoints', {
      app: { grant: 'select, insert, delete' },
      system: { grant: 'select, insert, delete' },
    });
    await notePending(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** Every entry is noted as it is written, by whatever writes it; those of before now. */
async function notePending(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.note_unsealed() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      insert into data.audit_pending (tenant_id, entry_id, leaf_hash) values (new.tenant_id, new.id, new.leaf_hash);
      return null;
    end $$`);
  await runner.query(`
    create trigger unsealed after insert on data.audit_log for each row execute function data.note_unsealed()`);
  // The owner otherwise sees no row without a tenant.
  const tables = ['data.audit_log', 'data.audit_pending'];
  for (const table of tables) await runner.query(`alter table ${table} no force row level security`);
  await runner.query(`
    insert into data.audit_pending (tenant_id, entry_id, leaf_hash)
    select tenant_id, id, leaf_hash from data.audit_log order by occurred_at, id`);
  for (const table of tables) await runner.query(`alter table ${table} force row level security`);
}
