import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationContext } from '#libs/database/tenant-table.js';

/** Tables with keys that are wrapped with the master key. */
const WRAPPED = ['data.data_keys', 'directory.signing_keys', 'directory.installation_keys'];

/** Each wrapped key names its master key, and data keys get versions. ADR 50. */
export class KeyVersions1763700000095 implements MigrationInterface {
  name = 'KeyVersions1763700000095';

  async up(runner: QueryRunner): Promise<void> {
    await names(runner);
    await register(runner);
    await dataKeys(runner);
    // The ids replace the check of the master key.
    await runner.query(`drop table directory.installation`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function names(runner: QueryRunner): Promise<void> {
  const { roles, masterKeyId } = migrationContext();
  const { system, lookup } = roles;
  for (const table of ['data.data_keys', 'directory.signing_keys']) {
    // The default names the key of the existing rows without rewriting the table.
    await runner.query(`alter table ${table} add column master_key_id text not null default '${masterKeyId}'`);
    await runner.query(`alter table ${table} alter column master_key_id drop default`);
  }
  await runner.query(`drop function directory.read_signing_keys()`);
  await runner.query(`
    create function directory.read_signing_keys() returns table (kid text, public_key bytea, sealed_private_key bytea,
      not_before timestamptz, not_after timestamptz, master_key_id text)
      language sql stable security definer set search_path = pg_catalog as $$
      select k.kid, k.public_key, k.sealed_private_key, k.not_before, k.not_after, k.master_key_id
      from directory.signing_keys k order by k.not_before, k.not_after nulls last $$`);
  await definerFunction(runner, 'directory.read_signing_keys()');

  await runner.query(`
    create table directory.installation_keys (
      name text primary key,
      wrapped bytea not null,
      master_key_id text not null
    )`);
  await runner.query(`grant select on directory.installation_keys to ${lookup}`);
  await runner.query(`grant select, update on directory.installation_keys to ${system}`);
  await runner.query(`
    create function directory.installation_key(p_name text) returns table (wrapped bytea, master_key_id text)
      language sql stable security definer set search_path = pg_catalog as $$
      select k.wrapped, k.master_key_id from directory.installation_keys k where k.name = p_name $$`);
  await definerFunction(runner, 'directory.installation_key(text)');
}

/** The master keys in use, so that a process finds out at once whether it has them. */
async function register(runner: QueryRunner): Promise<void> {
  const { system, lookup } = migrationContext().roles;
  await runner.query(`create table directory.master_keys (id text primary key, first_used_at timestamptz(3) not null)`);
  await runner.query(`grant select, insert on directory.master_keys to ${lookup}`);
  await runner.query(`grant select, delete on directory.master_keys to ${system}`);
  await runner.query(`
    create function directory.master_keys_in_use() returns table (id text)
      language sql stable security definer set search_path = pg_catalog as $$
      select k.id from directory.master_keys k order by k.first_used_at $$`);
  await definerFunction(runner, 'directory.master_keys_in_use()');
  await runner.query(`
    create function directory.note_master_key() returns trigger
      language plpgsql security definer set search_path = pg_catalog as $$
      begin
        insert into directory.master_keys (id, first_used_at) values (new.master_key_id, now()) on conflict do nothing;
        return null;
      end $$`);
  await definerFunction(runner, 'directory.note_master_key()');
  for (const table of WRAPPED) {
    await runner.query(`
      create trigger master_key after insert or update of master_key_id on ${table} for each row
        execute function directory.note_master_key()`);
  }
  await runner.query(`alter table data.data_keys no force row level security`);
  await runner.query(`
    insert into directory.master_keys (id, first_used_at)
    select distinct master_key_id, now() from (
      select master_key_id from data.data_keys union select master_key_id from directory.signing_keys) k`);
  await runner.query(`alter table data.data_keys force row level security`);
}

/** The system role rewraps the keys of all tenants, and removes versions that nothing uses. */
async function dataKeys(runner: QueryRunner): Promise<void> {
  const { app, system } = migrationContext().roles;
  await runner.query(`alter table data.data_keys add column unused_since timestamptz(3)`);
  await runner.query(`alter policy tenant_isolation on data.data_keys to ${app}`);
  await runner.query(`grant update, delete on data.data_keys to ${system}`);
  // Sealed values that the worker seals again under the newest version.
  await runner.query(`grant update (sealed) on data.secret_versions to ${system}`);
}
