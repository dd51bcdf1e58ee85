import { statement } from '#libs/database/statement.js';
import { type DirectDatabase, directDatabase } from './direct-database.js';

/** The connections of a process whose work can wait: few, and more when that is not enough. */
const MOST = 5;
const ONE = [statement('select 1 as one')];
const LOCK = [statement('select pg_advisory_xact_lock(4711)')];
const COMPILING = [statement(`select current_setting('jit') as jit`)];

let direct: DirectDatabase;
beforeAll(async () => {
  direct = await directDatabase('system', MOST, true);
});
afterAll(() => direct.close());

const many = (count: number) => Promise.all(Array.from({ length: count }, () => direct.database.system(ONE)));

it('are three for much that is short', async () => {
  await many(50);
  expect(direct.database.connections).toEqual({ total: 3, idle: 3, waiting: 0 });
});

it('are one more when all are held for long, as many as there may be', async () => {
  await direct.admin.query('select pg_advisory_lock(4711)');
  let held = 4;
  const holders = Array.from({ length: held }, () => direct.database.system(LOCK).finally(() => held--));
  expect(await many(2)).toHaveLength(2);
  expect(held).toBe(4);
  expect(direct.database.connections).toMatchObject({ total: MOST, waiting: 0 });
  await direct.admin.query('select pg_advisory_unlock(4711)');
  await Promise.all(holders);
});

it('are three again when they were lost', async () => {
  await direct.admin.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'direct' and datname = current_database()`,
  );
  await many(MOST).catch(() => undefined); // some may meet the loss
  await many(50);
  expect(direct.database.connections).toEqual({ total: 3, idle: 3, waiting: 0 });
});

it('compile no plan, of the API as little as of the worker', async () => {
  const api = await directDatabase('app', 1);
  try {
    for (const { database } of [direct, api]) {
      const [answer] = await database.system(COMPILING);
      expect(answer!.rows).toEqual([{ jit: 'off' }]);
    }
  } finally {
    await api.close();
  }
});

it('are opened at once for a process that cannot wait', async () => {
  const eager = await directDatabase('app', MOST);
  try {
    await Promise.all(Array.from({ length: 50 }, () => eager.database.system(ONE)));
    expect(eager.database.connections.total).toBe(MOST);
  } finally {
    await eager.close();
  }
});
