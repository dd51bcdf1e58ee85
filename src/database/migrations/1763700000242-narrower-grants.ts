import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction, workerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** The API loses rights that only the worker needs: to forget sessions and tokens of all tenants, and signed checkpoints. */
export class NarrowerGrants1763700000242 implements MigrationInterface {
  name = 'NarrowerGrants1763700000242';

  async up(runner: QueryRunner): Promise<void> {
    await forgetting(runner);
    await checkpoints(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function forgetting(runner: QueryRunner): Promise<void> {
  const { app, lookup, owner } = migrationRoles();
  await runner.query(`set local role ${lookup}`); // which owns them
  await runner.query(`drop function directory.forget_sessions(timestamptz, integer)`);
  await runner.query(`drop function directory.forget_oauth_tokens(timestamptz, integer)`);
  await runner.query(`revoke execute on function directory.revoke_member(uuid, timestamptz) from ${app}`);
  await runner.query(`set local role ${owner}`);
  const refusal = (time: string) => `
      if ${time} > now() then
        raise exception 'what is not over cannot be forgotten' using errcode = 'invalid_parameter_value';
      end if;`;
  await runner.query(`
    create function directory.forget_sessions(ended_before timestamptz, at_most integer) returns integer
      language plpgsql security definer set search_path = pg_catalog as $$
    declare
      count integer;
    begin ${refusal('ended_before')}
      delete from directory.credentials c using (
        select s.credential_id from directory.sessions s
        where s.expires_at < ended_before order by s.expires_at limit at_most) old
      where c.id = old.credential_id;
      get diagnostics count = row_count;
      return count;
    end $$`);
  await runner.query(`
    create function directory.forget_oauth_tokens(expired_before timestamptz, at_most integer) returns integer
      language plpgsql security definer set search_path = pg_catalog as $$
    declare
      tokens integer;
      credentials integer;
    begin ${refusal('expired_before')}
      delete from directory.oauth_tokens where id in (
        select t.id from directory.oauth_tokens t where t.expires_at < expired_before
        order by t.expires_at limit at_most);
      get diagnostics tokens = row_count;
      delete from directory.credentials where id in (
        select c.id from directory.credentials c where c.kind = 'oauth_token' and c.expires_at < expired_before
        order by c.expires_at limit at_most);
      get diagnostics credentials = row_count;
      return greatest(tokens, credentials);
    end $$`);
  await definerFunction(runner, 'directory.forget_sessions(timestamptz, integer)', ['system']);
  await definerFunction(runner, 'directory.forget_oauth_tokens(timestamptz, integer)', ['system']);
}

/** A sealer replaces the checkpoint of the current hour; those of earlier hours stay. */
async function checkpoints(runner: QueryRunner): Promise<void> {
  const { app } = migrationRoles();
  await runner.query(`revoke delete on data.audit_checkpoints from ${app}`);
  await runner.query(`
    create function data.replace_audit_checkpoint(sealed bigint) returns void
      language sql security definer set search_path = pg_catalog as $$
      delete from data.audit_checkpoints c
        where c.tenant_id = current_setting('app.tenant_id')::uuid and c.size = sealed
          and date_trunc('hour', c.created_at) = date_trunc('hour', now()) $$`);
  await workerFunction(runner, 'data.replace_audit_checkpoint(bigint)');
}
