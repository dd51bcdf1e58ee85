import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { OutboundClient } from './outbound-client.js';
import type { OutboundRequest } from './outbound-client.js';
import type { OutboundResult } from './outbound-result.js';
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

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Starts an HTTP server; returns its port. */
const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener));

/** Starts a server that sends raw bytes once a request has arrived; returns its port. */
const serveRaw = (onRequest: (socket: Socket) => void): Promise<number> =>
  listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => onRequest(socket));
    }),
  );

const post = (port: number, more: Partial<OutboundRequest> = {}): Promise<OutboundResult> =>
  client.request({
    method: 'POST',
    url: `http://hooks.example.com:${port}/hook?a=1`,
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    timeoutMs: 1_000,
    ...more,
  });

describe('time', () => {
  it.each([
    ['the answer never comes', '', '', null],
    ['the head drips', '', 'H', null],
    ['the body drips', 'HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n', 'x', 200],
    ['interim answers drip', '', 'HTTP/1.1 102 Processing\r\n\r\n', null],
  ])('is bounded when %s', async (_name, first, drip, httpStatus) => {
    const port = await serveRaw((socket) => {
      socket.write(first);
      const head = 'HTTP/1.1 200 OK\r\nx-slow: '.split('');
      const timer = setInterval(() => {
        if (drip !== '') socket.write(drip === 'H' ? (head.shift() ?? 'x') : drip);
      }, 20);
      socket.on('close', () => clearInterval(timer));
    });
    const result = await post(port);
    expect(result).toMatchObject({ ok: false, error: 'timeout', httpStatus, remoteAddress: '127.0.0.1' });
    expect(result.bodyTruncated).toBe(httpStatus !== null);
    expect(result.timings.totalMs).toBeGreaterThanOrEqual(990);
    expect(result.timings.totalMs).toBeLessThan(2_000);
    while (sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('is bounded when the request is not taken', async () => {
    const port = await listen(createTcpServer((socket) => void socket.on('error', () => undefined).pause()));
    const result = await post(port, { body: Buffer.alloc(32 * 1024 * 1024) });
    expect(result).toMatchObject({ ok: false, error: 'timeout', httpStatus: null });
    for (const socket of sockets) socket.resume();
    while (sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('ends with the signal of the caller', async () => {
    const controller = new AbortController();
    const port = await serveRaw(() => controller.abort());
    expect(await post(port, { signal: controller.signal })).toMatchObject({ ok: false, error: 'aborted' });
    expect(await post(port, { signal: controller.signal })).toMatchObject({ error: 'aborted', remoteAddress: null });
  });
});

describe('interim answers', () => {
  const final = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const delivered = { ok: true, httpStatus: 200, error: null, bodyExcerpt: 'ok', bodyTruncated: false };

  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['100 with headers, of HTTP/1.0', 'HTTP/1.0 100 Continue\r\nx-a: 1\r\n\r\n'],
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
    ['several', 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 199 More\r\n\r\n'],
  ])('are skipped, in one piece or byte by byte: %s', async (_name, interim) => {
    const whole = await serveRaw((socket) => void socket.write(interim + final));
    expect(await post(whole)).toMatchObject(delivered);
    const apart = await serveRaw((socket) => {
      const bytes = [...(interim + final)];
      const next = (): void => {
        const byte = bytes.shift();
        if (byte !== undefined) socket.write(byte, () => setImmediate(next));
      };
      next();
    });
    expect(await post(apart)).toMatchObject(delivered);
  });

  it('are skipped on a kept connection, too', async () => {
    let connections = 0;
    const port = await serveRaw((socket) => {
      connections++;
      const answer = (): void => void socket.write(`HTTP/1.1 100 Continue\r\n\r\n${final}`);
      answer();
      socket.on('data', answer);
    });
    expect([await post(port), await post(port)]).toMatchObject([delivered, delivered]);
    expect(connections).toBe(1);
  });
});

describe('a peer that does not speak HTTP/1.1', () => {
  it.each([
    ['closes without an answer', (socket: Socket) => socket.end(), 'connection_reset', null],
    ['resets', (socket: Socket) => socket.resetAndDestroy(), 'connection_reset', null],
    ['closes in the head', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nx-a: '), 'connection_reset', null],
    [
      'closes in a body of known length',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'),
      'connection_reset',
      200,
    ],
    [
      'closes in a chunked body',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n'),
      'connection_reset',
      200,
    ],
    ['speaks SSH', (socket: Socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'), 'protocol_error', null],
    [
      'upgrades',
      (socket: Socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'protocol_error',
      null,
    ],
    [
      'closes after an interim answer',
      (socket: Socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'),
      'connection_reset',
      null,
    ],
    [
      'continues with a head that is too long',
      (socket: Socket) => socket.write(`HTTP/1.1 100 Continue\r\nx: ${'y'.repeat(20_000)}`),
      'protocol_error',
      null,
    ],
    [
      'sends a head without end',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`),
      'protocol_error',
      null,
    ],
    [
      'sends a chunk of no size',
      (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
      'protocol_error',
      200,
    ],
  ])('is an error when it %s', async (_name, act, error, httpStatus) => {
    const port = await serveRaw((socket) => void act(socket));
    expect(await post(port)).toMatchObject({ ok: false, error, httpStatus });
  });

  it.each([
    ['interim answers', '', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(2_000), { ok: false, error: 'protocol_error' }],
    ['continuing', '', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2_000), { ok: false, error: 'protocol_error' }],
    [
      'chunk extensions',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;a=',
      'x'.repeat(60_000),
      { ok: true, error: null, bodyTruncated: true },
    ],
  ])('is cut off when it floods with %s', async (_name, first, more, expected) => {
    const port = await serveRaw((socket) => {
      const push = (): void => {
        while (!socket.destroyed && socket.write(more));
      };
      socket.on('drain', push);
      socket.write(first);
      push();
    });
    const result = await post(port, { timeoutMs: 10_000 });
    expect(result).toMatchObject(expected);
    expect(result.timings.totalMs).toBeLessThan(5_000);
  });

  it('is an error when nobody listens', async () => {
    const port = await serve(() => undefined);
    const server = servers.pop();
    await new Promise((resolve) => server?.close(resolve));
    expect(await post(port)).toMatchObject({
      ok: false,
      error: 'connect_refused',
      errorDetail: 'ECONNREFUSED',
      httpStatus: null,
      remoteAddress: null,
    });
  });
});
