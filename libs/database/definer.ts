import type { QueryRunner } from 'typeorm';
import { migrationRoles } from './tenant-table.js';

/**
 * Makes the lookup role the owner of a SECURITY DEFINER function that only app and system may run. `signature` is
 * schema-qualified, e.g. `directory.authenticate(text)`.
 */
export async function definerFunction(runner: QueryRunner, signature: string): Promise<void> {
  const { owner, app, system, lookup } = migrationRoles();
  const [schema] = signature.split('.');
  await runner.query(`grant create on schema ${schema} to ${lookup}`);
  await runner.query(`alter function ${signature} owner to ${lookup}`);
  await runner.query(`revoke create on schema ${schema} from ${lookup}`);
  // Only the new owner can revoke PUBLIC's privilege: for any other role PostgreSQL accepts the statement and only
  // warns.
  await runner.query(`set local role ${lookup}`);
  await runner.query(`revoke all on function ${signature} from public`);
  await runner.query(`grant execute on function ${signature} to ${app}, ${system}, ${owner}`);
  await runner.query(`set local role ${owner}`);
}
