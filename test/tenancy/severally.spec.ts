import type pg from 'pg';
import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';
import { type DirectDatabase, directDatabase } from './direct-database.js';

/** Row-level security separates the parts of one round trip for several tenants, with the role of the worker. */
let direct: DirectDatabase;
let admin: pg.Client;
let database: Database;

beforeAll(async () => {
  direct = await directDatabase('system');
  ({ admin, database } = direct);
});
afterAll(() => direct.close());

const ALL = statement(`select tenant_id, series from data.number_series order by series`);

function tenant(): TenantFacts {
  return { id: uuidv7(), slug: 'several', plan: 'free', currency: 'USD', epoch: '1' };
}

const add = ({ id }: TenantFacts, series: string) =>
  statement(`insert into data.number_series (tenant_id, series, next) values ($1, $2, 1)`, [id, series]);

async function seriesOf(...tenants: TenantFacts[]): Promise<string[]> {
  const { rows } = await admin.query<{ series: string }>(
    `select series from data.number_series where tenant_id = any($1::uuid[]) order by series`,
    [tenants.map(({ id }) => id)],
  );
  return rows.map(({ series }) => series);
}

describe('statements of several tenants in one round trip', () => {
  it('see and write only rows of their own tenant, with separate results', async () => {
    const [one, other] = [tenant(), tenant()];
    const [first, second, third] = await database.severally([
      { tenant: one, statements: [add(one, 'a'), ALL] },
      { tenant: other, statements: [add(other, 'b'), add(other, 'c'), ALL] },
      { tenant: one, statements: [ALL] },
    ]);
    expect(first!.map(({ rows }) => rows)).toEqual([[], [{ tenant_id: one.id, series: 'a' }]]);
    expect(second!.at(-1)!.rows.map(({ series }) => series)).toEqual(['b', 'c']);
    expect(third![0]!.rows).toEqual(first![1]!.rows);
  });

  it('change nothing when one of them writes for another tenant', async () => {
    const [one, other] = [tenant(), tenant()];
    const parts = [
      { tenant: one, statements: [add(one, 'a')] },
      { tenant: other, statements: [add(one, 'b')] },
    ];
    await expect(database.severally(parts)).rejects.toThrow(/row-level security/);
    expect(await seriesOf(one, other)).toEqual([]);
  });

  it.each(['before', 'after'])('see no tenant rows if they belong to no tenant: %s the others', async (place) => {
    const one = tenant();
    const parts = [
      { tenant: null, statements: [ALL] },
      { tenant: one, statements: [add(one, 'a')] },
    ];
    await expect(database.severally(place === 'before' ? parts : parts.toReversed())).rejects.toThrow(
      /app\.tenant_id|invalid input syntax for type uuid/,
    );
    expect(await seriesOf(one)).toEqual([]);
  });

  it('leave no tenant set on the connection', async () => {
    const one = tenant();
    await database.severally([{ tenant: one, statements: [ALL] }]);
    await expect(database.system([ALL])).rejects.toThrow(/app\.tenant_id|invalid input syntax for type uuid/);
  });
});
