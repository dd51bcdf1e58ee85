import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ALPHABET, alphabetIndex } from '#libs/database/alphabet.js';
import { foldWords } from '#libs/database/search.js';
import { migrationRoles } from '#libs/database/tenant-table.js';
import { foldKeys } from './1763700000048-words-keys.js';

/** Letters that got a small one after Unicode 10, which ICU in some builds of PostgreSQL does not know. */
const YOUNG_LETTERS = [
  [0x1c89, 0x1cbf],
  [0x2c2f, 0x2c2f],
  [0xa7b8, 0xa7f5],
  [0x10570, 0x10595],
  [0x10d50, 0x10d65],
  [0x16e40, 0x16e5f],
  [0x16ea0, 0x16eb8],
] as const;

/** One way to compare text without regard to case, and one order of names. ADR 0036. */
export class Words1763700000048 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await fold(runner);
    await foldKeys(runner);
    await foldSearch(runner);
    await alphabet(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** What `fold` of libs/kernel is. A plain text, which most are, takes the short way. */
async function fold(runner: QueryRunner): Promise<void> {
  const { app, system, lookup } = migrationRoles();
  const letters = YOUNG_LETTERS.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index)),
  ).filter((letter) => letter.toLowerCase() !== letter);
  const ranges = YOUNG_LETTERS.map((range) => range.map((code) => String.fromCodePoint(code)).join('-')).join('');
  const small = letters.join('').toLowerCase();
  await runner.query(`
    create function data.fold(value text) returns text language plpgsql immutable strict parallel safe
      set search_path = pg_catalog as $$
    declare folded text;
    begin
      if octet_length(value) = length(value) then
        return lower(value collate "C");
      end if;
      folded := replace(replace(lower(normalize(value, NFC) collate "und-x-icu"), 'ς', 'σ'), U&'i\\0307', 'i');
      if value collate "C" ~ '[${ranges}]' then
        folded := translate(folded, '${letters.join('')}', '${small}');
      end if;
      return normalize(folded, NFC);
    end $$`);
  await runner.query(`grant execute on function data.fold(text) to ${app}, ${system}, ${lookup}`);
}

async function foldSearch(runner: QueryRunner): Promise<void> {
  const tables = (await runner.query(
    `select attrelid::regclass::text as table from pg_attribute join pg_class c on c.oid = attrelid
     where c.relnamespace = 'data'::regnamespace and attname = 'search' and attgenerated = 's'`,
  )) as { table: string }[];
  for (const { table } of tables) await foldWords(runner, table);
}

/** Names sort as people do; those of the same rank by their code points, so that the order is always the same. */
async function alphabet(runner: QueryRunner): Promise<void> {
  await runner.query(`create collation ${ALPHABET} (provider = icu, locale = 'und')`);
  const known = '(tenant_id, name, id)';
  const indexes = (await runner.query(
    `select schemaname || '.' || indexname as index, indexdef as text from pg_indexes
     where schemaname = 'data' and position($1 in indexdef) > 0`,
    [known],
  )) as { index: string; text: string }[];
  for (const { index, text } of indexes) {
    await runner.query(`drop index ${index}`);
    await runner.query(text.replace(known, `(tenant_id, name collate ${ALPHABET}, id)`));
  }
  for (const table of ['data.approvals', 'data.ai_jobs']) await alphabetIndex(runner, table, 'name');
}
