import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A new UUIDv7. PostgreSQL has a function for it only since version 18. */
const NEW_ID = `encode(
  set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
      placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid`;

/** Recoveries run as asynchronous jobs. Those in progress get a job that continues them. */
export class RecoveryJobs1763700000121 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.webhook_recoveries add column job_id uuid`);
    await runner.query(`update data.webhook_recoveries set job_id = ${NEW_ID} where status in ('counting', 'running')`);
    await runner.query(`
      insert into data.jobs (tenant_id, id, kind, status, done, total, phase, input, requested_by, created_at, expires_at)
      select tenant_id, job_id, 'webhook.recovery', 'queued', examined, null, status,
        jsonb_build_object('recoveryId', id), created_by, created_at, now() + interval '30 days'
      from data.webhook_recoveries where job_id is not null`);
    await runner.query(`
      insert into data.automation_runs (tenant_id, kind, key, state, due_at, created_at)
      select tenant_id, 'webhook.recovery', job_id::text, 'waiting', now(), now()
      from data.webhook_recoveries where job_id is not null`);
    await runner.query(`drop index data.webhook_recoveries_open_idx`);
    await runner.query(
      `create index webhook_recoveries_open_idx on data.webhook_recoveries (tenant_id, endpoint_id)
       where status in ('counting', 'running')`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
