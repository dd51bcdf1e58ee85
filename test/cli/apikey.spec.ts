import { createHash } from 'node:crypto';
import { parseKey } from '#libs/auth/api-key.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { AUDITED } from '../harness/audit.js';
import { asAdmin } from '../harness/database.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { type Operator, operatorOf } from './operator.js';

interface Key {
  id: string;
  apiKey: string;
}

interface RotatedKey extends Key {
  expiresAt: string | null;
  previousId: string;
  previousExpiresAt: string;
}

interface Listed {
  id: string;
  kind: string;
  status: string;
  lineageId: string;
  lastUsedAt: string | null;
}

const DEALS = '/api/v1/sales/deals';
const UNKNOWN_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';

let platform: TestPlatform;
let operator: Operator;
beforeAll(async () => {
  platform = await startPlatform();
  operator = operatorOf(platform.database.settings);
});
afterAll(() => platform.close());

const rows = <R extends object>(text: string, values: unknown[] = []) => asAdmin<R>(platform.database, text, values);

async function statusOf(apiKey: string, method = 'GET', body?: object): Promise<number> {
  return (await platform.anonymous().send(method, DEALS, body, { 'x-api-key': apiKey })).status;
}

function create(slug: string, ...options: string[]): Promise<Key> {
  const scopes = options.includes('--scopes') ? [] : ['--scopes', 'deals:read'];
  return operator.json<Key>('apikey', 'create', '--tenant', slug, '--name', 'Shop', ...scopes, ...options);
}

function rotate(slug: string, id: string, ...options: string[]): Promise<RotatedKey> {
  return operator.json<RotatedKey>('apikey', 'rotate', '--tenant', slug, '--id', id, ...options);
}

async function listed(slug: string): Promise<Listed[]> {
  return (await operator.json<{ data: Listed[] }>('apikey', 'list', '--tenant', slug)).data;
}

async function actions(tenantId: string): Promise<string[]> {
  const entries = await rows<{ action: string }>(
    `select action from data.audit_log where tenant_id = $1 and actor_type = 'system' order by id`,
    [tenantId],
  );
  return entries.map(({ action }) => action);
}

describe('apikey create', () => {
  test('prints id and key, which is limited to its scopes', async () => {
    const { slug } = await operator.tenant();
    const made = await create(slug, '--scopes', 'deals:read, pipelines:*,deals:read');
    expect(Object.keys(made)).toEqual(['id', 'apiKey']);
    expect(parseKey(made.apiKey)).toMatchObject({ kind: 'api_key' });
    expect(await statusOf(made.apiKey)).toBe(200);
    expect(await statusOf(made.apiKey, 'POST', { name: 'Acme' })).toBe(403);
    const [row] = await rows('select * from directory.credentials where id = $1', [made.id]);
    expect(row).toMatchObject({
      name: 'Shop',
      scopes: ['deals:read', 'pipelines:*'],
      allow_protected: false,
      secret_hash: createHash('sha256').update(made.apiKey).digest(),
    });
  });

  test('is audited without the secret', async () => {
    const { tenantId, slug } = await operator.tenant();
    const { id, apiKey } = await create(slug);
    const [row] = await rows<{ entry: string; actor_type: string }>(
      `select ${AUDITED} as entry, actor_type from data.audit_log where tenant_id = $1 and target_id = $2`,
      [tenantId, id],
    );
    expect(row).toMatchObject({ actor_type: 'system' });
    expect(JSON.parse(row!.entry)).toMatchObject({
      action: 'settings.api_key.created',
      target: { type: 'settings.api_key', id, name: 'Shop' },
      changes: { scopes: { from: null, to: ['deals:read'] }, keyId: { from: null, to: apiKey.split('_')[2] } },
    });
    expect(row!.entry).not.toContain(apiKey.split('_')[3]);
  });

  test('an expiry in any time zone is stored in UTC', async () => {
    const { slug } = await operator.tenant();
    const { id } = await create(slug, '--expires-at', '2099-06-30T02:00:00+02:00');
    expect(await listed(slug)).toContainEqual(
      expect.objectContaining({ id, status: 'active', expiresAt: '2099-06-30T00:00:00.000Z' }),
    );
  });

  test('networks are enforced for its requests', async () => {
    const { slug } = await operator.tenant();
    expect(await statusOf((await create(slug, '--allow-cidr', '127.0.0.0/8,::1/128')).apiKey)).toBe(200);
    expect(await statusOf((await create(slug, '--allow-cidr', '10.0.0.0/8')).apiKey)).toBe(403);
  });

  describe('with --allow-protected', () => {
    const secret = (apiKey: string) =>
      platform.anonymous().send('POST', '/api/admin/secrets', { name: 'A', value: 'b' }, { 'x-api-key': apiKey });

    test('creates a key for protected operations, which other keys are refused', async () => {
      const { tenantId, slug } = await operator.tenant();
      const plain = await create(slug, '--scopes', '*');
      expect(await secret(plain.apiKey)).toMatchObject({ status: 403, body: { code: 'step_up_required' } });
      const made = await create(slug, '--scopes', '*', '--allow-protected');
      expect(made).toMatchObject({ allowProtected: true });
      expect(await secret(made.apiKey)).toMatchObject({ status: 200 });
      expect(await listed(slug)).toContainEqual(expect.objectContaining({ id: made.id, allowProtected: true }));
      const [row] = await rows<{ entry: string }>(
        `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and target_id = $2`,
        [tenantId, made.id],
      );
      expect(JSON.parse(row!.entry)).toMatchObject({ changes: { allowProtected: { from: null, to: true } } });
    });

    test('it expires after 90 days at the latest, even when rotated', async () => {
      const { slug } = await operator.tenant();
      const made = (await create(slug, '--allow-protected')) as Key & { expiresAt: string };
      expect(Math.abs(Date.parse(made.expiresAt) - Date.now() - 90 * DAY_MS)).toBeLessThan(60_000);
      const rotated = await rotate(slug, made.id);
      expect(Math.abs(Date.parse(rotated.expiresAt!) - Date.now() - 90 * DAY_MS)).toBeLessThan(60_000);
      const sooner = new Date(Date.now() + DAY_MS).toISOString();
      expect(await create(slug, '--allow-protected', '--expires-at', sooner)).toMatchObject({ expiresAt: sooner });
      const argv = ['apikey', 'create', '--tenant', slug, '--name', 'Shop', '--scopes', '*', '--allow-protected'];
      const later = new Date(Date.now() + 91 * DAY_MS).toISOString();
      expect(await operator.run(...argv, '--expires-at', later)).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: '--expires-at must be within 90 days for a key with --allow-protected\n',
      });
    });

    test('a key of a member names each of its permissions', async () => {
      const { slug } = await operator.tenant();
      const email = 'ana@acme.example';
      await operator.json('member', 'add', '--tenant', slug, '--email', email, '--name', 'Ana');
      const options = ['--member', email, '--allow-protected'];
      for (const scopes of ['*', 'deals:read,roles:*', '*:read'])
        expect(
          await operator.run('apikey', 'create', '--tenant', slug, '--name', 'K', '--scopes', scopes, ...options),
        ).toEqual({
          exitCode: 2,
          stdout: '',
          stderr: '--scopes must name each permission for a key with --member and --allow-protected\n',
        });
      expect(await create(slug, '--scopes', 'deals:read,roles:manage', ...options)).toMatchObject({
        allowProtected: true,
      });
    });

    test('the output states its rights and expiry', async () => {
      const { slug } = await operator.tenant();
      const argv = ['apikey', 'create', '--tenant', slug, '--name', 'Shop', '--scopes', '*', '--allow-protected'];
      const { stdout } = await operator.run(...argv);
      expect(stdout).toMatch(
        /^It may carry out protected operations, .* without the second factor .* Keep it like a password/m,
      );
      expect(stdout).toMatch(/^It expires at 20\S+Z and is shown only once: top_live_\S+$/m);
    });
  });

  test('creates nothing for an unknown scope or tenant', async () => {
    const { slug } = await operator.tenant();
    const before = await rows('select count(*) from directory.credentials');
    const unknownScope = ['--tenant', slug, '--name', 'Shop', '--scopes', 'deals:read,deals:burn'];
    expect(await operator.run('apikey', 'create', ...unknownScope)).toMatchObject({ exitCode: 2, stdout: '' });
    const unknownTenant = ['--tenant', 'nobody', '--name', 'Shop', '--scopes', '*'];
    expect(await operator.run('apikey', 'create', ...unknownTenant)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'There is no tenant with the slug "nobody"\n',
    });
    expect(await rows('select count(*) from directory.credentials')).toEqual(before);
  });
});

describe('apikey list', () => {
  test('lists every credential of the tenant without secrets', async () => {
    const { slug, apiKey, apiKeyId } = await operator.tenant();
    const made = await create(slug);
    const { token } = await operator.json<{ token: string }>('scim', 'token', '--tenant', slug);
    await operator.tenant();
    const { stdout } = await operator.run('apikey', 'list', '--tenant', slug, '--json');
    const { data } = JSON.parse(stdout) as { data: Listed[] };
    expect(data.map(({ id, kind, status }) => [id, kind, status])).toEqual([
      [apiKeyId, 'api_key', 'active'],
      [made.id, 'api_key', 'active'],
      [expect.any(String), 'scim_token', 'active'],
    ]);
    for (const secret of [apiKey, made.apiKey, token]) expect(stdout).not.toContain(secret.split('_')[3]);
    expect(stdout).not.toContain('hash');
    const { stdout: text } = await operator.run('apikey', 'list', '--tenant', slug);
    expect(text).toMatch(
      new RegExp(`^ID .*SCOPES\n(.*\n)*${made.id} +api_key +active +never +never +none +Shop +deals:read\n`),
    );
  });
});

describe('apikey revoke', () => {
  test('makes the next request of the key fail, even if it is cached', async () => {
    const { tenantId, slug } = await operator.tenant();
    const { id, apiKey } = await create(slug);
    expect(await statusOf(apiKey)).toBe(200);
    const [before] = await rows<{ epoch: string }>('select epoch from directory.tenants where id = $1', [tenantId]);
    expect(await operator.json('apikey', 'revoke', '--tenant', slug, '--id', id)).toMatchObject({ id });
    const [after] = await rows<{ epoch: string }>('select epoch from directory.tenants where id = $1', [tenantId]);
    expect(BigInt(after!.epoch)).toBeGreaterThan(BigInt(before!.epoch));
    expect(await statusOf(apiKey)).toBe(401);
    expect(await listed(slug)).toContainEqual(expect.objectContaining({ id, status: 'revoked' }));
    expect(await actions(tenantId)).toContain('settings.api_key.revoked');
  });

  test.each(['of the newest secret', 'of the first secret'])(
    'ends every secret of a rotated key, by the id %s',
    async (which) => {
      const { tenantId, slug } = await operator.tenant();
      const first = await create(slug);
      const second = await rotate(slug, first.id);
      const third = await rotate(slug, second.id);
      const keys = [first, second, third].map(({ apiKey }) => apiKey);
      expect(await Promise.all(keys.map((key) => statusOf(key)))).toEqual([200, 200, 200]);
      const id = which === 'of the first secret' ? first.id : third.id;
      const revoked = await operator.json('apikey', 'revoke', '--tenant', slug, '--id', id);
      expect(await Promise.all(keys.map((key) => statusOf(key)))).toEqual([401, 401, 401]);
      expect(await operator.json('apikey', 'revoke', '--tenant', slug, '--id', id)).toEqual(revoked);
      expect((await actions(tenantId)).filter((action) => action.endsWith('revoked'))).toHaveLength(1);
    },
  );

  test('repeated, changes nothing', async () => {
    const { tenantId, slug, apiKeyId } = await operator.tenant();
    const first = await operator.json('apikey', 'revoke', '--tenant', slug, '--id', apiKeyId);
    expect(await operator.json('apikey', 'revoke', '--tenant', slug, '--id', apiKeyId)).toEqual(first);
    expect((await actions(tenantId)).filter((action) => action.endsWith('revoked'))).toHaveLength(1);
  });

  test('finds only keys of the tenant', async () => {
    const { slug } = await operator.tenant();
    const other = await operator.tenant();
    for (const id of [other.apiKeyId, UNKNOWN_ID])
      expect(await operator.run('apikey', 'revoke', '--tenant', slug, '--id', id)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `The tenant "${slug}" has no credential with the id ${id}\n`,
      });
    expect(await statusOf(other.apiKey)).toBe(200);
  });
});

describe('apikey rotate', () => {
  test('both secrets work during the overlap, under one lineage and with the same rights', async () => {
    const { tenantId, slug } = await operator.tenant();
    const old = await create(slug, '--allow-cidr', '127.0.0.0/8');
    const before = Date.now();
    const rotated = await rotate(slug, old.id, '--overlap-seconds', '600');
    expect(rotated).toMatchObject({ previousId: old.id, expiresAt: null });
    const overlapMs = Date.parse(rotated.previousExpiresAt) - before;
    expect(overlapMs).toBeGreaterThanOrEqual(600_000);
    expect(overlapMs).toBeLessThan(660_000);
    expect([await statusOf(old.apiKey), await statusOf(rotated.apiKey)]).toEqual([200, 200]);
    expect(await statusOf(rotated.apiKey, 'POST', { name: 'Acme' })).toBe(403);
    const pair = (await listed(slug)).filter(({ lineageId }) => lineageId === old.id);
    expect(pair).toEqual([
      expect.objectContaining({ id: old.id, expiresAt: rotated.previousExpiresAt }),
      expect.objectContaining({
        id: rotated.id,
        scopes: ['deals:read'],
        allowedCidrs: ['127.0.0.0/8'],
        expiresAt: null,
      }),
    ]);
    expect(await actions(tenantId)).toContain('settings.api_key.rotated');
  });

  test('after the overlap only the new one works', async () => {
    const { slug, apiKey, apiKeyId } = await operator.tenant();
    const rotated = await rotate(slug, apiKeyId);
    platform.clock.advance(86_390_000);
    expect(await statusOf(apiKey)).toBe(200);
    platform.clock.advance(20_000);
    expect([await statusOf(apiKey), await statusOf(rotated.apiKey)]).toEqual([401, 200]);
  });

  test('without overlap the old one is revoked immediately', async () => {
    const { slug, apiKey, apiKeyId } = await operator.tenant();
    expect(await statusOf(apiKey)).toBe(200);
    const rotated = await rotate(slug, apiKeyId, '--overlap-seconds', '0');
    expect([await statusOf(apiKey), await statusOf(rotated.apiKey)]).toEqual([401, 200]);
  });

  test.each([
    ['0', [401, 401, 200]],
    ['60', [401, 401, 200]],
  ])('an overlap of %s seconds limits every earlier secret', async (overlap, statuses) => {
    const { slug } = await operator.tenant();
    const first = await create(slug);
    const second = await rotate(slug, first.id, '--overlap-seconds', '604800');
    const third = await rotate(slug, second.id, '--overlap-seconds', overlap);
    platform.clock.advance(Number(overlap) * 1_000 * 2);
    const keys = [first, second, third];
    expect(await Promise.all(keys.map(({ apiKey }) => statusOf(apiKey)))).toEqual(statuses);
  });

  test('a key that expires is replaced by one with the same lifetime, and is not extended itself', async () => {
    const { slug } = await operator.tenant();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const old = await create(slug, '--expires-at', expiresAt);
    const rotated = await rotate(slug, old.id);
    expect(rotated.previousExpiresAt).toBe(expiresAt);
    const gainedMs = Date.parse(rotated.expiresAt!) - Date.parse(expiresAt);
    expect(gainedMs).toBeGreaterThan(0);
    expect(gainedMs).toBeLessThan(60_000);
  });

  test.each<[string, (slug: string, id: string) => Promise<unknown>, RegExp]>([
    ['already rotated', (slug, id) => rotate(slug, id), /has already been rotated: rotate its successor/],
    [
      'revoked',
      (slug, id) => operator.json('apikey', 'revoke', '--tenant', slug, '--id', id),
      /is revoked: create a new/,
    ],
    [
      'expired',
      (_, id) => rows(`update directory.credentials set expires_at = now() where id = $1`, [id]),
      /has expired/,
    ],
  ])('refuses a key that is %s and creates nothing', async (_state, prepare, line) => {
    const { slug, apiKeyId } = await operator.tenant();
    await prepare(slug, apiKeyId);
    const before = await listed(slug);
    const ended = await operator.run('apikey', 'rotate', '--tenant', slug, '--id', apiKeyId);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toMatch(line);
    expect(await listed(slug)).toEqual(before);
  });

  test('of two concurrent rotations one succeeds', async () => {
    const { slug, apiKeyId } = await operator.tenant();
    const argv = ['apikey', 'rotate', '--tenant', slug, '--id', apiKeyId];
    const ended = await Promise.all([operator.run(...argv), operator.run(...argv)]);
    expect(ended.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
    expect(await listed(slug)).toHaveLength(2);
  });
});

describe('scim token', () => {
  test('prints a token that no API route accepts', async () => {
    const { tenantId, slug } = await operator.tenant();
    const made = await operator.json<{ token: string }>('scim', 'token', '--tenant', slug);
    expect(Object.keys(made)).toEqual(['token']);
    expect(made.token).toMatch(/^scim_/);
    expect(parseKey(made.token)).toMatchObject({ kind: 'scim_token' });
    expect(await statusOf(made.token)).toBe(401);
    expect(
      await rows(`select kind, scopes from directory.credentials where tenant_id = $1 and kind <> 'api_key'`, [
        tenantId,
      ]),
    ).toEqual([{ kind: 'scim_token', scopes: [] }]);
    expect(await actions(tenantId)).toContain('scim.token.created');
    const text = 'select name, status, token_last4 from data.scim_configs where tenant_id = $1';
    expect(await rows(text, [tenantId])).toEqual([
      { name: 'SCIM token', status: 'active', token_last4: made.token.slice(-4) },
    ]);
  });

  test('creates a token that can be revoked but not rotated like a key', async () => {
    const { tenantId, slug } = await operator.tenant();
    await operator.json('scim', 'token', '--tenant', slug);
    const { id } = (await listed(slug)).find(({ kind }) => kind === 'scim_token')!;
    const ended = await operator.run('apikey', 'rotate', '--tenant', slug, '--id', id);
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is a SCIM token') as string });
    await operator.json('apikey', 'revoke', '--tenant', slug, '--id', id);
    expect(await actions(tenantId)).toContain('scim.token.revoked');
  });

  test('refuses an unknown tenant', async () => {
    expect(await operator.run('scim', 'token', '--tenant', 'nobody')).toMatchObject({ exitCode: 1, stdout: '' });
  });
});
