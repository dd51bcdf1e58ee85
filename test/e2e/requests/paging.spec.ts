import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { tracesOf } from './traces.js';

const DEALS = '/api/v1/sales/deals';
const SORTS = [
  'createdAt',
  'updatedAt',
  'name',
  'valueMinor',
  'expectedCloseDate',
  'probability',
  'stageEnteredAt',
  'closedAt',
];

interface Deal extends Record<string, unknown> {
  id: string;
}
interface Page {
  data: Deal[];
  page: { limit: number; hasMore: boolean; nextCursor: string | null };
}

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  // Few different values, many of them empty: nearly every deal ties with others in every field.
  for (let i = 0; i < 36; i++) {
    const { body } = await tenant.api.post(DEALS, {
      name: ['alpha', 'Beta', 'ünder', '10', '9'][i % 5],
      valueMinor: [null, 100, 200, 9_007_199_254_740_991, 0][i % 5],
      expectedCloseDate: [null, '2026-12-01', '2027-01-15'][i % 3],
      stage: ['qualification', 'demo', 'proposal'][i % 3],
    });
    if (i % 4 === 0)
      await tenant.api.post(`${DEALS}/${String(body['id'])}/win`, { closedAt: `2026-11-0${1 + (i % 3)}T10:00:00Z` });
  }
});
afterAll(() => platform.close());

async function pageOf(query: string): Promise<Page> {
  const answer = await tenant.api.get<Page>(`${DEALS}?${query}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Every page of a list, one after the other. */
async function walk(query: string, between?: (page: number) => Promise<void>): Promise<Deal[]> {
  const all: Deal[] = [];
  let cursor: string | null = null;
  for (let page = 0; ; page++) {
    const { data, page: info }: Page = await pageOf(`${query}${cursor ? `&cursor=${cursor}` : ''}`);
    all.push(...data);
    expect(info.hasMore).toBe(info.nextCursor !== null);
    if (!info.nextCursor) return all;
    expect(data).toHaveLength(info.limit);
    cursor = info.nextCursor;
    await between?.(page);
  }
}

/** Empty values last whichever way; text by its bytes, as the database has it. */
function compare(a: unknown, b: unknown, descending: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  const less =
    typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) < 0 : Number(a) < Number(b);
  return less === descending ? 1 : -1;
}

function sorted(deals: Deal[], sort: string): Deal[] {
  const terms = sort.split(',').map((term) => ({ field: term.replace('-', ''), descending: term.startsWith('-') }));
  const { descending } = terms.at(-1)!;
  return deals.toSorted((a, b) => {
    for (const term of terms) {
      const order = compare(a[term.field], b[term.field], term.descending);
      if (order !== 0) return order;
    }
    return compare(a.id, b.id, descending);
  });
}

const ids = (deals: Deal[]) => deals.map(({ id }) => id);

describe('every order', () => {
  const orders = [
    ...SORTS.flatMap((field) => [field, `-${field}`]),
    'valueMinor,name',
    '-valueMinor,-expectedCloseDate,name',
    'expectedCloseDate,-closedAt,-probability',
  ];
  it.each(orders)('sort=%s gives all records once and in order, whatever the size of the pages', async (sort) => {
    const { data: everything } = await pageOf('limit=200');
    const expected = ids(sorted(everything, sort));
    expect(expected).toHaveLength(36);
    for (const limit of [200, 7, 1]) expect(ids(await walk(`sort=${sort}&limit=${limit}`))).toEqual(expected);
  });

  it('is -createdAt when none is asked for', async () => {
    expect(await pageOf('limit=200')).toEqual(await pageOf('limit=200&sort=-createdAt'));
  });

  it('holds for alias, filters and search alike', async () => {
    const { data } = await pageOf('limit=200');
    const expected = ids(
      sorted(
        data.filter(({ stage }) => stage === 'demo'),
        'name',
      ),
    );
    expect(ids(await walk('sort=name&limit=2&stage=demo'))).toEqual(expected);
    const found = ids(
      sorted(
        data.filter(({ name }) => name === 'alpha'),
        '-valueMinor',
      ),
    );
    expect(ids(await walk('sort=-valueMinor&limit=2&q=alp'))).toEqual(found);
  });
});

describe('while others write', () => {
  it.each(['createdAt', '-createdAt', 'name', '-valueMinor', 'expectedCloseDate'])(
    'sort=%s misses and repeats none of the records that were there all the time',
    async (sort) => {
      const before = ids((await pageOf('limit=200')).data);
      const made: string[] = [];
      const seen = ids(
        await walk(`sort=${sort}&limit=5`, async (page) => {
          const { body } = await tenant.api.post(DEALS, {
            name: ['aaa', 'zzz'][page % 2],
            valueMinor: [0, null][page % 2],
            expectedCloseDate: ['1999-01-01', null][page % 2],
          });
          made.push(String(body['id']));
        }),
      );
      expect(new Set(seen).size).toBe(seen.length);
      expect(before.filter((id) => !seen.includes(id))).toEqual([]);
      for (const id of made) await tenant.api.delete(`${DEALS}/${id}`);
    },
  );

  it('a record that is deleted after its page does not disturb the next ones', async () => {
    const { body } = await tenant.api.post(DEALS, { name: '0000' });
    const first = await pageOf('sort=name&limit=1');
    expect(first.data[0]).toMatchObject({ id: body['id'] });
    await tenant.api.delete(`${DEALS}/${String(body['id'])}`);
    const second = await pageOf(`sort=name&limit=1&cursor=${first.page.nextCursor}`);
    expect(second.data).toEqual((await pageOf('sort=name&limit=1')).data);
  });
});

describe('the size of a page', () => {
  it('is 50 when none is asked for, and as asked from 1 to 200', async () => {
    expect((await pageOf('')).page).toEqual({ limit: 50, hasMore: false, nextCursor: null });
    expect(await pageOf('limit=1')).toMatchObject({ data: [{}], page: { limit: 1, hasMore: true } });
    expect((await pageOf('limit=200')).page.limit).toBe(200);
  });

  it.each(['0', '201', '-5', 'all'])('of %s is 400', async (limit) => {
    expect((await tenant.api.get(`${DEALS}?limit=${limit}`)).status).toBe(400);
  });

  it('knows that the last record is the last', async () => {
    expect((await pageOf('limit=36')).page).toEqual({ limit: 36, hasMore: false, nextCursor: null });
    expect((await pageOf('limit=35')).page.hasMore).toBe(true);
  });

  it('may differ from page to page', async () => {
    const first = await pageOf('limit=3');
    const rest = await pageOf(`limit=200&cursor=${first.page.nextCursor}`);
    expect([...ids(first.data), ...ids(rest.data)]).toEqual(ids((await pageOf('limit=200')).data));
  });
});

describe('a cursor', () => {
  const refused = async (path: string, api = tenant.api) => {
    const answer = await api.get(path);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'cursor_invalid' });
  };
  let cursor: string;
  beforeAll(async () => {
    cursor = (await pageOf('limit=2&sort=-name')).page.nextCursor!;
  });

  it('is refused with another sort, other filters, other words, archive or trash', async () => {
    for (const query of [
      '',
      'sort=name',
      'sort=-name,createdAt',
      'sort=-createdAt',
      'sort=-name&status=open',
      'sort=-name&q=alpha',
      'sort=-name&includeArchived=true',
      'sort=-name&includeDeleted=true',
    ])
      await refused(`${DEALS}?cursor=${cursor}&${query}`);
    expect((await pageOf(`cursor=${cursor}&sort=-name&limit=9`)).data).toHaveLength(9);
  });

  it('is refused for another list', async () => {
    await refused(`/api/v1/sales/pipelines?cursor=${cursor}&sort=-name`);
    await refused(`/api/admin/audit-logs?cursor=${cursor}`);
  });

  it('is refused for another tenant', async () => {
    const other = await platform.tenant();
    await refused(`${DEALS}?cursor=${cursor}&sort=-name`, other.api);
  });

  it('is refused after any change', async () => {
    for (let at = 0; at < cursor.length; at += 5) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      await refused(`${DEALS}?sort=-name&cursor=${changed}`);
    }
    for (const other of [
      `${cursor}A`,
      cursor.slice(1),
      cursor.slice(0, -4),
      'x',
      'null',
      btoa('["x","y"]'),
      'A'.repeat(4_000),
    ])
      await refused(`${DEALS}?sort=-name&cursor=${encodeURIComponent(other)}`);
  });

  it('still works when the order of the filters differs', async () => {
    const first = await pageOf('limit=1&status=won&probability[gte]=1');
    expect((await pageOf(`probability[gte]=1&limit=1&status=won&cursor=${first.page.nextCursor}`)).data).toHaveLength(
      1,
    );
  });
});

it('reading leaves no trace', async () => {
  const before = await tracesOf(platform, tenant);
  await walk('limit=10');
  expect(await tracesOf(platform, tenant)).toEqual(before);
});
