import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';

/** A grant can get another code, for a consent form that a browser has sent twice. */
export class AnotherCode1763700000240 implements MigrationInterface {
  name = 'AnotherCode1763700000240';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function directory.add_oauth_code(of_grant uuid, code uuid, hash bytea, code_challenge text, redirect text,
          until timestamptz) returns void language sql security definer set search_path = pg_catalog as $$
        insert into directory.oauth_tokens (id, grant_id, kind, token_hash, challenge, redirect_uri, expires_at)
          select code, g.id, 'code', hash, code_challenge, redirect, until from directory.oauth_grants g
            where g.id = of_grant and g.tenant_id = current_setting('app.tenant_id')::uuid $$`);
    await definerFunction(runner, 'directory.add_oauth_code(uuid, uuid, bytea, text, text, timestamptz)');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
