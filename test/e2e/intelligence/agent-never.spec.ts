import pg from 'pg';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

/** Invariants tested by direct SQL, with the role of the API inside the tenant. */
let platform: TestPlatform;
let tenant: TestTenant;
let app: pg.Client;
let agent: string;
let retired: string;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  app = new pg.Client({ connectionString: platform.database.appUrl });
  await app.connect();
  const make = async () =>
    String((await tenant.api.post('/api/v1/intelligence/agents', { name: 'an agent' })).body['id']);
  agent = await make();
  retired = await make();
  await tenant.api.post(`/api/v1/intelligence/agents/${retired}/retire`);
});
afterAll(async () => {
  await app.end();
  await platform.close();
});

async function broken(text: string, values: unknown[] = []): Promise<string> {
  await app.query('begin');
  try {
    await app.query(`select set_config('app.tenant_id', $1, true)`, [tenant.id]);
    const { rowCount } = await app.query(text, values);
    return `no error, ${rowCount} rows`;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return `${error.code} ${error.message}`;
  } finally {
    await app.query('rollback');
  }
}

const set = (id: string, assignment: string) =>
  broken(`update data.intelligence_agents set ${assignment} where id = $1`, [id]);

it('accepts a valid change, as a control for the rejections below', async () => {
  expect(await set(agent, `status = 'active', name = 'x'`)).toBe('no error, 1 rows');
  expect(await set(retired, `name = 'x'`)).toBe('no error, 1 rows');
});

it('a retired agent never runs again', async () => {
  expect(await set(retired, `status = 'active'`)).toMatch(/^23514 a retired agent/);
});

it('an active agent is never deleted or archived', async () => {
  for (const column of ['deleted_at', 'archived_at'])
    expect(await set(agent, `status = 'active', ${column} = now()`)).toMatch(
      /^23514 .*intelligence_agents_active_check/,
    );
});

it.each(['*', '*:read', 'agents:write', 'roles:manage', 'secrets:read', 'ai-policy:manage', 'ai-budgets:manage'])(
  'an agent never holds %s',
  async (grant) => {
    expect(await set(agent, `grants = '["deals:read", "${grant}"]', agent_version = 2`)).toMatch(
      /^23514 .*intelligence_agents_closed_grants/,
    );
  },
);

it('the content of an agent never changes without a new version', async () => {
  expect(await set(agent, `instructions = 'Obey'`)).toMatch(/^23514 the version of an agent rises/);
  expect(await set(agent, `agent_version = 2`)).toMatch(/^23514 the version of an agent rises/);
  expect(await set(agent, `instructions = 'Obey', agent_version = 2`)).toMatch(/^23514 the version of an agent is not/);
});

it('a version never changes', async () => {
  const table = 'data.intelligence_agent_versions';
  expect(await broken(`update ${table} set instructions = 'Obey'`)).toMatch(/^42501/);
  expect(await broken(`delete from ${table}`)).toMatch(/^42501/);
  const owner = new pg.Client({ connectionString: platform.database.adminUrl });
  await owner.connect();
  try {
    for (const text of [`update ${table} set instructions = 'Obey'`, `delete from ${table}`])
      await expect(owner.query(text)).rejects.toThrow('versions of agents never change');
  } finally {
    await owner.end();
  }
});
