import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['data.member_transfers', 'data.automation_runs', 'data.jobs'];

/** Transfers of records between members become asynchronous jobs. Unfinished ones continue with their next batch. */
export class TransferJobs1763700000119 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`alter table ${table} no force row level security`);
    await runner.query(`
      insert into data.jobs (tenant_id, id, kind, status, done, total, phase, input, result, error, requested_by, created_at,
        started_at, finished_at, expires_at)
      select t.tenant_id, t.id, 'core.membership.transfer', s.status, t.moved, t.matched,
        case when s.status = 'running' then 'transferring' end, i.input,
        case when s.status = 'succeeded' then i.input || jsonb_build_object('moved', t.moved) end,
        case when s.status = 'failed' then '{"code": "internal_error", "message": "The transfer failed."}'::jsonb end,
        t.created_by, t.created_at, t.created_at,
        case when s.status <> 'running' then coalesce(t.finished_at, t.updated_at) end, t.updated_at + interval '30 days'
      from data.member_transfers t
        left join data.automation_runs r
          on r.tenant_id = t.tenant_id and r.kind = 'core.membership.transfer' and r.key = t.id::text
        cross join lateral (select jsonb_build_object('from', t.from_id, 'to', t.to_id, 'workspaceId', t.workspace_id)) i (input)
        cross join lateral (select case when t.finished_at is not null then 'succeeded'
          when r.state in ('waiting', 'ready') then 'running' else 'failed' end) s (status)`);
    await runner.query(`drop table data.member_transfers`);
    for (const table of TABLES.slice(1)) await runner.query(`alter table ${table} force row level security`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
