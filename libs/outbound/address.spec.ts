import { canonicalAddress, classifyAddress, isAllowed as isCallable, isDenied, isInside } from './address.js';

const isAllowed = (ip: string, allowedCidrs: string[], deniedCidrs: string[] = []): boolean =>
  isCallable(ip, { allowedCidrs, deniedCidrs });

/** The first, an inner and the last address of every blocked IPv4 range. */
const BLOCKED_V4 = [
  ['0.0.0.0', '0.1.2.3', '0.255.255.255'],
  ['10.0.0.0', '10.20.30.40', '10.255.255.255'],
  ['100.64.0.0', '100.100.100.200', '100.127.255.255'],
  ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
  ['168.63.129.16'],
  ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ['172.16.0.0', '172.20.10.1', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.9', '192.0.0.170', '192.0.0.192', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.55', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.1', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.1', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.1', '192.88.99.2', '192.88.99.255'],
  ['192.168.0.0', '192.168.1.1', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.1', '192.175.48.255'],
  ['198.18.0.0', '198.19.0.1', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.7', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.7', '203.0.113.255'],
  ['224.0.0.0', '224.0.0.1', '239.255.255.255'],
  ['240.0.0.0', '250.1.2.3', '255.255.255.254', '255.255.255.255'],
].flat();

/** The adjacent addresses outside the ranges, and well-known public servers. */
const PUBLIC_V4 = [
  '1.0.0.0',
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.1.255',
  '192.0.3.0',
  '192.31.195.255',
  '192.31.197.0',
  '192.52.192.255',
  '192.52.194.0',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '192.175.47.255',
  '192.175.49.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
];

const hex = (v4: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
};

const BLOCKED_V6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::2',
  '::127.0.0.1',
  '::7f00:1',
  '::8.8.8.8',
  '::ffff:0:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '0:1::1',
  '64:ff9a::808:808',
  '64:ff9b:0:0:0:1:808:808',
  '64:ff9b:1::',
  '64:ff9b:1::808:808',
  '64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
  '64:ff9b:2::808:808',
  '100::',
  '100::1',
  '100:0:0:1::1',
  '100:0:0:2::1',
  '200::1',
  '400::1',
  '1000::1',
  '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001::',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:0:808:808::1',
  '2001:1::1',
  '2001:1::2',
  '2001:1::3',
  '2001:2::1',
  '2001:3::1',
  '2001:4:112::1',
  '2001:10::1',
  '2001:20::1',
  '2001:30::1',
  '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db8::',
  '2001:db8::1',
  '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
  '2002::',
  '2002:7f00:1::1',
  '2002:a00:1::1',
  '2002:808:808::1',
  '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2620:4f:8000::1',
  '3ffe::1',
  '3fff::',
  '3fff::1',
  '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
  '4000::',
  '5f00::1',
  '5f00:ffff::1',
  '6000::1',
  '8000::1',
  'a000::1',
  'c000::1',
  'e000::1',
  'f000::1',
  'fc00::',
  'fc00::1',
  'fd00:ec2::254',
  'fd12:3456:789a::1',
  'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  'fe00::1',
  'fe80::',
  'fe80::1',
  'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  'fec0::1',
  'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  'ff00::',
  'ff02::1',
  'ff0e::1',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
];

const PUBLIC_V6 = [
  '2000::',
  '2000:ffff::1',
  '2001:200::',
  '2001:4860:4860::8888',
  '2001:db7:ffff::1',
  '2001:db9::1',
  '2003::1',
  '2606:4700:4700::1111',
  '2620:4f:7fff::1',
  '2620:4f:8001::1',
  '2a00:1450:4001::1',
  '3ffd:ffff::1',
  '3fff:1000::1',
];

const NOT_ADDRESSES = [
  '',
  ' ',
  'localhost',
  'example.com',
  '127.1',
  '127.0.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '127.0.0.01',
  '127.0.0.256',
  ' 127.0.0.1',
  '8.8.8.8 ',
  '8.8.8.8\u0000',
  '8.8.8.8/32',
  '8.8.8.8:80',
  '８.8.8.8',
  '[::1]',
  '[2606:4700:4700::1111]',
  '2606:4700:4700::1111/128',
  ':::',
  '1::2::3',
  '2606:4700:4700::1111%eth0',
  '2606:4700:4700::1111%25eth0',
  'fe80::1%lo',
  '::1%1',
  '::ffff:8.8.8.8%0',
];

describe('the judgement of an address', () => {
  it.each(BLOCKED_V4)('blocks %s, also mapped and translated', (v4) => {
    const spellings = [
      v4,
      `::ffff:${v4}`,
      `::ffff:${hex(v4)}`,
      `0:0:0:0:0:FFFF:${hex(v4)}`,
      `64:ff9b::${v4}`,
      `64:ff9b::${hex(v4)}`,
    ];
    expect(spellings.map(classifyAddress)).toEqual(spellings.map(() => 'blocked'));
  });

  it.each(PUBLIC_V4)('lets %s through, also mapped and translated', (v4) => {
    const spellings = [v4, `::ffff:${v4}`, `::FFFF:${hex(v4)}`, `64:ff9b::${v4}`, `64:ff9b::${hex(v4)}`];
    expect(spellings.map(classifyAddress)).toEqual(spellings.map(() => 'public'));
  });

  it.each(PUBLIC_V4)('blocks %s in IPv4-compatible, 6to4 and Teredo form', (v4) => {
    const spellings = [
      `::${v4}`,
      `::${hex(v4)}`,
      `2002:${hex(v4)}::1`,
      `2001:0:${hex(v4)}::1`,
      `64:ff9b:1::${hex(v4)}`,
    ];
    expect(spellings.map(classifyAddress)).toEqual(spellings.map(() => 'blocked'));
  });

  it.each(BLOCKED_V6)('blocks %s', (v6) => {
    expect([classifyAddress(v6), classifyAddress(v6.toUpperCase())]).toEqual(['blocked', 'blocked']);
  });

  it.each(PUBLIC_V6)('lets %s through', (v6) => {
    expect(classifyAddress(v6)).toBe('public');
  });

  it.each(NOT_ADDRESSES)('blocks %j, which is not an address', (text) => {
    expect(classifyAddress(text)).toBe('blocked');
    expect(isAllowed(text, ['0.0.0.0/0', '::/0'])).toBe(false);
  });

  it('has been asked about more than 300 forms', () => {
    const spellings = BLOCKED_V4.length * 6 + PUBLIC_V4.length * 10 + BLOCKED_V6.length * 2 + NOT_ADDRESSES.length;
    expect(spellings).toBeGreaterThan(300);
  });
});

describe("the operator's networks", () => {
  it('open what lies in them and nothing else', () => {
    const cidrs = ['10.1.0.0/16', 'fd00:1::/32'];
    expect(isAllowed('10.1.255.255', cidrs)).toBe(true);
    expect(isAllowed('10.2.0.0', cidrs)).toBe(false);
    expect(isAllowed('fd00:1:2::3', cidrs)).toBe(true);
    expect(isAllowed('fd00:2::3', cidrs)).toBe(false);
    expect(isAllowed('8.8.8.8', cidrs)).toBe(true);
    expect(isInside('8.8.8.8', cidrs)).toBe(false);
  });

  it('reach a mapped or translated address by its IPv4 address only', () => {
    expect(isInside('::ffff:10.1.2.3', ['10.0.0.0/8'])).toBe(true);
    expect(isInside('64:ff9b::a01:203', ['10.0.0.0/8'])).toBe(true);
    expect(isInside('::ffff:10.1.2.3', ['::/0'])).toBe(false);
    expect(isInside('64:ff9b::a01:203', ['64:ff9b::/96'])).toBe(false);
    expect(isInside('::7f00:1', ['::127.0.0.1/128'])).toBe(true);
    expect(isInside('::ffff:7f00:1', ['::127.0.0.1/128'])).toBe(false);
  });

  it('never open an address with a zone', () => {
    expect(isAllowed('fe80::1%eth0', ['fe80::/10'])).toBe(false);
    expect(isAllowed('fe80::1', ['fe80::/10'])).toBe(true);
  });
});

describe('the networks that the operator closed', () => {
  const denied = ['198.20.0.0/16', '2a00:1::/32'];

  it('are not reached, and what lies beside them is', () => {
    for (const ip of ['198.20.0.0', '198.20.255.255', '2a00:1::', '2A00:1:FFFF::1'])
      expect([ip, isAllowed(ip, [], denied)]).toEqual([ip, false]);
    for (const ip of ['198.21.0.0', '2a00:0:ffff::1', '2a00:2::', '8.8.8.8'])
      expect([ip, isAllowed(ip, [], denied)]).toEqual([ip, true]);
  });

  it('win over those that are open', () => {
    expect(isAllowed('10.1.2.3', ['10.0.0.0/8'], ['10.1.0.0/16'])).toBe(false);
    expect(isAllowed('10.2.2.3', ['10.0.0.0/8'], ['10.1.0.0/16'])).toBe(true);
    expect(isAllowed('10.1.2.3', ['10.1.2.3/32'], ['10.0.0.0/8'])).toBe(false);
    expect(isAllowed('fd00::1', ['fd00::/8'], ['fd00::/16'])).toBe(false);
  });

  it.each(['::ffff:198.20.0.1', '::ffff:c614:1', '0:0:0:0:0:FFFF:C614:0001', '64:ff9b::198.20.0.1', '64:ff9b::c614:1'])(
    'are not reached by %s',
    (ip) => {
      expect([classifyAddress(ip), isAllowed(ip, [], denied)]).toEqual(['public', false]);
    },
  );

  it('may be written as IPv6, mapped or translated', () => {
    expect(isDenied('198.20.0.1', ['::ffff:198.20.0.0/112'])).toBe(true);
    expect(isDenied('::ffff:198.20.0.1', ['::ffff:c614:0/112'])).toBe(true);
    expect(isDenied('198.21.0.1', ['::ffff:198.20.0.0/112'])).toBe(false);
    expect(isDenied('64:ff9b::198.20.0.1', ['64:ff9b::/96'])).toBe(true);
    expect(isDenied('198.20.0.1', ['64:ff9b::/96'])).toBe(false);
    expect(isDenied('::ffff:198.20.0.1', ['::/0'])).toBe(true);
    expect(isDenied('198.20.0.1', ['::/0'])).toBe(false);
  });
});

it('writes one address in one way', () => {
  expect(canonicalAddress('2001:DB8:0:0::1')).toBe(canonicalAddress('2001:db8::1'));
  expect(canonicalAddress('::8.8.8.8')).toBe('::808:808');
  expect(canonicalAddress('127.0.0.1')).toBe('127.0.0.1');
});
