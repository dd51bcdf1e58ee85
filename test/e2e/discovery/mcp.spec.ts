import { randomUUID } from 'node:crypto';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { adminPool } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { changeKey, makeKey } from '../../matrix/keys.js';

/** The MCP server, tested with a client of the protocol. */
const MCP = '/api/discovery/mcp';
const platform: TestPlatform = await startPlatform();
const admin = adminPool(platform.database.adminUrl, 2);
afterAll(async () => {
  await admin.end();
  await platform.close();
});

let tenant: TestTenant;
const open: McpClient[] = [];
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function connect(key: string, query = ''): Promise<McpClient> {
  const client = new McpClient({ name: 'test', version: '1.0.0' });
  open.push(client);
  const url = new URL(`${platform.url}${MCP}${query}`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-api-key': key } } }));
  return client;
}

const keyOf = (scopes: string[], of = tenant) => makeKey(admin, of.id, { scopes, allowProtected: false });

async function toolNames(client: McpClient): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: Awaited<ReturnType<McpClient['listTools']>> = await client.listTools(cursor ? { cursor } : {});
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  }
  return names;
}

interface Outcome {
  isError: boolean;
  body: Record<string, unknown>;
}

async function call(client: McpClient, name: string, given: Record<string, unknown> = {}): Promise<Outcome> {
  const { content, isError } = (await client.callTool({ name, arguments: given })) as CallToolResult;
  const [first] = content;
  if (first?.type !== 'text') throw new Error('The tool did not return text.');
  return { isError: isError ?? false, body: JSON.parse(first.text) as Record<string, unknown> };
}

it('returns its name and instructions for agents', async () => {
  const client = await connect(tenant.apiKey);
  expect(client.getServerVersion()).toMatchObject({ name: 'tenant-operating-platform' });
  expect(client.getServerCapabilities()).toEqual({ tools: {} });
  expect(client.getInstructions()).toContain('idempotencyKey');
  await client.ping();
});

it.each([
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-11-25'],
  ['2024-11-05', '2025-11-25'],
  ['2099-01-01', '2025-11-25'],
])('agrees only to versions that it speaks, which have no batches: %s', async (protocolVersion, agreed) => {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const answer = await tenant.api.post<Record<string, unknown>>(MCP, {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params,
  });
  expect(answer).toMatchObject({ status: 200, body: { result: { protocolVersion: agreed } } });
});

it.each(['http://evil.example', 'null', `http://evil.example:${new URL(platform.url).port}`])(
  'refuses pages of others, also those whose name leads here: %s',
  async (origin) => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const pages: Record<string, string>[] = [{ origin }, { origin, 'sec-fetch-site': 'same-origin' }];
    for (const headers of pages)
      expect(await tenant.api.post(MCP, ping, headers)).toMatchObject({
        status: 403,
        body: { code: 'csrf_refused' },
      });
    expect((await tenant.api.post(MCP, ping, { origin: platform.url })).status).toBe(200);
    expect((await tenant.api.post(MCP, ping)).status).toBe(200);
  },
);

it('lists the same tools as discovery, in pages and optionally by area', async () => {
  const { text } = await keyOf(['*:read', 'deals:write']);
  const client = await connect(text);
  const names = await toolNames(client);
  const api = await platform.key(tenant, ['*:read', 'deals:write']);
  const listed = await api.get<{ data: { name: string }[] }>('/api/discovery/tools?limit=200');
  expect(names.slice(0, 200)).toEqual(listed.body.data.map(({ name }) => name));
  expect(names).toEqual(expect.arrayContaining(['sales_deals_get', 'sales_deals_create', 'work_projects_list']));
  const sales = await toolNames(await connect(text, '?area=sales'));
  expect(sales).toContain('sales_deals_create');
  expect(sales.filter((name) => !name.startsWith('sales_'))).toEqual([]);
  await expect(client.listTools({ cursor: 'nonsense' })).rejects.toMatchObject({ code: -32602 });
});

it('reads with the rights of the key', async () => {
  const made = await tenant.api.post('/api/v1/sales/deals', { name: 'Big', valueMinor: 100, currency: 'EUR' });
  const { text } = await keyOf(['deals:read']);
  const client = await connect(text);
  const id = made.body['id'] as string;
  const got = await call(client, 'sales_deals_get', { path: { id } });
  expect(got).toMatchObject({ isError: false, body: { id, name: 'Big' } });
  const list = await call(client, 'sales_deals_list', {
    query: { 'valueMinor[gte]': 50, limit: 1, sort: ['-createdAt', 'name'] },
  });
  expect(list).toMatchObject({ isError: false, body: { data: [{ id }], page: { limit: 1 } } });
  const denied = await call(client, 'finance_invoices_list');
  expect(denied).toMatchObject({
    isError: true,
    body: { code: 'permission_denied', detail: 'The credential needs the scope invoices:read.' },
  });
});

it('writes if a scope names the permission, once per idempotency key, audited under the key', async () => {
  const { text, id: keyId } = await keyOf(['deals:read', 'deals:write']);
  const client = await connect(text);
  const given = { body: { name: 'By an agent' }, idempotencyKey: randomUUID() };
  const first = await call(client, 'sales_deals_create', given);
  expect(first).toMatchObject({ isError: false, body: { name: 'By an agent', version: 1 } });
  expect((await call(client, 'sales_deals_create', given)).body['id']).toBe(first.body['id']);
  const deals = await tenant.api.get<{ data: { id: string }[] }>('/api/v1/sales/deals');
  expect(deals.body.data.map(({ id }) => id)).toEqual([first.body['id']]);
  const audit = await tenant.api.get('/api/admin/audit-logs?action=sales.deal.created');
  expect(audit.body['data']).toMatchObject([{ actor: { type: 'api_key', id: keyId } }]);
  const path = { id: first.body['id'] };
  const stale = await call(client, 'sales_deals_update', { path, body: { name: 'Other' }, ifMatch: '"7"' });
  expect(stale).toMatchObject({ isError: true, body: { code: 'version_mismatch' } });
  const closed = await call(client, 'sales_deals_win', { path });
  expect(closed).toMatchObject({ isError: true, body: { code: 'permission_denied' } });
});

it('does not write with a key for everything that does not name the permission', async () => {
  const client = await connect(tenant.apiKey);
  expect(await toolNames(client)).not.toContain('sales_deals_create');
  const refused = await call(client, 'sales_deals_create', { body: { name: 'By an agent' } });
  expect(refused).toMatchObject({
    isError: true,
    body: { code: 'permission_denied', detail: expect.stringContaining('scopes name deals:write') },
  });
  expect((await tenant.api.get('/api/v1/sales/deals')).body['data']).toEqual([]);
});

it('reports what to correct in invalid arguments', async () => {
  const { text } = await keyOf(['deals:*']);
  const client = await connect(text);
  const wrong = async (name: string, given: Record<string, unknown>) => {
    const { isError, body } = await call(client, name, given);
    expect(isError).toBe(true);
    return body;
  };
  expect(await wrong('sales_deals_create', { body: { nam: 'Big' } })).toMatchObject({
    code: 'validation_failed',
    errors: expect.arrayContaining([
      expect.objectContaining({ pointer: '/nam', detail: expect.stringContaining('`name`') }),
    ]),
  });
  expect(await wrong('sales_deals_get', { id: 'x', path: 'y' })).toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer: '/id' }, { pointer: '/path' }, { pointer: '/path/id', code: 'required' }],
  });
  expect(await wrong('sales_deals_get', { path: { id: '../accounts' } })).toMatchObject({
    errors: [{ code: 'invalid_id' }],
  });
  expect(await wrong('sales_deals_list', { query: { nonsense: { a: [1] } } })).toMatchObject({
    errors: [{ code: 'unknown_parameter' }],
  });
  expect(await wrong('sales_deals_create', { body: { name: 'x' }, idempotencyKey: 'ä' })).toMatchObject({
    errors: [{ pointer: '/idempotencyKey' }],
  });
});

it('does not find data of another tenant', async () => {
  const other = await platform.tenant();
  const made = await other.api.post('/api/v1/sales/deals', { name: 'Theirs' });
  const { text } = await keyOf(['deals:*']);
  const path = { id: made.body['id'] };
  for (const [name, given] of [
    ['sales_deals_get', { path }],
    ['sales_deals_update', { path, body: { name: 'Ours' } }],
  ] as const)
    expect(await call(await connect(text), name, given)).toMatchObject({ isError: true, body: { code: 'not_found' } });
});

it('refuses a revoked key with the next call, and a narrowed one for lost rights', async () => {
  const key = await keyOf(['deals:read', 'deals:write']);
  const client = await connect(key.text);
  expect((await call(client, 'sales_deals_create', { body: { name: 'First' } })).isError).toBe(false);
  await changeKey(admin, key, { scopes: ['deals:read'] });
  const refused = await call(client, 'sales_deals_create', { body: { name: 'Second' } });
  expect(refused).toMatchObject({ isError: true, body: { code: 'permission_denied' } });
  expect((await call(client, 'sales_deals_list')).isError).toBe(false);
  await changeKey(admin, key, { revokedAt: new Date(Date.now() - 1_000) });
  await expect(client.callTool({ name: 'sales_deals_list', arguments: {} })).rejects.toMatchObject({ code: 401 });
});

it('counts a message as a read and the called operation in addition, and reports how long to wait', async () => {
  const small = await platform.tenant({ reads: 60, writes: 1 });
  const { text } = await keyOf(['deals:write'], small);
  const client = await connect(text);
  expect((await call(client, 'sales_deals_create', { body: { name: 'First' } })).isError).toBe(false);
  const limited = await call(client, 'sales_deals_create', { body: { name: 'Second' } });
  expect(limited).toMatchObject({
    isError: true,
    body: { code: 'rate_limit_exceeded', retryAfterSeconds: expect.any(Number) },
  });
});

it('limits the size of responses', async () => {
  const { text } = await keyOf(['*:read']);
  const client = await connect(text);
  const { isError, body } = await call(client, 'discovery_tools_list', { query: { limit: 200 } });
  expect({ isError, body }).toMatchObject({ isError: true, body: { code: 'answer_too_long' } });
  expect((await call(client, 'discovery_operations_list', { query: { area: 'sales', limit: 5 } })).isError).toBe(false);
});

describe('an invalid message', () => {
  const send = (body: unknown, headers: Record<string, string> = {}) => tenant.api.post(MCP, body, headers);
  const message = (more: object) => ({ jsonrpc: '2.0', id: 1, ...more });

  it('is refused like other invalid bodies', async () => {
    expect(await send('{')).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
    for (const body of [[], 7, null, [message({ method: 'ping' })], { method: 'ping' }, message({ method: 7 })])
      expect(await send(JSON.stringify(body))).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await send(message({ method: 'ping', params: [] }))).toMatchObject({ status: 400 });
    expect((await platform.anonymous().post(MCP, message({ method: 'ping' }))).status).toBe(401);
    const old = await send(message({ method: 'ping' }), { 'mcp-protocol-version': '1999-01-01' });
    expect(old).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    for (const method of ['GET', 'DELETE']) expect((await tenant.api.send(method, MCP)).status).toBe(405);
  });

  it('with an unknown method is a protocol error', async () => {
    const answers = [
      await send(message({ method: 'nonsense' })),
      await send(message({ method: 'tools/call' })),
      await send(message({ method: 'tools/call', params: { name: 'sales_deals_lst' } })),
      await send(message({ method: 'tools/call', params: { name: 'sales_deals_list', arguments: 'x' } })),
    ];
    for (const { status } of answers) expect(status).toBe(200);
    const errors = answers.map(({ body }) => body['error'] as { code: number; message: string });
    expect(errors.map(({ code }) => code)).toEqual([-32601, -32602, -32602, -32602]);
    expect(errors[3]!.message).toMatch(/^params\.arguments: [^\n]*$/);
    expect(answers[2]!.body['error']).toMatchObject({
      code: -32602,
      message: expect.stringContaining('sales_deals_list'),
    });
    expect(JSON.stringify(answers)).not.toContain('node_modules');
  });

  it('is distinguished from a notification, which is accepted without a response', async () => {
    const taken = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect({ status: taken.status, text: taken.text }).toEqual({ status: 202, text: '' });
  });
});
