import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is in the trash keeps its ids in other systems without holding them against others. */
export class Trash1763700000049 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = (await runner.query(`
      select tgrelid::regclass::text as table, split_part(encode(tgargs, 'escape'), '\\000', 1) as type
      from pg_trigger where tgname = 'keep_external_refs'`)) as { table: string; type: string }[];
    await runner.query(`alter table data.external_refs add column in_trash boolean not null default false`);
    await markTrash(runner, tables);
    await runner.query(`alter table data.external_refs drop constraint external_refs_key`);
    await runner.query(
      `create unique index external_refs_key on data.external_refs (tenant_id, object, ref) where not in_trash`,
    );
    await runner.query(`create index external_refs_ref_idx on data.external_refs (tenant_id, object, ref, record_id)`);
    await keepRefs(runner, tables);
    // Who was merged is still known by their address.
    await runner.query(
      `create index talent_candidates_merged_idx on data.talent_candidates (tenant_id, id) where merged_into_id is not null`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function markTrash(runner: QueryRunner, tables: { table: string; type: string }[]): Promise<void> {
  // Rows are changed by the owner, who otherwise sees none without a tenant.
  const touched = ['data.external_refs', ...tables.map(({ table }) => table)];
  for (const table of touched) await runner.query(`alter table ${table} no force row level security`);
  for (const { table, type } of tables)
    await runner.query(
      `update data.external_refs x set in_trash = true from ${table} r
       where x.object = $1 and r.tenant_id = x.tenant_id and r.id = x.record_id and r.deleted_at is not null`,
      [type],
    );
  for (const table of touched) await runner.query(`alter table ${table} force row level security`);
}

async function keepRefs(runner: QueryRunner, tables: { table: string; type: string }[]): Promise<void> {
  await runner.query(`
    create or replace function data.keep_external_refs() returns trigger language plpgsql
      set search_path = pg_catalog as $$
    begin
      if tg_op = 'UPDATE' then
        delete from data.external_refs where tenant_id = new.tenant_id and object = tg_argv[0] and record_id = new.id;
      end if;
      insert into data.external_refs (tenant_id, object, record_id, ref, in_trash)
        select distinct new.tenant_id, tg_argv[0], new.id, (x->>'system') || ':' || (x->>'id'), new.deleted_at is not null
        from jsonb_array_elements(new.external_refs) x;
      return null;
    end $$`);
  for (const { table, type } of tables) {
    await runner.query(`drop trigger keep_external_refs on ${table}`);
    await runner.query(`
      create trigger keep_external_refs after update on ${table} for each row
        when (new.external_refs is distinct from old.external_refs
          or new.external_refs <> '[]' and (new.deleted_at is null) <> (old.deleted_at is null))
        execute function data.keep_external_refs('${type}')`);
  }
}
