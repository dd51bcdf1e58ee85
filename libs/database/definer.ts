import type { QueryRunner } from 'typeorm';
import { migrationRoles } from './tenant-table.js';

/**
 * Makes the lookup role the owner of a SECURITY DEFINER function that only the users may run: the API (`app`), the worker
 * and the command line (`system`), or both. `signature` is schema-qualified, e.g. `directory.authenticate(text)`.
 */
export async function definerFunction(
  runner: QueryRunner,
  signature: string,
  users: ('app' | 'system')[] = ['app', 'system'],
): Promise<void> {
  const roles = migrationRoles();
  await giveFunction(runner, signature, roles.lookup, [...users.map((each) => roles[each]), roles.owner]);
}

/**
 * Makes the worker's role the owner of a SECURITY DEFINER function, so that the API can do what only the worker may do.
 * Unlike the lookup role, the worker's role is subject to the policy of each tenant table.
 */
export async function workerFunction(runner: QueryRunner, signature: string): Promise<void> {
  const { owner, app, system } = migrationRoles();
  await giveFunction(runner, signature, system, [app, owner]);
}

async function giveFunction(runner: QueryRunner, signature: string, to: string, users: string[]): Promise<void> {
  const { owner } = migrationRoles();
  const [schema] = signature.split('.');
  await runner.query(`grant create on schema ${schema} to ${to}`);
  await runner.query(`alter function ${signature} owner to ${to}`);
  await runner.query(`revoke create on schema ${schema} from ${to}`);
  // Only the new owner can revoke PUBLIC's privilege: for any other role PostgreSQL accepts the statement and only
  // warns.
  await runner.query(`set local role ${to}`);
  await runner.query(`revoke all on function ${signature} from public`);
  await runner.query(`grant execute on function ${signature} to ${users.join(', ')}`);
  await runner.query(`set local role ${owner}`);
}
