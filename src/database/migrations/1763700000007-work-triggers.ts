import type { QueryRunner } from 'typeorm';

/** A trigger function; `body` is PL/pgSQL. */
export async function triggerFunction(runner: QueryRunner, name: string, body: string, declare = ''): Promise<void> {
  await runner.query(`
    create function data.${name}() returns trigger language plpgsql set search_path = pg_catalog as $$
    ${declare === '' ? '' : `declare ${declare}`}
    begin ${body} end $$`);
}

/** PL/pgSQL that fails as a broken constraint of this name, so that services can tell which rule it was. */
export const fail = (constraint: string, message: string): string =>
  `raise exception '${message}' using errcode = 'check_violation', constraint = '${constraint}';`;
