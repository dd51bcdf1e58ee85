import type { MigrationInterface, QueryRunner } from 'typeorm';

const NOTHING = '{"held":0,"exhausted":0,"skipped":0,"retrying":0,"delivered":0,"never_attempted":0}';

/** Attempts that somebody asked for are found beside what else waits; recoveries count step by step what there is; what is late moves. */
export class WebhookGaps1763700000019 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Checked when late rows come with the partition of their day, with the eyes of the owner, who sees no endpoint: not one
    // partition was made any more.
    await runner.query(
      `alter table data.webhook_deliveries drop constraint if exists webhook_deliveries_endpoint_fkey`,
    );
    await runner.query(
      `create index webhook_queue_manual_idx on data.webhook_queue (tenant_id, endpoint_id, due_at) where cause = 'manual'`,
    );
    await runner.query(`
      alter table data.webhook_recoveries
        add column dry_run boolean not null default false,
        add column counted bigint not null default 0 check (counted >= 0),
        add column by_status jsonb not null default '${NOTHING}',
        drop constraint webhook_recoveries_status_check,
        drop constraint webhook_recoveries_check,
        add constraint webhook_recoveries_status_check check (status in ('counting', 'running', 'completed', 'cancelled')),
        add constraint webhook_recoveries_finished_check check (
          (status in ('counting', 'running')) = (finished_at is null)),
        add constraint webhook_recoveries_dry_check check (not dry_run or status <> 'running' and recovered = 0)`);
    await runner.query(`drop index data.webhook_recoveries_running_idx`);
    await runner.query(
      `create index webhook_recoveries_open_idx on data.webhook_recoveries (tenant_id, id)
       where status in ('counting', 'running')`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
