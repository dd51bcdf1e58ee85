import { deals as definition, type ShownDeal } from '#src/areas/sales/deals/deal.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, DEALS, makeDeal, PIPELINES } from '../sales/deal-calls.js';

interface Page {
  data: ShownDeal[];
  page: { limit: number; hasMore: boolean; nextCursor: string | null };
}

let platform: TestPlatform;
let tenant: TestTenant;
let deals: ShownDeal[];
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  deals = await tiedDeals(tenant);
});
afterAll(() => platform.close());

/** Thirty deals in which every sort field has ties and, where it can, empty values. */
async function tiedDeals({ api }: TestTenant): Promise<ShownDeal[]> {
  const pick = <T>(values: readonly T[], i: number) => values[i % values.length]!;
  await makeDeal(api);
  await Promise.all(
    Array.from({ length: 29 }, async (_, i) => {
      const { id } = await makeDeal(api, {
        name: pick(['b', 'a', 'Z', 'ä', 'a b'], i),
        valueMinor: pick([null, 0, 5, 5, Number.MAX_SAFE_INTEGER, null], i),
        expectedCloseDate: pick(['2026-12-18', null, '1999-01-01', '2026-12-18'], i),
        probability: pick([0, 50, 100, 50], i),
      });
      const closedAt = pick(['2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.001Z'], i);
      if (i % 3 === 0) await act(api, id, 'win', { closedAt });
      if (i % 5 === 1 && i % 3 !== 0) await act(api, id, 'lose', { closedAt, lostReason: 'fit' });
    }),
  );
  return (await page('limit=200')).data;
}

async function page(query: string, by = tenant): Promise<Page> {
  const answer = await by.api.get<Page>(`${DEALS}?${query}`);
  if (answer.status !== 200) throw new Error(`${query}: ${answer.text}`);
  return answer.body;
}

/** All pages of a list in sequence; `between` runs after each. */
async function walk(query: string, between: () => Promise<unknown> = () => Promise.resolve()): Promise<ShownDeal[]> {
  const all: ShownDeal[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { data, page: info }: Page = await page(query + (cursor && `&cursor=${cursor}`));
    expect(info.hasMore).toBe(info.nextCursor !== null);
    expect(data.length).toBe(info.hasMore ? info.limit : data.length);
    all.push(...data);
    cursor = info.nextCursor;
    await between();
  }
  return all;
}

const ALPHABET = new Intl.Collator('en');
/**
 * The documented order: names by collation, empty values last in both directions, ties by id in the direction of the
 * last term.
 */
function inOrder(rows: ShownDeal[], sort: string): ShownDeal[] {
  const terms = sort.split(',').map((term) => ({ field: term.replace('-', ''), sign: term.startsWith('-') ? -1 : 1 }));
  terms.push({ field: 'id', sign: terms.at(-1)!.sign });
  return [...rows].sort((left, right) => {
    for (const { field, sign } of terms) {
      const [a, b] = [left, right].map((row) => row[field as 'name' | 'valueMinor']);
      if (a === b) continue;
      if (a === null || a === undefined) return 1;
      if (b === null || b === undefined) return -1;
      if (field === 'name') return sign * ALPHABET.compare(String(a), String(b));
      if (typeof a === 'string') return sign * Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
      return sign * (a < Number(b) ? -1 : 1);
    }
    return 0;
  });
}

const ids = (rows: ShownDeal[]) => rows.map(({ id }) => id);
const single = definition.list.sorts.flatMap((field) => [field, `-${field}`]);
const combined = [
  'probability,-valueMinor',
  '-probability,valueMinor',
  '-closedAt,-expectedCloseDate',
  'name,createdAt',
];
const triple = ['probability,-expectedCloseDate,closedAt', '-name,-valueMinor,-closedAt'];

describe('a list', () => {
  it.each([...single, ...combined, ...triple])('sorted by %s is paged without gaps or duplicates', async (sort) => {
    const walked = await walk(`sort=${sort}&limit=3`);
    expect(ids(walked)).toEqual(ids(inOrder(deals, sort)));
    expect(ids((await page(`sort=${sort}&limit=200`)).data)).toEqual(ids(walked));
  });

  it('has ties and empty values in the sorted fields', () => {
    for (const field of ['valueMinor', 'expectedCloseDate', 'closedAt'] as const) {
      const values = deals.map((deal) => deal[field]);
      expect(values.filter((value) => value === null).length).toBeGreaterThan(3);
      expect(new Set(values).size).toBeLessThan(10);
    }
  });

  it('defaults to newest first and pages of fifty', async () => {
    const { data, page: info } = await page('');
    expect(ids(data)).toEqual(ids(inOrder(deals, '-createdAt')));
    expect(info).toEqual({ limit: 50, hasMore: false, nextCursor: null });
  });

  it('of exactly one page has no further page', async () => {
    expect((await page('limit=30')).page).toEqual({ limit: 30, hasMore: false, nextCursor: null });
    expect((await page('limit=29')).page).toMatchObject({ limit: 29, hasMore: true });
    expect((await page('limit=200')).page.limit).toBe(200);
    expect(await walk('limit=1')).toHaveLength(30);
  });

  it('can be paged with filters', async () => {
    const walked = await walk('limit=2&sort=-valueMinor&status=open&probability[gte]=1');
    const expected = deals.filter(({ status, probability }) => status === 'open' && probability >= 1);
    expect(ids(walked)).toEqual(ids(inOrder(expected, '-valueMinor')));
  });

  it.each(['createdAt', '-createdAt', 'name', '-valueMinor'])(
    'by %s returns existing records exactly once while others are added',
    async (sort) => {
      const busy = await platform.tenant();
      const old = await Promise.all(Array.from({ length: 9 }, (_, i) => makeDeal(busy.api, { name: `n${i % 3}` })));
      const before = tenant;
      tenant = busy;
      try {
        const walked = await walk(`limit=2&sort=${sort}`, async () => {
          if ((await page('limit=200')).data.length < 20) await makeDeal(busy.api, { name: 'n1', valueMinor: 1 });
        });
        expect(new Set(ids(walked)).size).toBe(walked.length);
        expect(ids(walked)).toEqual(expect.arrayContaining(ids(old)));
        expect(ids(walked)).toEqual(ids(inOrder(walked, sort)));
      } finally {
        tenant = before;
      }
    },
  );
});

describe('a cursor', () => {
  const QUERY = 'limit=3&sort=-valueMinor&status=open';
  const cursorOf = async (query = QUERY) => (await page(query)).page.nextCursor!;

  async function refused(path: string, by = tenant): Promise<void> {
    const answer = await by.api.get(path);
    expect([path, answer.status, answer.body['code']]).toEqual([path, 400, 'cursor_invalid']);
  }

  it('can be reused with another limit and parameter order', async () => {
    const cursor = await cursorOf();
    const next = await page(`${QUERY}&cursor=${cursor}`);
    expect(await page(`${QUERY}&cursor=${cursor}`)).toEqual(next);
    const more = await page(`cursor=${cursor}&status=open&sort=-valueMinor&limit=5`);
    expect(ids(more.data).slice(0, 3)).toEqual(ids(next.data));
  });

  it('reveals nothing about the rows', async () => {
    const bytes = Buffer.from(await cursorOf(), 'base64url').toString('latin1');
    expect(bytes).not.toContain(deals[0]!.id.slice(0, 8));
    expect(bytes).not.toContain('9007199254740991');
  });

  it('is refused if modified', async () => {
    const cursor = await cursorOf();
    for (let i = 0; i < cursor.length; i += 7) {
      const other = cursor[i] === 'A' ? 'B' : 'A';
      await refused(`${DEALS}?${QUERY}&cursor=${cursor.slice(0, i)}${other}${cursor.slice(i + 1)}`);
    }
    for (const text of [cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, `${cursor}=`, 'x', 'null', cursor + cursor])
      await refused(`${DEALS}?${QUERY}&cursor=${encodeURIComponent(text)}`);
  });

  it('is valid for its tenant only', async () => {
    const other = await platform.tenant();
    for (let i = 0; i < 4; i++) await makeDeal(other.api, { value: i });
    await refused(`${DEALS}?${QUERY}&cursor=${await cursorOf()}`, other);
    const foreign = (await page(QUERY, other)).page.nextCursor!;
    await refused(`${DEALS}?${QUERY}&cursor=${foreign}`);
  });

  it.each([
    ['another sort', 'limit=3&sort=valueMinor&status=open'],
    ['no sort', 'limit=3&status=open'],
    ['a longer sort', 'limit=3&sort=-valueMinor,name&status=open'],
    ['another value of a filter', 'limit=3&sort=-valueMinor&status=won'],
    ['another operator of a filter', 'limit=3&sort=-valueMinor&status[ne]=open'],
    ['no filter', 'limit=3&sort=-valueMinor'],
    ['one filter more', `${QUERY}&probability[gte]=0`],
    ['a search', `${QUERY}&q=a`],
    ['the archive', `${QUERY}&includeArchived=true`],
    ['the trash', `${QUERY}&includeDeleted=true`],
  ])('is refused with %s', async (_, query) => {
    await refused(`${DEALS}?${query}&cursor=${await cursorOf()}`);
  });

  it('is valid for its operation only, under either path', async () => {
    const cursor = await cursorOf('limit=3&sort=name');
    await refused(`${PIPELINES}?limit=3&sort=name&cursor=${cursor}`);
    const alias = await tenant.api.get<Page>(`/api/sales/deals?limit=3&sort=name&cursor=${cursor}`);
    expect(alias.body).toEqual(await page(`limit=3&sort=name&cursor=${cursor}`));
  });

  it('still works for another key of the tenant', async () => {
    const key = await platform.key(tenant, ['deals:read']);
    const answer = await key.get<Page>(`${DEALS}?${QUERY}&cursor=${await cursorOf()}`);
    expect([answer.status, answer.body.data.length]).toEqual([200, 3]);
  });
});

it.each([
  ['limit=0', 'limit'],
  ['limit=201', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=x', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=', 'limit'],
  ['limit=1e2', 'limit'],
  ['sort=', 'sort'],
  ['sort=nextStep', 'sort'],
  ['sort=--name', 'sort'],
  ['sort=name,', 'sort'],
  ['sort=name;drop', 'sort'],
  ['sort=name,createdAt,valueMinor,probability', 'sort'],
  ['cursor=', 'cursor'],
])('%s is 400', async (query, parameter) => {
  const answer = await tenant.api.get(`${DEALS}?${query}`);
  expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed']);
  const places = (answer.body['errors'] as { parameter: string }[]).map((each) => each.parameter.split('/')[0]);
  expect([...new Set(places)]).toEqual([parameter]);
});
