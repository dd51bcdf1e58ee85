import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { QueryRunner } from 'typeorm';
import type { Roles } from '#libs/database/roles.js';

// Not relative to this file, which is also part of the bundled apps.
export const FUNCTIONS_FOLDER = fileURLToPath(new URL('./functions', import.meta.resolve('#src/database/migrate.js')));

/** Text of the file of a function: one statement that creates or replaces it. `name` is qualified, e.g. `data.fold`. */
export function functionText(name: string): string {
  return readFileSync(`${FUNCTIONS_FOLDER}/${name}.sql`, 'utf8');
}

/** Qualified names of all functions that have a file, sorted. */
export function declaredFunctions(): string[] {
  const files = readdirSync(FUNCTIONS_FOLDER).filter((file) => file.endsWith('.sql'));
  return files.map((file) => file.slice(0, -'.sql'.length)).sort();
}

/** Creates a function from its file, for a migration that needs it. */
export async function sqlFunction(runner: QueryRunner, name: string): Promise<void> {
  await runner.query('set local check_function_bodies = off');
  await runner.query(functionText(name));
}

/** A function in the database. */
interface Existing {
  name: string;
  /** With the types of its arguments. */
  signature: string;
  owner: string;
  /** Its comment: which text made it. */
  mark: string | null;
}

const EXISTING = `
  select n.nspname || '.' || p.proname as name, format('%I.%I(%s)', n.nspname, p.proname,
      pg_get_function_identity_arguments(p.oid)) as signature,
    pg_get_userbyid(p.proowner) as owner, obj_description(p.oid, 'pg_proc') as mark
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('data', 'directory') order by 1`;

async function existingFunctions(client: pg.Client): Promise<Existing[]> {
  return (await client.query<Existing>(EXISTING)).rows;
}

/**
 * The comment that remembers from which text a function was made. It goes with the function if that is dropped, unlike
 * a row in a table.
 */
function markOf(text: string): string {
  return `made from ${createHash('sha256').update(text).digest('hex')}`;
}

/**
 * Creates or replaces the functions whose files have changed, each as its owner, in one transaction. Owners and grants
 * stay. The caller holds the migration lock.
 */
export async function applyFunctions(client: pg.Client, roles: Roles): Promise<void> {
  const existing = new Map((await existingFunctions(client)).map((each) => [each.name, each]));
  const changed = declaredFunctions().filter((name) => existing.get(name)?.mark !== markOf(functionText(name)));
  if (changed.length === 0) return;
  await inTransaction(client, async () => {
    const owners = Map.groupBy(changed, (name) => existing.get(name)?.owner ?? roles.owner);
    // Bodies are not checked, because one may use another that is created after it.
    const statements = [`set local role ${roles.owner}; set local check_function_bodies = off`];
    for (const [owner, names] of owners) statements.push(...asOwner(roles, owner, names.map(functionText)));
    await client.query(statements.join(';\n'));
    await markFunctions(client, roles);
  });
}

/** Notes in the running transaction that all functions have been made from their present files. */
export async function markFunctions(client: pg.Client, roles: Roles): Promise<void> {
  const declared = new Set(declaredFunctions());
  const made = (await existingFunctions(client)).filter(({ name }) => declared.has(name));
  const statements = [...Map.groupBy(made, ({ owner }) => owner)].flatMap(([owner, each]) => [
    `set local role ${owner}`,
    ...each.map(({ name, signature }) => `comment on function ${signature} is '${markOf(functionText(name))}'`),
  ]);
  await client.query([...statements, `set local role ${roles.owner}`].join(';\n'));
}

/** Statements run as the owner of functions, who may create them only meanwhile. */
function asOwner(roles: Roles, owner: string, statements: string[]): string[] {
  if (owner === roles.owner) return statements;
  return [
    `grant create on schema data, directory to ${owner}`,
    `set local role ${owner}`,
    ...statements,
    `set local role ${roles.owner}`,
    `revoke create on schema data, directory from ${owner}`,
  ];
}

/** Runs work in a transaction, which fails as a whole. */
export async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
