import { randomUUID } from 'node:crypto';
import { AUDITED } from '../../harness/audit.js';
import type { TestTenant } from '../../harness/platform.js';
import type { Claims } from '../../harness/issuer.js';
import { type Door, fromSomewhere, openDoor } from './door.js';

const door: Door = await openDoor();
afterAll(() => door.close());

let tenant: TestTenant;
beforeAll(async () => {
  tenant = await door.platform.tenant();
});
afterEach(() => door.issuer.answer(null));

const REFUSED = { status: 401, body: { code: 'unauthenticated' } };
const seconds = (): number => Math.floor(door.platform.clock.nowMs() / 1_000);

async function reasons(of = tenant): Promise<string[]> {
  const rows = await door.sql<{ entry: string }>(
    `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and action = 'auth.login.failed' order by id`,
    [of.id],
  );
  return rows.map(({ entry }) => (JSON.parse(entry) as { reason: string }).reason);
}

describe('signing in', () => {
  it('opens a session for the member with the verified address', async () => {
    const { id, claims } = await door.person(tenant);
    const answer = await door.signIn(tenant, await door.issuer.token(claims));
    expect(answer).toMatchObject({
      status: 201,
      body: {
        token: expect.stringMatching(/^top_sess_/),
        membership: { id, name: 'Ana Silva', email: claims.email },
        tenant: { id: tenant.id, slug: tenant.slug },
      },
    });
    const deals = await door.as(answer.body.token).get('/api/v1/sales/deals');
    expect(deals.status).toBe(200);
    const made = await door.as(answer.body.token).post('/api/v1/sales/deals', { name: 'Mine', value: 1 });
    expect(made).toMatchObject({ status: 201, body: { createdBy: { type: 'member', id }, ownerId: id } });
    const [stored] = await door.sql(`select secret_hash from directory.credentials where id = $1`, [
      answer.body.session.id,
    ]);
    expect(JSON.stringify(stored)).not.toContain(answer.body.token);
  });

  it('emits an event that says neither token nor address', async () => {
    const { session, token } = await door.signedIn(tenant);
    const [row] = await door.sql<{ envelope: string }>(
      `select envelope from data.events where subject_id = $1 and type = 'auth.session.created'`,
      [session.id],
    );
    expect(JSON.parse(row!.envelope)).toMatchObject({ actor: { type: 'member' }, data: { id: session.id, ip: null } });
    expect(row!.envelope).not.toContain(token);
    expect(row!.envelope).not.toMatch(/10\.\d+\.\d+\.\d+/);
  });

  it('goes by the subject from the second time on, whatever the address is', async () => {
    const { id, claims } = await door.person(tenant);
    await door.signIn(tenant, await door.issuer.token(claims));
    const moved: Claims = { sub: claims.sub, email: 'somebody@else.test', email_verified: false };
    expect(await door.signIn(tenant, await door.issuer.token(moved))).toMatchObject({
      status: 201,
      body: { membership: { id } },
    });
    // The address has changed hands at the provider: its new holder is somebody else.
    const heir = { ...claims, sub: randomUUID() };
    expect(await door.signIn(tenant, await door.issuer.token(heir))).toMatchObject(REFUSED);
    expect((await reasons()).at(-1)).toBe('no_membership');
  });

  it('binds an address once, also when two come at the same time', async () => {
    const { claims } = await door.person(tenant);
    const tokens = await Promise.all([1, 2, 3, 4].map(() => door.issuer.token({ ...claims, sub: randomUUID() })));
    const answers = await Promise.all(tokens.map((token) => door.signIn(tenant, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401]);
  });

  it('takes the nonce of the app', async () => {
    const { claims } = await door.person(tenant);
    const token = await door.issuer.token({ ...claims, nonce: 'n-1' });
    expect(await door.signIn(tenant, token, { nonce: 'n-2' })).toMatchObject(REFUSED);
    expect(await door.signIn(tenant, token, { nonce: 'n-1' })).toMatchObject({ status: 201 });
    expect(await door.signIn(tenant, await door.issuer.token(claims), { nonce: 'n-1' })).toMatchObject(REFUSED);
  });

  it('finds the key among several, and does not ask for keys that nobody has again and again', async () => {
    const fresh = await openDoor();
    try {
      const other = await fresh.platform.tenant();
      const signIn = async (header?: { kid: string }) =>
        fresh.signIn(other, await fresh.issuer.token((await fresh.person(other)).claims, header));
      await fresh.issuer.rotate();
      expect((await signIn()).status).toBe(201);
      for (let i = 0; i < 5; i++) expect((await signIn({ kid: `nobodys-${i}` })).status).toBe(401);
      expect(fresh.issuer.asked).toEqual(['discovery', 'keys']);
    } finally {
      await fresh.close();
    }
  });
});

describe('an address counts as verified', () => {
  it.each<[string, Claims]>([
    ['in words', { email_verified: 'true' }],
    ['by the owner of its domain', { email_verified: undefined, xms_edov: true }],
    ['by the owner of its domain, as a digit', { email_verified: undefined, xms_edov: '1' }],
  ])('%s', async (_how, stated) => {
    const { id, claims } = await door.person(tenant);
    const answer = await door.signIn(tenant, await door.issuer.token({ ...claims, ...stated }));
    expect(answer).toMatchObject({ status: 201, body: { membership: { id } } });
  });

  it('if the operator trusts the provider, unless the token denies it', async () => {
    const trusting = await openDoor({ OIDC_TRUST_EMAIL: 'true' });
    try {
      const other = await trusting.platform.tenant();
      const { claims } = await trusting.person(other);
      const answerTo = async (stated: Claims) =>
        (await trusting.signIn(other, await trusting.issuer.token({ ...claims, ...stated }))).status;
      expect(await answerTo({ email_verified: false })).toBe(401);
      expect(await answerTo({ email_verified: 'false' })).toBe(401);
      expect(await answerTo({ email_verified: undefined, xms_edov: false })).toBe(401);
      expect(await answerTo({ email_verified: undefined })).toBe(201);
    } finally {
      await trusting.close();
    }
  });
});

describe('a token is refused', () => {
  const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const bad: [string, string, (claims: Claims) => Promise<string>][] = [
    [
      'that nobody signed',
      'token_invalid',
      async (claims) => {
        const now = seconds();
        const payload = { iss: door.issuer.url, aud: 'platform-app', iat: now, exp: now + 60, ...claims };
        return `${base64({ alg: 'none', typ: 'JWT' })}.${base64(payload)}.`;
      },
    ],
    ['that another key signed', 'token_invalid', (claims) => door.issuer.forged(claims)],
    [
      'whose content was changed',
      'token_invalid',
      async (claims) => {
        const [head, , signature] = (await door.issuer.token(claims)).split('.');
        const now = seconds();
        return `${head}.${base64({ iss: door.issuer.url, aud: 'platform-app', iat: now, exp: now + 60, ...claims })}.${signature}`;
      },
    ],
    ['with a key that nobody has', 'token_invalid', (claims) => door.issuer.token(claims, { kid: 'nobodys' })],
    [
      'of another issuer',
      'token_wrong_iss',
      (claims) => door.issuer.token({ ...claims, iss: 'https://id.example.com' }),
    ],
    ['for another app', 'token_wrong_aud', (claims) => door.issuer.token({ ...claims, aud: 'elsewhere' })],
    [
      'for several apps and issued to none of ours',
      'token_wrong_party',
      (claims) => door.issuer.token({ ...claims, aud: ['platform-app', 'elsewhere'], azp: 'elsewhere' }),
    ],
    [
      'for several apps that does not say for whom',
      'token_wrong_party',
      (claims) => door.issuer.token({ ...claims, aud: ['platform-app', 'elsewhere'] }),
    ],
    [
      'that has expired',
      'token_expired',
      (claims) => door.issuer.token({ ...claims, iat: seconds() - 400, exp: seconds() - 61 }),
    ],
    ['that never expires', 'token_wrong_exp', (claims) => door.issuer.token({ ...claims, exp: undefined })],
    [
      'that is older than a day',
      'token_expired',
      (claims) => door.issuer.token({ ...claims, iat: seconds() - 86_500, exp: seconds() + 3_600 }),
    ],
    [
      'of the future',
      'token_wrong_iat',
      (claims) => door.issuer.token({ ...claims, iat: seconds() + 300, exp: seconds() + 600 }),
    ],
    ['that is an access token', 'token_wrong_type', (claims) => door.issuer.token(claims, { typ: 'at+jwt' })],
    ['whose type is no text', 'token_wrong_type', (claims) => door.issuer.token(claims, { typ: 7 as never })],
    ['whose person is a number', 'token_malformed', (claims) => door.issuer.token({ ...claims, sub: 4711 as never })],
    ['whose person is a list', 'token_malformed', (claims) => door.issuer.token({ ...claims, sub: ['4711'] as never })],
    ['without a person', 'token_wrong_sub', (claims) => door.issuer.token({ ...claims, sub: undefined })],
    [
      'whose address is not verified',
      'email_not_verified',
      (claims) => door.issuer.token({ ...claims, email_verified: false }),
    ],
    [
      'whose address is said in words not to be verified',
      'email_not_verified',
      (claims) => door.issuer.token({ ...claims, email_verified: 'false' }),
    ],
    [
      'that does not say whether the address is verified',
      'email_not_verified',
      (claims) => door.issuer.token({ ...claims, email_verified: undefined }),
    ],
    [
      'whose address is not verified, though the domain is',
      'email_not_verified',
      (claims) => door.issuer.token({ ...claims, email_verified: false, xms_edov: true }),
    ],
    [
      'whose address is of a domain that is not verified',
      'email_not_verified',
      (claims) => door.issuer.token({ ...claims, email_verified: undefined, xms_edov: false }),
    ],
    [
      'whose address cannot be stored',
      'email_not_verified',
      (claims) => door.issuer.token({ ...claims, sub: 'somebody-new', email: `a\0${claims.email as string}` }),
    ],
    [
      'of a stranger',
      'no_membership',
      () => door.issuer.token({ email: 'stranger@example.test', email_verified: true }),
    ],
  ];

  it.each(bad)('%s', async (_what, reason, make) => {
    const { claims } = await door.person(tenant);
    const before = await reasons();
    expect(await door.signIn(tenant, await make(claims))).toMatchObject(REFUSED);
    expect(await reasons()).toEqual([...before, reason]);
    expect(await door.signIn(tenant, await door.issuer.token(claims))).toMatchObject({ status: 201 });
  });

  it('the second time that it is used, also at the same time', async () => {
    const { claims } = await door.person(tenant);
    const token = await door.issuer.token(claims);
    const answers = await Promise.all([1, 2, 3].map(() => door.signIn(tenant, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    expect((await reasons()).at(-1)).toBe('token_used');
  });

  it.each(['invited', 'suspended', 'deactivated'])('of a member who is %s', async (status) => {
    const { id, claims } = await door.person(tenant);
    await door.sql(`update data.memberships set status = $2, version = version + 1 where id = $1`, [id, status]);
    expect(await door.signIn(tenant, await door.issuer.token(claims))).toMatchObject(REFUSED);
    expect((await reasons()).at(-1)).toBe(`membership_${status}`);
  });

  it('alike for a tenant that there is not, and for one that the person is no member of', async () => {
    const other = await door.platform.tenant();
    const { claims } = await door.person(tenant);
    const [foreign, none] = [
      await door.signIn(other, await door.issuer.token(claims)),
      await door.signIn({ slug: 'there-is-none' }, await door.issuer.token(claims)),
    ];
    const told = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
      const { instance: _instance, requestId: _requestId, ...rest } = body;
      return { status, rest };
    };
    expect(told(foreign)).toMatchObject({ status: 401 });
    expect(told(foreign)).toEqual(told(none));
    expect(await reasons(other)).toEqual(['no_membership']);
  });

  it('before it is looked at, when it is no token at all', async () => {
    for (const idToken of ['nonsense', 'a.b', `${'x'.repeat(17_000)}.y.z`])
      expect(await door.signIn(tenant, idToken)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });
});

describe('a failed sign-in of a member', () => {
  interface Told {
    subject: { type: string; id: string; url: string };
    actor: object;
    data: { membershipId: string; reason: string; count: number };
  }
  const toldOf = async (id: string) =>
    (
      await door.sql<{ envelope: string }>(
        `select envelope from data.events where subject_id = $1 and type = 'auth.login.failed' order by id`,
        [id],
      )
    ).map(({ envelope }) => JSON.parse(envelope) as Told);
  const fail = async (claims: Claims) =>
    expect(await door.signIn(tenant, await door.issuer.token(claims))).toMatchObject(REFUSED);
  const suspend = (id: string) =>
    door.sql(`update data.memberships set status = 'suspended', version = version + 1 where id = $1`, [id]);

  it('is told by an event, at most once a minute, with the number since the one before', async () => {
    const { id, claims } = await door.person(tenant);
    const { id: other, claims: theirs } = await door.person(tenant);
    await suspend(id);
    await suspend(other);
    await Promise.all([1, 2, 3, 4].map(() => fail(claims)));
    await fail(theirs);
    const one = { membershipId: id, reason: 'membership_suspended', count: 1 };
    expect(await toldOf(id)).toMatchObject([
      {
        data: one,
        subject: { type: 'core.membership', id, url: `/api/admin/memberships/${id}` },
        actor: { type: 'anonymous', id: null },
      },
    ]);
    door.platform.clock.advance(60_000);
    await fail(claims);
    await fail(claims);
    door.platform.clock.advance(60_000);
    await fail(claims);
    expect((await toldOf(id)).map(({ data }) => data.count)).toEqual([1, 4, 2]);
    expect((await toldOf(other)).map(({ data }) => data.count)).toEqual([1]);
    expect(JSON.stringify(await toldOf(id))).not.toContain('@');
    const { body } = await tenant.api.get<{ data: object[] }>(`/api/admin/audit-logs?targetId=${id}&outcome=denied`);
    expect(body.data).toHaveLength(7);
    expect(body.data[0]).toMatchObject({
      action: 'auth.login.failed',
      target: { type: 'core.membership', name: 'Ana Silva' },
    });
  });

  it('is told also by the address alone, and whatever the reason', async () => {
    const { id, claims } = await door.person(tenant);
    const token = await door.issuer.token(claims);
    expect((await door.signIn(tenant, token)).status).toBe(201);
    await fail({ ...claims, sub: randomUUID() });
    door.platform.clock.advance(60_000);
    expect(await door.signIn(tenant, token)).toMatchObject(REFUSED);
    expect((await toldOf(id)).map(({ data }) => data.reason)).toEqual(['no_membership', 'token_used']);
  });

  it('is told to nobody if the person is a stranger, or not proven', async () => {
    const count = () => door.sql(`select id from data.events where type = 'auth.login.failed'`);
    const before = await count();
    const { claims } = await door.person(tenant);
    await fail({ email: 'stranger@example.test', email_verified: true });
    await fail({ ...claims, email_verified: false });
    await fail({ ...claims, exp: seconds() - 120, iat: seconds() - 300 });
    expect(await door.signIn(tenant, await door.issuer.forged(claims))).toMatchObject(REFUSED);
    const elsewhere = await door.platform.tenant();
    expect(await door.signIn(elsewhere, await door.issuer.token(claims))).toMatchObject(REFUSED);
    expect(await count()).toEqual(before);
  });
});

describe('limits', () => {
  it('stop an address that fails too often, and nobody else', async () => {
    const from = fromSomewhere();
    const body = async (claims: Claims) => ({ idToken: await door.issuer.token(claims), tenantSlug: tenant.slug });
    const statuses: number[] = [];
    for (let i = 0; i < 25; i++)
      statuses.push((await door.anonymous.post('/api/auth/session', await body({}), from)).status);
    expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)]);
    const { claims } = await door.person(tenant);
    expect(await door.anonymous.post('/api/auth/session', await body(claims), from)).toMatchObject({ status: 201 });
  });
});
