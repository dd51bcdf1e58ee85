import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
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
      responseHeaders: { 'content-type': 'text/plain', 'retry-after': '7', date: expect.any(String) },
      bodyExcerpt: 'thanks',
      bodyTruncated: false,
      remoteAddress: '127.0.0.1',
      timings: {
        dnsMs: expect.any(Number),
        connectMs: expect.any(Number),
        tlsMs: null,
        firstByteMs: expect.any(Number),
        totalMs: expect.any(Number),
      },
    });
  });

  it.each([200, 204, 300, 301, 302, 303, 304, 307, 308, 400, 410, 429, 500, 503])(
    'answers status %i as it is',
    async (status) => {
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
      expect(result.responseHeaders['location']).toBe(`http://127.0.0.1:${other}/`);
      expect(elsewhere).toBe(0);
    },
  );

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
