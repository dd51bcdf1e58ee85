import { isIP, Socket } from 'node:net';
import type { LookupFunction } from 'node:net';
import { jest } from '@jest/globals';
import { ConnectionPool } from './connection-pool.js';
import { OutboundClient } from './outbound-client.js';
import type { OutboundRequest } from './outbound-client.js';
import type { OutboundResult } from './outbound-result.js';
import { Resolver } from './resolver.js';
import type { ResolvedAddress } from './resolver.js';
import { readTarget } from './target.js';
import type { Target } from './target.js';

class Answers extends Resolver {
  asked = 0;

  constructor(private readonly answer: (asked: number) => string[]) {
    super();
  }

  async resolve(): Promise<ResolvedAddress[]> {
    return this.answer(this.asked++).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  }
}

interface ConnectOptions {
  host: string;
  port: number;
  lookup: LookupFunction;
  servername?: string;
}

/** All connection attempts; none is opened. */
const attempts: ConnectOptions[] = [];

beforeEach(() => {
  attempts.length = 0;
  jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    const first = args[0];
    attempts.push((Array.isArray(first) ? first[0] : first) as ConnectOptions);
    process.nextTick(() => this.destroy(Object.assign(new Error('stub'), { code: 'ECONNREFUSED' })));
    return this;
  });
});

afterEach(() => jest.restoreAllMocks());

const post = (url: string): OutboundRequest => ({ method: 'POST', url, headers: {}, body: '{}', timeoutMs: 1_000 });

const clientFor = (
  resolver: Resolver,
  allowed: string[] = [],
  nowMs?: () => number,
  denied: string[] = [],
): OutboundClient =>
  new OutboundClient(
    { WEBHOOK_ALLOWED_CIDRS: allowed, WEBHOOK_DENIED_CIDRS: denied },
    resolver,
    nowMs ? { nowMs } : {},
  );

const PUBLIC = '198.20.0.1';
describe('a name that changes its mind (rebinding)', () => {
  it('is connected to the address that was checked, without a second question', async () => {
    const resolver = new Answers((asked) => (asked === 0 ? [PUBLIC] : ['127.0.0.1']));
    const result = await clientFor(resolver).request(post('https://hooks.example.com/'));
    expect(result.error).toBe('connect_refused');
    expect(resolver.asked).toBe(1);
    expect(attempts).toHaveLength(1);
    const [attempt] = attempts;
    expect(attempt).toMatchObject({ host: 'hooks.example.com', port: 443, servername: 'hooks.example.com' });
    attempt?.lookup('hooks.example.com', { all: true }, (_error, addresses) =>
      expect(addresses).toEqual([{ address: PUBLIC, family: 4 }]),
    );
    attempt?.lookup('anything.else', { all: false }, (_error, address) => expect(address).toBe(PUBLIC));
  });

  it('is asked again when the answer is older than 5 s, and then refused', async () => {
    let nowMs = 0;
    const resolver = new Answers((asked) => (asked === 0 ? [PUBLIC] : ['10.0.0.1']));
    const client = clientFor(resolver, [], () => nowMs);
    await client.request(post('https://hooks.example.com/'));
    nowMs = 4_999;
    expect((await client.request(post('https://hooks.example.com/'))).error).toBe('connect_refused');
    nowMs = 5_000;
    expect((await client.request(post('https://hooks.example.com/'))).error).toBe('blocked_address');
    expect(attempts).toHaveLength(2);
    expect(resolver.asked).toBe(2);
  });

  it('is asked once for requests that come together', async () => {
    const resolver = new Answers(() => [PUBLIC]);
    const client = clientFor(resolver);
    await Promise.all(Array.from({ length: 20 }, () => client.request(post('https://hooks.example.com/'))));
    expect(resolver.asked).toBe(1);
    expect(attempts).toHaveLength(20);
  });
});

it.each([[[PUBLIC, '10.0.0.1']], [['::ffff:7f00:1', PUBLIC]], [['198.21.0.1']], [[PUBLIC, '::ffff:c615:1']], [[]]])(
  'is not connected to %j even if they were to pass for vetted',
  async (addresses) => {
    const limits = { connectTimeoutMs: 1_000, maxAgeMs: 1_000, nowMs: () => 0 };
    const pool = new ConnectionPool({ allowedCidrs: [], deniedCidrs: ['198.21.0.0/16'], ...limits });
    const connection = pool.open(readTarget('https://hooks.example.com/') as Target);
    const answers = addresses.map((address) => ({ address, family: isIP(address) as 4 | 6 }));
    connection.use(answers, 1_000, { onFlood: () => undefined });
    const request = connection.client.request({ method: 'GET', path: '/' });
    await expect(request).rejects.toMatchObject({ error: 'blocked_address' });
    expect(connection.facts).toBeNull();
    expect(attempts).toEqual([]);
    connection.destroy();
  },
);

describe("the operator's networks", () => {
  it('do not open http, IP literals or low ports towards public addresses', async () => {
    const client = clientFor(new Answers(() => [PUBLIC]), ['10.0.0.0/8']);
    for (const url of ['http://hooks.example.com/', `https://${PUBLIC}/`, 'https://hooks.example.com:25/'])
      expect((await client.request(post(url))).error).toBe('blocked_url');
    expect(attempts).toEqual([]);
  });

  it('do not open http when only some of the addresses lie in them', async () => {
    const client = clientFor(new Answers(() => [PUBLIC, '10.0.0.1']), ['10.0.0.0/8']);
    expect((await client.request(post('http://hooks.example.com/'))).error).toBe('blocked_url');
    expect(attempts).toEqual([]);
  });

  it('do not open what lies beside them', async () => {
    const client = clientFor(new Answers(() => ['10.1.0.1']), ['10.0.0.0/16']);
    for (const url of ['http://hooks.example.com/', 'http://10.1.0.1/', 'http://localhost/', 'http://[::ffff:a01:1]/'])
      expect((await client.request(post(url))).error).toBe('blocked_address');
    expect(attempts).toEqual([]);
  });
});

describe('the networks that the operator closed', () => {
  const denied = ['198.20.0.0/16', '10.1.0.0/16'];

  it.each([[[PUBLIC]], [['2a00::1', PUBLIC]], [['::ffff:c614:1']], [['64:ff9b::c614:1']]])(
    'are not called: %j',
    async (answers) => {
      const client = clientFor(new Answers(() => answers), [], undefined, denied);
      expect((await client.request(post('https://hooks.example.com/'))).error).toBe('blocked_address');
      expect(attempts).toEqual([]);
    },
  );

  it('are not called where others are open', async () => {
    const resolver = new Answers((asked) => (asked === 0 ? ['10.1.0.1'] : ['10.2.0.1']));
    const client = clientFor(resolver, ['10.0.0.0/8'], undefined, denied);
    for (const url of ['http://hooks.example.com/', 'http://10.1.0.1/', 'http://[::ffff:a01:1]/'])
      expect((await client.request(post(url))).error).toBe('blocked_address');
    expect(attempts).toEqual([]);
    expect((await client.request(post('http://hooks.example.com/'))).error).toBe('connect_refused');
    expect(attempts).toHaveLength(1);
  });

  it('are not called once a name has moved there', async () => {
    let nowMs = 0;
    const resolver = new Answers((asked) => (asked === 0 ? ['198.21.0.1'] : [PUBLIC]));
    const client = clientFor(resolver, [], () => nowMs, denied);
    expect((await client.request(post('https://hooks.example.com/'))).error).toBe('connect_refused');
    nowMs = 5_000;
    expect((await client.request(post('https://hooks.example.com/'))).error).toBe('blocked_address');
    expect(attempts).toHaveLength(1);
  });
});

describe('without a limit of its own', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  /** The result and its duration, ms. */
  async function outcome(client: OutboundClient, limitMs: number): Promise<OutboundResult> {
    let result: OutboundResult | null = null;
    const running = client
      .request({ ...post('https://hooks.example.com/'), timeoutMs: 30_000 })
      .then((settled) => (result = settled));
    await jest.advanceTimersByTimeAsync(limitMs - 1);
    expect(result).toBeNull();
    await jest.advanceTimersByTimeAsync(1);
    return running;
  }

  it('DNS is waited for 3 s', async () => {
    const silent = Object.assign(new Answers(() => []), { resolve: () => new Promise<never>(() => undefined) });
    expect(await outcome(clientFor(silent), 3_000)).toMatchObject({
      ok: false,
      error: 'dns_failure',
      errorDetail: 'DNS_UNAVAILABLE',
      timings: { dnsMs: 3_000, connectMs: null, totalMs: 3_000 },
      remoteAddress: null,
    });
  });

  it('a connection is waited for 5 s', async () => {
    jest.spyOn(Socket.prototype, 'connect').mockReturnThis();
    expect(await outcome(clientFor(new Answers(() => [PUBLIC])), 5_000)).toMatchObject({
      ok: false,
      error: 'connect_timeout',
      errorDetail: 'ETIMEDOUT',
      timings: { connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 5_000 },
      remoteAddress: null,
    });
  });
});
