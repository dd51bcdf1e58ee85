import { vetHost } from './host-vetting.js';
import { Resolver } from './resolver.js';
import type { ResolvedAddress } from './resolver.js';

class Answers extends Resolver {
  asked: string[] = [];

  constructor(private readonly addresses: string[]) {
    super();
  }

  async resolve(host: string): Promise<ResolvedAddress[]> {
    this.asked.push(host);
    return this.addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  }
}

const vet = (host: string, answers: string[], allowedCidrs: string[] = [], deniedCidrs: string[] = []) =>
  vetHost(host, { allowedCidrs, deniedCidrs, resolver: new Answers(answers) });

it.each([
  [['198.20.0.1', '10.0.0.1']],
  [['fd00::1', '2a00::1']],
  [['198.20.0.1', '2a00::1', '::ffff:169.254.169.254']],
  [['198.20.0.1', '64:ff9b::7f00:1']],
  [['198.20.0.1', '127.1']],
])('refuses a host with one bad address as a whole: %j', async (answers) => {
  expect(await vet('hooks.example.com', answers)).toEqual({ outcome: 'blocked' });
});

it.each([
  [['198.20.0.1']],
  [['2a00::1', '198.20.0.1']],
  [['::ffff:c614:1', '2a00::1']],
  [['64:ff9b::c614:1']],
  [['10.0.0.1', '198.20.0.1']],
  [['10.1.0.1']],
])('refuses a host with one address in a closed network as a whole: %j', async (answers) => {
  const denied = ['198.20.0.0/16', '10.1.0.0/16'];
  expect(await vet('hooks.example.com', answers, ['10.0.0.0/8'], denied)).toEqual({ outcome: 'denied' });
});

it('gives localhost only the addresses that are open and not closed', async () => {
  const open = ['127.0.0.0/8', '::1/128'];
  expect(await vet('localhost', [], open, ['127.0.0.1/32'])).toMatchObject({
    outcome: 'vetted',
    addresses: [{ address: '::1', family: 6 }],
  });
  expect(await vet('localhost', [], open, ['127.0.0.0/8', '::1/128'])).toEqual({ outcome: 'blocked' });
});

it('gives all addresses of an allowed host in one spelling, with their real family', async () => {
  expect(await vet('hooks.example.com', ['198.20.0.1', '2A00:0::1', '::FFFF:10.0.0.1'], ['10.0.0.0/8'])).toEqual({
    outcome: 'vetted',
    addresses: [
      { address: '198.20.0.1', family: 4 },
      { address: '2a00::1', family: 6 },
      { address: '::ffff:a00:1', family: 6 },
    ],
    inside: false,
  });
});

it('asks nobody for an IP literal or localhost', async () => {
  const resolver = new Answers(['198.20.0.1']);
  for (const host of ['127.0.0.1', '::1', '::ffff:7f00:1', 'fe80::1%eth0', 'localhost'])
    expect(await vetHost(host, { allowedCidrs: [], deniedCidrs: [], resolver })).toEqual({ outcome: 'blocked' });
  const open = { allowedCidrs: ['127.0.0.0/8'], deniedCidrs: [], resolver };
  expect(await vetHost('127.0.0.1', open)).toMatchObject({ inside: true });
  expect(resolver.asked).toEqual([]);
});
