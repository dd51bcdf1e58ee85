import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { SystemResolver } from './resolver.js';

const A = 1;
const AAAA = 28;
const NXDOMAIN = 3;
const SERVFAIL = 2;

/** The name server's response to each query: addresses, a response code, or no response (null). */
type Zone = Record<string, { [A]: string[] | number | null; [AAAA]: string[] | number | null }>;

const ZONE: Zone = {
  'both.example.com': { [A]: ['198.20.0.1', '198.20.0.2'], [AAAA]: ['2a00::1'] },
  'v4.example.com': { [A]: ['198.20.0.1'], [AAAA]: [] },
  'v6.example.com': { [A]: [], [AAAA]: ['2a00::1'] },
  'half.example.com': { [A]: ['198.20.0.1'], [AAAA]: null },
  'broken-v6.example.com': { [A]: ['198.20.0.1'], [AAAA]: SERVFAIL },
  'empty.example.com': { [A]: [], [AAAA]: [] },
  'none.example.com': { [A]: NXDOMAIN, [AAAA]: NXDOMAIN },
  'broken.example.com': { [A]: SERVFAIL, [AAAA]: SERVFAIL },
  'half-broken.example.com': { [A]: [], [AAAA]: SERVFAIL },
  'silent.example.com': { [A]: null, [AAAA]: null },
};

const bytesOf = (address: string): Buffer =>
  address.includes('.')
    ? Buffer.from(address.split('.').map(Number))
    : Buffer.concat([Buffer.from([0x2a, 0]), Buffer.alloc(13), Buffer.from([1])]);

function answer(query: Buffer): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = query.readUInt16BE(at + 1);
  const said = ZONE[labels.join('.').toLowerCase()]?.[type === A ? A : AAAA] ?? null;
  if (said === null) return null;
  const addresses = Array.isArray(said) ? said : [];
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180 | (typeof said === 'number' ? said : 0), 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map(bytesOf).map((bytes) => {
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([head, query.subarray(12, at + 5), ...records]);
}

let server: Socket;
let resolver: SystemResolver;

beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, peer) => {
    const reply = answer(query);
    if (reply !== null) server.send(reply, peer.port, peer.address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  resolver = new SystemResolver([`127.0.0.1:${server.address().port}`], 200);
});

afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

it.each([
  ['both.example.com', ['198.20.0.1', '198.20.0.2', '2a00::1']],
  ['v4.example.com', ['198.20.0.1']],
  ['v6.example.com', ['2a00::1']],
  ['half.example.com', ['198.20.0.1']],
  ['broken-v6.example.com', ['198.20.0.1']],
])('finds the addresses of %s', async (host, addresses) => {
  const found = await resolver.resolve(host);
  expect(found).toEqual(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
});

it.each([
  ['none.example.com', 'not_found'],
  ['empty.example.com', 'not_found'],
  ['broken.example.com', 'unavailable'],
  ['half-broken.example.com', 'unavailable'],
  ['silent.example.com', 'unavailable'],
])('says that %s is %s', async (host, reason) => {
  await expect(resolver.resolve(host)).rejects.toMatchObject({ name: 'ResolveError', reason });
});
