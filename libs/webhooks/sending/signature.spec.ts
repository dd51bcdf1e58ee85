import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { generateSecret, keyId, signDelivery } from './signature.js';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const PREVIOUS = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
const EVENT_ID = '0198c0de-0000-7000-8000-000000000001';
const TIMESTAMP = 1_750_000_000;
const BODY = '{"type":"sales.deal.created","data":{"name":"Größe ✓"}}';

/** Computed with other implementations (Python's hmac, OpenSSL). */
const VECTOR = {
  'x-service-signature': 'ec496e9c4d23c933be7b585b4471ebd68764dcd3a65f2f80a4ea77c641cf311f',
  'x-service-key-id': '3bb220799a89f941',
  'webhook-id': EVENT_ID,
  'webhook-timestamp': '1750000000',
  'webhook-signature': 'v1,9KHikSQ8W65BP36cgNfcQdTq/o+ovzHTJ/XiSZPB3BM=',
};

const sign = (more: Partial<Parameters<typeof signDelivery>[0]> = {}) =>
  signDelivery({ body: BODY, eventId: EVENT_ID, timestampSeconds: TIMESTAMP, secret: SECRET, ...more });

describe('a secret', () => {
  it('is whsec_ and 32 random bytes in base64', () => {
    const secrets = Array.from({ length: 100 }, generateSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
    expect(new Set(secrets).size).toBe(100);
  });
});

describe('the signature of a delivery', () => {
  it('is the one of the published vectors', () => {
    expect(sign()).toEqual(VECTOR);
  });

  it('carries both secrets during the grace, the current first', () => {
    const headers = sign({ previousSecret: PREVIOUS });
    const previous = sign({ secret: PREVIOUS });
    expect(headers).toEqual({
      ...VECTOR,
      'x-service-signature-previous': previous['x-service-signature'],
      'webhook-signature': `${VECTOR['webhook-signature']} ${previous['webhook-signature']}`,
    });
  });

  it.each([undefined, null])('has no header of the previous secret when it is %s', (previousSecret) => {
    expect(Object.keys(sign(previousSecret === undefined ? {} : { previousSecret })).sort()).toEqual([
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
      'x-service-key-id',
      'x-service-signature',
    ]);
  });

  it('is keyed with the displayed text, prefix included, and is lower-case hex of the raw body', () => {
    const expected = createHmac('sha256', Buffer.from(SECRET, 'utf8')).update(Buffer.from(BODY, 'utf8')).digest('hex');
    expect(sign()['x-service-signature']).toBe(expected);
    expect(expected).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is the same for text and for its bytes, and covers bytes that are not text', () => {
    expect(sign({ body: Buffer.from(BODY) })).toEqual(sign());
    expect(sign({ body: Buffer.from([0xff]) })).not.toEqual(sign({ body: Buffer.from([0xfe]) }));
  });

  it('does not take a text that is no secret', () => {
    for (const secret of ['', 'secret', 'whsec_', 'whsec_AAAA', SECRET.slice(6)]) {
      expect(() => sign({ secret })).toThrow('not a webhook secret');
      expect(() => sign({ previousSecret: secret })).toThrow('not a webhook secret');
    }
  });
});

describe('the key id', () => {
  it('tells secrets apart, is the same each time, and is the one of the current secret in a delivery', () => {
    const secrets = Array.from({ length: 100 }, generateSecret);
    const ids = secrets.map(keyId);
    expect(new Set(ids).size).toBe(100);
    expect(secrets.map(keyId)).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(sign({ previousSecret: PREVIOUS })['x-service-key-id']).toBe(keyId(SECRET));
    expect(keyId(PREVIOUS)).not.toBe(keyId(SECRET));
  });

  it('is not made of a text that is no secret', () => {
    expect(() => keyId('secret')).toThrow('not a webhook secret');
  });
});

describe('signing with many secrets', () => {
  it('signs with the one it is given, also when more were used in between than are remembered', () => {
    const secrets = Array.from({ length: 5_100 }, generateSecret);
    const sums = (): string[] => secrets.map((secret) => sign({ secret })['webhook-signature']);
    const first = sums();
    expect(new Set(first).size).toBe(secrets.length);
    expect(sums()).toEqual(first);
  });
});

describe('a receiver with the Standard Webhooks library', () => {
  const now = (): number => Math.floor(Date.now() / 1_000);

  it('signs as we do', () => {
    const theirs = new Webhook(SECRET).sign(EVENT_ID, new Date(TIMESTAMP * 1_000), BODY);
    expect(sign()['webhook-signature']).toBe(theirs);
  });

  it('accepts a delivery with its secret, during the grace the current and the previous one', () => {
    const secret = generateSecret();
    const previousSecret = generateSecret();
    const headers = sign({ timestampSeconds: now(), secret, previousSecret });
    expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(new Webhook(previousSecret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
  });

  it('refuses another secret, body, id or time', () => {
    const headers = sign({ timestampSeconds: now() });
    const webhook = new Webhook(SECRET);
    expect(() => new Webhook(PREVIOUS).verify(BODY, headers)).toThrow();
    expect(() => webhook.verify(`${BODY} `, headers)).toThrow();
    expect(() => webhook.verify(BODY, { ...headers, 'webhook-id': 'other' })).toThrow();
    expect(() => webhook.verify(BODY, { ...headers, 'webhook-timestamp': String(now() - 1) })).toThrow();
    expect(() => webhook.verify(BODY, sign())).toThrow();
  });
});
