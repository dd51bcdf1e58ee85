import type { QueryRunner } from 'typeorm';
import { fold } from '#libs/kernel/fold.js';
import { definerFunction } from './definer.js';
import { migrationRoles } from './tenant-table.js';

/** Name of the search function of a table, e.g. `data.search_sales_deals`. */
export function searchFunctionOf(table: string): string {
  const [schema, name] = table.split('.');
  return `${schema}.search_${name}`;
}

/** Up to this many matches, a search reads rows by id. With more, scanning the list's order finds a page sooner. */
export const FEW_MATCHES = 1_000;

/**
 * Lets the search function of a table find its rows by words. The table needs a tsvector column `search`.
 */
export async function searchable(runner: QueryRunner, table: string): Promise<void> {
  const { lookup } = migrationRoles();
  const [, name] = table.split('.');
  await runner.query(`create index ${name}_search_idx on ${table} using gin (tenant_id, search)`);
  await runner.query(`grant select (tenant_id, id, search) on ${table} to ${lookup}`);
  await runner.query(`create policy search on ${table} for select to ${lookup} using (true)`);
}

/**
 * Enables full-text search under row-level security. Text search operators are not leakproof, so behind a policy they
 * cannot use an index. A definer function that reads only the tenant in context can. Later migrations create it from its
 * file. `Source:` ADR 0002.
 */
export async function searchFunction(runner: QueryRunner, table: string): Promise<void> {
  const signature = `${searchFunctionOf(table)}(text)`;
  await searchable(runner, table);
  await runner.query(`
    create function ${signature} returns setof uuid
      language sql stable security definer set search_path = pg_catalog as $$
      select id from ${table}
      where tenant_id = current_setting('app.tenant_id')::uuid and search @@ to_tsquery('simple', $1) $$`);
  await definerFunction(runner, signature);
}

/** Makes the search compare the words of a table after `data.fold`, as {@link toTsQuery} does. */
export async function foldWords(runner: QueryRunner, table: string): Promise<void> {
  const { lookup } = migrationRoles();
  const [, name] = table.split('.');
  const [column] = (await runner.query(
    `select pg_get_expr(d.adbin, d.adrelid) as words from pg_attribute a
       join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = $1::regclass and a.attname = 'search'`,
    [table],
  )) as { words: string }[];
  const [, text] = /^to_tsvector\('simple'::regconfig, (.*)\)$/s.exec(column!.words)!;
  await runner.query(`
    alter table ${table} drop column search,
      add column search tsvector not null generated always as (to_tsvector('simple', data.fold(${text}))) stored`);
  await runner.query(`create index ${name}_search_idx on ${table} using gin (tenant_id, search)`);
  await runner.query(`grant select (search) on ${table} to ${lookup}`);
}

/**
 * First and last code points of word separators: white space, punctuation, symbols. Listed here because PostgreSQL's
 * parser and character classes depend on the locale.
 */
const BETWEEN_WORDS = [
  [0x01, 0x2f],
  [0x3a, 0x40],
  [0x5b, 0x60],
  [0x7b, 0xa9],
  [0xab, 0xb4],
  [0xb6, 0xb9],
  [0xbb, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  [0x2000, 0x206f],
  [0x20a0, 0x20cf],
  [0x2190, 0x2bff],
  [0x2e00, 0x2e7f],
  [0x3000, 0x3004],
  [0x3008, 0x301f],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff0f],
  [0xff1a, 0xff20],
  [0xff3b, 0xff40],
  [0xff5b, 0xff65],
  [0x1f000, 0x1faff],
] as const;
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
const SEPARATORS_SQL = BETWEEN_WORDS.map(([from, to]) => `\\U${hex(from, 8)}-\\U${hex(to, 8)}`).join('');
const SEPARATORS = new RegExp(
  `[${BETWEEN_WORDS.map(([from, to]) => `\\u{${hex(from, 1)}}-\\u{${hex(to, 1)}}`).join('')}]+`,
  'u',
);

/**
 * SQL of the words of a text, which {@link foldWords} then folds. PostgreSQL's own parser would keep `acme.com` whole
 * and read the end of `DEAL-000123` as a negative number. `text` is an SQL expression.
 */
export function searchedWords(text: string): string {
  return `to_tsvector('simple', regexp_replace(normalize(${text}, NFC), '[${SEPARATORS_SQL}]+', ' ', 'g'))`;
}

/**
 * A tsquery text that matches rows containing every word of `q`, each as a whole word or a prefix. Null if `q` has no
 * words. Contains no punctuation or spaces of `q`, so it cannot be malformed.
 */
export function toTsQuery(q: string): string | null {
  const words = fold(q).split(SEPARATORS).filter(Boolean);
  return words.length > 0 ? words.map((word) => `${word}:*`).join(' & ') : null;
}
