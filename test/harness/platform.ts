import { randomBytes } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import { pino } from 'pino';
import { generateKey } from '#libs/auth/api-key.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { createApi } from '#src/api/app.js';
import { ENTITIES } from '#src/areas/entities.js';
import { Client } from './client.js';
import { MovableClock } from './clock.js';
import { Contract } from './contract.js';
import { adminPool, createTestDatabase, type TestDatabase } from './database.js';
import { createMember, createProvider, createTenant, type MemberPlace } from './tenants.js';

/** Time advanced between two calls of a provider, so that they do not count toward one rate limit window. */
const SCIM_PAUSE_MS = 4_000;

/** A tenant for one test, with a key that has all permissions. */
export interface TestTenant {
  id: string;
  slug: string;
  apiKey: string;
  api: Client;
}

export interface TestTenantOptions {
  plan?: 'free' | 'starter' | 'business' | 'enterprise';
  reads?: number;
  writes?: number;
  scopes?: string[];
}

/** The REST app on a free port of the loopback interface, with a separate database. */
export interface TestPlatform {
  url: string;
  database: TestDatabase;
  clock: MovableClock;
  document: OpenAPIObject;
  app: Awaited<ReturnType<typeof createApi>>['app'];
  /** Creates a tenant; row-level security isolates it from other tests. */
  tenant(options?: TestTenantOptions): Promise<TestTenant>;
  /** Creates another key of a tenant with exactly these scopes. */
  key(
    tenant: TestTenant,
    scopes: string[],
    more?: { expiresAt?: string; cidrs?: string[]; memberId?: string },
  ): Promise<Client>;
  /** A member of a tenant with a client that acts for them; it has all scopes by default. */
  member(
    tenant: TestTenant,
    name: string,
    scopes?: string[],
    place?: MemberPlace,
  ): Promise<{ id: string; api: Client }>;
  /** A client without a credential. */
  anonymous(): Client;
  close(): Promise<void>;
}

/** Starts the app; `env` adds or overrides settings, `shared` uses the database of another app. */
export async function startPlatform(
  options: { env?: Record<string, string>; shared?: TestDatabase } = {},
): Promise<TestPlatform> {
  const database = options.shared ?? (await createTestDatabase(options.env));
  const clock = new MovableClock();
  const { settings, masterKeys, appUrl } = database;
  const { app, document: documented } = await createApi(
    { settings, masterKeys, databaseUrl: appUrl, name: 'platform-api', entities: ENTITIES, clock },
    pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
  );
  const document = await documented();
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const contract = Contract.of(document);
  const admin = adminPool(database.adminUrl, 2);
  const client = (headers: Record<string, string>) => new Client(url, headers, contract);
  /** Calls SCIM as a provider. The first call connects it; calls are spaced to respect its rate limit. */
  const asProvider = (tenantId: string) => {
    let token: Promise<string> | null = null;
    return async () => {
      clock.advance(SCIM_PAUSE_MS);
      return { authorization: `Bearer ${await (token ??= createProvider(admin, tenantId))}` };
    };
  };
  const platform: TestPlatform = {
    url,
    database,
    clock,
    document,
    app,
    anonymous: () => client({}),
    async tenant({ plan = 'enterprise', reads = 60_000, writes = 12_000, scopes = ['*'] } = {}) {
      const slug = `t-${randomBytes(6).toString('hex')}`;
      const { id, apiKey } = await createTenant(admin, { slug, plan, reads, writes, scopes });
      const dataKey = app.get(Sealer).firstKey(id);
      await admin.query(dataKey.text, dataKey.values);
      return { id, slug, apiKey, api: new Client(url, { 'x-api-key': apiKey }, contract, asProvider(id)) };
    },
    async key(tenant, scopes, more = {}) {
      const { text, keyId, hash } = generateKey('api_key');
      const id = uuidv7();
      await admin.query(
        `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
           allow_protected, allowed_cidrs, created_at, expires_at, member_id)
         values ($1, $2, 'api_key', $3, $1, 'test key', $4, $5, false, $6, now(), $7, $8)`,
        [id, tenant.id, keyId, hash, scopes, more.cidrs ?? [], more.expiresAt ?? null, more.memberId ?? null],
      );
      return client({ 'x-api-key': text });
    },
    async member(tenant, name, scopes = ['*'], place = {}) {
      const id = await createMember(admin, tenant.id, name, place);
      return { id, api: await platform.key(tenant, scopes, { memberId: id }) };
    },
    async close() {
      await admin.end();
      await app.close();
      if (!options.shared) await database.drop();
    },
  };
  return platform;
}
