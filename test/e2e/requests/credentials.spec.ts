import { crc32 } from 'node:zlib';
import type pg from 'pg';
import { generateKey } from '#libs/auth/api-key.js';
import { Database } from '#libs/database/database.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { sendRaw } from './wire.js';

const DEALS = '/api/v1/sales/deals';

let platform: TestPlatform;
let tenant: TestTenant;
let addresses = 0;
/** Headers with an unused IP address, so that limits per address are not reached. */
const somewhere = () => ({ 'x-forwarded-for': `198.51.100.${++addresses % 250}` });

beforeAll(async () => {
  platform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
});
beforeEach(async () => {
  platform.clock.advance(61_000);
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const call = (headers: Record<string, string>) => platform.anonymous().get(DEALS, { ...somewhere(), ...headers });

function expectUnauthenticated({ status, body, headers }: Awaited<ReturnType<typeof call>>): void {
  expect(status).toBe(401);
  expect(body).toMatchObject({ code: 'unauthenticated' });
  expect(headers.get('www-authenticate')).toMatch(/^Bearer .*ApiKey /);
}

/** The same key with another character at a place counted from the end. */
function altered(key: string, fromEnd: number): string {
  const at = key.length - fromEnd;
  return key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1);
}

describe('x-api-key', () => {
  it('is sufficient: it implies the tenant', async () => {
    expect((await call({ 'x-api-key': tenant.apiKey })).status).toBe(200);
  });

  it('accepts only the slug of its own tenant', async () => {
    const other = await platform.tenant();
    expect((await call({ 'x-api-key': tenant.apiKey, 'x-tenant-slug': tenant.slug })).status).toBe(200);
    for (const slug of [other.slug, 'nobody', '', tenant.slug.toUpperCase()]) {
      const refused = await call({ 'x-api-key': tenant.apiKey, 'x-tenant-slug': slug });
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({ code: 'tenant_mismatch' });
    }
  });
});

describe('Authorization: Bearer', () => {
  it('requires the slug of its tenant', async () => {
    const other = await platform.tenant();
    const authorization = `Bearer ${tenant.apiKey}`;
    expect((await call({ authorization, 'x-tenant-slug': tenant.slug })).status).toBe(200);
    expectUnauthenticated(await call({ authorization }));
    for (const slug of [other.slug, 'nobody', ''])
      expectUnauthenticated(await call({ authorization, 'x-tenant-slug': slug }));
  });

  it('ignores the case of the scheme', async () => {
    for (const scheme of ['bearer', 'BEARER'])
      expect((await call({ authorization: `${scheme} ${tenant.apiKey}`, 'x-tenant-slug': tenant.slug })).status).toBe(
        200,
      );
  });

  it('accepts no other scheme', async () => {
    for (const authorization of [
      tenant.apiKey,
      `Basic ${btoa(`${tenant.apiKey}:`)}`,
      'Bearer',
      'Bearer ',
      `Token ${tenant.apiKey}`,
      `Bearer ${tenant.apiKey} x`,
    ])
      expectUnauthenticated(await call({ authorization, 'x-tenant-slug': tenant.slug }));
  });
});

describe('two credentials', () => {
  it('are refused if they differ, even if both are valid', async () => {
    const other = await platform.tenant();
    const slug = { 'x-tenant-slug': tenant.slug };
    expectUnauthenticated(await call({ 'x-api-key': tenant.apiKey, authorization: `Bearer ${other.apiKey}`, ...slug }));
    expectUnauthenticated(await call({ 'x-api-key': other.apiKey, authorization: `Bearer ${tenant.apiKey}`, ...slug }));
    expectUnauthenticated(await call({ 'x-api-key': tenant.apiKey, authorization: 'Bearer nonsense', ...slug }));
    expectUnauthenticated(await call({ 'x-api-key': tenant.apiKey, authorization: 'Basic eDp5', ...slug }));
  });

  it('are accepted if they are equal', async () => {
    const both = { 'x-api-key': tenant.apiKey, authorization: `Bearer ${tenant.apiKey}` };
    expect((await call(both)).status).toBe(200);
    expect((await call({ ...both, 'x-tenant-slug': tenant.slug })).status).toBe(200);
  });

  it('in repeated headers do not count as a credential', async () => {
    const other = await platform.tenant();
    const answer = await sendRaw(platform.url, [
      `GET ${DEALS} HTTP/1.1`,
      `x-api-key: ${tenant.apiKey}`,
      `x-api-key: ${other.apiKey}`,
      'x-forwarded-for: 203.0.113.1',
    ]);
    expect(answer.status).toBe(401);
    const slugs = await sendRaw(platform.url, [
      `GET ${DEALS} HTTP/1.1`,
      `authorization: Bearer ${tenant.apiKey}`,
      `x-tenant-slug: ${tenant.slug}`,
      `x-tenant-slug: ${other.slug}`,
      'x-forwarded-for: 203.0.113.1',
    ]);
    expect(slugs.status).toBe(401);
  });
});

describe('an invalid key', () => {
  it('gets the same 401 whatever is wrong', async () => {
    const never = generateKey('api_key').text;
    const texts = [
      '',
      'x',
      'top_live_',
      never,
      altered(tenant.apiKey, 1),
      altered(tenant.apiKey, 20),
      tenant.apiKey.slice(0, -1),
      `${tenant.apiKey}x`,
      tenant.apiKey.toLowerCase(),
      tenant.apiKey.replace('live', 'test'),
      'ключ'.normalize(),
      'k'.repeat(5_000),
    ];
    const details = new Set<unknown>();
    for (const text of texts.filter((each) => /^[\x20-\x7e]*$/.test(each))) {
      const answer = await call({ 'x-api-key': text });
      expectUnauthenticated(answer);
      details.add(answer.body['detail']);
    }
    expect(details.size).toBe(1);
  });

  it('a right key id with a wrong secret is 401 and audited for its tenant', async () => {
    expectUnauthenticated(await call({ 'x-api-key': forged(tenant.apiKey) }));
    expectUnauthenticated(await call({ 'x-api-key': altered(tenant.apiKey, 20) }));
    const rows = await asAdmin(
      platform.database,
      `select details::jsonb->>'reason' as reason, outcome, action from data.audit_log where tenant_id = $1 order by occurred_at`,
      [tenant.id],
    );
    expect(rows).toEqual([
      { reason: 'wrong_secret', outcome: 'denied', action: 'auth.credential.refused' },
      { reason: 'malformed', outcome: 'denied', action: 'auth.credential.refused' },
    ]);
  });

  it('with a wrong checksum is refused without a database look-up', async () => {
    const used = await connectionsDuring(async () => {
      for (const text of ['top_live_short_secret_000000', tenant.apiKey.slice(5), `${tenant.apiKey.slice(0, 14)}-x`])
        expectUnauthenticated(await call({ 'x-api-key': text }));
    });
    expect(used).toBe(0);
  });

  it('needs no look-up once its IP address has used up its failures', async () => {
    const from = { 'x-forwarded-for': '192.0.2.77' };
    const forge = () => altered(generateKey('api_key').text, 1);
    for (let i = 0; i < 20; i++)
      expect((await platform.anonymous().get(DEALS, { ...from, 'x-api-key': forge() })).status).toBe(401);
    const used = await connectionsDuring(async () => {
      for (let i = 0; i < 5; i++)
        expect((await platform.anonymous().get(DEALS, { ...from, 'x-api-key': forge() })).status).toBe(429);
    });
    expect(used).toBe(0);
  });

  it('a SCIM token only gives access to SCIM', async () => {
    const { text, keyId, hash } = generateKey('scim_token');
    await asAdmin(
      platform.database,
      `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes, allow_protected, allowed_cidrs, created_at)
       values ($1, $2, 'scim_token', $3, $1, 'scim', $4, '{*}', false, '{}', now())`,
      [uuidv7(), tenant.id, keyId, hash],
    );
    expectUnauthenticated(await call({ 'x-api-key': text }));
    expectUnauthenticated(await call({ authorization: `Bearer ${text}`, 'x-tenant-slug': tenant.slug }));
  });
});

describe('a valid credential from an IP address with too many failures', () => {
  const from = { 'x-forwarded-for': '192.0.2.99' };
  const ask = (headers: Record<string, string>, path = DEALS) =>
    platform.anonymous().get(path, { ...from, ...headers });
  const exhaust = async () => {
    const forge = () => ask({ 'x-api-key': generateKey('api_key').text });
    for (let i = 0; i < 20; i++) expect((await forge()).status).toBe(401);
    expect((await forge()).status).toBe(429);
  };
  const make = async (kind: 'session' | 'scim_token') => {
    const { text, keyId, hash } = generateKey(kind);
    const memberId = kind === 'session' ? (await platform.member(tenant, 'Ana')).id : null;
    await asAdmin(
      platform.database,
      `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes, allow_protected, allowed_cidrs, created_at, member_id, expires_at)
       values ($1, $2, $3, $4, $1, 'other', $5, '{}', false, '{}', now(), $6, now() + interval '1 day')`,
      [uuidv7(), tenant.id, kind, keyId, hash, memberId],
    );
    return { authorization: `Bearer ${text}` };
  };

  it('is handled normally, even for another tenant or the wrong route', async () => {
    const bearer = { authorization: `Bearer ${tenant.apiKey}` };
    const [session, token] = [await make('session'), await make('scim_token')];
    const wrong = { 'x-tenant-slug': 'nobody' };
    const users = '/api/scim/v2/Users';
    await exhaust();
    for (let i = 0; i < 3; i++) {
      expect((await ask({ 'x-api-key': tenant.apiKey })).status).toBe(200);
      expect(await ask({ 'x-api-key': tenant.apiKey, ...wrong })).toMatchObject({
        status: 403,
        body: { code: 'tenant_mismatch' },
      });
      for (const answer of [
        await ask(bearer),
        await ask({ ...bearer, ...wrong }),
        await ask({ ...session, ...wrong }),
        await ask(token),
      ])
        expectUnauthenticated(answer);
      for (const headers of [{ 'x-api-key': tenant.apiKey }, { ...token, ...wrong }, session])
        expect(await ask(headers, users)).toMatchObject({ status: 401, body: { status: '401' } });
    }
  });

  it('does not count as a failure', async () => {
    for (let i = 0; i < 25; i++) await ask({ 'x-api-key': tenant.apiKey, 'x-tenant-slug': 'nobody' });
    await exhaust();
  });

  it('counts as a failure once it is no longer valid, whatever else is wrong', async () => {
    const wrong = { 'x-api-key': tenant.apiKey, 'x-tenant-slug': 'nobody' };
    expect((await ask(wrong)).status).toBe(403);
    await asAdmin(platform.database, `update directory.credentials set revoked_at = now() where tenant_id = $1`, [
      tenant.id,
    ]);
    for (let i = 0; i < 20; i++) expect((await ask(wrong)).status).toBe(401);
    expect((await ask(wrong)).status).toBe(429);
  });
});

describe('a changed key', () => {
  const change = (set: string, ...values: unknown[]) =>
    asAdmin(platform.database, `update directory.credentials set ${set} where tenant_id = $1`, [tenant.id, ...values]);

  it('is refused with the next request once it is revoked', async () => {
    expect((await call({ 'x-api-key': tenant.apiKey })).status).toBe(200);
    await change('revoked_at = now()');
    expectUnauthenticated(await call({ 'x-api-key': tenant.apiKey }));
  });

  it('is refused from the moment it expires', async () => {
    const api = await platform.key(tenant, ['*'], {
      expiresAt: new Date(platform.clock.nowMs() + 5_000).toISOString(),
    });
    expect((await api.get(DEALS, somewhere())).status).toBe(200);
    platform.clock.advance(5_000);
    expectUnauthenticated(await api.get(DEALS, somewhere()));
  });

  it('loses a right with the next request when narrowed', async () => {
    expect((await tenant.api.post(DEALS, { name: 'x' })).status).toBe(201);
    await change('scopes = $2', ['deals:read']);
    const refused = await tenant.api.post(DEALS, { name: 'y' });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: 'permission_denied', requiredPermission: 'deals:write' });
    expect((await tenant.api.get<{ data: object[] }>(DEALS)).body.data).toHaveLength(1);
  });

  it('works only from the networks it is bound to', async () => {
    const api = await platform.key(tenant, ['*'], { cidrs: ['203.0.113.0/24', '2001:db8::/32'] });
    for (const from of ['203.0.113.9', '2001:db8::1', '203.0.113.9:51234', '[2001:DB8::1]:443', '::ffff:203.0.113.9'])
      expect((await api.get(DEALS, { 'x-forwarded-for': from })).status).toBe(200);
    for (const from of ['203.0.114.9', '2001:db9::1', '127.0.0.1']) {
      const refused = await api.get(DEALS, { 'x-forwarded-for': from });
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({ code: 'ip_not_allowed' });
    }
  });
});

it('lets no IPv4 address in by an IPv6 network', async () => {
  for (const network of ['::/0', '::/64', '::/80']) {
    const api = await platform.key(tenant, ['*'], { cidrs: [network] });
    for (const from of ['203.0.113.9', '::ffff:203.0.113.9', '127.0.0.1'])
      expect((await api.get(DEALS, { 'x-forwarded-for': from })).body).toMatchObject({ code: 'ip_not_allowed' });
  }
  const mapped = await platform.key(tenant, ['*'], { cidrs: ['::ffff:203.0.113.0/120'] });
  expect((await mapped.get(DEALS, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
});

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A key with the id of another one, a different secret and a correct checksum. */
function forged(genuine: string): string {
  const { text, keyId } = generateKey('api_key');
  const body = text.replace(keyId, genuine.split('_')[2]!).slice(0, -7);
  let checksum = '';
  for (let rest = crc32(body); checksum.length < 6; rest = Math.floor(rest / 62))
    checksum = ALPHABET[rest % 62]! + checksum;
  return `${body}_${checksum}`;
}

/** Number of connections that the API takes from its pool during a call. */
async function connectionsDuring(work: () => Promise<void>): Promise<number> {
  const { source } = platform.app.get(Database);
  const pool = (source.driver as unknown as { master: pg.Pool }).master; // the pool, which TypeORM does not type
  const { connect } = pool;
  const original = connect.bind(pool) as () => Promise<pg.PoolClient>;
  let used = 0;
  pool.connect = (() => {
    used++;
    return original();
  }) as typeof connect;
  try {
    await work();
  } finally {
    pool.connect = connect;
  }
  return used;
}
