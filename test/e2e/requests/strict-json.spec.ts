import { gzipSync } from 'node:zlib';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { tracesOf } from './traces.js';

const DEALS = '/api/v1/sales/deals';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const deep = (depth: number) => `{"name":"x","recurring":${'{"a":'.repeat(depth - 1)}1${'}'.repeat(depth - 1)}}`;

describe('a body that parsers may read differently is refused as malformed_json and writes nothing', () => {
  it.each<[string, string | Buffer]>([
    ['cut off', '{"name":"x"'],
    ['with a trailing comma', '{"name":"x",}'],
    ['with a comment', '{"name":"x"/* y */}'],
    ['with single quotes', "{'name':'x'}"],
    ['followed by another', '{"name":"x"}{"name":"y"}'],
    ['that is only white space', '  \n'],
    ['with NaN', '{"name":"x","value":NaN}'],
    ['with a number in hexadecimal', '{"name":"x","value":0x10}'],
    ['with a raw control character', '{"name":"a\u0001b"}'],
    ['with a member twice', '{"name":"x","name":"y"}'],
    ['with a member twice, once escaped', '{"name":"x","n\\u0061me":"y"}'],
    ['with an inner member twice', '{"name":"x","recurring":{"intervalMonths":1,"intervalMonths":12}}'],
    ['with an unknown member twice', '{"name":"x","foo":1,"foo":2}'],
    ['with __proto__', '{"name":"x","__proto__":{"status":"won"}}'],
    ['with an escaped __proto__', '{"name":"x","\\u005f\\u005fproto__":{"status":"won"}}'],
    ['33 levels deep', deep(33)],
    ['a thousand levels deep', deep(1_000)],
    ['100,000 brackets deep', '['.repeat(100_000)],
    ['that is not UTF-8', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])],
    [
      'with an overlong encoding',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    ],
    [
      'with a surrogate in UTF-8',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    ['in UTF-16', Buffer.from('{"name":"x"}', 'utf16le')],
  ])('%s', async (_, body) => {
    const before = await tracesOf(platform, tenant);
    const answer = await tenant.api.send('POST', DEALS, body, { 'idempotency-key': 'k' });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'malformed_json', status: 400 });
    expect(await tracesOf(platform, tenant)).toEqual(before);
  });

  it('and is counted by the rate limit like any other request of the tenant', async () => {
    const { api } = await platform.tenant({ writes: 2 });
    for (const left of ['1', '0']) {
      const answer = await api.send('POST', DEALS, '{');
      expect(answer.status).toBe(400);
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(left);
    }
    expect((await api.send('POST', DEALS, '{')).status).toBe(429);
  });

  it('but 32 levels are read', async () => {
    const answer = await tenant.api.send('POST', DEALS, deep(32));
    expect(answer.body).toMatchObject({ code: 'validation_failed' });
  });

  it('but only after authentication', async () => {
    platform.clock.advance(61_000);
    const answer = await platform.anonymous().send('POST', DEALS, '{"name":');
    expect(answer.status).toBe(401);
  });
});

describe('a body that is not an object', () => {
  it.each(['null', '[]', '"name"', '1', 'true', '[{"name":"x"}]'])('%s is a validation problem', async (body) => {
    const answer = await tenant.api.send('POST', DEALS, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '', code: 'invalid_type' }] });
  });

  it('that is missing is a validation problem if required', async () => {
    for (const body of [undefined, '']) {
      const answer = await tenant.api.send('POST', DEALS, body, { 'content-type': 'application/json' });
      expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '', code: 'required' }] });
    }
  });

  it('that is missing means {} if nothing is required', async () => {
    const deal = await tenant.api.post(DEALS, { name: 'x' });
    const path = `${DEALS}/${String(deal.body['id'])}`;
    expect((await tenant.api.post(`${path}/win`)).body).toMatchObject({ status: 'won' });
    expect((await tenant.api.send('POST', `${path}/archive`, '', { 'content-type': 'text/plain' })).status).toBe(200);
  });

  it('is refused with members if the operation has none', async () => {
    const deal = await tenant.api.post(DEALS, { name: 'x' });
    const path = `${DEALS}/${String(deal.body['id'])}`;
    const archived = await tenant.api.post(`${path}/archive`, { force: true });
    expect(archived.body).toMatchObject({ errors: [{ pointer: '/force', code: 'unknown_field' }] });
    const deleted = await tenant.api.send('DELETE', path, { hard: true });
    expect(deleted.body).toMatchObject({ errors: [{ pointer: '/hard', code: 'unknown_field' }] });
    expect((await tenant.api.get(path)).body).toMatchObject({ archivedAt: null, deletedAt: null });
  });
});

describe('size', () => {
  it.each([
    ['2 MiB', 2 * 1_048_576],
    ['one byte more than 1 MiB', 1_048_577],
  ])('a body of %s is 413 and writes nothing', async (_, bytes) => {
    const before = await tracesOf(platform, tenant);
    const body = `{"name":"${'x'.repeat(bytes - 11)}"}`;
    expect(body).toHaveLength(bytes);
    const answer = await tenant.api.send('POST', DEALS, body);
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ code: 'payload_too_large' });
    expect(answer.headers.get('x-request-id')).toBe(answer.body['requestId']);
    expect(await tracesOf(platform, tenant)).toEqual(before);
  });

  it('a body of exactly 1 MiB is read', async () => {
    const body = `{"name":"${'x'.repeat(1_048_576 - 11)}"}`;
    const answer = await tenant.api.send('POST', DEALS, body);
    expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/name', code: 'too_long' }] });
  });

  it('a body without a declared length is 413 as soon as it is too long', async () => {
    const chunk = new Uint8Array(65_536).fill(0x20);
    let sent = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => (++sent > 40 ? controller.close() : controller.enqueue(chunk)),
    });
    const response = await fetch(platform.url + DEALS, {
      method: 'POST',
      headers: { ...tenant.api.headers, 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
  });
});

describe('media type', () => {
  it.each([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/json; odata=verbose; charset="latin1"',
    'application/jsonp',
    'application/vnd.api+json',
    '*/*',
    'nonsense',
  ])('%s is 415 and writes nothing', async (type) => {
    const before = await tracesOf(platform, tenant);
    const answer = await tenant.api.send('POST', DEALS, '{"name":"x"}', { 'content-type': type });
    expect(answer.status).toBe(415);
    expect(answer.body).toMatchObject({ code: 'unsupported_media_type' });
    expect(await tracesOf(platform, tenant)).toEqual(before);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json; charset="utf-8"',
    'application/json;charset=utf-8;odata=verbose',
    'application/json;',
    'application/json ; ',
    'application/json; v=1;',
    'application/json; odata=verbose',
    'application/json; a="; charset=utf-16"',
    'application/merge-patch+json',
    'application/merge-patch+json; v=1',
  ])('%s is read', async (type) => {
    const answer = await tenant.api.send('POST', DEALS, '{"name":"x"}', { 'content-type': type });
    expect(answer.status).toBe(201);
  });

  it.each(['gzip', 'br', 'deflate', 'GZIP', 'identity, gzip', 'x'])(
    'a body with the coding %s is 415, says so, and writes nothing',
    async (coding) => {
      const before = await tracesOf(platform, tenant);
      const body = coding === 'gzip' ? gzipSync('{"name":"x"}') : '{"name":"x"}';
      const answer = await tenant.api.send('POST', DEALS, body, { 'content-encoding': coding });
      expect(answer.status).toBe(415);
      expect(answer.body).toMatchObject({
        code: 'unsupported_media_type',
        detail: expect.stringContaining('Encoding'),
      });
      expect(answer.headers.get('accept-encoding')).toBe('identity');
      expect(await tracesOf(platform, tenant)).toEqual(before);
    },
  );

  it('the coding identity is accepted', async () => {
    for (const coding of ['identity', 'Identity', ''])
      expect((await tenant.api.send('POST', DEALS, '{"name":"x"}', { 'content-encoding': coding })).status).toBe(201);
  });

  it('a missing type is 415', async () => {
    const response = await fetch(platform.url + DEALS, {
      method: 'POST',
      headers: tenant.api.headers,
      body: Buffer.from('{"name":"x"}'),
    });
    expect(response.status).toBe(415);
  });
});
