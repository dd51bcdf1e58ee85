import type { Answer } from '../../harness/client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { type RawAnswer, sendInTurn, sendRaw } from '../requests/wire.js';
import { connect, type Provider, SCIM_PATH } from './scene.js';

/** Every error under the prefix has the SCIM format. `Source:` RFC 7644 section 3.12. */
let platform: TestPlatform;
let provider: Provider;
beforeAll(async () => {
  platform = await startPlatform();
  provider = await connect(platform);
});
afterAll(() => platform.close());

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

function expectError(answer: Answer, status: number, scimType?: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/scim\+json\b/);
  expect(answer.body).toEqual({
    schemas: [ERROR],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: expect.stringMatching(/\S/) as string,
  });
}

const raw = (method: string, path: string, body?: string | Uint8Array, headers: Record<string, string> = {}) =>
  provider.scim.send(method, path, body, headers);

it.each([
  ['an unknown path', 'GET', '/Nothing', 404],
  ['an unknown id', 'GET', '/Users/01890000-0000-7000-8000-000000000000', 404],
  ['an invalid id', 'GET', '/Users/x', 404],
  ['an id that is too long', 'GET', `/Users/${'x'.repeat(600)}`, 400],
  ['an unknown schema', 'GET', '/Schemas/urn:nothing', 404],
  ['an unknown type', 'GET', '/ResourceTypes/Nothing', 404],
  ['an unsupported method', 'DELETE', '/Users', 405],
  ['an unsupported method of a document', 'POST', '/Schemas', 405],
  ['an invalid URL', 'GET', '/Users/%zz', 400],
  ['a filter of schemas', 'GET', '/Schemas?filter=id+eq+1', 403],
])('%s', async (_what, method, path, status) => {
  const answer = await raw(method, path);
  expectError(answer, status);
  if (status === 405) expect(answer.headers.get('allow')).toMatch(/GET/);
});

it.each([
  ['invalid JSON', '{', 400, 'invalidSyntax'],
  ['a duplicate name', '{"userName":"a","userName":"b"}', 400, 'invalidSyntax'],
  ['a forbidden name', '{"userName":"a","__proto__":{}}', 400, 'invalidSyntax'],
  ['an array instead of an object', '[]', 400, 'invalidSyntax'],
  ['no body', '', 400, 'invalidSyntax'],
  ['no name', '{"displayName":"Ana"}', 400, 'invalidValue'],
  ['a value of another type', '{"userName":"a","active":"perhaps"}', 400, 'invalidValue'],
  ['text that cannot be stored', '{"userName":"a\\u0000b"}', 400, 'invalidValue'],
])('a body with %s', async (_what, body, status, scimType) => {
  expectError(await raw('POST', '/Users', body), status, scimType);
});

it('a body that is too large or has an unsupported media type', async () => {
  expectError(await raw('POST', '/Users', 'x'.repeat(1_100_000)), 413);
  expectError(await raw('POST', '/Users', '<a/>', { 'content-type': 'text/xml' }), 415);
  expectError(await raw('POST', '/Users', '{}', { 'content-type': 'application/scim+json; charset=utf-16' }), 415);
  const encoded = await raw('POST', '/Users', '{}', { 'content-encoding': 'gzip' });
  expectError(encoded, 415);
  expect(encoded.headers.get('accept-encoding')).toBe('identity');
});

it.each(['application/scim+json;', 'application/scim+json; charset=UTF-8; v=2', 'application/json; odata=verbose'])(
  'a body is read with the type %s',
  async (type) => {
    expectError(await raw('POST', '/Users', '{}', { 'content-type': type }), 400, 'invalidValue');
  },
);

describe('malformed requests', () => {
  const large = `x-large: ${'x'.repeat(20_000)}`;
  const expectRaw = ({ status, headers, body }: RawAnswer, expected: number): void => {
    expect(status).toBe(expected);
    expect(headers.get('content-type')).toMatch(/^application\/scim\+json\b/);
    expect(JSON.parse(body)).toEqual({
      schemas: [ERROR],
      status: String(expected),
      detail: expect.stringMatching(/\S/) as string,
    });
  };

  it.each([
    ['a header of 20 kB', 431, [`GET ${SCIM_PATH}/Users HTTP/1.1`, large]],
    ['a header of 20 kB, the path in another case', 431, [`GET ${SCIM_PATH.toUpperCase()}/users HTTP/1.1`, large]],
    ['a URL of 20 kB', 431, [`GET ${SCIM_PATH}/Users?filter=${'x'.repeat(20_000)} HTTP/1.1`]],
    ['a header without a colon', 400, [`GET ${SCIM_PATH} HTTP/1.1`, 'nonsense']],
    ['two lengths', 400, [`POST ${SCIM_PATH}/Users HTTP/1.1`, 'Content-Length: 5', 'Content-Length: 6']],
  ])('%s is %i', async (_what, status, head) => {
    expectRaw(await sendRaw(platform.url, head), status);
  });

  it('are answered on a connection that was used before', async () => {
    const request = (path: string, header: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n`;
    const first = request(`${SCIM_PATH}/Users`, 'accept: */*');
    const [unauthenticated, refused, ...more] = await sendInTurn(platform.url, [
      first,
      request(`${SCIM_PATH}/Users`, large),
    ]);
    expectRaw(unauthenticated!, 401);
    expectRaw(refused!, 431);
    expect(more).toEqual([]);
    const [, plain] = await sendInTurn(platform.url, [first, request('/api/v1/sales/deals', large)]);
    expect(plain).toMatchObject({ status: 431 });
    expect(JSON.parse(plain!.body)).toMatchObject({ code: 'headers_too_large' });
    // When the path cannot be parsed, the previous one is assumed.
    const [, unreadable] = await sendInTurn(platform.url, [first, 'HELLO\r\n\r\n']);
    expectRaw(unreadable!, 400);
  });

  it('use the general format when the path is only similar', async () => {
    const { status, body } = await sendRaw(platform.url, [`GET ${SCIM_PATH}x/Users HTTP/1.1`, large]);
    expect({ status, body: JSON.parse(body) as object }).toMatchObject({
      status: 431,
      body: { code: 'headers_too_large' },
    });
  });
});

it.each([
  ['filter=userName+eq', 'invalidFilter'],
  ['filter=nothing+eq+"a"', 'invalidFilter'],
  ['filter=active+gt+true', 'invalidFilter'],
  ['filter=password+eq+"a"', 'invalidFilter'],
  ['sortBy=nothing', 'invalidValue'],
  ['sortBy=userName&sortOrder=sideways', 'invalidValue'],
  ['count=many', 'invalidValue'],
  ['startIndex=1.5', 'invalidValue'],
  ['filter=userName+pr&filter=id+pr', 'invalidValue'],
  ['cursor=nonsense', 'invalidCursor'],
])('a list with %s', async (query, scimType) => {
  expectError(await raw('GET', `/Users?${query}`), 400, scimType);
});

it.each([
  ['an unknown operation', [{ op: 'move', path: 'title', value: 'a' }], 'invalidSyntax'],
  ['no operations', [], 'invalidSyntax'],
  ['an unknown attribute', [{ op: 'replace', path: 'nothing', value: 'a' }], 'invalidPath'],
  ['an invalid path', [{ op: 'replace', path: 'emails[', value: 'a' }], 'invalidPath'],
  ['nothing to remove', [{ op: 'remove' }], 'noTarget'],
  ['a read-only attribute', [{ op: 'replace', path: 'meta.version', value: '1' }], 'mutability'],
])('a patch with %s', async (_what, Operations, scimType) => {
  const { body } = await provider.scim.post('/Users', { userName: `p-${Math.random()}` });
  const path = `/Users/${String(body['id'])}`;
  expectError(await provider.scim.patch(path, { Operations }), 400, scimType);
  expect((await provider.scim.get(path)).body).toEqual(body);
});

it('a stale version', async () => {
  const { body } = await provider.scim.post('/Users', { userName: 'versioned@acme.example' });
  const path = `/Users/${String(body['id'])}`;
  const change = { Operations: [{ op: 'replace', path: 'title', value: 'Lead' }] };
  const known = await provider.scim.get(path, { 'if-none-match': 'W/"1"' });
  expect(known).toMatchObject({ status: 304, text: '' });
  expect((await provider.scim.patch(path, change, { 'if-match': 'W/"1"' })).status).toBe(200);
  expectError(await provider.scim.patch(path, change, { 'if-match': 'W/"1"' }), 412);
  expectError(await provider.scim.put(path, body, { 'if-match': '"1"' }), 412);
  expectError(await provider.scim.delete(path, { 'if-match': 'W/"1"' }), 412);
  expect((await provider.scim.get(path, { 'if-none-match': 'W/"1"' })).status).toBe(200);
  expect((await provider.scim.put(path, body, { 'if-match': 'W/"2"' })).status).toBe(200);
});

it('a missing or invalid token', async () => {
  const credentials: Record<string, string>[] = [
    {},
    { authorization: 'Bearer nonsense' },
    { authorization: 'Basic eDp5' },
  ];
  for (const headers of credentials) {
    const answer = await platform.anonymous().get(`${SCIM_PATH}/Users`, headers);
    expectError(answer, 401);
    const error = headers['authorization']?.startsWith('Bearer') ? ', error="invalid_token"' : '';
    expect(answer.headers.get('www-authenticate')).toBe(`Bearer realm="scim"${error}`);
  }
});
