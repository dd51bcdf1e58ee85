import type { MigrationInterface, QueryRunner } from 'typeorm';

const REASONS = ['owner_inactive', 'credential_ended', 'owner_not_permitted', 'no_longer_valid'];

/**
 * Runs and schedules of reports know the key that they were ordered with, and runs the scopes that they had. Existing
 * runs count as runs with all rights; the keys of existing schedules are known from the audit log.
 */
export class CredentialsOfReportRuns1763700000230 implements MigrationInterface {
  name = 'CredentialsOfReportRuns1763700000230';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.report_runs add column key_id uuid,
      add column scopes jsonb check (jsonb_typeof(scopes) = 'array')`);
    await runner.query(`alter table data.reports add column schedule_key_id uuid`);
    await runner.query(`
      update data.reports r set schedule_key_id = (
        select c.lineage_id from (
          select a.actor_type, a.actor_id from data.audit_log a
          where a.tenant_id = r.tenant_id and a.target_id = r.id::text and a.action = 'reports.report.scheduled'
          order by a.occurred_at desc, a.id desc limit 1) s
        join directory.credentials c on c.tenant_id = r.tenant_id and c.id::text = s.actor_id
        where s.actor_type = 'api_key')
      where r.schedule is not null`);
    await runner.query(`alter table data.reports drop constraint reports_paused_reason_check,
      add constraint reports_paused_reason_check check (paused_reason in ('${REASONS.join("', '")}'))`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
