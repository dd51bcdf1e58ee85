import { IdTokens } from '#libs/auth/oidc/id-tokens.js';
import { IdentityProvider } from '#libs/auth/oidc/identity-provider.js';
import { readSettings } from '#libs/config/settings.js';
import { SystemClock } from '#libs/kernel/clock.js';
import { AUDIENCE, type Issuer, startIssuer, type Told } from '../../harness/issuer.js';
import { openDoor } from './door.js';

const UNAVAILABLE = { status: 503, code: 'unavailable' };

const json = (body: unknown): Told => ({ status: 200, body: JSON.stringify(body) });

describe('a provider that cannot be believed', () => {
  let issuer: Issuer;
  let tokens: IdTokens;
  beforeEach(async () => {
    issuer = await startIssuer();
    const provider = new IdentityProvider({
      ...readSettings({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: AUDIENCE }),
      OIDC_CLIENT_ID: null,
    });
    tokens = new IdTokens(provider, new SystemClock());
  });
  afterEach(() => issuer.close());

  const verify = async () => tokens.verify(await issuer.token({ sub: '1' }), null);
  const isFirst = (path: string): boolean => path.endsWith('openid-configuration');
  const genuine = () => ({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` });
  const discovery = (more: object) => (path: string) => (isFirst(path) ? json({ ...genuine(), ...more }) : null);
  const hostile: [string, () => (path: string) => Told][] = [
    ['answers with an error', () => () => ({ status: 500, body: 'no' })],
    ['answers with no JSON', () => () => ({ status: 200, body: '<html>' })],
    ['answers with something else', () => () => json(['issuer'])],
    ['says that it is another issuer', () => discovery({ issuer: 'https://id.example.com' })],
    [
      'sends too much',
      () => (path) =>
        isFirst(path) ? { status: 200, body: JSON.stringify(genuine()) + ' '.repeat(300 * 1024) } : null,
    ],
    [
      'sends us elsewhere',
      () => (path) =>
        path === '/elsewhere'
          ? json(genuine())
          : isFirst(path)
            ? { status: 302, body: '', headers: { location: '/elsewhere' } }
            : null,
    ],
    ['has its keys at a private address', () => discovery({ jwks_uri: 'http://169.254.169.254/latest/meta-data' })],
    ['has its keys at a name of the own network', () => discovery({ jwks_uri: 'https://keys.internal/jwks' })],
    ['has its keys in a file', () => discovery({ jwks_uri: 'file:///etc/passwd' })],
    ['has no keys', () => (path) => (path === '/keys' ? json({ keys: 'none' }) : null)],
  ];

  it.each(hostile)('%s', async (_what, told) => {
    issuer.answer(told());
    await expect(verify()).rejects.toMatchObject(UNAVAILABLE);
  });

  it('has its keys at another port of this machine', async () => {
    const other = await startIssuer();
    const keys = await (await fetch(`${issuer.url}/keys`)).text();
    other.answer(() => ({ status: 200, body: keys }));
    issuer.answer(discovery({ jwks_uri: `${other.url}/keys` }));
    await expect(verify()).rejects.toMatchObject(UNAVAILABLE);
    expect(other.asked).toEqual([]);
    await other.close();
  });

  it('is left alone for a moment', async () => {
    issuer.answer(() => ({ status: 500, body: 'no' }));
    for (let i = 0; i < 8; i++) await expect(verify()).rejects.toMatchObject(UNAVAILABLE);
    expect(issuer.asked).toEqual(['told']);
  });

  it('keeps nobody out whose keys are known', async () => {
    await verify();
    issuer.answer(() => ({ status: 500, body: 'no' }));
    expect(await verify()).toMatchObject({ subject: '1' });
  });
});

describe('without a provider', () => {
  it('nobody can sign in, and is told so', async () => {
    const closed = await openDoor({ OIDC_ISSUER: '', OIDC_AUDIENCE: '' });
    try {
      const here = await closed.platform.tenant();
      const { claims } = await closed.person(here);
      expect(await closed.signIn(here, await closed.issuer.token(claims))).toMatchObject({
        status: 404,
        body: { code: 'sign_in_not_configured' },
      });
      expect((await here.api.get('/api/auth/session')).status).toBe(200);
    } finally {
      await closed.close();
    }
  });
});

describe('settings', () => {
  const ISSUER = { OIDC_ISSUER: 'https://id.example.com', OIDC_AUDIENCE: 'app' };
  it.each([
    [{ OIDC_ISSUER: 'https://id.example.com' }, 'OIDC_ISSUER needs OIDC_CLIENT_ID'],
    [{ ...ISSUER, OIDC_ISSUER: 'http://id.example.com' }, 'OIDC_ISSUER must start with https://'],
    [{ ...ISSUER, OIDC_ISSUER: 'https://id.example.com/?a=1' }, 'OIDC_ISSUER must have no query'],
    [{ SMTP_URL: 'smtp://mail.example.com' }, 'SMTP_URL needs MAIL_FROM'],
    [{ SMTP_URL: 'http://mail.example.com', MAIL_FROM: 'a@b.example' }, 'SMTP_URL must start with smtp://'],
    [{ MAIL_FROM: 'nobody' }, 'MAIL_FROM must be an address'],
    [{ INVITATION_URL: 'https://app.example.com/join' }, 'INVITATION_URL must be an http or https URL with {token}'],
  ])('that cannot work stop the start: %j', (env, message) => {
    expect(() => readSettings(env)).toThrow(message);
  });

  it.each([
    [undefined, ['http://schemas.openid.net/pape/policies/2007/06/multi-factor', 'phr', 'phrh']],
    ['none', []],
    ['gold, urn:acme:mfa', ['gold', 'urn:acme:mfa']],
  ])('say which acr is a second factor: %s', (OIDC_MFA_ACR, values) => {
    expect(readSettings({ OIDC_MFA_ACR })).toMatchObject({ OIDC_MFA_ACR: values });
  });

  it('that can work are taken', () => {
    const env = { SMTP_URL: 'smtps://u:p@mail.example.com', MAIL_FROM: 'Acme <no-reply@acme.example>', ...ISSUER };
    expect(readSettings({ ...env, INVITATION_URL: 'https://app.example.com/join?t={token}' })).toMatchObject({
      ...env,
      OIDC_AUDIENCE: ['app'],
    });
  });
});
