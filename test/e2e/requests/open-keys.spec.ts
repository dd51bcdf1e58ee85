import { randomUUID } from 'node:crypto';
import type { Answer } from '../../harness/client.js';
import { adminPool } from '../../harness/database.js';
import type { TestTenant } from '../../harness/platform.js';
import { operationsOf } from '../../matrix/operations.js';
import { fingerprintOf, textOf } from '../../matrix/tenant-fingerprint.js';
import { fromSomewhere } from '../auth/door.js';
import { sent } from '../proposals/proposal-calls.js';
import { type Hall, INVITATIONS, openHall } from '../invitations/hall.js';

/** Idempotency keys of public writes, which are scoped by the secret in the request. */
const hall: Hall = await openHall();
const admin = adminPool(hall.platform.database.adminUrl, 2);
afterAll(async () => {
  await admin.end();
  await hall.close();
});

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await hall.platform.tenant();
});

type Body = Record<string, unknown> | undefined;

/** A request that succeeds once, and the number of concurrent attempts. */
interface Request {
  send: (key: string | null, body?: Body) => Promise<Answer>;
  crowd: number;
}

const sender =
  (path: string, body: Body, headers: Record<string, string> = {}): Request['send'] =>
  (key, own = body) =>
    hall.anonymous.post(path, own, {
      ...fromSomewhere(),
      ...headers,
      ...(key === null ? {} : { 'idempotency-key': key }),
    });

async function proposalPath(): Promise<string> {
  const { id: targetId } = await sent(tenant.api);
  const link = { purpose: 'proposal', targetId };
  const { body } = await tenant.api.post<{ publicUrl: string }>('/api/settings/public-links', link);
  return new URL(body.publicUrl).pathname;
}

const REQUESTS: Record<string, () => Promise<Request>> = {
  async 'auth.session.create'() {
    const { claims } = await hall.person(tenant);
    const body = { idToken: await hall.issuer.token(claims), tenantSlug: tenant.slug };
    return { send: sender('/api/auth/session', body), crowd: 20 };
  },
  async 'invitations.accept'() {
    const { token, email } = await hall.invited(tenant);
    const idToken = await hall.proof(email);
    return { send: sender(`/api/invitations/${token}/accept`, { idToken }), crowd: 10 };
  },
  async 'invitations.decline'() {
    const { token } = await hall.invited(tenant);
    return { send: sender(`/api/invitations/${token}/decline`, undefined), crowd: 10 };
  },
  async 'public.milestones.accept'() {
    const idOf = async (path: string, body: object) => (await tenant.api.post<{ id: string }>(path, body)).body.id;
    const projectId = await idOf('/api/v1/work/projects', { name: 'Website' });
    const targetId = await idOf('/api/v1/work/milestones', { name: 'Go-live', projectId });
    await tenant.api.post(`/api/v1/work/milestones/${targetId}/reach`);
    const link = { purpose: 'milestone', targetId };
    const { body } = await tenant.api.post<{ publicUrl: string }>('/api/settings/public-links', link);
    return { send: sender(`${new URL(body.publicUrl).pathname}/accept`, { name: 'Grace Hopper' }), crowd: 10 };
  },
  async 'public.proposals.accept'() {
    return { send: sender(`${await proposalPath()}/accept`, { versionNumber: 1, name: 'Grace Hopper' }), crowd: 10 };
  },
  async 'public.proposals.decline'() {
    return { send: sender(`${await proposalPath()}/decline`, { versionNumber: 1 }), crowd: 10 };
  },
};

const isReplay = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true';
const state = () => fingerprintOf(admin, tenant.id);

it('is tested for every public write with a key; those of operators are in test/e2e/bootstrap', () => {
  const open = operationsOf(hall.platform.document).filter(
    ({ id, open: isOpen, method, idempotent }) =>
      isOpen && method !== 'GET' && idempotent && !id.startsWith('bootstrap.tenants.'),
  );
  expect(open.map(({ id }) => id).sort()).toEqual(Object.keys(REQUESTS).sort());
});

describe.each(Object.entries(REQUESTS))('%s', (_name, requestOf) => {
  it('repeats its response without a second effect', async () => {
    const { send } = await requestOf();
    const key = randomUUID();
    const first = await send(key);
    expect({ status: first.status, replay: isReplay(first) }).toEqual({ status: expect.any(Number), replay: false });
    expect(first.status).toBeLessThan(300);
    const { 'data.audit_log': _, ...before } = await state();
    for (const each of [key, `"${key}"`]) {
      const answer = await send(each);
      expect({ replay: isReplay(answer), status: answer.status, text: answer.text }).toEqual({
        replay: true,
        status: first.status,
        text: first.text,
      });
      expect(answer.headers.get('location')).toBe(first.headers.get('location'));
    }
    const { 'data.audit_log': __, ...after } = await state();
    expect(after).toEqual(before);
    const { token, session } = first.body;
    const { rows } = await admin.query<object>(
      `select actor_type as actor, target_type as type from data.audit_log
       where tenant_id = $1 and action = 'core.secret.shown_again'`,
      [tenant.id],
    );
    // Each repetition of a session is audited.
    expect(rows).toHaveLength(session === undefined ? 0 : 2);
    for (const row of rows) expect(row).toEqual({ actor: 'member', type: 'auth.session' });
    if (typeof token === 'string') expect(await textOf(admin, tenant.id)).not.toContain(token);
  });

  it('has one effect for concurrent requests with one key', async () => {
    const { send, crowd } = await requestOf();
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: crowd }, () => send(key)));
    const done = answers.filter(({ status }) => status < 300);
    expect(done.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status >= 300))
      expect(answer).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } });
  });

  it('refuses an invalid key without effect', async () => {
    const { send } = await requestOf();
    for (const key of ['', 'with space', 'x'.repeat(256)])
      expect(await send(key)).toMatchObject({ status: 400, body: { code: 'idempotency_key_invalid' } });
    expect((await send(null)).status).toBeLessThan(300);
  });

  it('repeats nothing for another key, without one, or after 10 minutes', async () => {
    const { send } = await requestOf();
    const key = randomUUID();
    const first = await send(key);
    for (const each of [null, randomUUID()]) expect([401, 404, 409]).toContain((await send(each)).status);
    expect((await send(key)).text).toBe(first.text);
    await admin.query(
      `update data.idempotency_keys set completed_at = now() - interval '11 minutes' where tenant_id = $1 and key = $2`,
      [tenant.id, key],
    );
    expect([401, 404, 409]).toContain((await send(key)).status);
  });
});

describe('signing in with a key', () => {
  it('refuses the key for another nonce', async () => {
    const { claims } = await hall.person(tenant);
    const idToken = await hall.issuer.token({ ...claims, nonce: 'n-1' });
    const send = sender('/api/auth/session', { idToken, tenantSlug: tenant.slug, nonce: 'n-1' });
    expect((await send('k')).status).toBe(201);
    // Without its nonce the token proves nothing, so stored responses are not searched.
    expect(await send('k', { idToken, tenantSlug: tenant.slug, nonce: 'n-2' })).toMatchObject({ status: 401 });
    expect(isReplay(await send('k'))).toBe(true);
  });

  it('does not repeat a session that has ended or whose member is blocked', async () => {
    const { claims, id } = await hall.person(tenant);
    const body = { idToken: await hall.issuer.token(claims), tenantSlug: tenant.slug };
    const send = sender('/api/auth/session', body);
    const { token } = (await send('k')).body as { token: string };
    expect((await hall.as(token).post('/api/auth/logout')).status).toBe(200);
    expect(await send('k')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    const next = sender('/api/auth/session', { ...body, idToken: await hall.issuer.token(claims) });
    expect((await next('k')).status).toBe(201);
    await hall.sql(`update data.memberships set status = 'suspended', version = version + 1 where id = $1`, [id]);
    expect(await next('k')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  it('stores nothing for a failed sign-in', async () => {
    const { claims } = await hall.person(tenant);
    const idToken = await hall.issuer.token({ ...claims, email_verified: false });
    const send = sender('/api/auth/session', { idToken, tenantSlug: tenant.slug });
    for (const _ of [1, 2]) {
      const answer = await send('k');
      expect({ status: answer.status, replay: isReplay(answer) }).toEqual({ status: 401, replay: false });
    }
    const unknown = { idToken, tenantSlug: 'no-such-tenant' };
    expect(await send('k', unknown)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });
});

describe('accepting with a key', () => {
  it('refuses the key for another body', async () => {
    const { token, email } = await hall.invited(tenant);
    const send = sender(`/api/invitations/${token}/accept`, { idToken: await hall.proof(email) });
    expect((await send('k')).status).toBe(200);
    const other = { idToken: await hall.proof(email) };
    expect(await send('k', other)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(isReplay(await send('k'))).toBe(true);
  });

  it('is bound to the session used', async () => {
    const person = await hall.signedIn(tenant);
    const other = await hall.platform.tenant();
    await hall.invite(other, { email: person.claims.email });
    const path = `/api/invitations/${await hall.tokenFor(person.claims.email!)}/accept`;
    const by = (session: string) => sender(path, undefined, { authorization: `Bearer ${session}` });
    const first = await by(person.token)('k');
    expect(first.status).toBe(200);
    expect(await by(person.token)('k')).toMatchObject({ status: 200, text: first.text });
    const stranger = await hall.signedIn(tenant);
    expect(await by(stranger.token)('k')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await hall.as(person.token).post('/api/auth/logout')).status).toBe(200);
    expect(await by(person.token)('k')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  it('repeats nothing once the invitation was revoked', async () => {
    const { token, invitation, email } = await hall.invited(tenant);
    expect((await tenant.api.patch(`${INVITATIONS}/${invitation.id}`, { action: 'revoke' })).status).toBe(200);
    const accept = sender(`/api/invitations/${token}/accept`, { idToken: await hall.proof(email) });
    for (const key of [null, 'k', 'k'])
      expect(await accept(key)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await sender(`/api/invitations/${token}/decline`, undefined)('k')).toMatchObject({ status: 404 });
  });
});
