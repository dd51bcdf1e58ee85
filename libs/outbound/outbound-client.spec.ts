import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { OutboundClient } from './outbound-client.js';
import type { OutboundRequest } from './outbound-client.js';
import type { OutboundResult } from './outbound-result.js';
import { Resolver } from './resolver.js';
import { setTransactionProbe } from './transaction-probe.js';

class Loopback extends Resolver {
  async resolve(): Promise<{ address: string; family: 4 }[]> {
    return [{ address: '127.0.0.1', family: 4 }];
  }
}

const servers: Server[] = [];
const sockets = new Set<Socket>();
let client: OutboundClient;

beforeEach(() => {
  client = new OutboundClient({ WEBHOOK_ALLOWED_CIDRS: ['127.0.0.0/8'] }, new Loopback());
});

afterEach(async () => {
  await client.close(0);
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Serves HTTP; the port. */
const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener));

const post = (port: number, more: Partial<OutboundRequest> = {}): Promise<OutboundResult> =>
  client.request({
    method: 'POST',
    url: `http://hooks.example.com:${port}/hook?a=1`,
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    timeoutMs: 1_000,
    ...more,
  });

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

describe('an exchange', () => {
  it('sends what it is given and tells what came back', async () => {
    let seen = {};
    const port = await serve((request, response) => {
      void readBody(request).then((body) => {
        seen = { method: request.method, url: request.url, headers: request.headers, body };
        response.writeHead(201, { 'content-type': 'text/plain', 'retry-after': '7', 'x-other': 'no' }).end('thanks');
      });
    });
    const result = await post(port);
    expect(seen).toEqual({
      method: 'POST',
      url: '/hook?a=1',
      body: '{"a":1}',
      headers: {
        host: `hooks.example.com:${port}`,
        connection: 'keep-alive',
        'content-type': 'application/json',
        'content-length': '7',
        'accept-encoding': 'identity',
      },
    });
    expect(result).toMatchObject({
      ok: true,
      httpStatus: 201,
      error: null,
      errorDetail: null,
      responseHeaders: { 'content-type': 'text/plain', 'retry-after': '7' },
      bodyExcerpt: 'thanks',
      bodyTruncated: false,
      remoteAddress: '127.0.0.1',
      timings: {
        dnsMs: expect.any(Number),
        connectMs: expect.any(Number),
        tlsMs: null,
        firstByteMs: expect.any(Number),
      },
    });
  });

  it.each([199 + 1, 204, 301, 302, 307, 400, 410, 429, 500, 503])('answers status %i as it is', async (status) => {
    let elsewhere = 0;
    const other = await serve((_request, response) => {
      elsewhere += 1;
      response.end();
    });
    const port = await serve((_request, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${other}/` }).end(),
    );
    const result = await post(port);
    expect(result).toMatchObject({ ok: status < 300, httpStatus: status, error: null });
    expect(elsewhere).toBe(0);
  });

  it('ignores the proxies of the environment', async () => {
    let proxied = 0;
    const proxy = await serve((_request, response) => {
      proxied += 1;
      response.end();
    });
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
    const before = { ...process.env };
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy}`;
    process.env['NODE_USE_ENV_PROXY'] = '1';
    try {
      const port = await serve((_request, response) => response.end('direct'));
      expect(await post(port)).toMatchObject({ ok: true, bodyExcerpt: 'direct' });
      expect(proxied).toBe(0);
    } finally {
      for (const name of [...names, 'NODE_USE_ENV_PROXY'])
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
    }
  });

  it.each(['host', 'Host', 'connection', 'Transfer-Encoding', 'content-length', 'upgrade', 'expect', 'te'])(
    'refuses the header %s, which belongs to the connection',
    async (name) => {
      const port = await serve((_request, response) => response.end());
      expect(await post(port, { headers: { [name]: '1' } })).toMatchObject({ error: 'invalid_request' });
    },
  );

  it.each([
    ['a', 'b\r\nc: d'],
    ['a b', 'c'],
    ['a', 'b\u0000'],
  ])('refuses the header %j: %j', async (name, value) => {
    let requests = 0;
    const port = await serve((_request, response) => {
      requests += 1;
      response.end();
    });
    expect(await post(port, { headers: { [name]: value } })).toMatchObject({
      ok: false,
      error: 'invalid_request',
      httpStatus: null,
    });
    expect(requests).toBe(0);
  });

  it('refuses a time limit out of bounds and a call inside a transaction, as mistakes of the code', async () => {
    for (const timeoutMs of [0, 999, 30_001, 1_000.5, NaN])
      await expect(post(1, { timeoutMs })).rejects.toThrow(RangeError);
    setTransactionProbe(() => true);
    await expect(post(1)).rejects.toThrow('transaction');
    setTransactionProbe(() => false);
  });
});

describe('a body', () => {
  const answer = (body: Buffer | string, head: Record<string, string> = {}) =>
    serve((_request, response) => response.writeHead(200, head).end(body));

  it('is kept to 16 KiB', async () => {
    const exact = await post(await answer('x'.repeat(16_384)));
    expect([exact.bodyExcerpt.length, exact.bodyTruncated]).toEqual([16_384, false]);
    const longer = await post(await answer('x'.repeat(65_536)));
    expect([longer.bodyExcerpt.length, longer.bodyTruncated, longer.ok]).toEqual([16_384, true, true]);
  });

  it('is cut between characters', async () => {
    const result = await post(await answer(`x${'é'.repeat(16_384)}`));
    expect(result.bodyExcerpt).toBe(`x${'é'.repeat(8_191)}`);
  });

  it('is text that PostgreSQL can store', async () => {
    const port = await answer(Buffer.from([0x61, 0x00, 0xff, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x98, 0x80]));
    const { bodyExcerpt } = await post(port);
    expect(bodyExcerpt).toBe('a\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD😀');
    expect(bodyExcerpt.isWellFormed()).toBe(true);
  });

  it('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));
    const result = await post(await answer(bomb, { 'content-encoding': 'gzip' }), { timeoutMs: 5_000 });
    expect(bomb.length).toBeLessThan(65_536);
    expect(result).toMatchObject({ ok: true, bodyTruncated: true });
    expect(result.bodyExcerpt).toHaveLength(new TextDecoder().decode(bomb.subarray(0, 16_384)).length);
  });

  it('without end is read to 64 KiB, then the connection is closed', async () => {
    let sentBytes = 0;
    let closed: () => void;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const port = await serve((_request, response: ServerResponse) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const push = (): void => {
        while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length;
      };
      response.on('drain', push).on('close', () => closed());
      push();
    });
    const result = await post(port);
    expect(result).toMatchObject({ ok: true, httpStatus: 200, error: null, bodyTruncated: true });
    expect(result.bodyExcerpt).toBe('x'.repeat(16_384));
    await isClosed;
    // What the buffers of two sockets hold, far from a whole second of loopback.
    expect(sentBytes).toBeLessThan(32 * 1024 * 1024);
  });
});
