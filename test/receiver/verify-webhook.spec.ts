import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { deliveryRequest } from '#libs/webhooks/sending/delivery-request.js';
import { generateSecret, keyId, signDelivery } from '#libs/webhooks/sending/signature.js';

type Result =
  | { ok: true; form: 'standard'; id: string; timestamp: number; secretIndex: number }
  | { ok: true; form: 'service'; id: null; timestamp: null; secretIndex: number }
  | { ok: false; reason: string };

interface Request {
  headers: unknown;
  body: string | Uint8Array;
  secret?: string;
  secrets?: string[];
  toleranceSeconds?: number;
  now?: number;
}

interface Vector {
  name: string;
  secrets: string[];
  nowSeconds: number;
  headers: Record<string, string>;
  body?: string;
  bodyBase64?: string;
  result: Result;
}

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const HELPER = '../../receiver/verify-webhook.mjs';
const { verifyWebhook }: { verifyWebhook: (request: Request) => Result } = await import(HELPER);
const FILE: { secrets: Record<string, string>; keyIds: Record<string, string>; vectors: Vector[] } = JSON.parse(
  read('receiver/test-vectors.json'),
);
const GUIDE = read('docs/guides/receiving-webhooks.md');

const secretsOf = ({ secrets }: Vector): string[] => secrets.map((name) => FILE.secrets[name]!);
const bodyOf = ({ body, bodyBase64 }: Vector): string | Buffer => body ?? Buffer.from(bodyBase64!, 'base64');
const verify = (vector: Vector, more: Partial<Request> = {}): Result =>
  verifyWebhook({
    headers: vector.headers,
    body: bodyOf(vector),
    secrets: secretsOf(vector),
    now: vector.nowSeconds * 1_000,
    ...more,
  });

const vectorNamed = (name: string): Vector => FILE.vectors.find((vector) => vector.name === name)!;
const SECRET = FILE.secrets['current']!;
const PREVIOUS = FILE.secrets['previous']!;
const DELIVERY = vectorNamed('a delivery');
const GRACE = vectorNamed('in the grace: the receiver has the new secret');
const NOW_SECONDS = 1_750_000_000;

describe('the vectors', () => {
  it.each(FILE.vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    expect(verify(vector)).toEqual(vector.result);
    expect(verify(vector, { body: new Uint8Array(Buffer.from(bodyOf(vector))) })).toEqual(vector.result);
    expect(verify(vector, { headers: new Headers(vector.headers) })).toEqual(vector.result);
    const distinct = Object.entries(vector.headers).map(([name, value]) => [name.toLowerCase(), [value]]);
    expect(verify(vector, { headers: Object.fromEntries(distinct) })).toEqual(vector.result);
  });

  it('match what the platform sends', () => {
    for (const [vector, previousSecret] of [
      [DELIVERY, null],
      [GRACE, PREVIOUS],
    ] as const) {
      const input = { body: bodyOf(vector), eventId: vector.headers['webhook-id']!, timestampSeconds: NOW_SECONDS };
      expect(signDelivery({ ...input, secret: SECRET, previousSecret })).toEqual(vector.headers);
    }
    for (const [name, secret] of Object.entries(FILE.secrets)) expect(keyId(secret)).toBe(FILE.keyIds[name]);
  });

  it('get the same result from the Standard Webhooks library', () => {
    const comparable = FILE.vectors.filter(
      ({ headers, body, result }) =>
        (headers['webhook-signature'] ?? '') !== '' &&
        body !== undefined &&
        !(!result.ok && result.reason === 'malformed_timestamp'), // theirs reads 1750000000.5 as 1750000000
    );
    expect(comparable.length).toBeGreaterThan(25);
    for (const vector of comparable) {
      const clock = jest.spyOn(Date, 'now').mockReturnValue(vector.nowSeconds * 1_000);
      const accepted = secretsOf(vector).some((secret) => {
        try {
          new Webhook(secret).verify(vector.body!, vector.headers, { jsonParse: false });
          return true;
        } catch {
          return false;
        }
      });
      clock.mockRestore();
      expect({ name: vector.name, ok: accepted }).toEqual({ name: vector.name, ok: vector.result.ok });
    }
  });

  it('in the guide are those of the file', () => {
    for (const value of [
      ...Object.values(GRACE.headers),
      ...Object.values(DELIVERY.headers),
      GRACE.body!,
      DELIVERY.body!,
      SECRET,
      PREVIOUS,
    ]) {
      expect(GUIDE).toContain(value);
    }
  });
});

describe('a delivery of the platform', () => {
  const request = (body: string, secret: string, previousSecret: string | null) =>
    deliveryRequest({
      url: 'https://hooks.example.com',
      timeoutMs: 1_000,
      event: {
        id: '0198c0de-0000-7000-8000-000000000001',
        type: 'sales.deal.won',
        schemaVersion: 1,
        traceparent: null,
      },
      body: Buffer.from(body),
      deliveryId: '0198c0de-0000-7000-8000-000000000002',
      attempt: 1,
      replay: false,
      customHeaders: {},
      nowMs: NOW_SECONDS * 1_000,
      secret,
      previousSecret,
    }).headers;

  it('is valid with the current and the previous secret, in both formats, for any body', () => {
    const [current, previous, stranger] = [generateSecret(), generateSecret(), generateSecret()];
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.boolean(), (body, grace) => {
        const headers: Record<string, unknown> = request(body, current, grace ? previous : null);
        const bare = { ...headers, 'webhook-signature': undefined };
        for (const [sent, form] of [
          [headers, 'standard'],
          [bare, 'service'],
        ] as const) {
          const check = (secret: string) => verifyWebhook({ headers: sent, body, secret, now: NOW_SECONDS * 1_000 });
          expect(check(current)).toMatchObject({ ok: true, form });
          expect(check(previous)).toMatchObject({ ok: grace });
          expect(check(stranger)).toEqual({ ok: false, reason: 'signature_mismatch' });
        }
      }),
    );
  });
});

describe('an arbitrary request', () => {
  const HEADERS = [
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'x-service-signature',
    'X-Service-Signature',
  ];

  it('is refused without an exception', () => {
    const garbage = fc.oneof(
      fc.anything({ withMap: true, withSet: true, withNullPrototype: true, withTypedArray: true }),
      fc.dictionary(
        fc.constantFrom(...HEADERS),
        fc.oneof(fc.string({ unit: 'binary' }), fc.anything({ withNullPrototype: true })),
      ),
    );
    fc.assert(
      fc.property(garbage, fc.uint8Array(), (headers, body) => {
        expect(verifyWebhook({ headers, body, secret: SECRET }).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('is refused if any character of a signature is changed', () => {
    for (const name of ['x-service-signature', 'webhook-signature']) {
      const right = DELIVERY.headers[name]!;
      for (let index = 0; index < right.length; index += 1) {
        const wrong = `${right.slice(0, index)}${right[index] === '0' ? '1' : '0'}${right.slice(index + 1)}`;
        expect(verify(DELIVERY, { headers: { ...DELIVERY.headers, 'webhook-signature': '', [name]: wrong } }).ok).toBe(
          false,
        );
      }
    }
  });

  it('is refused if a single-value header is repeated', () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'x-service-signature']) {
      const value = DELIVERY.headers[name]!;
      const signature = name.startsWith('webhook') ? DELIVERY.headers['webhook-signature'] : undefined;
      const headers = { ...DELIVERY.headers, 'webhook-signature': signature, [name]: [value, value] };
      expect(verify(DELIVERY, { headers }).ok).toBe(false);
    }
  });

  it('is refused if the clock or the tolerance is not a number', () => {
    expect(verify(DELIVERY, { now: NaN })).toEqual({ ok: false, reason: 'too_old' });
    expect(verify(DELIVERY, { toleranceSeconds: NaN })).toEqual({ ok: false, reason: 'too_old' });
  });

  it('is accepted within a custom tolerance', () => {
    const late = { now: (NOW_SECONDS + 301) * 1_000 };
    expect(verify(DELIVERY, late)).toEqual({ ok: false, reason: 'too_old' });
    expect(verify(DELIVERY, { ...late, toleranceSeconds: 301 })).toEqual(DELIVERY.result);
    const now = jest.spyOn(Date, 'now').mockReturnValue(NOW_SECONDS * 1_000 + 999);
    expect(verifyWebhook({ headers: DELIVERY.headers, body: DELIVERY.body!, secret: SECRET })).toEqual(DELIVERY.result);
    now.mockRestore();
  });
});

describe('invalid arguments throw, even for an invalid request', () => {
  const call = (more: object) => () => verifyWebhook({ headers: {}, body: '', ...more });

  it.each([
    ['no secret', {}],
    ['an undefined secret', { secret: undefined }],
    ['a secret that is null', { secret: null }],
    ['an empty secret', { secret: '' }],
    ['a prefix alone', { secret: 'whsec_' }],
    ['a secret without its prefix', { secret: SECRET.slice(6) }],
    ['a secret with a line break', { secret: `${SECRET}\n` }],
    ['half a secret', { secret: SECRET.slice(0, 30) }],
    ['no secrets', { secrets: [] }],
    ['an empty one of two secrets', { secrets: [SECRET, ''] }],
    ['a parsed body', { secret: SECRET, body: {} }],
    ['no body', { secret: SECRET, body: undefined }],
  ])('%s', (_name, more) => {
    expect(call(more)).toThrow(TypeError);
  });
});
