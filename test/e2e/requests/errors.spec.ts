import { Logger } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { PROBLEMS } from '#libs/kernel/problem.js';
import { adminPool } from '../../harness/database.js';
import type { Answer } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { sendRaw } from './wire.js';

const DEALS = '/api/v1/sales/deals';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const NOT_FOUND = `${DEALS}/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20`;

describe('every error is problem details', () => {
  it.each<[number, keyof typeof PROBLEMS, () => Promise<Answer>]>([
    [400, 'validation_failed', () => tenant.api.post(DEALS, {})],
    [400, 'malformed_json', () => tenant.api.send('POST', DEALS, '{')],
    [400, 'cursor_invalid', () => tenant.api.get(`${DEALS}?cursor=x`)],
    [400, 'idempotency_key_invalid', () => tenant.api.post(DEALS, { name: 'x' }, { 'idempotency-key': 'a b' })],
    [401, 'unauthenticated', () => platform.anonymous().get(DEALS)],
    [403, 'permission_denied', async () => (await platform.key(tenant, [])).get(DEALS)],
    [404, 'not_found', () => tenant.api.get(NOT_FOUND)],
    [404, 'not_found', () => tenant.api.get('/api/v1/sales/nothing')],
    [405, 'method_not_allowed', () => tenant.api.send('PUT', DEALS, {})],
    [412, 'version_mismatch', () => tenant.api.patch(`${DEALS}/${dealId}`, {}, { 'if-match': '"9"' })],
    [413, 'payload_too_large', () => tenant.api.send('POST', DEALS, 'x'.repeat(1_048_577))],
    [415, 'unsupported_media_type', () => tenant.api.send('POST', DEALS, 'x', { 'content-type': 'text/plain' })],
  ])('%d %s', async (status, code, ask) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^application.problem.json(;|$)/);
    const { requestId, detail } = answer.body;
    expect(answer.body).toMatchObject({
      type: `urn:problem:${code}`,
      title: PROBLEMS[code][1],
      status,
      instance: `urn:request:${String(requestId)}`,
      code,
    });
    expect(detail).toMatch(/^[A-Z].*\.$/s);
    expect(answer.headers.get('x-request-id')).toBe(requestId);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  let dealId: string;
  beforeAll(async () => {
    dealId = String((await tenant.api.post(DEALS, { name: 'x' })).body['id']);
  });
});

describe('x-request-id', () => {
  it.each(['abcdefgh', 'A-Z_0-9-', 'x'.repeat(128), 'req_0f0a3f6e-7a53-4d0e-9c38-3f5b5f8d7c11'])(
    '%s is kept',
    async (id) => {
      for (const path of [DEALS, NOT_FOUND, '/nowhere', '/health/live', '/openapi.json'])
        expect((await tenant.api.get(path, { 'x-request-id': id })).headers.get('x-request-id')).toBe(id);
      const refused = await tenant.api.post(DEALS, {}, { 'x-request-id': id });
      expect(refused.body['requestId']).toBe(id);
    },
  );

  it.each([
    'short',
    'x'.repeat(129),
    'with space',
    'semi;colon',
    '<script>alert(1)</script>',
    'ünïcödé-id',
    '../../etc/passwd',
    '',
  ])('%j is replaced by a generated one', async (id) => {
    const { headers } = await sendRaw(platform.url, ['GET /health/live HTTP/1.1', `x-request-id: ${id}`]);
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f-]{36}$/);
  });

  it('is new for each request and in the audit log', async () => {
    const made = await tenant.api.post(DEALS, { name: 'x' }, { 'x-request-id': 'order-4711-a' });
    const other = await tenant.api.post(DEALS, { name: 'y' });
    expect(made.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'));
    const { body } = await tenant.api.get<{ data: object[] }>('/api/admin/audit-logs?requestId=order-4711-a');
    expect(body.data).toMatchObject([{ action: 'sales.deal.created', requestId: 'order-4711-a' }]);
  });
});

describe('405', () => {
  it.each([
    ['PUT', DEALS, 'DELETE, GET, HEAD, PATCH, POST'],
    ['POST', NOT_FOUND, 'DELETE, GET, HEAD, PATCH'],
    ['GET', `${NOT_FOUND}/win`, 'POST'],
    ['DELETE', '/api/admin/audit-logs', 'GET, HEAD'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
    ['PUT', '/api/sales/deals', 'DELETE, GET, HEAD, PATCH, POST'],
    ['PUT', `${DEALS}?limit=5`, 'DELETE, GET, HEAD, PATCH, POST'],
    ['TRACE', DEALS, 'DELETE, GET, HEAD, PATCH, POST'],
    ['OPTIONS', DEALS, 'DELETE, GET, HEAD, PATCH, POST'],
    ['PROPFIND', DEALS, 'DELETE, GET, HEAD, PATCH, POST'],
  ])('%s %s lists the allowed methods', async (method, path, allow) => {
    const { status, headers, body } = await sendRaw(platform.url, [
      `${method} ${path} HTTP/1.1`,
      `x-api-key: ${tenant.apiKey}`,
    ]);
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe(allow);
    expect(JSON.parse(body)).toMatchObject({ code: 'method_not_allowed', status: 405 });
  });
});

describe('404', () => {
  it.each([
    '/api',
    '/api/v1',
    '/api/v2/sales/deals',
    '/api/v1/sales/dealss',
    '/api/v1/sales/deals/',
    '//api/v1/sales/deals',
    '/API/v1/sales/deals',
    '/api/sales/pipelines',
    '/docs/../api',
    '/docs/assets/package.json',
    '/docs/assets/../package.json',
    '/.env',
    `${NOT_FOUND}/explode`,
  ])('for %s', async (path) => {
    const { status, body } = await sendRaw(platform.url, [`GET ${path} HTTP/1.1`, `x-api-key: ${tenant.apiKey}`]);
    expect(status).toBe(404);
    expect(JSON.parse(body)).toMatchObject({ code: 'not_found', status: 404 });
  });
});

describe('malformed HTTP', () => {
  it.each(['/api/v1/sales/deals/%', '/api/v1/sales/deals/%zz', '/api/v1/sales/deals/%ff%fe'])(
    'the path %s is 400',
    async (path) => {
      const { status, body, headers } = await sendRaw(platform.url, [
        `GET ${path} HTTP/1.1`,
        `x-api-key: ${tenant.apiKey}`,
      ]);
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({ code: 'bad_request', requestId: headers.get('x-request-id') });
    },
  );

  it('an id of a thousand characters is 400', async () => {
    const { status, body } = await sendRaw(platform.url, [
      `GET ${DEALS}/${'a'.repeat(1_000)} HTTP/1.1`,
      `x-api-key: ${tenant.apiKey}`,
    ]);
    expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([400, 'bad_request']);
  });

  it.each([
    ['a URL', [`GET ${DEALS}?q=${'x'.repeat(20_000)} HTTP/1.1`]],
    ['a header', [`GET ${DEALS} HTTP/1.1`, `x-large: ${'x'.repeat(20_000)}`]],
  ])('%s of 20 kB is 431', async (_, head) => {
    const { status, body, headers } = await sendRaw(platform.url, head);
    expect(status).toBe(431);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ code: 'headers_too_large', status: 431 });
  });

  it.each([
    ['no HTTP at all', ['HELLO']],
    ['a header without a colon', [`GET ${DEALS} HTTP/1.1`, 'nonsense']],
    ['two lengths', [`POST ${DEALS} HTTP/1.1`, 'Content-Length: 5', 'Content-Length: 6']],
    ['a length and chunks', [`POST ${DEALS} HTTP/1.1`, 'Content-Length: 5', 'Transfer-Encoding: chunked']],
  ])('%s is 400', async (_, head) => {
    const { status, body, headers } = await sendRaw(platform.url, head);
    expect(status).toBe(400);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ code: 'bad_request', status: 400 });
  });
});

describe('500', () => {
  it('reveals no details', async () => {
    const database = platform.app.get(Database);
    const { read } = database;
    database.read = () => Promise.reject(new Error('syntax error at or near "select" in /srv/app/libs/secret.ts'));
    try {
      const answer = await tenant.api.get(DEALS);
      expect(answer.status).toBe(500);
      expect(answer.body).toEqual({
        type: 'urn:problem:internal_error',
        title: PROBLEMS.internal_error[1],
        status: 500,
        detail: 'An unexpected error occurred. It has been logged with the request id.',
        instance: `urn:request:${String(answer.body['requestId'])}`,
        code: 'internal_error',
        requestId: answer.headers.get('x-request-id'),
      });
    } finally {
      database.read = read;
    }
  });
});

describe('a database without room', () => {
  const ready = async () => {
    const { status, body } = await platform.anonymous().get('/health/ready');
    return [status, body['status'], body['storage']];
  };

  it('is 503 with Retry-After for what writes; readiness and one line of the log say so until writes succeed', async () => {
    const admin = adminPool(platform.database.adminUrl, 1);
    const lines: unknown[] = [];
    const spies = (['error', 'warn'] as const).map((level) =>
      jest.spyOn(Logger.prototype, level).mockImplementation((...args) => void lines.push(args[0])),
    );
    try {
      for (const code of ['53100', '53200', '53000']) {
        await admin.query(`create or replace function data.refuse() returns trigger language plpgsql as
          $$ begin raise exception 'could not extend file' using errcode = '${code}'; end $$`);
        if (code === '53100')
          await admin.query(
            'create trigger refuse before insert on data.sales_deals for each row execute function data.refuse()',
          );
        const answer = await tenant.api.post(DEALS, { name: code }, { 'idempotency-key': `room-${code}` });
        expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
        expect(answer.headers.get('retry-after')).toBe('30');
        expect(answer.body['detail']).not.toContain('extend');
      }
      expect((await tenant.api.get(DEALS)).status).toBe(200);
      expect(await ready()).toEqual([200, 'degraded', 'full']);
      const begun =
        'The database has no room, so writes fail: could not extend file. This is said once, until it is over';
      expect(lines).toEqual([begun]);
      await admin.query('drop trigger refuse on data.sales_deals');
      const laterMs = performance.now() + 10_000;
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => laterMs);
      const retried = await tenant.api.post(DEALS, { name: '53100' }, { 'idempotency-key': 'room-53100' });
      clock.mockRestore();
      expect(retried.status).toBe(201);
      expect(await ready()).toEqual([200, 'degraded', 'ok']); // no worker runs
      expect(lines).toEqual([
        begun,
        expect.stringMatching(/^The database has room again, after 1\d s and 3 failures$/),
      ]);
    } finally {
      for (const spy of spies) spy.mockRestore();
      await admin.end();
    }
  });
});
