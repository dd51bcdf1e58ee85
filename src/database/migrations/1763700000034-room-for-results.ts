import type { MigrationInterface, QueryRunner } from 'typeorm';
import { MAKE_PARTITION } from './1763700000017-partition-functions.js';

/**
 * An event is written a second time as well, with its number: beside its first version that takes a fifth of the log that it
 * takes on another page. An attempt is written once. ADR 0019.
 */
export class RoomForResults1763700000034 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(MAKE_PARTITION);
    await runner.query(`
      do $$ declare part record; begin
        for part in select inhrelid::regclass as name, case inhparent when 'data.events'::regclass then 50 else 100 end as fill
          from pg_inherits where inhparent in ('data.events'::regclass, 'data.webhook_attempts'::regclass)
        loop
          execute format('alter table %s set (fillfactor = %s)', part.name, part.fill);
        end loop;
      end $$`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
