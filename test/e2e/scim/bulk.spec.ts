import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { connect, type Provider } from './scene.js';

interface Outcome {
  method: string;
  bulkId?: string;
  location?: string;
  version?: string;
  status: string;
  response?: { scimType?: string; detail: string };
}

interface Answer {
  schemas: string[];
  Operations: Outcome[];
}

const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
let platform: TestPlatform;
let provider: Provider;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  provider = await connect(platform);
});

const bulk = async (Operations: object[], more: object = {}, headers: Record<string, string> = {}) => {
  const answer = await provider.scim.post<Answer>('/Bulk', { schemas: [BULK], ...more, Operations }, headers);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer;
};
const user = (name: string, more: object = {}) => ({
  method: 'POST',
  path: '/Users',
  bulkId: name,
  data: { userName: `${name}@acme.example`, ...more },
});
const idIn = ({ location }: Outcome) => location!.split('/').at(-1)!;
const statuses = ({ body }: { body: Answer }) => body.Operations.map(({ status }) => status);
const countOf = async (type: string) =>
  (await provider.scim.get<{ totalResults: number }>(`/${type}`)).body.totalResults;

it('creates, changes and deletes, each operation separately', async () => {
  const before = await countOf('Users');
  const made = await bulk([
    user('ana'),
    user('ANA'),
    user('bo'),
    { method: 'post', path: '/users', bulkId: 'x', data: {} },
  ]);
  expect(made.body.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:BulkResponse']);
  expect(statuses(made)).toEqual(['201', '409', '201', '400']);
  const [ana, twin, bo, empty] = made.body.Operations as [Outcome, Outcome, Outcome, Outcome];
  expect(ana).toEqual({
    method: 'POST',
    bulkId: 'ana',
    location: expect.stringContaining('/api/scim/v2/Users/') as string,
    version: 'W/"1"',
    status: '201',
  });
  expect(twin.response).toMatchObject({ status: '409', scimType: 'uniqueness' });
  expect(empty.response).toMatchObject({ status: '400', scimType: 'invalidValue' });
  expect(await countOf('Users')).toBe(before + 2);
  const changed = await bulk([
    {
      method: 'PATCH',
      path: `/Users/${idIn(ana)}`,
      version: 'W/"1"',
      data: { Operations: [{ op: 'replace', path: 'title', value: 'CTO' }] },
    },
    { method: 'PUT', path: `/Users/${idIn(bo)}`, version: 'W/"9"', data: { userName: 'x' } },
    { method: 'DELETE', path: `/Users/${idIn(bo)}` },
    { method: 'DELETE', path: `/Users/${idIn(bo)}` },
  ]);
  expect(statuses(changed)).toEqual(['200', '412', '204', '404']);
  expect((await provider.scim.get(`/Users/${idIn(ana)}`)).body).toMatchObject({
    title: 'CTO',
    meta: { version: 'W/"2"' },
  });
});

it('replaces references with ids, including forward references', async () => {
  const { body } = await bulk([
    {
      method: 'POST',
      path: '/Groups',
      bulkId: 'sales',
      data: { displayName: 'Sales', members: [{ value: 'bulkId:ana' }, { value: 'bulkId:bo' }] },
    },
    user('ana', { manager: { value: 'bulkId:bo' } }),
    user('bo'),
    {
      method: 'PATCH',
      path: '/Groups/bulkId:sales',
      data: { Operations: [{ op: 'remove', path: 'members', value: [{ value: 'bulkId:bo' }] }] },
    },
  ]);
  expect(body.Operations.map(({ status, bulkId }) => `${status} ${bulkId}`)).toEqual([
    '201 sales',
    '201 ana',
    '201 bo',
    '204 undefined',
  ]);
  const [group, ana, bo] = body.Operations.map((each) => idIn(each));
  expect((await provider.scim.get(`/Groups/${group}`)).body).toMatchObject({ members: [{ value: ana }] });
  expect((await provider.scim.get(`/Users/${ana}`)).body).toMatchObject({
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { manager: { value: bo } },
  });
});

it('rejects references to itself, to unknown and to failed operations', async () => {
  const manager = (name: string) => ({ manager: { value: `bulkId:${name}` } });
  const answer = await bulk([
    user('ana', manager('bo')),
    user('bo', manager('ana')),
    user('cy', manager('nobody')),
    user('di', manager('cy')),
    user('ed'),
  ]);
  expect(statuses(answer)).toEqual(['400', '409', '400', '400', '201']);
});

it('stops after failOnErrors errors and skips the rest', async () => {
  const bad = { method: 'DELETE', path: '/Users/nobody' };
  const answer = await bulk([user('ana'), bad, user('bo'), bad, user('cy'), user('di')], { failOnErrors: 2 });
  expect(statuses(answer)).toEqual(['201', '404', '201', '404']);
  expect(await provider.scim.get('/Users?filter=userName+sw+%22cy%22')).toMatchObject({ body: { totalResults: 0 } });
});

it('reports the error of each operation', async () => {
  const answer = await bulk([
    { method: 'GET', path: '/Users' },
    { method: 'POST', path: '/Users/1', data: {} },
    { method: 'PUT', path: '/Users', data: {} },
    { method: 'POST', path: '/Roles', data: {} },
    { method: 'POST', path: 'Users', data: {} },
    { method: 'POST', path: '/Users/1/2', data: {} },
    { method: 'POST', path: '/Users', bulkId: 'x', data: 'x' },
  ]);
  expect(statuses(answer)).toEqual(['400', '404', '404', '404', '404', '404', '400']);
});

it.each([{}, { bulkId: null }, { bulkId: '' }])('creates nothing for a POST with %j, and continues', async (given) => {
  const before = [await countOf('Users'), await countOf('Groups')];
  const answer = await bulk([
    { method: 'POST', path: '/Users', ...given, data: { userName: 'nameless@acme.example' } },
    { method: 'post', path: '/groups', data: { displayName: 'Nameless' } },
    user('named'),
  ]);
  expect(statuses(answer)).toEqual(['400', '400', '201']);
  expect(answer.body.Operations[0]!.response).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
  expect([await countOf('Users'), await countOf('Groups')]).toEqual([before[0]! + 1, before[1]]);
});

it.each([
  [{}, 400],
  [{ Operations: {} }, 400],
  [{ Operations: ['x'] }, 400],
  [{ Operations: [{ method: 'POST' }] }, 400],
  [{ Operations: [], failOnErrors: 0 }, 400],
  [{ Operations: [user('twin'), user('twin')] }, 400],
  [{ Operations: Array.from({ length: 101 }, () => ({ method: 'DELETE', path: '/Users/x' })) }, 413],
  [{ Operations: [{ ...user('large'), data: { userName: 'x'.repeat(1_100_000) } }] }, 413],
])('rejects an invalid request: %#', async (body, status) => {
  expect(await provider.scim.post('/Bulk', body)).toMatchObject({ status, body: { status: String(status) } });
});

it('runs once per idempotency key, and repeats the response', async () => {
  const key = { 'idempotency-key': 'load-1' };
  const first = await bulk([user('ana'), user('bo')], {}, key);
  const again = await bulk([user('ana'), user('bo')], {}, key);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(statuses(again)).toEqual(['201', '201']);
});

describe('the limit of a configuration', () => {
  const names = (count: number) => Array.from({ length: count }, (_, i) => user(`person-${i}`));
  const ask = (count: number) => provider.scim.post<Answer>('/Bulk', { schemas: [BULK], Operations: names(count) });

  it('counts each operation, and accepts a request as a whole or not at all', () =>
    platform.clock.standStill(async () => {
      const before = await countOf('Users');
      platform.clock.advance(4_000);
      const first = await ask(60);
      expect(statuses(first)).toEqual(Array.from({ length: 60 }, () => '201'));
      expect(first.headers.get('ratelimit')).toMatch(/^"scim";r=40;/);
      const refused = await ask(60);
      expect(refused).toMatchObject({ status: 429, body: { status: '429' } });
      expect(refused.headers.get('content-type')).toMatch(/^application\/scim\+json/);
      expect((await ask(30)).status).toBe(200);
      platform.clock.advance(4_000);
      expect(await countOf('Users')).toBe(before + 60);
    }));

  it('accepts the largest request after the Retry-After of the rejection', () =>
    platform.clock.standStill(async () => {
      const { body } = await provider.scim.get<{ bulk: { maxOperations: number } }>('/ServiceProviderConfig');
      const { maxOperations } = body.bulk;
      platform.clock.advance(4_000);
      expect((await ask(maxOperations)).status).toBe(200);
      expect((await provider.scim.get('/Users')).status).toBe(429);
      for (const spent of [1, 25, 26]) {
        platform.clock.advance(4_000);
        for (let i = 0; i < spent; i++) expect((await provider.scim.get('/ServiceProviderConfig')).status).toBe(200);
        const refused = await ask(maxOperations);
        expect(refused.status).toBe(429);
        platform.clock.advance(Number(refused.headers.get('retry-after')) * 1_000);
        expect((await ask(maxOperations)).status).toBe(200);
      }
    }));
});
