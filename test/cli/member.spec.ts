import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { AUDITED } from '../harness/audit.js';
import { asAdmin } from '../harness/database.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { type Operator, operatorOf } from './operator.js';

let platform: TestPlatform;
let operator: Operator;
beforeAll(async () => {
  platform = await startPlatform();
  operator = operatorOf(platform.database.settings);
});
afterAll(() => platform.close());

const rows = <R extends object>(text: string, values: unknown[] = []) => asAdmin<R>(platform.database, text, values);
const add = (slug: string, email: string, name = 'Ada Byron') =>
  operator.json<{ id: string }>('member', 'add', '--tenant', slug, '--email', email, '--name', name);

describe('member add', () => {
  test('prints the id of an active member, audited without the address', async () => {
    const { tenantId, slug } = await operator.tenant();
    const { id } = await add(slug, 'Ada@example.com');
    expect(await rows('select tenant_id, email, name, status from data.memberships where id = $1', [id])).toEqual([
      { tenant_id: tenantId, email: 'Ada@example.com', name: 'Ada Byron', status: 'active' },
    ]);
    const [entry] = await rows<{ entry: string }>(
      `select ${AUDITED} as entry from data.audit_log where target_id = $1`,
      [id],
    );
    expect(JSON.parse(entry!.entry)).toMatchObject({
      action: 'core.membership.created',
      actor: { type: 'system' },
      target: { type: 'core.membership', id, name: 'Ada Byron' },
    });
    expect(entry!.entry.toLowerCase()).not.toContain('ada@example.com');
  });

  test('grants the given system or custom role and adds the member to the default workspace', async () => {
    const { tenantId, slug } = await operator.tenant();
    const role = uuidv7();
    await rows(
      `insert into data.roles (tenant_id, id, key, name, permissions, created_at, updated_at)
       values ($1, $2, 'sales', 'Sales', '{deals:read}', now(), now())`,
      [tenantId, role],
    );
    for (const [key, roleId] of [
      ['owner', SYSTEM_ROLE_IDS.owner],
      ['sales', role],
      [null, SYSTEM_ROLE_IDS.member],
    ] as const) {
      const argv = ['--tenant', slug, '--email', `${key ?? 'nobody'}@example.com`, '--name', 'Ada'];
      const { id } = await operator.json<{ id: string }>('member', 'add', ...argv, ...(key ? ['--role', key] : []));
      expect(await rows('select role_id, source from data.role_assignments where membership_id = $1', [id])).toEqual([
        { role_id: roleId, source: 'manual' },
      ]);
      expect(
        await rows(
          `select w.name from data.workspace_members m
             join data.workspaces w on w.tenant_id = m.tenant_id and w.id = m.workspace_id where m.membership_id = $1`,
          [id],
        ),
      ).toEqual([{ name: 'General' }]);
      expect(await rows('select type from data.events where subject_id = $1', [id])).toEqual([
        { type: 'core.membership.created' },
      ]);
    }
    const argv = ['member', 'add', '--tenant', slug, '--email', 'bob@example.com', '--name', 'Bob', '--role', 'boss'];
    expect(await operator.run(...argv)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `The tenant "${slug}" has no role with the key boss\n`,
    });
    expect(await rows('select 1 from data.memberships where tenant_id = $1', [tenantId])).toHaveLength(3);
  });

  test('adds nobody beyond the seats of the plan, even concurrently', async () => {
    const { tenantId, slug } = await operator.tenant('free');
    const runs = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        operator.run('member', 'add', '--tenant', slug, '--email', `p${i}@example.com`, '--name', 'Person'),
      ),
    );
    expect(runs.filter(({ exitCode }) => exitCode === 0)).toHaveLength(10);
    expect(runs.find(({ exitCode }) => exitCode !== 0)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'The plan free has 10 seats, and 10 are taken\n',
    });
    expect(await rows('select 1 from data.memberships where tenant_id = $1', [tenantId])).toHaveLength(10);
  });

  test('an address is unique per tenant, ignoring case, and can be used in other tenants', async () => {
    const [one, other] = [await operator.tenant(), await operator.tenant()];
    await add(one.slug, 'ada@example.com');
    await add(other.slug, 'ada@example.com');
    const argv = ['member', 'add', '--tenant', one.slug, '--email', 'ADA@example.com', '--name', 'Ada'];
    expect(await operator.run(...argv)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `The tenant "${one.slug}" has a member with the address ADA@example.com already\n`,
    });
    expect(await rows('select 1 from data.memberships where tenant_id = $1', [one.tenantId])).toHaveLength(1);
  });

  test.each([
    [['--email', 'ada', '--name', 'Ada'], 2],
    [['--email', 'ada@example.com', '--name', ' '], 2],
    [['--email', 'ada@example.com'], 2],
    [['--name', 'Ada'], 2],
  ])('refuses %j and creates nothing', async (options, exitCode) => {
    const { tenantId, slug } = await operator.tenant();
    expect(await operator.run('member', 'add', '--tenant', slug, ...options)).toMatchObject({ exitCode, stdout: '' });
    expect(await rows('select 1 from data.memberships where tenant_id = $1', [tenantId])).toEqual([]);
  });

  test('refuses an unknown tenant', async () => {
    const argv = ['member', 'add', '--tenant', 'nobody', '--email', 'ada@example.com', '--name', 'Ada'];
    expect(await operator.run(...argv)).toMatchObject({ exitCode: 1, stdout: '' });
  });
});

describe('apikey create --member', () => {
  const create = (slug: string, email: string) =>
    operator.json<{ id: string; apiKey: string }>(
      ...['apikey', 'create', '--tenant', slug, '--name', 'Shop', '--scopes', 'deals:*', '--member', email],
    );

  test('creates a key that acts for the member, who is shown in the list', async () => {
    const { slug } = await operator.tenant();
    const { id } = await add(slug, 'ada@example.com');
    const key = await create(slug, 'ADA@example.com');
    const deal = { name: 'Acme' };
    const answer = await platform.anonymous().post('/api/v1/sales/deals', deal, { 'x-api-key': key.apiKey });
    expect(answer).toMatchObject({ status: 201, body: { ownerId: id } });
    const { data } = await operator.json<{ data: { id: string; member: object | null }[] }>(
      ...['apikey', 'list', '--tenant', slug],
    );
    expect(data.map(({ member }) => member)).toEqual([null, { id, email: 'ada@example.com', name: 'Ada Byron' }]);
    const { stdout } = await operator.run('apikey', 'list', '--tenant', slug);
    expect(stdout).toMatch(new RegExp(`${key.id} .*ada@example\\.com +Shop`));
  });

  test('a rotated key acts for the same member', async () => {
    const { slug } = await operator.tenant();
    const { id: memberId } = await add(slug, 'ada@example.com');
    const { id } = await create(slug, 'ada@example.com');
    const rotated = await operator.json<{ id: string }>('apikey', 'rotate', '--tenant', slug, '--id', id);
    expect(await rows('select member_id from directory.credentials where id = $1', [rotated.id])).toEqual([
      { member_id: memberId },
    ]);
  });

  test('creates nothing for a person who is not or no longer a member of the tenant', async () => {
    const [one, other] = [await operator.tenant(), await operator.tenant()];
    await add(other.slug, 'ada@example.com');
    const gone = await add(one.slug, 'gone@example.com');
    await rows(`update data.memberships set status = 'deactivated', version = version + 1 where id = $1`, [gone.id]);
    const before = await rows('select id from directory.credentials where tenant_id = $1', [one.tenantId]);
    for (const [email, line] of [
      ['ada@example.com', `The tenant "${one.slug}" has no member with the address ada@example.com\n`],
      ['gone@example.com', 'The member with the address gone@example.com has been deactivated\n'],
    ])
      expect(
        await operator.run(
          ...['apikey', 'create', '--tenant', one.slug, '--name', 'Shop', '--scopes', '*', '--member', email!],
        ),
      ).toEqual({ exitCode: 1, stdout: '', stderr: line });
    expect(await rows('select id from directory.credentials where tenant_id = $1', [one.tenantId])).toEqual(before);
  });
});
