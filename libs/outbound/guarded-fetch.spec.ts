import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardedFetch } from './guarded-fetch.js';
import { OutboundClient } from './outbound-client.js';
import { SystemResolver } from './resolver.js';

let client: OutboundClient;
let server: Server | null = null;
beforeEach(() => {
  client = new OutboundClient(
    { WEBHOOK_ALLOWED_CIDRS: ['127.0.0.0/8'], WEBHOOK_DENIED_CIDRS: [] },
    new SystemResolver(),
  );
});
afterEach(async () => {
  await client.close(0);
  server?.closeAllConnections();
  server?.close();
  server = null;
});

const requests: IncomingMessage[] = [];

async function serve(listener: RequestListener): Promise<string> {
  requests.length = 0;
  server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const bounds = (more: object = {}) => ({
  timeoutMs: 5_000,
  maxAnswerBytes: 200_000,
  signal: new AbortController().signal,
  ...more,
});

it('is a fetch: method, headers and body there, status, headers and the whole body back', async () => {
  const url = await serve((request, response) => {
    response.setHeader('content-type', 'application/json').writeHead(201);
    request.on('data', (chunk: Buffer) => response.end(`"${chunk.toString()}${'x'.repeat(100_000)}"`));
  });
  const headers = { 'x-own': 'yes', connection: 'upgrade', 'content-length': '7', 'accept-encoding': 'gzip' };
  const response = await guardedFetch(client, bounds())(url, { method: 'POST', headers, body: 'hello' });
  expect([response.status, response.ok]).toEqual([201, true]);
  expect(await response.json()).toBe(`hello${'x'.repeat(100_000)}`);
  expect(requests[0]!.headers).toMatchObject({ 'x-own': 'yes', 'content-length': '5', 'accept-encoding': 'identity' });
});

it('takes answers without a body, and follows no redirect', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/gone') response.writeHead(302, { location: '/' }).end();
    else response.writeHead(204).end();
  });
  const send = guardedFetch(client, bounds());
  expect((await send(url)).status).toBe(204);
  expect((await send(new URL('gone', url))).status).toBe(302);
  expect(requests).toHaveLength(2);
});

it('refuses an answer that is larger than it may be, and one that does not come to its end', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/half')
      response.writeHead(200, { 'content-length': '100' }).write('half', () => request.socket.destroy());
    else response.end('x'.repeat(200_001));
  });
  const send = guardedFetch(client, bounds());
  await expect(send(url)).rejects.toMatchObject({ error: null, wasSent: true });
  await expect(send(`${url}half`)).rejects.toMatchObject({ error: 'connection_reset', wasSent: true });
});

it('tells what was sent from what was not', async () => {
  const url = await serve(() => undefined);
  await expect(guardedFetch(client, bounds({ timeoutMs: 1_000 }))(url)).rejects.toMatchObject({
    error: 'timeout',
    wasSent: true,
  });
  const send = guardedFetch(client, bounds());
  await expect(send('https://10.1.2.3/')).rejects.toMatchObject({ error: 'blocked_address', wasSent: false });
  await expect(send('ftp://provider.example/')).rejects.toMatchObject({ error: 'blocked_url', wasSent: false });
  await expect(send('http://127.0.0.1:1/')).rejects.toMatchObject({ error: 'connect_refused', wasSent: false });
  await expect(guardedFetch(client, bounds({ signal: AbortSignal.abort() }))(url)).rejects.toMatchObject({
    error: 'aborted',
    wasSent: false,
  });
  await expect(send(url, { method: 'POST', body: new Blob(['x']) })).rejects.toThrow(TypeError);
});

it('has bounds of its own; those of other calls stay', async () => {
  const url = await serve((_request, response) => response.end('x'.repeat(70_000)));
  const request = { method: 'GET', url, headers: {}, body: null } as const;
  await expect(client.request({ ...request, timeoutMs: 30_001 })).rejects.toThrow(RangeError);
  expect((await client.request({ ...request, timeoutMs: 30_000 })).bodyExcerpt).toHaveLength(16_384);
  await expect(client.requestWhole({ ...request, timeoutMs: 600_001 }, 1_000)).rejects.toThrow(RangeError);
  await expect(client.requestWhole({ ...request, timeoutMs: 1_000 }, 4_194_305)).rejects.toThrow(RangeError);
  const whole = await client.requestWhole({ ...request, timeoutMs: 600_000 }, 70_000);
  expect([whole.bodyExcerpt.length, whole.bodyTruncated]).toEqual([70_000, false]);
});
