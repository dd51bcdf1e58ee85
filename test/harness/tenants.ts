import type pg from 'pg';
import { generateKey } from '#libs/auth/api-key.js';
import { uuidv7 } from '#libs/kernel/id.js';

/** A tenant made straight in the tables, in a few milliseconds; the CLI's own way is tested with the CLI. */
export async function createTenant(
  admin: pg.Pool,
  options: { slug: string; plan: string; reads: number; writes: number; scopes: string[] },
): Promise<{ id: string; apiKey: string }> {
  const id = uuidv7();
  const credentialId = uuidv7();
  const { text, keyId, hash } = generateKey('api_key');
  await admin.query(
    `insert into directory.tenants (id, slug, name, plan, reads_per_minute, writes_per_minute, created_at)
     values ($1, $2, $2, $3, $4, $5, now())`,
    [id, options.slug, options.plan, options.reads, options.writes],
  );
  await admin.query(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
       allow_protected, allowed_cidrs, created_at)
     values ($1, $2, 'api_key', $3, $1, 'test', $4, $5, true, '{}', now())`,
    [credentialId, id, keyId, hash, options.scopes],
  );
  return { id, apiKey: text };
}
