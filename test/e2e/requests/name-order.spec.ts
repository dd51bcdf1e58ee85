import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { ACCOUNTS, makeAccount, namesOf } from '../sales/sales-calls.js';

/** Names are sorted as people expect. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const ORDERED = ['ähnlich', 'Äpfel', 'apple', 'Apple', 'apple pie', 'École', 'Zebra', 'zèbre', 'Ωmega', '日本'];
const shuffled = () => [...ORDERED].reverse().sort((a, b) => a.length - b.length);

async function pagesOf(path: string, sort: string, limit: number): Promise<string[]> {
  const names: string[] = [];
  for (let cursor = ''; ;) {
    const { body } = await tenant.api.get<{ data: { name: string }[]; page: { nextCursor: string | null } }>(
      `${path}?sort=${sort}&limit=${limit}${cursor}`,
    );
    names.push(...body.data.map(({ name }) => name));
    if (body.page.nextCursor === null) return names;
    cursor = `&cursor=${body.page.nextCursor}`;
  }
}

it.each([1, 3, 200])('ascending and descending, %i per page', async (limit) => {
  for (const name of shuffled()) await makeAccount(tenant.api, { name });
  expect(await pagesOf(ACCOUNTS, 'name', limit)).toEqual(ORDERED);
  expect(await pagesOf(ACCOUNTS, '-name', limit)).toEqual([...ORDERED].reverse());
  expect(await pagesOf(ACCOUNTS, 'name,-createdAt', limit)).toEqual(ORDERED);
});

it('each once for equal or similar names', async () => {
  const names = ['é', 'e\u0301', 'é', 'e', 'É', 'e\u0301', 'é'];
  for (const name of names) await makeAccount(tenant.api, { name });
  const up = await pagesOf(ACCOUNTS, 'name', 1);
  expect([...up].sort()).toEqual([...names].sort());
  expect(await pagesOf(ACCOUNTS, '-name', 2)).toEqual([...up].reverse());
});

it('filters by the complete name', async () => {
  for (const name of ['Apple', 'apple']) await makeAccount(tenant.api, { name });
  expect(await namesOf(tenant.api, `${ACCOUNTS}?name=apple`)).toEqual(['apple']);
  expect(await namesOf(tenant.api, `${ACCOUNTS}?name[in]=Apple,pear`)).toEqual(['Apple']);
  expect(await namesOf(tenant.api, `${ACCOUNTS}?name[ne]=Apple`)).toEqual(['apple']);
});

it.each([
  ['/api/admin/workspaces', {}],
  ['/api/admin/roles', { permissions: ['deals:read'] }],
])('%s', async (path, body) => {
  const ordered = ORDERED.filter((name) => name !== 'Apple'); // role names are unique, ignoring case
  for (const name of shuffled()) if (ordered.includes(name)) await tenant.api.post(path, { name, ...body });
  const ours = async (sort: string) => (await pagesOf(path, sort, 4)).filter((name) => ordered.includes(name));
  expect(await ours('name')).toEqual(ordered);
  expect(await ours('-name')).toEqual([...ordered].reverse());
});
