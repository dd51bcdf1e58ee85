import pg from 'pg';
import { startPlatform, type TestPlatform, type TestTenant } from '../harness/platform.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { PgBouncer, pgbouncerAvailable } from '../harness/pgbouncer.js';

/** The API behind a real PgBouncer in transaction mode, where a flight can run on any of a few server connections. */
const DEALS = '/api/v1/sales/deals';
const SERVER_CONNECTIONS = 3;
const CLIENTS = 12;

let database: TestDatabase;
let pooler: PgBouncer;
let platform: TestPlatform;
let admin: pg.Client;

interface Page {
  data: { id: string; name: string }[];
}

async function count(text: string, values: unknown[]): Promise<number> {
  return (await admin.query<{ count: number }>(`select count(*)::int as count from ${text}`, values)).rows[0]!.count;
}

(pgbouncerAvailable() ? describe : describe.skip)('behind a pooler in transaction mode', () => {
  beforeAll(async () => {
    const env = { DATABASE_STATEMENTS: 'unnamed', DATABASE_POOL_SIZE: String(CLIENTS) };
    database = await createTestDatabase(env);
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    pooler = await PgBouncer.start(database.appUrl, SERVER_CONNECTIONS);
    platform = await startPlatform({ shared: { ...database, appUrl: pooler.url } });
  });
  afterAll(async () => {
    await platform.close();
    await pooler.dispose();
    await admin.end();
    await database.drop();
  });

  const tenants = (number: number) => Promise.all(Array.from({ length: number }, () => platform.tenant()));
  const serverConnections = () =>
    count(`pg_stat_activity where datname = current_database() and usename = $1`, [new URL(database.appUrl).username]);

  it('shows nobody a row of another tenant, and writes rows, audit entries and events together', async () => {
    const parties = await tenants(6);
    const visit = async ({ slug, api }: TestTenant) => {
      for (let turn = 0; turn < 15; turn++) {
        const made = await api.post<{ id: string }>(DEALS, { name: `${slug} ${turn}` });
        expect(made.status).toBe(201);
        const changed = await api.patch(`${DEALS}/${made.body.id}`, { nextStep: slug });
        expect(changed).toMatchObject({ status: 200, body: { nextStep: slug, version: 2 } });
        const { body } = await api.get<Page>(`${DEALS}?limit=200`);
        expect(body.data.filter(({ name }) => !name.startsWith(slug))).toEqual([]);
      }
    };
    // Two concurrent requests per tenant, so that there are more of them than server connections.
    await Promise.all([...parties, ...parties].map(visit));
    for (const { id, api } of parties) {
      expect((await api.get<Page>(`${DEALS}?limit=200`)).body.data).toHaveLength(30);
      expect(await count(`data.audit_log where tenant_id = $1 and action like 'sales.deal%'`, [id])).toBe(60);
      expect(await count(`data.events where tenant_id = $1 and type like 'sales.deal.%'`, [id])).toBe(60);
    }
    expect(await serverConnections()).toBe(SERVER_CONNECTIONS);
  });

  it("gives another tenant's record and an unknown one the same 404", async () => {
    const [one, other] = await tenants(2);
    const { body } = await one!.api.post<{ id: string }>(DEALS, { name: 'mine' });
    const foreign = await other!.api.patch(`${DEALS}/${body.id}`, { name: 'yours' });
    expect(foreign).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await one!.api.get(`${DEALS}/${body.id}`)).body).toMatchObject({ name: 'mine', version: 1 });
  });

  it('lets many requests with one idempotency key have one effect', async () => {
    const [tenant] = await tenants(1);
    const { api, id } = tenant!;
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => api.post(DEALS, { name: 'once' }, { 'idempotency-key': 'once' })),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toContain(201);
    expect(await count('data.sales_deals where tenant_id = $1', [id])).toBe(1);
    const again = await api.post(DEALS, { name: 'once' }, { 'idempotency-key': 'once' });
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('rolls back a write that fails halfway and leaves the connection clean', async () => {
    const [tenant, other] = await tenants(2);
    const { body: deal } = await tenant!.api.post<{ id: string }>(DEALS, { name: 'one' });
    const refused = await tenant!.api.patch(`${DEALS}/${deal.id}`, {
      pipelineId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b90',
    });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    for (let turn = 0; turn < SERVER_CONNECTIONS * 3; turn++)
      expect((await other!.api.get<Page>(DEALS)).body.data).toEqual([]);
    expect((await tenant!.api.get(`${DEALS}/${deal.id}`)).body).toMatchObject({ version: 1 });
  });

  it('recovers when the server connections are lost', async () => {
    const [tenant] = await tenants(1);
    const { api } = tenant!;
    await api.post(DEALS, { name: 'before' });
    await admin.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and usename = $1`,
      [new URL(database.appUrl).username],
    );
    const { body } = await api.get<Page>(DEALS);
    expect(body.data).toHaveLength(1);
    expect((await api.post(DEALS, { name: 'after' })).status).toBe(201);
  });
});
