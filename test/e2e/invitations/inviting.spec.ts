import { randomUUID } from 'node:crypto';
import { DAY_MS } from '#libs/kernel/durations.js';
import { AUDITED } from '../../harness/audit.js';
import type { TestTenant } from '../../harness/platform.js';
import { defaultWorkspaceOf } from '../../harness/tenants.js';
import { adminPool } from '../../harness/database.js';
import { type Hall, type Invitation, INVITATIONS, newAddress, openHall } from './hall.js';

const OWNER = '00000000-0000-7000-8000-000000000001';
const ADMIN = '00000000-0000-7000-8000-000000000002';
const MANAGER = '00000000-0000-7000-8000-000000000003';
const MEMBER = '00000000-0000-7000-8000-000000000004';
const VIEWER = '00000000-0000-7000-8000-000000000005';

const hall: Hall = await openHall({ PUBLIC_URL: 'https://api.acme.example/platform/' });
const admin = adminPool(hall.platform.database.adminUrl, 1);
afterAll(async () => {
  await admin.end();
  await hall.close();
});

let tenant: TestTenant;
let general: string;
beforeEach(async () => {
  tenant = await hall.platform.tenant();
  general = await defaultWorkspaceOf(admin, tenant.id);
});

const change = (id: string, body: object, headers: Record<string, string> = {}, api = tenant.api) =>
  api.patch<Invitation & { code: string }>(`${INVITATIONS}/${id}`, body, headers);
const errorOf = (code: string) => ({ ok: false, invitation: null, error: { code } });

describe('inviting', () => {
  it('creates an invitation with defaults and sends a mail', async () => {
    const email = newAddress();
    const answer = await hall.invite(tenant, { email, message: 'Welcome\r\nBcc: all@acme.example' });
    const now = hall.platform.clock.nowMs();
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: [
          {
            email,
            ok: true,
            error: null,
            invitation: {
              email,
              roleIds: [MEMBER],
              workspaceIds: [general],
              status: 'pending',
              sentCount: 0,
              lastSentAt: null,
              mailStatus: 'queued',
              invitedBy: { type: 'api_key', name: 'test' },
            },
          },
        ],
      },
    });
    const { id, expiresAt } = answer.body.data[0]!.invitation!;
    expect(Math.abs(Date.parse(expiresAt) - now - 7 * DAY_MS)).toBeLessThan(60_000);
    const token = await hall.tokenFor(email);
    const mail = await hall.smtp.mailTo(email);
    expect(mail.to).toEqual([email]);
    expect(mail.headers).toMatchObject({
      from: 'Platform <no-reply@platform.example>',
      to: email,
      'auto-submitted': 'auto-generated',
    });
    expect(mail.headers).not.toHaveProperty('bcc');
    expect(mail.text).toContain(`https://api.acme.example/platform/api/invitations/${token}`);
    expect(mail.text).toContain('Welcome');
    expect(await tenant.api.get(`${INVITATIONS}/${id}`)).toMatchObject({
      status: 200,
      body: { sentCount: 1, lastSentAt: expect.any(String), mailStatus: 'sent' },
    });
  });

  it('stores no token, and no address where data cannot be erased', async () => {
    const { token, invitation, email } = await hall.invited(tenant);
    const rows = await hall.sql<{ text: string }>(
      `select r::text as text from data.mails r where tenant_id = $1
       union all select r::text from data.invitations r where tenant_id = $1
       union all select r::text from directory.open_invitations r where tenant_id = $1
       union all select envelope from data.events where tenant_id = $1
       union all select ${AUDITED} as entry from data.audit_log where tenant_id = $1`,
      [tenant.id],
    );
    const secret = token.split('_')[2]!;
    for (const { text } of rows) expect(text).not.toContain(secret);
    const told = await hall.sql<{ text: string }>(
      `select envelope as text from data.events where tenant_id = $1
       union all select ${AUDITED} as entry from data.audit_log where tenant_id = $1`,
      [tenant.id],
    );
    expect(told.length).toBeGreaterThanOrEqual(2);
    for (const { text } of told) expect(text.toLowerCase()).not.toContain(email.toLowerCase());
    const [mail] = await hall.sql(`select content, state from data.mails where subject_id = $1`, [invitation.id]);
    expect(mail).toEqual({ content: null, state: 'sent' });
  });

  it('returns a result for each address', async () => {
    await tenant.api.patch('/api/admin/settings', {
      security: { allowedEmailDomains: ['acme.example', 'example.test'] },
    });
    const { id } = await hall.platform.member(tenant, 'Ana Silva');
    const [fresh, open] = [newAddress(), newAddress()];
    await hall.invite(tenant, { email: open });
    const emails = [fresh, `${id}@EXAMPLE.test`, open.toLowerCase(), fresh.toUpperCase(), 'a@elsewhere.example'];
    const answer = await hall.invite(tenant, { emails });
    expect(answer.body.data.map(({ email }) => email)).toEqual(emails);
    expect(answer.body.data).toMatchObject([
      { ok: true, error: null },
      errorOf('already_member'),
      errorOf('pending_exists'),
      errorOf('pending_exists'),
      errorOf('domain_not_allowed'),
    ]);
    const { body } = await tenant.api.get<{ data: Invitation[] }>(INVITATIONS);
    expect(body.data.map(({ email }) => email)).toEqual([fresh, open]);
  });

  it('takes and releases seats', async () => {
    const small = await hall.platform.tenant({ plan: 'free', reads: 60_000, writes: 12_000 });
    const emails = Array.from({ length: 12 }, newAddress);
    const { body } = await hall.invite(small, { emails });
    expect(body.data.map(({ error }) => error?.code ?? 'ok')).toEqual([
      ...Array<string>(10).fill('ok'),
      'seat_limit',
      'seat_limit',
    ]);
    await change(body.data[0]!.invitation!.id, { action: 'revoke' }, {}, small.api);
    expect(await hall.invite(small, { emails: emails.slice(10) })).toMatchObject({
      body: { data: [{ ok: true }, errorOf('seat_limit')] },
    });
  });

  it('never takes more seats than available, even concurrently', async () => {
    const small = await hall.platform.tenant({ plan: 'free', reads: 60_000, writes: 12_000 });
    const answers = await Promise.all(Array.from({ length: 14 }, () => hall.invite(small, { email: newAddress() })));
    expect(answers.filter(({ body }) => body.data[0]!.ok)).toHaveLength(10);
  });

  it('invites nobody twice concurrently', async () => {
    const email = newAddress();
    const answers = await Promise.all(Array.from({ length: 8 }, () => hall.invite(tenant, { email })));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(8).fill(200));
    expect(answers.filter(({ body }) => body.data[0]!.ok)).toHaveLength(1);
  });

  it.each([
    [{}, '/email', 'required'],
    [{ email: 'a@acme.example', emails: ['b@acme.example'] }, '/email', 'required'],
    [{ emails: ['b@acme.example'], employeeId: randomUUID() }, '/employeeId', 'only_with_email'],
    [{ email: 'nobody' }, '/email', 'invalid_format'],
    [{ email: 'a@acme.example', expiresInDays: 31 }, '/expiresInDays', 'out_of_range'],
    [{ email: 'a@acme.example', roleIds: [randomUUID()] }, '/roleIds/0', 'unknown_reference'],
    [{ email: 'a@acme.example', workspaceIds: [randomUUID()] }, '/workspaceIds', 'unknown_reference'],
    [{ email: 'a@acme.example', employeeId: randomUUID() }, '/employeeId', 'unknown_reference'],
  ])('refuses %j', async (body, pointer, code) => {
    expect(await tenant.api.post(INVITATIONS, body)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer, code }] },
    });
    expect(await hall.sql(`select 1 from data.invitations where tenant_id = $1`, [tenant.id])).toEqual([]);
  });
});

describe('rights to invite', () => {
  it('are limited to one’s own permissions', async () => {
    const { api } = await hall.platform.member(tenant, 'Manager', ['*'], { roles: ['manager'] });
    const invite = (roleIds: string[]) => hall.invite({ ...tenant, api }, { email: newAddress(), roleIds });
    for (const role of [OWNER, ADMIN])
      expect(await invite([role])).toMatchObject({ body: { data: [errorOf('role_too_high')] } });
    expect(await invite([VIEWER])).toMatchObject({ body: { data: [{ ok: true }] } });
    const { body } = await invite([VIEWER]);
    const { id } = body.data[0]!.invitation!;
    expect(await change(id, { roleIds: [ADMIN] }, {}, api)).toMatchObject({ status: 403 });
    expect(await change(id, { roleIds: [MANAGER] }, {}, api)).toMatchObject({ status: 200 });
  });

  it('only let owners invite owners', async () => {
    const { api } = await hall.platform.member(tenant, 'Admin', ['*'], { roles: ['admin'] });
    const answer = await hall.invite({ ...tenant, api }, { email: newAddress(), roleIds: [OWNER] });
    expect(answer).toMatchObject({ body: { data: [errorOf('role_too_high')] } });
    expect(await hall.invite(tenant, { email: newAddress(), roleIds: [OWNER] })).toMatchObject({
      body: { data: [{ ok: true }] },
    });
  });

  it('make privileged roles a protected operation', async () => {
    const { api } = await hall.platform.member(tenant, 'Owner');
    const answer = await api.post(INVITATIONS, { email: newAddress(), roleIds: [ADMIN] });
    expect(answer).toMatchObject({ status: 403, body: { code: 'step_up_required' } });
  });

  it('limit managers to invitations for their own workspaces', async () => {
    const other = randomUUID().replace(/^(.{14})./, '$17');
    await hall.sql(`insert into data.workspaces (tenant_id, id, name, created_at) values ($1, $2, 'Other', now())`, [
      tenant.id,
      other,
    ]);
    const { api } = await hall.platform.member(tenant, 'Manager', ['*'], { roles: ['manager'] });
    const theirs = { ...tenant, api };
    const elsewhere = await hall.invite(tenant, { email: newAddress(), workspaceIds: [other] });
    const both = await hall.invite(tenant, { email: newAddress(), workspaceIds: [general, other] });
    const here = await hall.invite(theirs, { email: newAddress() });
    for (const workspaceIds of [[other], [general, other]])
      expect(await hall.invite(theirs, { email: newAddress(), workspaceIds })).toMatchObject({
        status: 403,
        body: { code: 'permission_denied' },
      });
    const idOf = ({ body }: typeof here) => body.data[0]!.invitation!.id;
    const { body } = await api.get<{ data: Invitation[] }>(INVITATIONS);
    expect(body.data.map(({ id }) => id)).toEqual([idOf(here)]);
    for (const hidden of [elsewhere, both])
      expect(await change(idOf(hidden), { action: 'revoke' }, {}, api)).toMatchObject({ status: 404 });
    expect(await change(idOf(here), { workspaceIds: [other] }, {}, api)).toMatchObject({ status: 403 });
    expect(await change(idOf(here), { action: 'revoke' }, {}, api)).toMatchObject({ status: 200 });
  });

  it('do not include members', async () => {
    const { api } = await hall.platform.member(tenant, 'Member', ['*'], { roles: ['member'] });
    expect(await api.post(INVITATIONS, { email: newAddress() })).toMatchObject({ status: 403 });
  });

  it('require employees:manage to link an employee', async () => {
    const limited = await hall.platform.key(tenant, ['members:invite', '*:read']);
    const made = await tenant.api.post<{ id: string }>('/api/v1/people/employees', {
      firstName: 'Bo',
      lastName: 'Berg',
      startDate: '2026-01-01',
    });
    const body = { email: newAddress(), roleIds: [VIEWER], employeeId: made.body.id };
    expect(await limited.post(INVITATIONS, body)).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'employees:manage' },
    });
  });
});

describe('changing an invitation', () => {
  it('updates its roles and workspaces', async () => {
    const { invitation } = await hall.invited(tenant);
    const answer = await change(invitation.id, { roleIds: [VIEWER], expiresInDays: 30 });
    expect(answer).toMatchObject({ status: 200, body: { roleIds: [VIEWER], version: 2, status: 'pending' } });
    expect(Date.parse(answer.body.expiresAt)).toBeGreaterThan(Date.parse(invitation.expiresAt));
    expect(await change(invitation.id, { roleIds: [VIEWER] })).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await change(invitation.id, { roleIds: [MEMBER] }, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
  });

  it('resends it with a new link and invalidates the old one', async () => {
    const { invitation, token, email } = await hall.invited(tenant);
    const answer = await change(invitation.id, { action: 'resend', expiresInDays: 10 });
    expect(answer).toMatchObject({ status: 200, body: { version: 2, mailStatus: 'queued', sentCount: 1 } });
    expect((await hall.look(token)).status).toBe(404);
    const fresh = await hall.tokenFor(email);
    expect(fresh).not.toBe(token);
    expect((await hall.look(fresh)).status).toBe(200);
    expect(await tenant.api.get(`${INVITATIONS}/${invitation.id}`)).toMatchObject({ body: { sentCount: 2 } });
  });

  it('resends it ten times at most', async () => {
    const { invitation } = await hall.invited(tenant);
    for (let i = 0; i < 9; i++) expect((await change(invitation.id, { action: 'resend' })).status).toBe(200);
    expect(await change(invitation.id, { action: 'resend' })).toMatchObject({
      status: 409,
      body: { code: 'limit_reached' },
    });
  });

  it('revokes it once and cancels unsent mails', async () => {
    const email = newAddress();
    const { body } = await hall.invite(tenant, { email });
    const { id } = body.data[0]!.invitation!;
    expect(await change(id, { action: 'revoke' })).toMatchObject({
      status: 200,
      body: { status: 'revoked', mailStatus: 'cancelled' },
    });
    const [mail] = await hall.sql(`select state, content from data.mails where subject_id = $1`, [id]);
    expect(mail).toEqual({ state: 'cancelled', content: null });
    for (const action of ['revoke', 'resend', 'update'])
      expect(await change(id, { action })).toMatchObject({
        status: 409,
        body: { code: 'invalid_transition', state: 'revoked', allowedActions: [] },
      });
  });

  it('refuses fields that the action does not accept', async () => {
    const { invitation } = await hall.invited(tenant);
    expect(await change(invitation.id, { action: 'revoke', roleIds: [MEMBER] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/roleIds', code: 'not_with_action' }] },
    });
  });

  it('finds no invitations of another tenant', async () => {
    const { invitation } = await hall.invited(tenant);
    const other = await hall.platform.tenant();
    expect(await change(invitation.id, { action: 'revoke' }, {}, other.api)).toMatchObject({ status: 404 });
    expect(await other.api.get(`${INVITATIONS}/${invitation.id}`)).toMatchObject({ status: 404 });
    expect((await other.api.get<{ data: object[] }>(INVITATIONS)).body.data).toEqual([]);
  });
});

describe('the list', () => {
  it('filters by status and address, and sorts', async () => {
    const emails = Array.from({ length: 3 }, newAddress);
    const { body } = await hall.invite(tenant, { emails });
    await change(body.data[1]!.invitation!.id, { action: 'revoke' });
    const list = async (query: string) => {
      const answer = await tenant.api.get<{ data: Invitation[] }>(`${INVITATIONS}?${query}`);
      return answer.body.data.map(({ email }) => email);
    };
    expect(await list('status=revoked')).toEqual([emails[1]]);
    expect(await list('status=pending&sort=createdAt')).toEqual([emails[0], emails[2]]);
    expect(await list(`email=${emails[2]!.toUpperCase()}`)).toEqual([emails[2]]);
  });
});
