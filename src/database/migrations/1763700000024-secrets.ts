import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Sealed credentials of a tenant, and the AI providers and models that are called with them. ADR 0024. */
export class Secrets1763700000024 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await secrets(runner);
    await providers(runner);
    await models(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** The values stand apart, so that what lists secrets never touches them and what is deleted is gone. */
async function secrets(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.secrets (
      tenant_id uuid not null,
      id uuid not null,
      name text not null check (name ~ '^[A-Z0-9_./-]{1,100}$'),
      description text check (length(description) between 1 and 1000),
      kind text not null check (kind in ('generic', 'api_key', 'oauth', 'certificate', 'webhook')),
      version integer not null check (version > 0),
      fingerprint text not null check (fingerprint ~ '^[0-9a-f]{8}$'),
      notified_days smallint check (notified_days in (1, 14)),
      created_at timestamptz(3) not null,
      created_by jsonb not null,
      updated_at timestamptz(3) not null,
      rotated_at timestamptz(3),
      expires_at timestamptz(3),
      last_used_at timestamptz(3),
      primary key (tenant_id, id),
      constraint secrets_name_key unique (tenant_id, name)
    )`);
  await tenantTable(runner, 'data.secrets', { grant: 'select, insert, update, delete' });
  await runner.query(`
    create table data.secret_versions (
      tenant_id uuid not null,
      id uuid not null,
      secret_id uuid not null,
      version integer not null check (version > 0),
      sealed text not null,
      usable_until timestamptz(3),
      created_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint secret_versions_version_key unique (tenant_id, secret_id, version),
      foreign key (tenant_id, secret_id) references data.secrets (tenant_id, id)
    )`);
  await tenantTable(runner, 'data.secret_versions', {
    grant: 'select, insert, delete',
    updateColumns: ['usable_until'],
  });
}

async function providers(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.ai_providers (
      tenant_id uuid not null,
      id uuid not null,
      key text not null check (key ~ '^[a-z0-9][a-z0-9._-]{0,99}$' and key <> 'local'),
      name text not null check (length(name) between 1 and 200),
      api text not null check (api in ('openai', 'anthropic')),
      base_url text not null check (length(base_url) between 1 and 2048),
      secret_name text check (length(secret_name) between 1 and 100),
      region text check (length(region) between 1 and 40),
      is_idempotent boolean not null,
      enabled boolean not null,
      version integer not null check (version > 0),
      created_at timestamptz(3) not null,
      created_by jsonb not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3),
      primary key (tenant_id, id)
    )`);
  await runner.query(
    `create unique index ai_providers_key_key on data.ai_providers (tenant_id, key) where deleted_at is null`,
  );
  await tenantTable(runner, 'data.ai_providers', { grant: 'select, insert, update' });
}

/** Prices are only ever added: what a job cost can be worked out again years later. */
async function models(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.ai_models (
      tenant_id uuid not null,
      id uuid not null,
      provider_id uuid not null,
      key text not null check (key ~ '^\\S{1,100}$'),
      name text not null check (length(name) between 1 and 200),
      context_tokens integer not null check (context_tokens between 1024 and 100000000),
      max_output_tokens integer not null check (max_output_tokens between 64 and 10000000),
      regions text[] not null,
      capabilities text[] not null,
      enabled boolean not null,
      is_default boolean not null,
      version integer not null check (version > 0),
      created_at timestamptz(3) not null,
      created_by jsonb not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3),
      primary key (tenant_id, id),
      foreign key (tenant_id, provider_id) references data.ai_providers (tenant_id, id),
      check (not is_default or enabled)
    )`);
  await runner.query(
    `create unique index ai_models_key_key on data.ai_models (tenant_id, provider_id, key) where deleted_at is null`,
  );
  await runner.query(
    `create unique index ai_models_default_key on data.ai_models (tenant_id) where is_default and deleted_at is null`,
  );
  await tenantTable(runner, 'data.ai_models', { grant: 'select, insert, update' });
  await runner.query(`
    create table data.ai_model_prices (
      tenant_id uuid not null,
      model_id uuid not null,
      from_at timestamptz(3) not null,
      input_micros_per_1k bigint not null check (input_micros_per_1k between 0 and 1000000000000),
      output_micros_per_1k bigint not null check (output_micros_per_1k between 0 and 1000000000000),
      cached_micros_per_1k bigint not null check (cached_micros_per_1k between 0 and 1000000000000),
      created_at timestamptz(3) not null,
      created_by jsonb not null,
      primary key (tenant_id, model_id, from_at),
      foreign key (tenant_id, model_id) references data.ai_models (tenant_id, id)
    )`);
  await tenantTable(runner, 'data.ai_model_prices', { grant: 'select, insert' });
}
