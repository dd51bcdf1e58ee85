import { statement } from '#libs/database/statement.js';
import { type DirectDatabase, directDatabase } from './direct-database.js';

/** Connections of a process whose work can wait: few, growing on demand. */
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

it('are three for many short statements', async () => {
  await many(50);
  expect(direct.database.connections).toEqual({ total: 3, idle: 3, used: 0, waiting: 0 });
});

it('grow one by one up to the limit when all are held for long', async () => {
  await direct.admin.query('select pg_advisory_lock(4711)');
  let held = 4;
  const holders = Array.from({ length: held }, () => direct.database.system(LOCK).finally(() => held--));
  expect(await many(2)).toHaveLength(2);
  expect(held).toBe(4);
  expect(direct.database.connections).toMatchObject({ total: MOST, waiting: 0 });
  await direct.admin.query('select pg_advisory_unlock(4711)');
  await Promise.all(holders);
});

it('are three again after they were lost', async () => {
  await direct.admin.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'direct' and datname = current_database()`,
  );
  await many(MOST).catch(() => undefined); // some may fail because of the loss
  await many(50);
  expect(direct.database.connections).toEqual({ total: 3, idle: 3, used: 0, waiting: 0 });
});

it('do not use JIT, in the API and in the worker', async () => {
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

it('are opened immediately for a process that cannot wait', async () => {
  const eager = await directDatabase('app', MOST);
  try {
    await Promise.all(Array.from({ length: 50 }, () => eager.database.system(ONE)));
    expect(eager.database.connections.total).toBe(MOST);
  } finally {
    await eager.close();
  }
});
