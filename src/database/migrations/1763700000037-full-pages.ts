import type { MigrationInterface, QueryRunner } from 'typeorm';
import { MAKE_PARTITION } from '#libs/database/day-partitions.js';

/**
 * Fills pages of deliveries, half of which was left free for their results: what is delivered at once is written once,
 * since 1763700000036. Holds for what is written from now on.
 */
export class FullPages1763700000037 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(MAKE_PARTITION);
    await runner.query(`
      do $$ declare partition regclass; begin
        for partition in select inhrelid from pg_inherits where inhparent = 'data.webhook_deliveries'::regclass loop
          execute format('alter table %s set (fillfactor = 85)', partition);
        end loop;
      end $$`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
