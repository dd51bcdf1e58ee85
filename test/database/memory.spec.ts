import type { Database } from '#libs/database/database.js';
import { TenantMemory } from '#libs/database/memory.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentScope, currentTenant, runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { type DirectDatabase, directDatabase } from '../tenancy/direct-database.js';

/** What a process remembers is never what only an open or undone transaction has seen. */
interface Series {
  next: number;
}

let direct: DirectDatabase;
let database: Database;
let tenant: TenantFacts;
let memory: TenantMemory<Series>;
let reads: number;
beforeAll(async () => {
  direct = await directDatabase('app', 2);
  database = direct.database;
});
afterAll(() => direct.close());
beforeEach(() => {
  tenant = { id: uuidv7(), slug: 'memory', plan: 'free', currency: 'USD', epoch: '1' };
  memory = new TenantMemory(10);
  reads = 0;
});

const asTenant = <T>(work: () => Promise<T>): Promise<T> => runAsSystem(tenant, 'test', 'req_memory', work);
const find = (part?: string) =>
  memory.get<Series | null>(async () => {
    reads++;
    const query = statement('select next from data.number_series where tenant_id = $1', [currentTenant().id]);
    const [row] = await database.read<Series>(query);
    return row ?? null;
  }, part);
const add = (transaction: Transaction): void =>
  transaction.write(
    statement(`insert into data.number_series (tenant_id, series, next) values ($1, 'a', 7)`, [tenant.id]),
  );
const open = () => currentScope().transaction as Transaction;

it('remembers what was read, for one tenant, epoch and part, but not that there is nothing', async () => {
  expect(await asTenant(find)).toBeNull();
  await asTenant(() => database.transaction(async (transaction) => add(transaction)));
  const found = [await asTenant(find), await asTenant(find), await asTenant(() => find('other'))];
  expect(found.map((each) => each?.next)).toEqual([7, 7, 7]);
  expect(reads).toBe(3);
  tenant = { ...tenant, epoch: '2' };
  await asTenant(find);
  expect(reads).toBe(4);
  tenant = { ...tenant, id: uuidv7() };
  expect(await asTenant(find)).toBeNull();
});

it('keeps what a transaction has read for others only once it has committed', async () => {
  await asTenant(() =>
    database.transaction(async (transaction) => {
      add(transaction);
      expect(await find()).toEqual({ next: 7 });
      expect(await runAsSystem(tenant, 'another', 'req_another', find)).toBeNull();
    }),
  );
  const before = reads;
  expect(await asTenant(find)).toEqual({ next: 7 });
  expect(reads).toBe(before);
});

it('keeps nothing of a transaction or a savepoint that is undone', async () => {
  const undone = asTenant(() =>
    database.transaction(async (transaction) => {
      add(transaction);
      expect(await find()).toEqual({ next: 7 });
      throw new Error('undone');
    }),
  );
  await expect(undone).rejects.toThrow('undone');
  expect(await asTenant(find)).toBeNull();

  await asTenant(() =>
    database.transaction(async () => {
      const part = open().savepoint(async () => {
        add(open());
        expect(await find()).toEqual({ next: 7 });
        throw new Error('undone');
      });
      await expect(part).rejects.toThrow('undone');
    }),
  );
  expect(await asTenant(find)).toBeNull();
});
