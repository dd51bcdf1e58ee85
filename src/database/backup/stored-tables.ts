import type pg from 'pg';

/** A table that a backup contains. Names are quoted where SQL needs it. */
export interface StoredTable {
  name: string;
  /** All columns except generated ones. */
  columns: string[];
}

/*
 * Not in a backup: the migrations, which a restore runs itself, and the queue, whose jobs are only hints (ADR 7).
 */
const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name,
    array(select format('%I', a.attname) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('data', 'directory') and c.relkind in ('r', 'p') and not c.relispartition
    and c.oid <> 'directory.migrations'::regclass
  order by 1`;

/** The tables of the platform, without partitions. */
export async function storedTables(client: pg.Client): Promise<StoredTable[]> {
  return (await client.query<StoredTable>(TABLES)).rows;
}

/** Session settings under which the text format of COPY is the same on every server. */
export const TEXT_FORMAT = `
  set search_path to pg_catalog;
  set client_encoding to 'UTF8';
  set datestyle to 'ISO';
  set intervalstyle to 'postgres';
  set timezone to 'UTC';
  set bytea_output to 'hex';
  set extra_float_digits to 1;
  set statement_timeout to 0;
  set lock_timeout to 0;
  set idle_in_transaction_session_timeout to 0`;
