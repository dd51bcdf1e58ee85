import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { Database } from '#libs/database/database.js';
import { dataSource } from '#libs/database/data-source.js';
import { Outages } from '#libs/database/flights/outages.js';
import { statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';

/** A connection lost during a transaction fails that transaction, not the process. */
let test: TestDatabase;
let admin: pg.Client;
let source: DataSource;
let database: Database;
const tenant: TenantFacts = { id: uuidv7(), slug: 'lost', plan: 'free', currency: 'USD', epoch: '1' };

beforeAll(async () => {
  test = await createTestDatabase();
  admin = new pg.Client({ connectionString: test.adminUrl });
  await admin.connect();
  source = await dataSource({ url: test.appUrl, entities: [], poolSize: 1, applicationName: 'lost' }).initialize();
  database = new Database(source);
});
afterAll(async () => {
  await source.destroy();
  await admin.end();
  await test.drop();
});

const asTenant = <T>(work: () => Promise<T>): Promise<T> => runAsSystem(tenant, 'test', 'req_lost', work);
const PID = statement('select pg_backend_pid() as pid');
const WRITE = statement(`insert into data.number_series (tenant_id, series, next) values ($1, 'lost', 1)`, [tenant.id]);

/** Terminates the connection and waits until it is gone. */
async function end(pid: number): Promise<void> {
  await admin.query('select pg_terminate_backend($1, 5000)', [pid]);
}

/** A transaction whose connection is lost before a query or before the commit. */
const lose = (from: Database, broken: 'query' | 'commit') =>
  asTenant(() =>
    from.transaction(async (transaction) => {
      const [row] = await transaction.query<{ pid: number }>(PID);
      transaction.write(WRITE);
      await end(row!.pid);
      if (broken === 'query') await transaction.query(PID);
    }),
  );

// The first connection of a pool is created differently from later ones.
it.each(['the first connection', 'a later one'])('returns 503 and recovers: %s', async () => {
  for (const broken of ['query', 'commit'] as const)
    await expect(lose(database, broken)).rejects.toMatchObject({ code: 'unavailable', status: 503 });
  const rows = await asTenant(() => database.read(statement('select 1 from data.number_series')));
  expect(rows).toEqual([]);
  expect(database.connections).toMatchObject({ total: 1, waiting: 0 });
});

it('an outage is logged when it begins and when it is over, however many statements fail', async () => {
  const lines: unknown[] = [];
  const spies = (['error', 'warn'] as const).map((level) =>
    jest.spyOn(Logger.prototype, level).mockImplementation((...args) => void lines.push(args[0])),
  );
  const fresh = new Database(source);
  let nowMs = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  try {
    for (let failures = 0; failures < 2; failures++) await expect(lose(fresh, 'query')).rejects.toThrow();
    const begun = expect.stringMatching(/^The database is unreachable: .+\. This is said once, until it is over$/);
    expect(lines).toEqual([begun]);
    nowMs += 2_000;
    for (let reads = 0; reads < 2; reads++) await asTenant(() => fresh.read(PID));
    expect(lines).toEqual([begun, 'The database answers again, after 2 s and 2 failures']);
  } finally {
    for (const spy of [clock, ...spies]) spy.mockRestore();
  }
});

it('a connection that is not open in time is logged as that, not as a database that is away', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const pool = new pg.Pool({ host: '127.0.0.1', port, connectionTimeoutMillis: 20 });
  try {
    const error: unknown = await pool.connect().catch((each: unknown) => each);
    const lines: string[] = [];
    new Outages({ error: (line: string) => lines.push(line), warn: () => undefined }).failed(error);
    expect(lines).toEqual(['Connecting to the database timed out after 3000 ms. This is said once, until it is over']);
  } finally {
    await pool.end();
    silent.close();
  }
});
