import { Resolver, ResolveError } from '#libs/outbound/resolver.js';
import type { ResolvedAddress } from '#libs/outbound/resolver.js';
import { checkTargetUrl } from './target-url.js';

class Answers extends Resolver {
  asked: string[] = [];

  constructor(private readonly answer: string[] | Error | null = ['198.20.0.1', '2a00::1']) {
    super();
  }

  async resolve(host: string): Promise<ResolvedAddress[]> {
    this.asked.push(host);
    if (this.answer === null) return new Promise(() => undefined);
    if (this.answer instanceof Error) throw this.answer;
    return this.answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  }
}

const codes = async (
  url: string,
  resolver: Resolver = new Answers(),
  allowedCidrs: string[] = [],
  deniedCidrs: string[] = [],
): Promise<string[]> =>
  (await checkTargetUrl(url, { allowedCidrs, deniedCidrs, resolver, dnsTimeoutMs: 50 })).map(({ code }) => code);

describe('a public target', () => {
  it.each([
    'https://example.com',
    'https://example.com/',
    'HTTPS://EXAMPLE.COM/',
    'https://hooks.example.com/a/b?c=d&e=%20',
    'https://example.com:443/',
    'https://example.com:8443/',
    'https://example.com:1024/',
    'https://example.com:65535/',
    'https://bücher.example/',
    'https://xn--bcher-kva.example/',
    'https://ｅｘａｍｐｌｅ.com/',
    'https://a-b.c_d.example.com/',
    'https://123.example.com/',
    'https://example.com/@me?x=a@b',
    'https://localhost.example.com/',
    'https://local.example/',
    `https://example.com/${'a'.repeat(2_028)}`,
  ])('is accepted: %s', async (url) => {
    expect(await codes(url)).toEqual([]);
  });

  it.each([
    ['', ['invalid_url']],
    ['example.com', ['invalid_url']],
    ['https:example.com', ['invalid_url']],
    ['https://exa mple.com/', ['invalid_url']],
    ['https://example.com/a b', ['invalid_url']],
    ['https://example.com\\a', ['invalid_url']],
    ['https://example.com/\u0000', ['invalid_url']],
    ['https://example.com/\ud800', ['invalid_url']],
    ['https://example.com:99999/', ['invalid_url']],
    [`https://example.com/${'a'.repeat(2_029)}`, ['url_too_long']],
    [`https://example.com/${'é'.repeat(400)}`, ['url_too_long']],
    ['http://example.com/', ['scheme_not_allowed']],
    ['ftp://example.com/', ['scheme_not_allowed']],
    ['wss://example.com/', ['scheme_not_allowed']],
    ['file:///etc/passwd', ['scheme_not_allowed']],
    ['mailto:hooks@example.com', ['scheme_not_allowed']],
    ['example.com:8443/hook', ['scheme_not_allowed']],
    ['https://user@example.com/', ['userinfo_not_allowed']],
    ['https://user:pw@example.com/', ['userinfo_not_allowed']],
    ['https://@example.com/', ['userinfo_not_allowed']],
    ['https://example.com/#', ['fragment_not_allowed']],
    ['https://example.com/#a', ['fragment_not_allowed']],
    ['https://example.com:22/', ['port_not_allowed']],
    ['https://example.com:80/', ['port_not_allowed']],
    ['https://example.com:0/', ['port_not_allowed']],
    ['https://example.com:1023/', ['port_not_allowed']],
    ['https://example/', ['host_not_allowed']],
    ['https://example.com./', ['host_not_allowed']],
    ['https://a..example.com/', ['host_not_allowed']],
    ['https://printer.local/', ['host_not_allowed']],
    ['https://a.internal/', ['host_not_allowed']],
    ['https://a.localhost/', ['host_not_allowed']],
    ['https://a.default.svc.cluster.local/', ['host_not_allowed']],
    ['https://localhost/', ['host_not_allowed', 'address_not_allowed']],
    ['https://198.20.0.1/', ['address_not_allowed']],
    ['https://[2a00::1]/', ['address_not_allowed']],
    ['https://127.0.0.1/', ['address_not_allowed']],
    ['https://0x7f.1/', ['address_not_allowed']],
    ['https://[::ffff:7f00:1]/', ['address_not_allowed']],
    ['http://10.0.0.1:80/', ['scheme_not_allowed', 'address_not_allowed']],
    [
      'http://u@localhost:22/#x',
      [
        'userinfo_not_allowed',
        'fragment_not_allowed',
        'scheme_not_allowed',
        'host_not_allowed',
        'port_not_allowed',
        'address_not_allowed',
      ],
    ],
  ])('is refused with every failure: %j', async (url, expected) => {
    expect(await codes(url)).toEqual(expected);
  });

  it('is refused at /url with a sentence that names no address', async () => {
    const failures = await checkTargetUrl('https://example.com/', {
      allowedCidrs: [],
      deniedCidrs: [],
      resolver: new Answers(['10.9.8.7']),
    });
    expect(failures).toEqual([
      { pointer: '/url', code: 'address_not_allowed', detail: 'The host is not on the public internet.' },
    ]);
  });

  it('is refused in a network that the operator closed, with a sentence that names no address either', async () => {
    const options = { allowedCidrs: [], deniedCidrs: ['198.20.0.0/16'] };
    for (const answers of [['198.20.0.1'], ['2a00::1', '::ffff:198.20.0.1']])
      expect(await checkTargetUrl('https://example.com/', { ...options, resolver: new Answers(answers) })).toEqual([
        {
          pointer: '/url',
          code: 'address_not_allowed',
          detail: 'The host is in a network that the platform does not call.',
        },
      ]);
    expect(await codes('https://example.com/', new Answers(['198.21.0.1']), [], options.deniedCidrs)).toEqual([]);
  });

  it('is resolved by its normalised name, once, and not when it cannot be one of the public DNS', async () => {
    const resolver = new Answers();
    await codes('https://BÜCHER.example/', resolver);
    expect(resolver.asked).toEqual(['xn--bcher-kva.example']);
    await codes('https://a.internal/', resolver);
    await codes('https://198.20.0.1/', resolver);
    expect(resolver.asked).toHaveLength(1);
  });

  it.each([['10.0.0.1'], ['198.20.0.1', '127.0.0.1'], ['2a00::1', '::ffff:169.254.169.254'], ['64:ff9b::a00:1']])(
    'is refused when its name means %s',
    async (...answers) => {
      expect(await codes('https://example.com/', new Answers(answers))).toEqual(['address_not_allowed']);
    },
  );

  it('is refused when DNS says that there is no address, accepted when DNS does not answer', async () => {
    expect(await codes('https://example.com/', new Answers(new ResolveError('not_found')))).toEqual([
      'unresolvable_host',
    ]);
    expect(await codes('https://example.com/', new Answers([]))).toEqual(['unresolvable_host']);
    expect(await codes('https://example.com/', new Answers(new ResolveError('unavailable')))).toEqual([]);
    expect(await codes('https://example.com/', new Answers(null))).toEqual([]);
  });
});

describe("a target in the operator's networks", () => {
  const allowed = ['10.0.0.0/8', '127.0.0.0/8', 'fd00::/8'];

  it.each([
    'http://127.0.0.1/',
    'http://127.0.0.1:1/',
    'https://127.0.0.1:22/hook',
    'http://localhost:3000/',
    'https://localhost/',
    'http://[fd00::1]:8080/',
    'http://[::ffff:10.0.0.1]/',
    'http://2130706433:8080/',
  ])('may be %s', async (url) => {
    const resolver = new Answers();
    expect(await codes(url, resolver, allowed)).toEqual([]);
    expect(resolver.asked).toEqual([]);
  });

  it('may be a name with http and any port if all its addresses lie there', async () => {
    const url = 'http://erp.example.com:81/';
    expect(await codes(url, new Answers(['10.0.0.1', 'fd00::1']), allowed)).toEqual([]);
    expect(await codes(url, new Answers(['10.0.0.1', '198.20.0.1']), allowed)).toEqual([
      'scheme_not_allowed',
      'port_not_allowed',
    ]);
    expect(await codes(url, new Answers(['10.0.0.1', '192.168.0.1']), allowed)).toEqual([
      'scheme_not_allowed',
      'port_not_allowed',
      'address_not_allowed',
    ]);
    expect(await codes(url, new Answers(null), allowed)).toEqual(['scheme_not_allowed', 'port_not_allowed']);
  });

  it('is refused where the operator closed a part of them', async () => {
    const denied = ['10.1.0.0/16', '127.0.0.1/32', '::1/128'];
    const refused = ['scheme_not_allowed', 'address_not_allowed'];
    expect(await codes('http://10.1.2.3/', new Answers(), allowed, denied)).toEqual(refused);
    expect(await codes('http://[::ffff:10.1.2.3]/', new Answers(), allowed, denied)).toEqual(refused);
    expect(await codes('http://erp.example.com/', new Answers(['10.1.2.3']), allowed, denied)).toEqual(refused);
    expect(await codes('https://localhost/', new Answers(), allowed, denied)).toEqual([
      'host_not_allowed',
      'address_not_allowed',
    ]);
    expect(await codes('http://10.2.2.3/', new Answers(), allowed, denied)).toEqual([]);
  });

  it('keeps to the other rules', async () => {
    expect(await codes('http://u:p@127.0.0.1/#f', new Answers(), allowed)).toEqual([
      'userinfo_not_allowed',
      'fragment_not_allowed',
    ]);
    expect(await codes('http://192.168.0.1/', new Answers(), allowed)).toEqual([
      'scheme_not_allowed',
      'address_not_allowed',
    ]);
    expect(await codes('https://a.internal/', new Answers(['10.0.0.1']), allowed)).toEqual(['host_not_allowed']);
    expect(await codes('https://localhost/', new Answers(), ['10.0.0.0/8'])).toEqual([
      'host_not_allowed',
      'address_not_allowed',
    ]);
  });
});
