import { createHash, createPublicKey, verify } from 'node:crypto';
import { SigningKeys } from '#libs/proof/signing-keys.js';
import { migrate } from '#src/database/migrate.js';
import { operatorOf } from '../../cli/operator.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const KEYS = '/api/public/keys';

interface Jwk {
  kid: string;
  kty: string;
  crv: string;
  x: string;
  use: string;
  status: string;
  notBefore: string;
  notAfter: string | null;
}

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const keys = async () => (await platform.anonymous().get<{ keys: Jwk[] }>(KEYS)).body.keys;

describe('the public keys', () => {
  it('are a JWK set that everybody can read and that verifies what is signed', async () => {
    const [key, ...others] = await keys();
    expect(others).toEqual([]);
    expect(key).toEqual({
      kid: createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${key!.x}"}`).digest('base64url'),
      kty: 'OKP',
      crv: 'Ed25519',
      x: expect.stringMatching(/^[\w-]{43}$/),
      use: 'sig',
      status: 'active',
      notBefore: expect.any(String),
      notAfter: null,
    });
    const signature = (await platform.app.get(SigningKeys).active()).sign(Buffer.from('text'));
    const publicKey = createPublicKey({ key: { kty: key!.kty, crv: key!.crv, x: key!.x }, format: 'jwk' });
    expect(verify(null, Buffer.from('text'), publicKey, signature)).toBe(true);
  });

  it('are answered with 304 to whoever has them', async () => {
    const { headers } = await platform.anonymous().get(KEYS);
    expect(headers.get('cache-control')).toBe('no-cache');
    const again = await platform.anonymous().get(KEYS, { 'if-none-match': headers.get('etag')! });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('stay after a rotation, which has another key sign', async () => {
    const operator = operatorOf(platform.database.settings);
    const before = await keys();
    const made = await operator.json<{ kid: string }>('signing-key', 'rotate');
    const after = await keys();
    expect(after.map(({ kid, status }) => ({ kid, status }))).toEqual([
      ...before.map(({ kid }) => ({ kid, status: 'retired' })),
      { kid: made.kid, status: 'active' },
    ]);
    expect(after[0]!.notAfter).toBe(after[1]!.notBefore);
    expect((await platform.app.get(SigningKeys).active()).kid).toBe(made.kid);
    const listed = await operator.json<{ data: { kid: string }[] }>('signing-key', 'list');
    expect(listed.data.map(({ kid }) => kid)).toEqual(after.map(({ kid }) => kid));
  });

  it('are made once, however many processes start at once', async () => {
    const { adminUrl, settings } = platform.database;
    await asAdmin(platform.database, 'delete from directory.signing_keys');
    await Promise.all([migrate(adminUrl, settings), migrate(adminUrl, settings)]);
    expect(await keys()).toHaveLength(1);
    await migrate(adminUrl, settings);
    expect(await keys()).toHaveLength(1);
  });

  it('are stored without anything that signs', async () => {
    const [row] = await asAdmin<{ sealed: Buffer }>(
      platform.database,
      'select sealed_private_key as sealed from directory.signing_keys where not_after is null',
    );
    // PKCS 8 of an Ed25519 key begins with these bytes.
    expect(row!.sealed.includes(Buffer.from('302e020100300506032b6570', 'hex'))).toBe(false);
  });

  it('can be asked for only so often by one address', async () => {
    let status = 200;
    for (let asked = 0; asked < 130 && status !== 429; asked++) ({ status } = await platform.anonymous().get(KEYS));
    expect(status).toBe(429);
  });
});
