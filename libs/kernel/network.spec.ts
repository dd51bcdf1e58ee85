import { networkOf } from './network.js';

it.each([
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['203.0.113.7', '203.0.113.7/32'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['::1', '::1/128'],
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
