import type { MigrationInterface, QueryRunner } from 'typeorm';
import { divideByDay } from '#libs/database/day-partitions.js';
import { systemTable } from '#libs/database/tenant-table.js';
import { KEEP_PARTITIONS, MAKE_PARTITION } from './1763700000017-partition-functions.js';

/**
 * An event is written once: its number is a short row of its own, and what has none yet stands in a queue beside it. Writing
 * the whole event again with its number took five times the log, and kept half of each page free for it. ADR 0019.
 */
export class ImmutableEvents1763700000035 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(MAKE_PARTITION);
    await runner.query(KEEP_PARTITIONS);
    // Rows are copied by the owner, who otherwise sees none without a tenant.
    await runner.query(`alter table data.events no force row level security`);
    await numbers(runner);
    await pending(runner);
    await runner.query(`
      alter table data.events
        drop column position, drop column sequence, drop column dispatched_at, drop column dispatch_error`);
    await runner.query(`
      do $$ declare part regclass; begin
        for part in select inhrelid from pg_inherits where inhparent = 'data.events'::regclass loop
          execute format('alter table %s set (fillfactor = 100)', part);
        end loop;
      end $$`);
    await runner.query(`alter table data.events force row level security`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function numbers(runner: QueryRunner): Promise<void> {
  // In the order in which the events of a tenant are read. The id is part of the key because it is what days are told by; the
  // lock of the relay on event_sequences is what makes a number unique. `error` is why an event was set aside.
  await runner.query(`
    create table data.event_numbers (
      tenant_id uuid not null,
      sequence bigint not null,
      event_id uuid not null,
      numbered_at timestamptz(3) not null,
      error text,
      primary key (tenant_id, sequence, event_id)
    ) partition by range (event_id)`);
  await divideByDay(runner, 'event_numbers', 'event_id', await oldestDay(runner));
  await runner.query(`
    insert into data.event_numbers (tenant_id, sequence, event_id, numbered_at, error)
    select tenant_id, sequence, id, dispatched_at, dispatch_error from data.events where sequence is not null`);
  await systemTable(runner, 'data.event_numbers', {
    app: { grant: 'select' },
    system: { grant: 'select, insert' },
  });
}

async function pending(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.events_pending (
      tenant_id uuid not null,
      position bigint not null default nextval('data.event_positions'),
      event_id uuid not null,
      primary key (tenant_id, position)
    ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
      autovacuum_analyze_scale_factor = 0.05)`);
  await runner.query(`alter sequence data.event_positions owned by data.events_pending.position`);
  await runner.query(`
    insert into data.events_pending (tenant_id, position, event_id)
    select tenant_id, position, id from data.events where sequence is null`);
  await systemTable(runner, 'data.events_pending', {
    app: { grant: 'select, insert' },
    system: { grant: 'select, insert, delete' },
  });
}

/** The first day that events have a partition of. */
async function oldestDay(runner: QueryRunner): Promise<Date> {
  const [row] = (await runner.query(`
    select coalesce(min(to_date(right(c.relname, 8), 'YYYYMMDD'))::timestamp at time zone 'UTC', now()) as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'data.events'::regclass and c.relname ~ '_[0-9]{8}$'`)) as { day: Date }[];
  return row!.day;
}
