import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['request_stats_minute', 'request_stats_hour', 'request_stats_day'];

/** Figures of requests are kept for every kind of credential that requests come with. */
export class UsageOfSessions1763700000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      const name = `${table}_credential_kind_check`;
      await runner.query(`
        alter table data.${table}
          drop constraint ${name},
          add constraint ${name} check (credential_kind in ('api_key', 'session', 'scim_token'))`);
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
