import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { connect, type Provider } from './scene.js';

interface List {
  schemas: string[];
  totalResults: number;
  itemsPerPage: number;
  startIndex: number;
  nextCursor?: string;
  Resources: Record<string, unknown>[];
}

const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
let platform: TestPlatform;
let provider: Provider;
beforeAll(async () => {
  platform = await startPlatform();
  provider = await connect(platform);
  for (const name of ['ana', 'bo', 'cy'])
    await provider.scim.post('/Users', { userName: `${name}@acme.example`, displayName: name.toUpperCase() });
  for (const displayName of ['Ana and friends', 'Others']) await provider.scim.post('/Groups', { displayName });
});
afterAll(() => platform.close());

const search = async (path: string, request: object) => {
  const answer = await provider.scim.post<List>(`${path}/.search`, { schemas: [SEARCH], ...request });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
const namesIn = ({ Resources }: List) => Resources.map(({ displayName }) => displayName);

describe('a search by POST', () => {
  it('returns the same users as a list', async () => {
    const request = { filter: 'userName sw "A" or userName sw "c"', sortBy: 'userName', sortOrder: 'descending' };
    const found = await search('/Users', { ...request, attributes: ['displayName'], count: 1, startIndex: 2 });
    expect(found).toMatchObject({ totalResults: 2, itemsPerPage: 1, startIndex: 2 });
    expect(Object.keys(found.Resources[0]!).toSorted()).toEqual(['displayName', 'id', 'schemas']);
    expect(namesIn(found)).toEqual(['ANA']);
  });

  it('returns the same groups as a list', async () => {
    expect(namesIn(await search('/Groups', { filter: 'displayName co "friends"' }))).toEqual(['Ana and friends']);
  });

  it('continues by cursor', async () => {
    const first = await search('/Users', { filter: 'externalId eq null', cursor: '', count: 2 });
    const second = await search('/Users', { filter: 'externalId eq null', cursor: first.nextCursor, count: 2 });
    expect([...namesIn(first), ...namesIn(second)]).toEqual(['ANA', 'BO', 'CY']);
    expect(second.nextCursor).toBeUndefined();
  });

  it('rejects what a list rejects', async () => {
    const bad = async (request: object) => (await provider.scim.post('/Users/.search', request)).body;
    expect(await bad({ filter: 'colour eq "x"' })).toMatchObject({ status: '400', scimType: 'invalidFilter' });
    expect(await bad({ sortBy: 'colour' })).toMatchObject({ status: '400', scimType: 'invalidValue' });
    expect(await bad({ count: 'many' })).toMatchObject({ status: '400', scimType: 'invalidValue' });
  });

  it.each(['', '/Users', '/Groups'])('rejects a request without a body: %s/.search', async (path) => {
    for (const body of [undefined, '', 'null', '[]', '"all"'])
      expect(await provider.scim.post(`${path}/.search`, body)).toMatchObject({
        status: 400,
        body: { status: '400', scimType: 'invalidSyntax' },
      });
  });
});

describe('a search at the root', () => {
  it('returns users and then groups, with pages across both', async () => {
    const all = await search('', { filter: 'displayName pr' });
    expect(all).toMatchObject({ totalResults: 5, itemsPerPage: 5, startIndex: 1 });
    expect(namesIn(all)).toEqual(['ANA', 'BO', 'CY', 'Ana and friends', 'Others']);
    const pages = [];
    for (const startIndex of [1, 3, 5, 7])
      pages.push(await search('', { filter: 'displayName pr', startIndex, count: 2 }));
    expect(pages.map(namesIn)).toEqual([['ANA', 'BO'], ['CY', 'Ana and friends'], ['Others'], []]);
    expect(new Set(pages.map(({ totalResults }) => totalResults))).toEqual(new Set([5]));
  });

  it('treats an attribute that a type lacks as having no value', async () => {
    const groups = ['Ana and friends', 'Others'];
    for (const [filter, names] of [
      ['userName sw "ana"', ['ANA']],
      ['members eq "x" or displayName sw "ana"', ['ANA', 'Ana and friends']],
      ['userName eq "bo@acme.example" or displayName eq "Others"', ['BO', 'Others']],
      ['not (userName pr)', groups],
      ['userName eq null', groups],
      ['userName ne "bo@acme.example"', ['ANA', 'CY', ...groups]],
      ['userName ne null', ['ANA', 'BO', 'CY']],
      ['not (emails[type eq "work"]) and displayName sw "o"', ['Others']],
      ['emails[type eq "work"] or displayName sw "o"', ['Others']],
      ['active eq true and displayName pr', ['ANA', 'BO', 'CY']],
      ['not (members pr) and displayName sw "a"', ['ANA', 'Ana and friends']],
      ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department ne "x" and not (active pr)', groups],
    ] as const)
      expect({ filter, names: namesIn(await search('', { filter })) }).toEqual({ filter, names });
    expect(namesIn(await search('', { filter: 'meta.resourceType eq "Group"' }))).toEqual([
      'Ana and friends',
      'Others',
    ]);
  });

  it('sorts each type by the attributes it has', async () => {
    const descending = { sortBy: 'userName', sortOrder: 'descending' };
    expect(namesIn(await search('', descending))).toEqual(['CY', 'BO', 'ANA', 'Ana and friends', 'Others']);
  });

  it('rejects attributes of other types everywhere else', async () => {
    for (const [path, filter] of [
      ['/Groups', 'userName pr'],
      ['/Users', 'members pr'],
    ] as const)
      expect(await provider.scim.post(`${path}/.search`, { filter })).toMatchObject({
        status: 400,
        body: { scimType: 'invalidFilter' },
      });
  });

  it('rejects an attribute that no type has, and cursors', async () => {
    const bad = async (request: object) => (await provider.scim.post('/.search', request)).body;
    expect(await bad({ filter: 'colour eq "x"' })).toMatchObject({ status: '400', scimType: 'invalidFilter' });
    expect(await bad({ filter: 'userName pr or colour pr' })).toMatchObject({ scimType: 'invalidFilter' });
    expect(await bad({ sortBy: 'colour' })).toMatchObject({ status: '400', scimType: 'invalidValue' });
    expect(await bad({ cursor: '' })).toMatchObject({ status: '400', scimType: 'invalidCursor' });
  });
});

it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('answers 501 for %s /Me', async (method) => {
  const body = method === 'GET' || method === 'DELETE' ? undefined : {};
  expect(await provider.scim.send(method, '/Me', body)).toMatchObject({
    status: 501,
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '501' },
  });
});
