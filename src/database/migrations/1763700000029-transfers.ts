import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Jobs that give the records of a member to another one, and what an audit within one's own actions is read by. */
export class Transfers1763700000029 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.member_transfers (
        tenant_id uuid not null,
        id uuid not null,
        from_id uuid not null,
        to_id uuid not null,
        workspace_id uuid,
        matched integer not null check (matched >= 0),
        moved integer not null default 0 check (moved >= 0),
        created_at timestamptz(3) not null,
        created_by jsonb not null,
        updated_at timestamptz(3) not null,
        finished_at timestamptz(3),
        primary key (tenant_id, id),
        foreign key (tenant_id, from_id) references data.memberships (tenant_id, id),
        foreign key (tenant_id, to_id) references data.memberships (tenant_id, id),
        foreign key (tenant_id, workspace_id) references data.workspaces (tenant_id, id)
      )`);
    for (const column of ['from_id', 'to_id', 'workspace_id'])
      await runner.query(`create index on data.member_transfers (tenant_id, ${column})`);
    await tenantTable(runner, 'data.member_transfers', {
      grant: 'select, insert',
      updateColumns: ['moved', 'updated_at', 'finished_at'],
    });
    await runner.query(`
      create function directory.keys_of(member uuid) returns setof uuid
        language sql stable security definer set search_path = pg_catalog as $$
        select c.id from directory.credentials c
        where c.tenant_id = current_setting('app.tenant_id')::uuid and c.member_id = member and c.kind = 'api_key' $$`);
    await definerFunction(runner, 'directory.keys_of(uuid)');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
