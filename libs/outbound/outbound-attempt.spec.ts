import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createTcpServer, Socket } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { jest } from '@jest/globals';
import { OutboundClient } from './outbound-client.js';
import type { OutboundRequest } from './outbound-client.js';
import type { OutboundResult } from './outbound-result.js';
import { ResolveError, Resolver } from './resolver.js';
import type { ResolvedAddress } from './resolver.js';

const NOTHING = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 };
const DNS_MS = 11;
const CONNECT_MS = 130;

/** The client's clock. Only test steps advance it. */
let nowMs = 0;
/** How often the client has read it. */
let looks = 0;

class Answers extends Resolver {
  constructor(public answer: string[] | Error = ['127.0.0.1']) {
    super();
  }

  async resolve(): Promise<ResolvedAddress[]> {
    nowMs += DNS_MS;
    if (this.answer instanceof Error) throw this.answer;
    return this.answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  }
}

const servers: Server[] = [];
const sockets = new Set<Socket>();
const clients: OutboundClient[] = [];

beforeEach(() => {
  nowMs = 1_000;
  const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
  jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    nowMs += CONNECT_MS;
    return connect.apply(this, args);
  });
});

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(clients.splice(0).map((client) => client.close(0)));
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener = (_request, response) => response.end('ok')): Promise<number> =>
  listen(createServer(listener));

function clientFor(resolver: Resolver = new Answers()): OutboundClient {
  const clock = () => {
    looks += 1;
    return nowMs;
  };
  const client = new OutboundClient({ WEBHOOK_ALLOWED_CIDRS: ['127.0.0.0/30'], WEBHOOK_DENIED_CIDRS: [] }, resolver, {
    nowMs: clock,
  });
  clients.push(client);
  return client;
}

const post = (client: OutboundClient, port: number, more: Partial<OutboundRequest> = {}): Promise<OutboundResult> =>
  client.request({
    method: 'POST',
    url: `http://hooks.example.com:${port}/`,
    headers: {},
    body: '{}',
    timeoutMs: 1_000,
    ...more,
  });

describe('the timings of an exchange', () => {
  it('tell how long each of its steps took', async () => {
    const port = await serve((_request, response) => {
      nowMs += 500;
      looks = 0;
      response.flushHeaders();
      const end = (): unknown => {
        if (looks === 0) return setImmediate(end); // the client has not seen the head
        nowMs += 300;
        return response.end('ok');
      };
      end();
    });
    const client = clientFor();
    const head = DNS_MS + CONNECT_MS + 500;
    expect((await post(client, port)).timings).toEqual({
      dnsMs: DNS_MS,
      connectMs: CONNECT_MS,
      tlsMs: null,
      firstByteMs: head,
      totalMs: head + 300,
    });
    nowMs += 1;
    // The host is cached and the connection kept.
    expect((await post(client, port)).timings).toEqual({ ...NOTHING, firstByteMs: 500, totalMs: 800 });
  });

  it.each([
    ['an unknown host', new ResolveError('not_found'), { dnsMs: DNS_MS, totalMs: DNS_MS }, 'dns_failure'],
    ['a refused address', ['127.0.0.1', '10.0.0.1'], { dnsMs: DNS_MS, totalMs: DNS_MS }, 'blocked_address'],
    ['a refused connection', ['127.0.0.2'], { dnsMs: DNS_MS, totalMs: DNS_MS + CONNECT_MS }, 'connect_refused'],
  ])('end with the step that failed: %s', async (_what, answer, timings, error) => {
    const result = await post(clientFor(new Answers(answer)), await serve());
    expect(result).toEqual({
      ok: false,
      httpStatus: null,
      error,
      errorDetail: result.errorDetail,
      timings: { ...NOTHING, ...timings },
      remoteAddress: null,
      responseHeaders: {},
      bodyExcerpt: '',
      bodyTruncated: false,
    });
  });

  it('tell the connection when no answer comes', async () => {
    const port = await listen(createTcpServer((socket) => void socket.once('data', () => socket.end())));
    expect(await post(clientFor(), port)).toMatchObject({
      error: 'connection_reset',
      timings: { dnsMs: DNS_MS, connectMs: CONNECT_MS, tlsMs: null, firstByteMs: null },
      remoteAddress: '127.0.0.1',
    });
  });

  it('know of no DNS for an IP literal, nor for localhost', async () => {
    const port = await serve();
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost'])
      expect((await post(clientFor(), port, { url: `http://${host}:${port}/` })).timings).toMatchObject({
        dnsMs: null,
        connectMs: CONNECT_MS,
      });
  });

  it('are those of the connection that answered when the request was sent again', async () => {
    const used = new WeakSet<Socket>();
    const port = await serve((request, response) => {
      if (used.has(request.socket)) return request.socket.destroy();
      used.add(request.socket);
      return response.end('ok');
    });
    const client = clientFor();
    await post(client, port);
    nowMs += 1;
    expect(await post(client, port, { idempotent: true })).toMatchObject({
      ok: true,
      timings: { dnsMs: null, connectMs: CONNECT_MS, firstByteMs: CONNECT_MS },
    });
  });

  it('do not change after the result', async () => {
    let answer: (addresses: ResolvedAddress[]) => void = () => undefined;
    const resolve = () => new Promise<ResolvedAddress[]>((resolved) => (answer = resolved));
    const controller = new AbortController();
    const running = post(clientFor(Object.assign(new Answers(), { resolve })), 443, { signal: controller.signal });
    controller.abort();
    const result = await running;
    const before = structuredClone(result);
    answer([{ address: '127.0.0.1', family: 4 }]);
    await new Promise((resolved) => setImmediate(resolved));
    expect(before).toMatchObject({ error: 'aborted', timings: NOTHING });
    expect(result).toEqual(before);
  });
});

describe('the headers of an answer', () => {
  const answered = async (...lines: string[]): Promise<OutboundResult> => {
    const head = ['HTTP/1.1 200 OK', 'content-length: 0', ...lines].join('\r\n');
    const port = await listen(
      createTcpServer((socket) => void socket.once('data', () => socket.write(`${head}\r\n\r\n`, 'latin1'))),
    );
    return post(clientFor(), port);
  };

  it('are kept if they are on the list', async () => {
    const kept = {
      'content-type': 'text/plain',
      date: 'Fri, 02 Jan 2026 03:04:05 GMT',
      location: 'https://example.com/next',
      'retry-after': '7',
      server: 'receiver/1.0',
      'webhook-delivery': 'abort-message',
      'x-request-id': 'r-1',
    };
    const others = ['Set-Cookie: a=b', 'WWW-Authenticate: Basic', 'Authorization: x', 'X-Other: y', '__proto__: z'];
    const lines = Object.entries(kept).map(([name, value]) => `${name.toUpperCase()}: ${value}`);
    expect((await answered(...others, ...lines)).responseHeaders).toEqual({ 'content-length': '0', ...kept });
  });

  it('are cut to 256 characters, and of a repeated one the first is kept', async () => {
    const { responseHeaders } = await answered(
      `server: ${'x'.repeat(256)}`,
      `location: ${'\u00e9'.repeat(8_000)}`,
      'x-request-id: first',
      'x-request-id: second',
    );
    expect(responseHeaders).toEqual({
      'content-length': '0',
      server: 'x'.repeat(256),
      location: '\u00e9'.repeat(256),
      'x-request-id': 'first',
    });
  });

  it('cannot carry a NUL, which PostgreSQL cannot store', async () => {
    expect(await answered('server: a\u0000b')).toMatchObject({ error: 'protocol_error', responseHeaders: {} });
  });
});
