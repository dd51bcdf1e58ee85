import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { AUDITED } from '../../harness/audit.js';
import { asAdmin } from '../../harness/database.js';
import { type Operator, newSlug, operatorOf } from '../../cli/operator.js';
import { type Door, fromSomewhere, openDoor } from '../auth/door.js';

type Json = Record<string, unknown>;

let door: Door;
let operator: Operator;
let key: string;
beforeAll(async () => {
  door = await openDoor();
  operator = operatorOf(door.platform.database.settings);
  key = String((await operator.json('operator-key', 'create', '--name', 'Sign-up site'))['operatorKey']);
});
afterAll(() => door.close());

const TENANTS = '/api/bootstrap/tenants';
const sql = <R extends object = Json>(text: string, values: unknown[]) =>
  asAdmin<R>(door.platform.database, text, values);
const wantedOf = (more: Json = {}): Json & { slug: string } => ({
  name: 'Ünï GmbH',
  slug: newSlug(),
  ownerEmail: 'Ann@example.com',
  plan: 'starter',
  ...more,
});
const found = (body: Json, credential: string | null = key) =>
  door.anonymous.post<Json>(TENANTS, body, {
    ...fromSomewhere(),
    ...(credential !== null && { authorization: `Bearer ${credential}` }),
  });

/** Number of rows in every table that creating a tenant writes to. */
async function counts(): Promise<Json> {
  const [row] = await sql(
    `select (select count(*) from directory.tenants) as tenants, (select count(*) from data.memberships) as members,
       (select count(*) from data.workspaces) as workspaces, (select count(*) from data.data_keys) as keys,
       (select count(*) from data.event_sequences) as sequences, (select count(*) from data.tenant_settings) as settings,
       (select count(*) from data.audit_log) as audit, (select count(*) from data.events) as events`,
    [],
  );
  return row!;
}

describe('creating a tenant', () => {
  it('creates it with its owner, who can sign in and work immediately', async () => {
    const wanted = wantedOf({ currency: 'EUR', locale: 'de-AT', timezone: 'Europe/Vienna' });
    const answer = await found(wanted);
    expect(answer).toMatchObject({
      status: 201,
      body: {
        object: 'core.tenant',
        slug: wanted.slug,
        name: 'Ünï GmbH',
        plan: 'starter',
        currency: 'EUR',
        created: true,
      },
    });
    expect(answer.headers.get('location')).toBe(`${TENANTS}/${String(answer.body['id'])}`);
    const claims = { sub: `ann-${wanted.slug}`, email: 'ann@example.com', email_verified: true };
    const signedIn = await door.signIn({ slug: wanted.slug }, await door.issuer.token(claims));
    expect(signedIn.status).toBe(201);
    const ann = door.as(signedIn.body.token);
    expect((await ann.post('/api/v1/sales/deals', { name: 'First' })).body).toMatchObject({ currency: 'EUR' });
    const { body: start } = await ann.get<Json>('/api/bootstrap');
    expect(start).toMatchObject({
      membership: { id: signedIn.body.membership.id },
      roles: [{ key: 'owner' }],
      workspaces: [{ name: 'General', role: 'lead' }],
      settings: { currency: 'EUR', locale: 'de-AT', timezone: 'Europe/Vienna', weekStart: 'monday' },
      limits: { readsPerMinute: 600, writesPerMinute: 120 },
    });
  });

  it('writes audit entry and event under the name of the key and without the address', async () => {
    const { body } = await found(wantedOf());
    const entries = await sql<{ action: string; entry: string }>(
      `select action, ${AUDITED} as entry from data.audit_log where tenant_id = $1 order by id`,
      [body['id']],
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'core.tenant.created',
      'core.workspace.created',
      'core.membership.created',
    ]);
    expect(JSON.parse(entries[0]!.entry)).toMatchObject({
      actor: { type: 'system', name: 'operator key Sign-up site' },
    });
    const [event] = await sql<{ envelope: string }>('select envelope from data.events where tenant_id = $1', [
      body['id'],
    ]);
    const { created: _created, ...view } = body;
    expect(JSON.parse(event!.envelope)).toMatchObject({ type: 'core.tenant.created', data: view, changes: null });
    expect(JSON.stringify([entries, event])).not.toContain('nn@example.com');
    const declared = door.platform.app.get(EventCatalogue).newest('core.tenant.created');
    expect(Object.keys(view).sort()).toEqual(Object.keys(declared.data['properties'] as Json).sort());
  });

  it('happens once per slug and owner, even concurrently', async () => {
    const wanted = wantedOf();
    const answers = await Promise.all(Array.from({ length: 10 }, () => found(wanted)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1);
    expect(answers.filter(({ body }) => body['created']).length).toBe(1);
    const before = await counts();
    const again = await found({ ...wanted, name: 'Other', ownerEmail: 'ann@EXAMPLE.com' });
    expect(again).toMatchObject({
      status: 200,
      body: { name: 'Ünï GmbH', created: false, id: answers[0]!.body['id'] },
    });
    expect(await counts()).toEqual(before);
  });

  it('stores its response under an idempotency key of the tenant', async () => {
    const wanted = wantedOf();
    const keyed = () =>
      door.anonymous.post<Json>(TENANTS, wanted, {
        ...fromSomewhere(),
        authorization: `Bearer ${key}`,
        'idempotency-key': 'one',
      });
    const first = await keyed();
    expect(first).toMatchObject({ status: 201, body: { created: true } });
    const again = await keyed();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    wanted['name'] = 'Other';
    expect(await keyed()).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  it('leaves no traces when the slug belongs to somebody else', async () => {
    const wanted = wantedOf();
    await found(wanted);
    const { slug } = await door.platform.tenant(); // created without an owner
    const before = await counts();
    expect(await found({ ...wanted, ownerEmail: 'bob@example.com' })).toMatchObject({
      status: 409,
      body: { code: 'slug_taken' },
    });
    expect((await found(wantedOf({ slug }))).status).toBe(409);
    expect(await counts()).toEqual(before);
  });

  it.each([
    ['slug', 'Not-A-Slug', 'invalid_format'],
    ['plan', 'gold', undefined],
    ['currency', 'euro', undefined],
    ['timezone', 'Mars/Base', 'unknown_timezone'],
    ['locale', 'de_AT', 'unknown_locale'],
    ['ownerEmail', 'nobody', undefined],
    ['region', 'eu', 'unknown_field'],
  ])('refuses the %s %s', async (field, value, code) => {
    const { status, body } = await found(wantedOf({ [field]: value }));
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    const [error] = body['errors'] as Json[];
    expect(error).toMatchObject({
      pointer: `/${field}`,
      ...(code !== undefined && { code: expect.any(String) as string }),
    });
  });
});

describe('an operator key', () => {
  it('is required: tenant credentials are rejected, and it grants no access to tenants', async () => {
    const { apiKey } = await door.platform.tenant();
    for (const credential of [null, 'nonsense', apiKey, `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`])
      expect(await found(wantedOf(), credential)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    const bearer = { ...fromSomewhere(), authorization: `Bearer ${key}`, 'x-tenant-slug': 'any' };
    expect((await door.anonymous.get('/api/bootstrap', bearer)).status).toBe(401);
    expect((await door.anonymous.get('/api/bootstrap', { ...fromSomewhere(), 'x-api-key': key })).status).toBe(401);
  });

  it('can read a tenant', async () => {
    const { body } = await found(wantedOf());
    const read = (id: string, credential = key) =>
      door.anonymous.get<Json>(`${TENANTS}/${id}`, { ...fromSomewhere(), authorization: `Bearer ${credential}` });
    const { created: _created, ...view } = body;
    expect((await read(String(body['id']))).body).toEqual(view);
    expect((await read('01890000-0000-7000-8000-000000000000')).status).toBe(404);
    expect((await read('nonsense')).status).toBe(400);
    expect((await read(String(body['id']), 'nonsense')).status).toBe(401);
  });

  it('is refused with the next request when revoked or expired', async () => {
    const made = async (...more: string[]) => operator.json('operator-key', 'create', '--name', 'Other', ...more);
    const revoked = await made();
    expect((await found(wantedOf(), String(revoked['operatorKey']))).status).toBe(201);
    await operator.json('operator-key', 'revoke', '--id', String(revoked['id']));
    expect((await found(wantedOf(), String(revoked['operatorKey']))).status).toBe(401);
    const soon = await made('--expires-at', new Date(Date.now() + 60_000).toISOString());
    expect((await found(wantedOf(), String(soon['operatorKey']))).status).toBe(201);
    door.platform.clock.advance(120_000);
    expect((await found(wantedOf(), String(soon['operatorKey']))).status).toBe(401);
    door.platform.clock.advance(-120_000);
    const listed = await operator.json<{ data: Json[] }>('operator-key', 'list');
    expect(listed.data.find(({ id }) => id === revoked['id'])).toMatchObject({
      revokedAt: expect.any(String) as string,
    });
    expect(JSON.stringify(listed)).not.toContain('top_oper_');
  });

  it('is blocked by the limit of its IP address after too many failures', async () => {
    const headers = { ...fromSomewhere(), authorization: 'Bearer nonsense' };
    const statuses: number[] = [];
    for (let tries = 0; tries < 21; tries++)
      statuses.push((await door.anonymous.post(TENANTS, wantedOf(), headers)).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(429);
    expect(
      (await door.anonymous.post(TENANTS, wantedOf(), { ...headers, authorization: `Bearer ${key}` })).status,
    ).toBe(201);
  });
});

describe('a slug', () => {
  const ask = (slug: string, headers = fromSomewhere()) =>
    door.anonymous.get<Json>(`/api/bootstrap/slug-available?slug=${slug}`, headers);

  it('is reported as free or not, without further details', async () => {
    const { slug } = await door.platform.tenant();
    expect(await ask(slug)).toMatchObject({ status: 200, body: { available: false } });
    expect((await ask(newSlug())).body).toEqual({ available: true });
    expect((await ask('-no-')).status).toBe(400);
  });

  it('can be checked at most 60 times a minute per IP address', async () => {
    const headers = fromSomewhere();
    const statuses: number[] = [];
    for (let tries = 0; tries < 61; tries++) statuses.push((await ask(newSlug(), headers)).status);
    expect(statuses.indexOf(429)).toBe(60);
    // It does not use up the limit of sign-ins from the same address.
    expect((await door.anonymous.get('/api/auth/login', headers)).status).not.toBe(429);
    expect((await door.anonymous.get('/api/auth/session', headers)).status).toBe(401);
  });
});
