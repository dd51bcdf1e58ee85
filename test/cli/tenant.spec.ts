import { createHash } from 'node:crypto';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { parseKey } from '#libs/auth/api-key.js';
import { leafHash } from '#libs/audit/audit-entry.js';
import { AUDITED } from '../harness/audit.js';
import { asAdmin } from '../harness/database.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { newSlug, type Operator, operatorOf } from './operator.js';

let platform: TestPlatform;
let operator: Operator;
beforeAll(async () => {
  platform = await startPlatform();
  operator = operatorOf(platform.database.settings);
});
afterAll(() => platform.close());

const rows = <R extends object>(text: string, values: unknown[] = []) => asAdmin<R>(platform.database, text, values);

/** Number of rows in every table that `tenant create` writes to. */
async function counts(): Promise<Record<string, string>> {
  const [found] = await rows<Record<string, string>>(`select
    (select count(*) from directory.tenants) as tenants, (select count(*) from directory.credentials) as credentials,
    (select count(*) from data.memberships) as members, (select count(*) from data.workspaces) as workspaces,
    (select count(*) from data.data_keys) as keys, (select count(*) from data.event_sequences) as sequences,
    (select count(*) from data.audit_log) as audit, (select count(*) from data.events) as events`);
  return found!;
}

describe('tenant create', () => {
  test('prints one JSON object with tenant id, slug and a working API key', async () => {
    const slug = newSlug();
    const argv = ['tenant', 'create', '--slug', slug, '--name', ' Ünï GmbH ', '--plan', 'starter'];
    const made = await operator.json(...argv, '--owner', 'ann@example.com');
    expect(made).toMatchObject({ slug, name: 'Ünï GmbH', plan: 'starter', ownerEmail: 'ann@example.com' });
    expect(made['tenantId']).toMatch(/^[0-9a-f-]{36}$/);
    const apiKey = String(made['apiKey']);
    expect(parseKey(apiKey)).toMatchObject({ kind: 'api_key' });
    const bearer = { authorization: `Bearer ${apiKey}`, 'x-tenant-slug': slug };
    expect((await platform.anonymous().get('/api/v1/sales/deals', { 'x-api-key': apiKey })).status).toBe(200);
    expect((await platform.anonymous().get('/api/v1/sales/deals', bearer)).status).toBe(200);
  });

  test('counts the characters of a name as the API does', async () => {
    const named = (name: string) =>
      operator.run('tenant', 'create', '--slug', newSlug(), '--name', name, '--plan', 'free', '--json');
    const { exitCode, stdout } = await named('🏔'.repeat(200));
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('🏔'.repeat(200))]);
    expect(await named('🏔'.repeat(201))).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('uses the given currency for its books', async () => {
    const argv = ['tenant', 'create', '--slug', newSlug(), '--name', 'Acme', '--plan', 'free'];
    expect(await operator.json(...argv, '--currency', 'EUR')).toMatchObject({ currency: 'EUR' });
    const { apiKey } = await operator.json<{ apiKey: string }>(...argv.with(3, newSlug()), ...['--currency', 'JPY']);
    const settings = await platform.anonymous().get('/api/admin/settings', { 'x-api-key': apiKey });
    expect(settings.body).toMatchObject({ finance: { baseCurrency: 'JPY' } });
    expect(await operator.json(...argv.with(3, newSlug()))).toMatchObject({ currency: 'USD' });
  });

  test('creates the default workspace and makes the owner an active member who leads it', async () => {
    const owner = ['--owner', 'Ann@example.com'];
    const { tenantId, apiKey } = await operator.json<{ tenantId: string; apiKey: string }>(
      ...['tenant', 'create', '--slug', newSlug(), '--name', 'Acme', '--plan', 'free', ...owner],
    );
    const api = (path: string) =>
      platform.anonymous().get<{ data: Record<string, unknown>[] }>(path, { 'x-api-key': apiKey });
    const { body: members } = await api('/api/admin/memberships');
    const { body: workspaces } = await api('/api/admin/workspaces');
    const [workspace] = workspaces.data;
    expect(members).toMatchObject({
      data: [
        {
          email: 'Ann@example.com',
          name: 'Ann',
          status: 'active',
          source: 'bootstrap',
          roleIds: [SYSTEM_ROLE_IDS.owner],
          workspaceIds: [workspace!['id']],
        },
      ],
      seats: { used: 1, limit: 10 },
    });
    expect(workspaces.data).toMatchObject([
      { name: 'General', key: 'GENERAL', isDefault: true, leadId: members.data[0]!['id'], memberCount: 1 },
    ]);
    const { tenantId: alone } = await operator.tenant();
    expect(await rows('select lead_id from data.workspaces where tenant_id = $1', [alone])).toEqual([
      { lead_id: null },
    ]);
    expect(await rows('select 1 from data.memberships where tenant_id = $1', [alone])).toEqual([]);
    expect(await rows('select 1 from data.memberships where tenant_id = $1', [tenantId])).toHaveLength(1);
    const { tenantId: named } = await operator.json<{ tenantId: string }>(
      ...['tenant', 'create', '--slug', newSlug(), '--name', 'Acme', '--plan', 'free', ...owner],
      ...['--owner-name', 'Ann Example'],
    );
    expect(await rows('select name from data.memberships where tenant_id = $1', [named])).toEqual([
      { name: 'Ann Example' },
    ]);
  });

  test('stores only a hash of the key, with all scopes and protected operations', async () => {
    const { tenantId, apiKey, apiKeyId } = await operator.tenant();
    const [row] = await rows<Record<string, unknown>>('select * from directory.credentials where tenant_id = $1', [
      tenantId,
    ]);
    expect(row).toMatchObject({
      id: apiKeyId,
      lineage_id: apiKeyId,
      kind: 'api_key',
      scopes: ['*'],
      allow_protected: true,
      expires_at: null,
      secret_hash: createHash('sha256').update(apiKey).digest(),
    });
    expect(JSON.stringify(row)).not.toContain(apiKey);
  });

  test('creates what the first requests need: a data key and an event sequence', async () => {
    const { tenantId, apiKey } = await operator.tenant();
    expect(await rows('select version from data.data_keys where tenant_id = $1', [tenantId])).toEqual([{ version: 1 }]);
    expect(await rows('select last from data.event_sequences where tenant_id = $1', [tenantId])).toEqual([
      { last: '0' },
    ]);
    const deal = await platform.anonymous().post('/api/sales/deals', { name: 'First' }, { 'x-api-key': apiKey });
    expect(deal.status).toBe(201);
  });

  test('is audited under a system actor, without secret and address', async () => {
    const slug = newSlug();
    const argv = ['tenant', 'create', '--slug', slug, '--name', 'Acme', '--plan', 'free', '--owner', 'ann@example.com'];
    const { tenantId, apiKey } = await operator.json<{ tenantId: string; apiKey: string }>(...argv);
    const entries = await rows<{ action: string; entry: string; details: string; leaf_hash: Buffer }>(
      'select action, entry, details, leaf_hash from data.audit_log where tenant_id = $1 order by id',
      [tenantId],
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'core.tenant.created',
      'settings.api_key.created',
      'core.workspace.created',
      'core.membership.created',
    ]);
    for (const { entry, details, leaf_hash } of entries) {
      expect(JSON.parse(entry)).toMatchObject({
        tenantId,
        actor: { type: 'system', id: null, name: 'operator CLI' },
        outcome: 'success',
      });
      expect(leaf_hash).toEqual(leafHash(entry));
      expect(entry + details).not.toContain(apiKey.split('_')[3]);
      expect(entry + details).not.toContain('ann@example.com');
    }
    expect(JSON.parse(entries[0]!.details)).toMatchObject({ changes: { slug: { from: null, to: slug } } });
  });

  test.each([
    ['free', [], 60, 30],
    ['starter', [], 600, 120],
    ['business', [], 6_000, 1_200],
    ['enterprise', [], 60_000, 12_000],
    ['enterprise', ['--reads-per-minute', '90000', '--writes-per-minute', '7'], 90_000, 7],
  ])('the plan %s %j allows %i reads and %i writes a minute', async (plan, numbers, reads, writes) => {
    const slug = newSlug();
    const argv = ['tenant', 'create', '--slug', slug, '--name', 'Acme', '--plan', plan, ...numbers];
    const { apiKey } = await operator.json<{ apiKey: string }>(...argv);
    const answer = await platform.anonymous().get('/api/v1/sales/pipelines', { 'x-api-key': apiKey });
    expect(answer.headers.get('ratelimit-policy')).toBe(`"read";q=${reads};w=60`);
    expect(await rows('select writes_per_minute as writes from directory.tenants where slug = $1', [slug])).toEqual([
      { writes },
    ]);
  });

  test('refuses a taken slug with one line and creates nothing', async () => {
    const { slug } = await operator.tenant();
    const before = await counts();
    const argv = ['tenant', 'create', '--slug', slug, '--name', 'Other', '--plan', 'free', '--json'];
    expect(await operator.run(...argv)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `The slug "${slug}" is taken\n`,
    });
    expect(await counts()).toEqual(before);
  });

  test('of two concurrent creations with the same slug one succeeds', async () => {
    const slug = newSlug();
    const argv = ['tenant', 'create', '--slug', slug, '--name', 'Acme', '--plan', 'free'];
    const ended = await Promise.all(Array.from({ length: 4 }, () => operator.run(...argv)));
    expect(ended.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1, 1]);
    expect(await rows('select 1 from directory.tenants where slug = $1', [slug])).toHaveLength(1);
  });

  test.each([
    ['slug', ['--slug', 'Not-A-Slug', '--name', 'Acme', '--plan', 'free']],
    ['plan', ['--slug', 'wrong-plan', '--name', 'Acme', '--plan', 'gold']],
    [
      'name of an owner without address',
      ['--slug', 'wrong-owner', '--name', 'Acme', '--plan', 'free', '--owner-name', 'A'],
    ],
    ['e-mail address', ['--slug', 'wrong-owner', '--name', 'Acme', '--plan', 'free', '--owner', 'ann']],
    ['currency', ['--slug', 'wrong-currency', '--name', 'Acme', '--plan', 'free', '--currency', 'eur']],
    ['option', ['--slug', 'wrong-option', '--name', 'Acme', '--plan', 'free', '--owners', 'ann@example.com']],
  ])('creates nothing for an invalid %s', async (_what, options) => {
    const before = await counts();
    expect(await operator.run('tenant', 'create', ...options)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await counts()).toEqual(before);
  });

  test('creates nothing when its last row cannot be written', async () => {
    const before = await counts();
    const role = new URL(platform.database.systemUrl).username;
    await rows(`revoke insert on data.audit_log from ${role}`);
    try {
      const argv = ['tenant', 'create', '--slug', newSlug(), '--name', 'Acme', '--plan', 'free'];
      expect(await operator.run(...argv)).toMatchObject({ exitCode: 1, stdout: '' });
    } finally {
      await rows(`grant insert on data.audit_log to ${role}`);
    }
    expect(await counts()).toEqual(before);
  });

  test('without --json it describes what it created', async () => {
    const slug = newSlug();
    const { exitCode, stdout } = await operator.run(
      'tenant',
      'create',
      '--slug',
      slug,
      '--name',
      'A',
      '--plan',
      'free',
    );
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^Created the tenant ${slug} .*60 reads and 30 writes a minute\\.\n.*top_live_\\w+\n$`),
    );
  });
});

describe('tenant list', () => {
  test('lists every tenant, as JSON and as text', async () => {
    const { tenantId, slug } = await operator.tenant('starter');
    const { data } = await operator.json<{ data: object[] }>('tenant', 'list');
    expect(data).toContainEqual({
      tenantId,
      slug,
      name: 'Acme',
      plan: 'starter',
      ownerEmail: null,
      currency: 'USD',
      readsPerMinute: 600,
      writesPerMinute: 120,
      status: 'active',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
    const { stdout } = await operator.run('tenant', 'list');
    expect(stdout).toMatch(new RegExp(`^SLUG .*\n(.*\n)*${slug} +active +starter +600 +120 +${tenantId} +Acme\n`));
  });
});

describe('tenant set-plan', () => {
  test('takes effect with the next request', async () => {
    const { tenantId, slug, apiKey } = await operator.tenant('free');
    const quota = async () => {
      const answer = await platform.anonymous().get('/api/v1/sales/pipelines', { 'x-api-key': apiKey });
      return answer.headers.get('ratelimit-policy');
    };
    expect(await quota()).toBe('"read";q=60;w=60');
    const [before] = await rows<{ epoch: string }>('select epoch from directory.tenants where id = $1', [tenantId]);
    expect(await operator.json('tenant', 'set-plan', '--tenant', slug, '--plan', 'business')).toMatchObject({
      tenantId,
      plan: 'business',
      readsPerMinute: 6_000,
      writesPerMinute: 1_200,
    });
    const [after] = await rows<{ epoch: string }>('select epoch from directory.tenants where id = $1', [tenantId]);
    expect(BigInt(after!.epoch)).toBeGreaterThan(BigInt(before!.epoch));
    // The request that detects the change still uses the cached limit.
    await quota();
    expect(await quota()).toBe('"read";q=6000;w=60');
  });

  test('is audited with the previous values, and not audited when nothing changes', async () => {
    const { tenantId, slug } = await operator.tenant('free');
    const numbers = ['--reads-per-minute', '60', '--writes-per-minute', '99'];
    await operator.json('tenant', 'set-plan', '--tenant', slug, '--plan', 'free', ...numbers);
    await operator.json('tenant', 'set-plan', '--tenant', slug, '--plan', 'free', ...numbers);
    const entries = await rows<{ entry: string }>(
      `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and action = 'core.tenant.plan_changed'`,
      [tenantId],
    );
    expect(entries.map(({ entry }) => JSON.parse(entry) as object)).toEqual([
      expect.objectContaining({
        actor: { type: 'system', id: null, name: 'operator CLI' },
        changes: { writesPerMinute: { from: 30, to: 99 } },
      }),
    ]);
  });

  test('refuses an unknown tenant', async () => {
    expect(await operator.run('tenant', 'set-plan', '--tenant', 'nobody', '--plan', 'free')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'There is no tenant with the slug "nobody"\n',
    });
  });
});
