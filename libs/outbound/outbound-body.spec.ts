import { createServer } from 'node:http';
import type { RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { keptHeaders } from './response-excerpt.js';
import { OutboundClient } from './outbound-client.js';
import type { OutboundRequest } from './outbound-client.js';
import { MAX_HEADER_CHARS, type OutboundResult } from './outbound-result.js';
import { Resolver } from './resolver.js';

class Loopback extends Resolver {
  async resolve(): Promise<{ address: string; family: 4 }[]> {
    return [{ address: '127.0.0.1', family: 4 }];
  }
}

const servers: Server[] = [];
const sockets = new Set<Socket>();
let client: OutboundClient;

beforeEach(() => {
  client = new OutboundClient({ WEBHOOK_ALLOWED_CIDRS: ['127.0.0.0/8'], WEBHOOK_DENIED_CIDRS: [] }, new Loopback());
});

afterEach(async () => {
  await client.close(0);
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** Starts an HTTP server; returns its port. */
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const post = (port: number, more: Partial<OutboundRequest> = {}): Promise<OutboundResult> =>
  client.request({
    method: 'POST',
    url: `http://hooks.example.com:${port}/hook?a=1`,
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    timeoutMs: 1_000,
    ...more,
  });

describe('a body', () => {
  const answer = (body: Buffer | string) => serve((_request, response) => response.end(body));

  it('is kept to 16 KiB', async () => {
    const exact = await post(await answer('x'.repeat(16_384)));
    expect([exact.bodyExcerpt.length, exact.bodyTruncated]).toEqual([16_384, false]);
    const longer = await post(await answer('x'.repeat(65_536)));
    expect([longer.bodyExcerpt.length, longer.bodyTruncated, longer.ok]).toEqual([16_384, true, true]);
  });

  it('is cut between characters', async () => {
    const result = await post(await answer(`\uFEFF${'é'.repeat(16_384)}`));
    expect(result.bodyExcerpt).toBe(`\uFEFF${'é'.repeat(8_190)}`);
  });

  it('is text that PostgreSQL can store', async () => {
    const port = await answer(Buffer.from([0x61, 0x00, 0xff, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x98, 0x80]));
    const { bodyExcerpt } = await post(port);
    expect(bodyExcerpt).toBe('a\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD😀');
    expect(bodyExcerpt.isWellFormed()).toBe(true);
  });

  it('is kept to 16 KiB of text also when the text is longer than the body', async () => {
    const short = await post(await answer(Buffer.alloc(5_461, 0xff)));
    expect([Buffer.byteLength(short.bodyExcerpt), short.bodyTruncated]).toEqual([16_383, false]);
    for (const byte of [0xff, 0x00]) {
      const { bodyExcerpt, bodyTruncated } = await post(await answer(Buffer.alloc(16_384, byte)));
      expect([bodyExcerpt, bodyTruncated]).toEqual(['\uFFFD'.repeat(5_461), true]);
    }
  });

  it('that comes in pieces is put together', async () => {
    const port = await serve((_request, response) => {
      const bytes = Buffer.from('\uFEFFé€😀');
      const next = (at: number): unknown =>
        at === bytes.length
          ? response.end()
          : response.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1));
      next(0);
    });
    expect(await post(port)).toMatchObject({ bodyExcerpt: '\uFEFFé€😀', bodyTruncated: false });
  });

  it('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));
    const asked: unknown[] = [];
    const port = await serve((request, response) => {
      asked.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const result = await post(port, { headers: { 'Accept-Encoding': 'gzip' }, timeoutMs: 5_000 });
    expect(asked).toEqual(['identity']);
    expect(bomb.length).toBeLessThan(65_536);
    expect(result).toMatchObject({ ok: true, bodyTruncated: true });
    expect(bomb.toString().replaceAll('\u0000', '\uFFFD').startsWith(result.bodyExcerpt)).toBe(true);
    expect(Buffer.byteLength(result.bodyExcerpt)).toBeGreaterThan(16_384 - 4);
  });

  it.each([
    [65_536, { ok: false, error: 'timeout', httpStatus: 200 }],
    [65_537, { ok: true, error: null, httpStatus: 200 }],
  ])('that stops after %i bytes is waited for up to 64 KiB', async (sentBytes, expected) => {
    const port = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100000' }).write(Buffer.alloc(sentBytes, 'x'));
    });
    expect(await post(port)).toMatchObject({ ...expected, bodyTruncated: true });
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
    // The size of two socket buffers, far less than a full second of loopback traffic.
    expect(sentBytes).toBeLessThan(32 * 1024 * 1024);
  });
});

it('keeps no half of a character of a header', () => {
  const [room, flag] = ['x'.repeat(MAX_HEADER_CHARS - 1), '🇩🇪'];
  expect(keptHeaders({ server: `${room}😀😀`, date: `${room}${flag}` })).toEqual({ server: `${room}😀`, date: room });
});
