import { addressOf, AllowedAddresses, networkOf } from './network.js';

it.each([
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['203.0.113.7', '203.0.113.7/32'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['2001:DB8:0:0::/32', '2001:db8::/32'],
  ['::1', '::1/128'],
  ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
  ['::ffff:0:0/90', '::ffff:0:0/90'],
])('%s is the network %s', (text, network) => expect(networkOf(text)).toBe(network));

it.each([
  '',
  '10.0.0.0/33',
  '10.0.0/8',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  'fe80::1%eth0',
  '::1/129',
  'example.test',
  '1.2.3.4/-1',
])('%j is none', (text) => expect(networkOf(text)).toBeNull());

it.each([
  ['203.0.113.8', '203.0.113.8'],
  ['::ffff:203.0.113.8', '203.0.113.8'],
  ['::FFFF:CB00:7108', '203.0.113.8'],
  ['2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
  ['::8.8.8.8', '::808:808'],
  ['203.0.113.012', null],
  ['203.0.113.8:80', null],
  ['unknown', null],
])('%s is the address %s', (text, address) => expect(addressOf(text)).toBe(address));

it.each([
  ['::/0', '203.0.113.7', false],
  ['::/64', '127.0.0.1', false],
  ['::/0', '2001:db8::1', true],
  ['::ffff:0:0/96', '203.0.113.7', true],
  ['::ffff:203.0.113.0/120', '203.0.113.7', true],
  ['::ffff:203.0.113.0/120', '203.0.114.7', false],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['203.0.113.0/24', '::ffff:203.0.113.7', true],
  ['203.0.113.0/24', 'unknown', false],
])('%s allows %s: %s', (network, address, isAllowed) => {
  expect(new AllowedAddresses([network]).has(address)).toBe(isAllowed);
});
