import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

/** Tags that a tenant manages. Records name theirs in any case; `key` is the name as tags are compared. */
export class Tags1763700000072 implements MigrationInterface {
  name = 'Tags1763700000072';

  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    await runner.query(`
      create table data.tags (
        tenant_id uuid not null,
        id uuid not null,
        name text not null check (length(name) between 1 and 50),
        key text not null generated always as (data.fold(name)) stored,
        created_by jsonb not null,
        archived_at timestamptz(3),
        version integer not null default 1 check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id)
      )`);
    await runner.query(`create unique index tags_name_key on data.tags (tenant_id, key)`);
    await tenantTable(runner, 'data.tags', { grant: 'select, insert, update, delete' });
    await runner.query(`
      create function data.expect_open_tags(tenant uuid, wanted text[]) returns boolean
        language plpgsql set search_path = pg_catalog as $$
        declare closed text;
        begin
          select name into closed from data.tags
            where tenant_id = tenant and key = any(wanted) and archived_at is not null limit 1;
          if closed is not null then
            raise exception '%', closed using errcode = 'TOP13';
          end if;
          return true;
        end $$`);
    await runner.query(`grant execute on function data.expect_open_tags(uuid, text[]) to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
