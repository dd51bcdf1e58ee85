import { type Socket, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { certificateFor } from '#libs/testing/certificate.js';
import { OutboundClient } from './outbound-client.js';
import type { OutboundResult } from './outbound-result.js';
import { Resolver } from './resolver.js';

const HOST = 'hooks.example.com';

class Loopback extends Resolver {
  async resolve(): Promise<{ address: string; family: 4 }[]> {
    return [{ address: '127.0.0.1', family: 4 }];
  }
}

const servers: Server[] = [];
const sockets = new Set<Socket>();
const trustedByDefault = getCACertificates('default');
let client: OutboundClient;
let requests: { host: string | undefined; servername: unknown; httpVersion: string }[];

beforeEach(() => {
  requests = [];
  client = new OutboundClient({ WEBHOOK_ALLOWED_CIDRS: ['127.0.0.0/8'], WEBHOOK_DENIED_CIDRS: [] }, new Loopback(), {
    connectTimeoutMs: 500,
  });
});

afterEach(async () => {
  setDefaultCACertificates(trustedByDefault);
  await client.close(0);
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

const serve = (certificate: { key: string; cert: string }): Promise<number> =>
  listen(
    createServer(certificate, (request: IncomingMessage, response) => {
      const { servername } = request.socket as TLSSocket;
      requests.push({ host: request.headers.host, servername, httpVersion: request.httpVersion });
      response.end('private');
    }),
  );

const get = (port: number, host = HOST): Promise<OutboundResult> =>
  client.request({ method: 'GET', url: `https://${host}:${port}/`, headers: {}, body: null, timeoutMs: 2_000 });

it('keeps the name for Host, SNI and the certificate, over HTTP/1.1', async () => {
  const certificate = certificateFor(HOST);
  setDefaultCACertificates([certificate.cert]);
  const port = await serve(certificate);
  expect(await get(port)).toMatchObject({
    ok: true,
    bodyExcerpt: 'private',
    remoteAddress: '127.0.0.1',
    timings: { tlsMs: expect.any(Number) },
  });
  expect(requests).toEqual([{ host: `${HOST}:${port}`, servername: HOST, httpVersion: '1.1' }]);
});

it('uses the normalised form of an international name for all of them', async () => {
  const certificate = certificateFor('xn--bcher-kva.example.com');
  setDefaultCACertificates([certificate.cert]);
  const port = await serve(certificate);
  for (const host of ['BÜCHER.example.com', 'bu\u0308cher。ｅｘａｍｐｌｅ.com'])
    expect(await get(port, host)).toMatchObject({ ok: true });
  const servername = 'xn--bcher-kva.example.com';
  const seen = { host: `${servername}:${port}`, servername, httpVersion: '1.1' };
  expect(requests).toEqual([seen, seen]);
});

it.each([
  ['self-signed', HOST, undefined, false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['for another name', 'other.example.com', undefined, true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['expired', HOST, '210101000000Z', true, 'CERT_HAS_EXPIRED'],
])('refuses a certificate that is %s', async (_what, name, notAfter, trusted, errorDetail) => {
  const certificate = certificateFor(name, notAfter);
  if (trusted) setDefaultCACertificates([certificate.cert]);
  expect(await get(await serve(certificate))).toMatchObject({
    ok: false,
    httpStatus: null,
    error: 'tls_error',
    errorDetail,
    bodyExcerpt: '',
  });
  expect(requests).toEqual([]);
});

it('verifies certificates whatever the environment says', async () => {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  try {
    expect(await get(await serve(certificateFor(HOST)))).toMatchObject({ ok: false, error: 'tls_error' });
    expect(requests).toEqual([]);
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  }
});

it('does not take the name of the certificate for an IP literal', async () => {
  const certificate = certificateFor(HOST);
  setDefaultCACertificates([certificate.cert]);
  expect(await get(await serve(certificate), '127.0.0.1')).toMatchObject({ ok: false, error: 'tls_error' });
});

it.each([
  ['speaks plain HTTP', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')],
  ['closes', (socket: Socket) => socket.end()],
  ['says nothing', () => undefined],
])('is a tls_error when the peer %s', async (_what, act: (socket: Socket) => unknown) => {
  const port = await listen(createTcpServer((socket) => void act(socket)));
  expect(await get(port)).toMatchObject({
    ok: false,
    error: 'tls_error',
    httpStatus: null,
    timings: { connectMs: expect.any(Number), tlsMs: null, firstByteMs: null },
    remoteAddress: '127.0.0.1',
  });
});

it('bounds a flood over TLS too', async () => {
  const certificate = certificateFor(HOST);
  setDefaultCACertificates([certificate.cert]);
  const port = await listen(
    createServer(certificate, (request) => {
      const { socket } = request;
      const push = (): void => {
        while (!socket.destroyed && socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(2_000)));
      };
      socket.on('error', () => undefined).on('drain', push);
      push();
    }),
  );
  expect(await get(port)).toMatchObject({ ok: false, error: 'protocol_error' });
});
