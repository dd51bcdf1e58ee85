import { statement } from '#libs/database/statement.js';

/** Upper half of the workers' advisory lock keys, so that they do not collide with other advisory locks. */
export const WORKER_LOCK_CLASS = 0x746f7077;

/** Whether any worker is connected to this database, as `present`. */
export const ANY_WORKER = statement(
  `select exists (select 1 from pg_locks where locktype = 'advisory' and classid = $1 and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())) as present`,
  [WORKER_LOCK_CLASS],
);
