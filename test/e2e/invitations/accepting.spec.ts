import { randomUUID } from 'node:crypto';
import { generateInvitationToken } from '#libs/auth/api-key.js';
import { Runner } from '#libs/automation/runner.js';
import { Runs } from '#libs/automation/runs.js';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { Answer } from '../../harness/client.js';
import type { TestTenant } from '../../harness/platform.js';
import { fromSomewhere } from '../auth/door.js';
import { type Hall, INVITATIONS, newAddress, openHall } from './hall.js';

const hall: Hall = await openHall();
afterAll(() => hall.close());

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await hall.platform.tenant();
});

const NOT_OPEN = { status: 404, body: { code: 'not_found' } };
/** A response without request-specific values. */
const told = ({ status, body }: Answer): unknown => {
  const { instance: _instance, requestId: _requestId, ...rest } = body;
  return { status, rest };
};

async function membersOf(of: TestTenant): Promise<object[]> {
  return hall.sql(
    `select m.email, m.name, m.status, m.source, (select array_agg(role_id) from data.role_assignments r
       where r.membership_id = m.id) as roles,
       (select array_agg(workspace_id) from data.workspace_members w where w.membership_id = m.id) as workspaces
     from data.memberships m where m.tenant_id = $1 order by created_at`,
    [of.id],
  );
}

async function eventsOf(id: string): Promise<string[]> {
  const rows = await hall.sql<{ type: string }>(`select type from data.events where subject_id = $1 order by id`, [id]);
  return rows.map(({ type }) => type.replace('core.invitation.', ''));
}

describe('an invitation', () => {
  it('shows the invitee inviter, tenant, roles and expiry only', async () => {
    const { token, invitation } = await hall.invited(tenant);
    const answer = await hall.look(token);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      tenantName: expect.any(String),
      invitedBy: 'test',
      roles: ['Member'],
      expiresAt: invitation.expiresAt,
    });
    expect(await hall.look(token)).toMatchObject({ status: 200 }); // reading by a mail scanner is harmless
  });

  it('is accepted with its verified address and signs the invitee in', async () => {
    const { token, invitation, email } = await hall.invited(tenant);
    const answer = await hall.accept(token, { idToken: await hall.proof(email.toLowerCase()) });
    expect(answer).toMatchObject({
      status: 200,
      body: { token: expect.stringMatching(/^top_sess_/), membership: { name: 'Bo Berg' }, tenant: { id: tenant.id } },
    });
    const { token: session, membership } = answer.body as { token: string; membership: { id: string } };
    const [workspace] = await hall.sql<{ id: string }>(
      `select id from data.workspaces where tenant_id = $1 and is_default`,
      [tenant.id],
    );
    expect(await membersOf(tenant)).toEqual([
      {
        email,
        name: 'Bo Berg',
        status: 'active',
        source: 'invite',
        roles: ['00000000-0000-7000-8000-000000000004'],
        workspaces: [workspace!.id],
      },
    ]);
    expect((await hall.as(session).get('/api/v1/sales/deals')).status).toBe(200);
    expect(await tenant.api.get(`${INVITATIONS}/${invitation.id}`)).toMatchObject({
      body: { status: 'accepted', acceptedMembershipId: membership.id },
    });
    expect(await eventsOf(invitation.id)).toEqual(['created', 'accepted']);
    const again = await hall.signIn(tenant, await hall.proof('other@acme.example'));
    expect(again.status).toBe(401);
  });

  it('is refused with another or unverified address', async () => {
    const { token, invitation, email } = await hall.invited(tenant);
    const wrong = [
      await hall.proof(newAddress()),
      await hall.proof(email, { email_verified: false }),
      await hall.proof(email, { email_verified: undefined }),
    ];
    for (const idToken of wrong)
      expect(await hall.accept(token, { idToken })).toMatchObject({ status: 403, body: { code: 'email_mismatch' } });
    for (const body of [undefined, {}, { idToken: await hall.issuer.forged({ email, email_verified: true }) }])
      expect(await hall.accept(token, body)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(await membersOf(tenant)).toEqual([]);
    expect(await hall.statusOf(invitation.id)).toBe('pending');
    expect(await hall.accept(token, { idToken: await hall.proof(email) })).toMatchObject({ status: 200 });
  });

  it('is accepted once, even concurrently', async () => {
    const { token, email } = await hall.invited(tenant);
    const proofs = await Promise.all([1, 2, 3, 4].map(() => hall.proof(email, { sub: `twice-${email}` })));
    const answers = await Promise.all(proofs.map((idToken) => hall.accept(token, { idToken })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect(await membersOf(tenant)).toHaveLength(1);
  });

  it('is not accepted with a used ID token, and a refused token stays usable', async () => {
    const first = await hall.invited(tenant);
    const idToken = await hall.proof(first.email);
    expect(await hall.accept(first.token, { idToken })).toMatchObject({ status: 200 });
    const other = await hall.platform.tenant();
    const again = await hall.invite(other, { email: first.email });
    expect(again.body.data[0]).toMatchObject({ ok: true });
    const second = await hall.tokenFor(first.email);
    expect(await hall.accept(second, { idToken })).toMatchObject({ status: 401 });
    expect(await hall.accept(second, { idToken: await hall.proof(first.email) })).toMatchObject({ status: 200 });
  });

  it('is accepted with the session of the person in another tenant', async () => {
    const person = await hall.signedIn(tenant);
    const other = await hall.platform.tenant();
    await hall.invite(other, { email: person.claims.email });
    expect(await hall.as(person.token).get('/api/invitations/mine')).toMatchObject({
      status: 200,
      body: { data: [{ invitedBy: 'test', roles: ['Member'] }] },
    });
    // A key of one tenant proves nothing in another.
    const key = await hall.platform.key(tenant, ['*'], { memberId: person.membership.id });
    for (const api of [key, tenant.api])
      expect(await api.get('/api/invitations/mine')).toMatchObject({ status: 200, body: { data: [] } });
    const token = await hall.tokenFor(person.claims.email!);
    const stranger = await hall.signedIn(tenant);
    const by = (session: string) => ({ authorization: `Bearer ${session}` });
    expect(await hall.accept(token, undefined, by(stranger.token))).toMatchObject({ status: 403 });
    expect(await hall.accept(token, undefined, by(tenant.apiKey))).toMatchObject({ status: 401 });
    const answer = await hall.accept(token, undefined, by(person.token));
    expect(answer).toMatchObject({ status: 200, body: { tenant: { id: other.id } } });
    expect((await hall.as(String(answer.body['token'])).get('/api/v1/sales/deals')).status).toBe(200);
    expect(await hall.as(person.token).get('/api/invitations/mine')).toMatchObject({ body: { data: [] } });
  });

  it('can be declined without signing in, once', async () => {
    const { token, invitation, email } = await hall.invited(tenant);
    expect(await hall.decline(token)).toMatchObject({ status: 200, body: { status: 'declined' } });
    expect(await hall.decline(token)).toMatchObject(NOT_OPEN);
    expect(await hall.accept(token, { idToken: await hall.proof(email) })).toMatchObject(NOT_OPEN);
    expect(await eventsOf(invitation.id)).toEqual(['created', 'declined']);
  });

  it('expires by itself', async () => {
    const { token, invitation } = await hall.invited(tenant, { expiresInDays: 1 });
    expect(hall.worker.get(Runner)).toBeDefined();
    hall.platform.clock.advance(DAY_MS + 1);
    expect(await hall.look(token)).toMatchObject(NOT_OPEN); // even before the timer has fired
    expect(await hall.worker.get(Runs).promote(hall.platform.clock.now())).toBeGreaterThan(0);
    await hall.worker.get(AutomationWorker).pass();
    expect(await hall.statusOf(invitation.id)).toBe('expired');
    expect(await eventsOf(invitation.id)).toEqual(['created', 'expired']);
    expect(await hall.invite(tenant, { email: invitation.email })).toMatchObject({ body: { data: [{ ok: true }] } });
  });
});

describe('invalid tokens', () => {
  it('all get the same response: unknown, malformed, used, revoked, expired', async () => {
    const used = await hall.invited(tenant);
    await hall.accept(used.token, { idToken: await hall.proof(used.email) });
    const revoked = await hall.invited(tenant);
    await tenant.api.patch(`${INVITATIONS}/${revoked.invitation.id}`, { action: 'revoke' });
    const resent = await hall.invited(tenant);
    await tenant.api.patch(`${INVITATIONS}/${resent.invitation.id}`, { action: 'resend' });
    const expired = await hall.invited(tenant);
    await hall.sql(`update data.invitations set expires_at = now() - interval '1 day' where id = $1`, [
      expired.invitation.id,
    ]);
    const tokens = [used, revoked, resent, expired].map(({ token }) => token);
    const all = [generateInvitationToken().text, 'nonsense', `${tokens[0]!.slice(0, -1)}!`, randomUUID(), ...tokens];
    const idToken = await hall.proof(used.email);
    for (const attempt of [hall.look, hall.decline, (token: string) => hall.accept(token, { idToken })]) {
      const answers = await Promise.all(all.map((token) => attempt(token)));
      expect(answers[0]).toMatchObject(NOT_OPEN);
      for (const answer of answers) expect(told(answer)).toEqual(told(answers[0]!));
    }
    const fresh = await hall.tokenFor(resent.email);
    expect(await hall.look(fresh)).toMatchObject({ status: 200 });
  });

  it('are rate-limited by IP address', async () => {
    const from = fromSomewhere();
    const statuses: number[] = [];
    for (let i = 0; i < 25; i++)
      statuses.push((await hall.anonymous.get(`/api/invitations/${generateInvitationToken().text}`, from)).status);
    expect(statuses).toEqual([...Array<number>(20).fill(404), ...Array<number>(5).fill(429)]);
  });

  it('are rate-limited by token', async () => {
    const { token } = await hall.invited(tenant);
    const answers: number[] = [];
    for (let i = 0; i < 32; i++) answers.push((await hall.look(token)).status);
    expect(answers).toEqual([...Array<number>(30).fill(200), 429, 429]);
  });
});

describe('at acceptance', () => {
  it('the seat is checked again', async () => {
    const small = await hall.platform.tenant({ plan: 'free', reads: 60_000, writes: 12_000 });
    const one = await hall.invited(small);
    for (let i = 0; i < 9; i++) await hall.platform.member(small, `Member ${i}`);
    expect(await hall.invite(small, { email: newAddress() })).toMatchObject({
      body: { data: [{ ok: false, error: { code: 'seat_limit' } }] },
    });
    await hall.platform.member(small, 'One too many');
    const refused = await hall.accept(one.token, { idToken: await hall.proof(one.email) });
    expect(refused).toMatchObject({ status: 409, body: { code: 'seat_limit' } });
    expect(await hall.statusOf(one.invitation.id)).toBe('pending');
    await hall.sql(
      `update data.memberships set status = 'deactivated', version = version + 1
      where tenant_id = $1 and name = 'One too many'`,
      [small.id],
    );
    expect(await hall.accept(one.token, { idToken: await hall.proof(one.email) })).toMatchObject({ status: 200 });
  });

  it('a member who was blocked meanwhile stays blocked', async () => {
    const { token, email } = await hall.invited(tenant);
    const { id } = await hall.platform.member(tenant, 'Shut out');
    await hall.sql(
      `update data.memberships set email = $2, status = 'suspended', version = version + 1 where id = $1`,
      [id, email],
    );
    expect(await hall.accept(token, { idToken: await hall.proof(email) })).toMatchObject({
      status: 409,
      body: { code: 'blocked' },
    });
  });

  it('nobody becomes a member twice', async () => {
    const person = await hall.signedIn(tenant);
    const { token, email } = await hall.invited(tenant);
    const idToken = await hall.proof(email, { sub: person.claims.sub });
    expect(await hall.accept(token, { idToken })).toMatchObject({ status: 409, body: { code: 'duplicate' } });
  });

  it('deleted roles and workspaces are left out, and the employee is linked to the membership', async () => {
    const made = await tenant.api.post<{ id: string }>('/api/v1/people/employees', {
      firstName: 'Bo',
      lastName: 'Berg',
      startDate: '2026-01-01',
    });
    expect(made.status).toBe(201);
    const email = newAddress();
    const { body } = await hall.invite(tenant, { email, employeeId: made.body.id });
    await hall.sql(
      `update data.invitations set role_ids = array[$2::uuid, '00000000-0000-7000-8000-000000000005'::uuid],
      workspace_ids = array[$2::uuid] where id = $1`,
      [body.data[0]!.invitation!.id, randomUUID()],
    );
    const answer = await hall.accept(await hall.tokenFor(email), { idToken: await hall.proof(email) });
    expect(answer).toMatchObject({ status: 200 });
    const { membership } = answer.body as { membership: { id: string } };
    expect(await membersOf(tenant)).toMatchObject([{ roles: ['00000000-0000-7000-8000-000000000005'] }]);
    expect(await tenant.api.get(`/api/v1/people/employees/${made.body.id}`)).toMatchObject({
      body: { membershipId: membership.id },
    });
  });
});
