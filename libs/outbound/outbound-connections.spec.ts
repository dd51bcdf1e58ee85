import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SETTINGS_TOKEN } from '#libs/config/settings.js';
import { OutboundClient } from './outbound-client.js';
import type { OutboundLimits, OutboundRequest } from './outbound-client.js';
import { OutboundModule } from './outbound.module.js';
import type { OutboundResult } from './outbound-result.js';
import { ResolveError, Resolver, SystemResolver } from './resolver.js';
import type { ResolvedAddress } from './resolver.js';

class Answers extends Resolver {
  readonly asked: string[] = [];

  constructor(public addresses: string[] = ['127.0.0.1']) {
    super();
  }

  async resolve(host: string): Promise<ResolvedAddress[]> {
    this.asked.push(host);
    return this.addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  }
}

const open: { server: Server; sockets: Set<Socket> }[] = [];
const clients: OutboundClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close(0)));
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A local receiver that counts requests. */
async function receiver(listener: RequestListener = (_request, response) => response.end('ok')) {
  const counts = { connections: 0, requests: 0, port: 0, sockets: new Set<Socket>() };
  const server = createServer((request, response) => {
    counts.requests += 1;
    listener(request, response);
  });
  server.on('connection', (socket) => {
    counts.connections += 1;
    counts.sockets.add(socket);
    socket.on('close', () => counts.sockets.delete(socket));
  });
  open.push({ server, sockets: counts.sockets });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  counts.port = (server.address() as AddressInfo).port;
  return counts;
}

function clientFor(resolver: Resolver, limits: Partial<OutboundLimits> = {}, allowed = ['127.0.0.0/8', '::1/128']) {
  const client = new OutboundClient({ WEBHOOK_ALLOWED_CIDRS: allowed, WEBHOOK_DENIED_CIDRS: [] }, resolver, limits);
  clients.push(client);
  return client;
}

const request = (port: number, host = 'hooks.example.com'): OutboundRequest => ({
  method: 'POST',
  url: `http://${host}:${port}/`,
  headers: {},
  body: '{}',
  timeoutMs: 5_000,
});

const post = (client: OutboundClient, port: number, host?: string): Promise<OutboundResult> =>
  client.request(request(port, host));

describe('connections', () => {
  it('are kept for the next request to the same host', async () => {
    const target = await receiver();
    const client = clientFor(new Answers());
    expect((await post(client, target.port)).timings.connectMs).not.toBeNull();
    const second = await post(client, target.port);
    expect(second).toMatchObject({ ok: true, timings: { dnsMs: null, connectMs: null }, remoteAddress: '127.0.0.1' });
    expect(target).toMatchObject({ connections: 1, requests: 2 });
  });

  it('are not shared between hosts with one address', async () => {
    const target = await receiver();
    const client = clientFor(new Answers());
    await post(client, target.port, 'a.example.com');
    await post(client, target.port, 'b.example.com');
    expect(target).toMatchObject({ connections: 2, requests: 2 });
  });

  it('serve one exchange at a time', async () => {
    const target = await receiver();
    const client = clientFor(new Answers());
    await Promise.all(Array.from({ length: 20 }, () => post(client, target.port)));
    expect(target).toMatchObject({ connections: 20, requests: 20 });
    await Promise.all(Array.from({ length: 20 }, () => post(client, target.port)));
    expect(target).toMatchObject({ connections: 20, requests: 40 });
  });

  it('are not used again after 60 s', async () => {
    let nowMs = 0;
    const target = await receiver();
    const client = clientFor(new Answers(), { nowMs: () => nowMs });
    await post(client, target.port);
    nowMs = 59_999;
    await post(client, target.port);
    expect(target.connections).toBe(1);
    nowMs = 60_000;
    await post(client, target.port);
    expect(target.connections).toBe(2);
  });

  it('are not used for a host whose answer is refused, nor for one that has moved', async () => {
    let nowMs = 0;
    const target = await receiver();
    const resolver = new Answers();
    const client = clientFor(resolver, { nowMs: () => nowMs, connectTimeoutMs: 500 }, ['127.0.0.0/30']);
    expect((await post(client, target.port)).ok).toBe(true);
    nowMs += 5_000;
    resolver.addresses = ['127.0.0.1', '127.0.0.9'];
    expect((await post(client, target.port)).error).toBe('blocked_address');
    resolver.addresses = ['127.0.0.2'];
    expect(await post(client, target.port)).toMatchObject({ ok: false, httpStatus: null });
    expect(target).toMatchObject({ connections: 1, requests: 1 });
  });

  it('that end as they are used again are replaced, if the request may arrive twice', async () => {
    const used = new WeakSet<Socket>();
    const target = await receiver((request, response) => {
      if (used.has(request.socket)) return request.socket.destroy();
      used.add(request.socket);
      return response.end('ok');
    });
    const client = clientFor(new Answers());
    await post(client, target.port);
    expect(await post(client, target.port)).toMatchObject({ ok: false, error: 'connection_reset' });
    expect(target).toMatchObject({ connections: 1, requests: 2 });
    await post(client, target.port);
    const again = await client.request({ ...request(target.port), idempotent: true });
    expect(again).toMatchObject({ ok: true, timings: { connectMs: expect.any(Number) } });
    expect(target).toMatchObject({ connections: 3, requests: 5 });
  });

  it('that end at their first use are an error, also if the request may arrive twice', async () => {
    const target = await receiver((request) => request.socket.destroy());
    const result = await clientFor(new Answers()).request({ ...request(target.port), idempotent: true });
    expect(result).toMatchObject({ ok: false, error: 'connection_reset' });
    expect(target).toMatchObject({ connections: 1, requests: 1 });
  });

  it('whose receiver wants them closed are not kept', async () => {
    const target = await receiver((_request, response) => response.setHeader('connection', 'close').end());
    const client = clientFor(new Answers());
    await post(client, target.port);
    await post(client, target.port);
    expect(target).toMatchObject({ connections: 2, requests: 2 });
  });

  it('go to another vetted address when the first does not answer', async () => {
    const target = await receiver();
    const client = clientFor(new Answers(['::1', '127.0.0.1']));
    expect(await post(client, target.port)).toMatchObject({ ok: true, remoteAddress: '127.0.0.1' });
  });

  it('reach localhost without DNS, at the loopback addresses that are open', async () => {
    const target = await receiver();
    const resolver = new Answers(['10.0.0.1']);
    expect(await post(clientFor(resolver, {}, ['127.0.0.0/8']), target.port, 'localhost')).toMatchObject({ ok: true });
    expect(await post(clientFor(resolver), target.port, 'localhost')).toMatchObject({ ok: true });
    expect(await post(clientFor(resolver, {}, ['127.0.0.0/8']), target.port, '2130706433')).toMatchObject({ ok: true });
    expect(resolver.asked).toEqual([]);
  });
});

describe('a host without an answer', () => {
  it.each([
    ['HOST_NOT_FOUND', () => Promise.reject(new ResolveError('not_found'))],
    ['HOST_NOT_FOUND', () => Promise.resolve([])],
    ['DNS_UNAVAILABLE', () => Promise.reject(new ResolveError('unavailable'))],
    ['DNS_UNAVAILABLE', () => Promise.reject(new Error('unexpected'))],
    ['DNS_UNAVAILABLE', () => new Promise<never>(() => undefined)],
  ])('is a dns_failure: %s', async (errorDetail, resolve) => {
    const client = clientFor(Object.assign(new Answers(), { resolve }), { dnsTimeoutMs: 50 });
    expect(await post(client, 443)).toMatchObject({
      ok: false,
      error: 'dns_failure',
      errorDetail,
      remoteAddress: null,
    });
  });

  it('is asked again by the next request', async () => {
    const resolver = new Answers([]);
    const target = await receiver();
    const client = clientFor(resolver);
    expect((await post(client, target.port)).error).toBe('dns_failure');
    resolver.addresses = ['127.0.0.1'];
    expect((await post(client, target.port)).ok).toBe(true);
  });
});

describe('closing', () => {
  it('lets running exchanges end, closes idle connections and takes no more', async () => {
    const releases: (() => void)[] = [];
    const target = await receiver((_request, response) => releases.push(() => response.end('late')));
    const client = clientFor(new Answers());
    const running = post(client, target.port);
    while (releases.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const closed = client.close();
    await expect(post(client, target.port)).rejects.toThrow('closed');
    releases[0]?.();
    expect(await running).toMatchObject({ ok: true, bodyExcerpt: 'late' });
    await closed;
    while (target.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('ends exchanges that take longer than the grace', async () => {
    const target = await receiver(() => undefined);
    const client = clientFor(new Answers());
    const running = post(client, target.port);
    await client.close(0);
    expect((await running).error).toBe('aborted');
  });
});

describe('the module', () => {
  it('provides one client made from the settings, and closes it with the app', async () => {
    @Global()
    @Module({
      providers: [
        { provide: SETTINGS_TOKEN, useValue: { WEBHOOK_ALLOWED_CIDRS: ['127.0.0.0/8'], WEBHOOK_DENIED_CIDRS: [] } },
      ],
      exports: [SETTINGS_TOKEN],
    })
    class SettingsModule {}

    @Module({ imports: [SettingsModule, OutboundModule] })
    class AppModule {}

    const target = await receiver();
    const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
    const client = app.get(OutboundClient);
    expect(app.get(Resolver)).toBeInstanceOf(SystemResolver);
    expect((await post(client, target.port, '127.0.0.1')).ok).toBe(true);
    await app.close();
    await expect(post(client, target.port)).rejects.toThrow('closed');
  });
});
