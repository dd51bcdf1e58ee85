import type { QueryRunner } from 'typeorm';

/** Days for which partitions are created ahead. If the worker is down for longer, rows go to the default partition. */
export const DAYS_AHEAD = 14;

/**
 * Creates daily partitions, starting at `since`, for a new table `partition by range (key)`, and a default partition
 * for all other rows.
 */
export async function divideByDay(runner: QueryRunner, parent: string, key: string, since: Date): Promise<void> {
  await runner.query(`create table data.${parent}_default partition of data.${parent} default`);
  await runner.query(`alter table data.${parent}_default enable row level security`);
  await runner.query(
    `select data.make_partition($1, $2, day::date)
     from generate_series($3::date, (now() at time zone 'UTC')::date + ${DAYS_AHEAD}, interval '1 day') day`,
    [parent, key, since.toISOString().slice(0, 10)],
  );
}
