import { randomBytes } from 'node:crypto';
import type { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import { currentScope, runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { MasterKeys } from './master-keys.js';
import { SealedColumn } from './sealed-column.js';
import { Sealer } from './sealer.js';

const TENANT = { id: 'tenant' } as TenantFacts;
const COLUMN = new SealedColumn('table', 'column');

/** A sealer over a table of keys, whose reads resolve when the test decides. */
function setUp() {
  const reads: PromiseWithResolvers<object[]>[] = [];
  const read = (_: Statement): Promise<object[]> => {
    reads.push(Promise.withResolvers());
    return reads.at(-1)!.promise;
  };
  const sealer = new Sealer({ read } as unknown as Database, new MasterKeys(randomBytes(32))); // only this method is called
  const asTenant = <T>(work: () => Promise<T>): Promise<T> => runAsSystem(TENANT, 'test', 'request', work);
  return { sealer, reads, asTenant, row: keyRowOf(sealer) };
}

/** The row that a new tenant has. */
function keyRowOf(sealer: Sealer) {
  const [, version, sealed, masterKeyId] = sealer.firstKey(TENANT.id).values;
  return { version, sealed, masterKeyId };
}

it('reads the key once for concurrent callers, then uses the cache', async () => {
  const { sealer, reads, asTenant, row } = setUp();
  const sealing = sealThree(sealer, asTenant);
  expect(reads).toHaveLength(1);
  reads[0]!.resolve([row]);
  const sealed = await Promise.all(sealing);
  expect(new Set(sealed).size).toBe(3);
  const opening = sealed.map((text) => asTenant(() => sealer.open(text, COLUMN, 'row')));
  expect(reads).toHaveLength(2);
  reads[1]!.resolve([row]);
  expect(await Promise.all(opening)).toEqual(['text 0', 'text 1', 'text 2']);
  expect(await asTenant(() => sealer.open(sealed[0]!, COLUMN, 'row'))).toBe('text 0');
  expect(reads).toHaveLength(2);
});

it('lets the other callers read the key when the shared read fails', async () => {
  const { sealer, reads, asTenant, row } = setUp();
  const [first, ...others] = sealThree(sealer, asTenant);
  reads[0]!.reject(new Error('its transaction was rolled back'));
  await expect(first).rejects.toThrow('its transaction was rolled back');
  expect(reads).toHaveLength(3);
  for (const each of reads.slice(1)) each.resolve([row]);
  expect(await Promise.all(others)).toHaveLength(2);
});

it('does not let a caller with a transaction wait, because the other may need its connection', async () => {
  const { sealer, reads, asTenant, row } = setUp();
  const [first] = sealThree(sealer, asTenant);
  const onceCommitted = jest.fn();
  const inTransaction = asTenant(() => {
    currentScope().transaction = { onceCommitted };
    return sealer.seal('text', COLUMN, 'row');
  });
  expect(reads).toHaveLength(2);
  for (const each of reads) each.resolve([row]);
  await Promise.all([first, inTransaction]);
  expect(onceCommitted).toHaveBeenCalledTimes(1);
});

function sealThree(sealer: Sealer, asTenant: <T>(work: () => Promise<T>) => Promise<T>): Promise<string>[] {
  return [0, 1, 2].map((each) => asTenant(() => sealer.seal(`text ${each}`, COLUMN, 'row')));
}
