import { Socket } from 'node:net';
import type { LookupFunction } from 'node:net';
import { jest } from '@jest/globals';
import { OutboundClient } from './outbound-client.js';
import type { OutboundRequest } from './outbound-client.js';
import { Resolver } from './resolver.js';
import type { ResolvedAddress } from './resolver.js';

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

const clientFor = (resolver: Resolver, allowed: string[] = [], nowMs?: () => number): OutboundClient =>
  new OutboundClient({ WEBHOOK_ALLOWED_CIDRS: allowed, WEBHOOK_DENIED_CIDRS: [] }, resolver, nowMs ? { nowMs } : {});

const PUBLIC = '198.20.0.1';
const BLOCKED = [
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.0.1', '168.63.129.16'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.1.1'],
  ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::127.0.0.1', '::8.8.8.8', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe'],
  ...['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1'],
  ...[
    '2002:7f00:1::',
    '2002:808:808::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  ],
  ...['fe80::1%eth0', 'not-an-address', ''],
];

/** Hosts in various notations; each refers to an address or a name that must not be reached. */
const HOSTS = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.0.0.1.', '2130706433', '0x7f000001', '0x7f.1', '0x7F.0x0.0x0.0x1'],
  ...[
    '017700000001',
    '0177.0.0.1',
    '0177.0.0.01',
    '127.000.000.001',
    '00000177.0.0.1',
    '0x0000007f.0.0.1',
    '0',
    '0.0.0.0',
  ],
  ...['10.0.0.1', '167772161', '0xa000001', '012.0.0.1', '10.1', '169.254.169.254', '2852039166', '0xa9fea9fe'],
  ...['0251.0376.0251.0376', '169.16689662', '0xA9.0xFE.0xA9.0xFE', '192.168.0.1', '192.168.1', '3232235521'],
  ...['172.16.0.1', '2886729729', '100.64.0.1', '8.8.8.8', '134744072', '0x8080808', '1.1.1.1', '1.1'],
  ...['127%2e0%2e0%2e1', '%31%32%37.0.0.1', '127。0。0。1', '１２７.０.０.１', '①②⑦.⓪.⓪.①', '127.0.0.1%00.example.com'],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:7F00:0001]',
  ],
  ...[
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::10.0.0.1]',
  ],
  ...[
    '[64:ff9b:1::1]',
    '[2002:7f00:1::1]',
    '[2001::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[5f00::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
  ],
  ...[
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[fe80::1%25eth0]',
    '[fe80::1%eth0]',
    '[::1%25lo]',
    '[2606:4700:4700::1111]',
  ],
  ...['[::1', '::1', '[127.0.0.1]', '[v1.fe80::a]', '[1::2::3]', '[]'],
  ...[
    'localhost',
    'LOCALHOST',
    'LocalHost',
    'localhost.',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'loc%61lhost',
    'localhost%00',
    'a.localhost',
    'a.localhost.',
  ],
  ...[
    'localhost.localdomain.local',
    'metadata',
    'metadata.google.internal',
    'METADATA.GOOGLE.INTERNAL',
    'redis',
    'db.local',
  ],
  ...[
    'kubernetes.default.svc.cluster.local',
    'svc.cluster.local.',
    'printer.local',
    'example.com.',
    'example.com..',
    '.example.com',
  ],
  ...[
    'a..example.com',
    '-a.example.com',
    'a-.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(130)}example.com`,
  ],
  ...[
    'example.com:22',
    'example.com:25',
    'example.com:80',
    'example.com:0',
    'example.com:1023',
    'example.com:444',
    'example.com:65536',
  ],
  ...[
    'user@example.com',
    'user:pass@example.com',
    ':@example.com',
    '@example.com',
    'example.com@127.0.0.1',
    '127.0.0.1@example.com',
  ],
  ...[
    'example.com#@127.0.0.1',
    '127.0.0.1#.example.com',
    '127.0.0.1?.example.com',
    '127.0.0.1/.example.com',
    '127.0.0.1\\@example.com',
  ],
  ...[
    'example.com\\@127.0.0.1',
    '127.0.0.1\t',
    'exa\tmple.com',
    'exa\nmple.com',
    'example.com\u0000',
    ' example.com',
    'exam ple.com',
  ],
  ...['exa\u00admple', '127.0.0.1:443', '127.0.0.1:8443', '127.0.0.1:6379', '[::1]:8443', 'xn--', 'xn--a', '0x'],
  ...[
    '1.2.3.4.5',
    '256.256.256.256',
    '4294967296',
    '09.0.0.1',
    '1..1',
    '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
    '127.0.0.0x1',
    '0b1111111',
    '%00',
    '%',
    '*',
    'a_b',
  ],
  ...['ｌｏｃａｌｈｏｓｔ', 'metadata。google。internal', 'db．ｌocal', 'example.com。', 'a.0x1', '127.0.0.1.:8443'],
  ...['[::1]:443', '[::1].example.com', '[::ffff:127.0.0.1%25lo]', '[::ffff:0x7f.1]', '[fe80::1%25]', '[::1%2525lo]'],
];

const SCHEMES = [
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_x',
  'ws://example.com/',
];
const NO_URLS = [
  '',
  'example.com',
  '//example.com',
  '/hook',
  'https:',
  'https://',
  'https:example.com',
  'https:/example.com',
  'https:///',
];
const OTHERS = [
  'data:text/plain,x',
  'javascript:alert(1)',
  'mailto:a@example.com',
  'blob:https://example.com/x',
  '\u0000https://example.com/',
];
const FORMS = [...HOSTS.map((host) => `https://${host}/hook`), ...SCHEMES, ...NO_URLS, ...OTHERS];

describe('what must not be reached', () => {
  it.each(FORMS)('opens no connection for %j', async (url) => {
    // Public or not, the form alone is rejected.
    for (const address of ['127.0.0.1', PUBLIC]) {
      const client = clientFor(new Answers(() => [address]));
      const result = await client.request(post(url));
      expect(attempts).toEqual([]);
      expect(['invalid_request', 'blocked_url', 'blocked_address']).toContain(result.error);
      expect(result).toMatchObject({ ok: false, httpStatus: null, remoteAddress: null, errorDetail: null });
    }
  });

  it.each(BLOCKED)('opens no connection to a name that has the address %j', async (address) => {
    const client = clientFor(new Answers(() => [address]));
    const result = await client.request(post('https://hooks.example.com/'));
    expect(attempts).toEqual([]);
    expect(result).toMatchObject({ ok: false, error: 'blocked_address', remoteAddress: null, errorDetail: null });
    if (address !== '') expect(JSON.stringify(result)).not.toContain(address.length > 2 ? address : 'unlikely');
  });

  it.each(BLOCKED)('opens no connection when %j is one answer among public ones', async (address) => {
    for (const answers of [
      [PUBLIC, address],
      [address, PUBLIC],
      [...Array.from({ length: 15 }, () => PUBLIC), address, '2a00::1'],
    ]) {
      const result = await clientFor(new Answers(() => answers)).request(post('https://hooks.example.com/'));
      expect(result.error).toBe('blocked_address');
    }
    expect(attempts).toEqual([]);
  });

  it('covers more than 300 forms', () => {
    expect(FORMS.length + BLOCKED.length * 4).toBeGreaterThan(300);
  });
});
