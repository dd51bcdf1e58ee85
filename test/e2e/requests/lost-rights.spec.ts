import { randomUUID } from 'node:crypto';
import { generateKey } from '#libs/auth/api-key.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Answer, Client } from '../../harness/client.js';
import { adminPool, asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { createProvider, type MemberPlace } from '../../harness/tenants.js';
import { made } from '../people/people-calls.js';

/**
 * Rights that end between two requests, or during a request admitted by cached data. The next response is 401 or 403,
 * with and without an idempotency key, even if a response is stored.
 */
const DEALS = '/api/v1/sales/deals';
const EMPLOYEES = '/api/v1/people/employees';
const CANDIDATES = '/api/v1/talent/candidates';
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
});
beforeEach(async () => {
  platform.clock.advance(61_000);
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const sql = (text: string, ...values: unknown[]) => asAdmin(platform.database, text, [tenant.id, ...values]);
const keyed = () => ({ 'idempotency-key': randomUUID() as string });
const seen = ({ status, body, headers }: Answer) => ({
  status,
  code: body['code'] as string | undefined,
  isReplay: headers.get('idempotent-replayed') === 'true',
});
const ENDED = { status: 401, code: 'unauthenticated', isReplay: false };
const FORBIDDEN = { status: 403, code: 'permission_denied', isReplay: false };

/** A key of a member. */
async function member(place: MemberPlace = {}, scopes = ['*']): Promise<{ id: string; api: Client }> {
  return platform.member(tenant, 'Ana', scopes, place);
}
const narrow = (api: Client, scopes: string[]) =>
  sql(`update directory.credentials set scopes = $3 where tenant_id = $1 and key_id = $2`, keyIdOf(api), scopes);
const keyIdOf = ({ headers }: Client): string => (headers['x-api-key'] ?? headers['authorization']!).split('_')[2]!;

describe('a credential that becomes invalid', () => {
  type Ending = [what: string, make: () => Promise<Client>, end: (api: Client) => Promise<unknown>];
  const credentials = (set: string) => (api: Client) =>
    sql(`update directory.credentials set ${set} where tenant_id = $1 and key_id = $2`, keyIdOf(api));
  const session = async (): Promise<Client> => {
    const { id } = await member();
    const { text, keyId, hash } = generateKey('session');
    await sql(
      `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
         allow_protected, allowed_cidrs, created_at, expires_at, member_id)
       values ($2, $1, 'session', $3, $2, 'Ana', $4, '{*}', false, '{}', now(), now() + interval '1 day', $5)`,
      uuidv7(),
      keyId,
      hash,
      id,
    );
    return Object.assign(platform.anonymous(), { headers: { authorization: `Bearer ${text}` } });
  };
  const membership = (status: string) => (api: Client) =>
    sql(
      `update data.memberships set status = $3, version = version + 1 where tenant_id = $1 and id = (
         select member_id from directory.credentials where key_id = $2)`,
      keyIdOf(api),
      status,
    );
  const endings: Ending[] = [
    ['a revoked key', () => platform.key(tenant, ['*']), credentials('revoked_at = now()')],
    [
      'an expired key, as after a rotation',
      () => platform.key(tenant, ['*']),
      credentials(`expires_at = now() - interval '1 hour'`),
    ],
    ['a key of a suspended member', async () => (await member()).api, membership('suspended')],
    ['a key of a deactivated member', async () => (await member()).api, membership('deactivated')],
    ['an ended session', session, credentials('revoked_at = now()')],
    ['a session of a suspended member', session, membership('suspended')],
  ];

  it.each(endings)('%s: 401 for every request', async (_what, make, end) => {
    const dealId = String((await made(tenant.api, DEALS, { name: 'There' }))['id']);
    const requests: [string, (api: Client, key: Record<string, string>) => Promise<Answer>][] = [
      ['read', (api) => api.get(`${DEALS}/${dealId}`)],
      ['create', (api, key) => api.post(DEALS, { name: 'New' }, key)],
      ['change', (api, key) => api.patch(`${DEALS}/${dealId}`, { nextStep: 'Call' }, key)],
      ['action', (api, key) => api.post(`${DEALS}/${dealId}/archive`, {}, key)],
      ['refusal', (api, key) => api.post(`${DEALS}/${dealId}/unarchive`, {}, key)],
      ['batch', (api, key) => api.patch(DEALS, { items: [{ id: dealId, nextStep: 'Mail' }] }, key)],
      ['comment', (api, key) => api.post(`${DEALS}/${dealId}/comments`, { body: 'Done' }, key)],
      ['invalid', (api, key) => api.post(DEALS, { name: 'New', pipelineId: uuidv7() }, key)],
    ];
    for (const [request, send] of requests)
      for (const key of [{}, keyed()]) {
        platform.clock.advance(61_000); // resets the failures of the IP address
        const api = await make();
        expect((await api.get(DEALS)).status).toBe(200);
        await end(api);
        for (let i = 0; i < 2; i++) expect({ request, ...seen(await send(api, key)) }).toEqual({ request, ...ENDED });
      }
  });

  it.each(endings)('%s: 401 instead of earlier responses', async (_what, make, end) => {
    const api = await make();
    const [first, second] = [keyed(), keyed()];
    const create = () => api.post(DEALS, { name: 'Once' }, first);
    const deal = await create();
    const change = () => api.patch(`${DEALS}/${String(deal.body['id'])}`, { nextStep: 'Call' }, second);
    expect(seen(await change())).toEqual({ status: 200, code: undefined, isReplay: false });
    for (const again of [create, change]) expect(seen(await again()).isReplay).toBe(true);
    await end(api);
    for (const again of [create, change]) expect(seen(await again())).toEqual(ENDED);
  });

  it('a SCIM token: 401 in SCIM format', async () => {
    const admin = adminPool(platform.database.adminUrl, 1);
    const token = await createProvider(admin, tenant.id).finally(() => admin.end());
    const headers = { authorization: `Bearer ${token}` };
    const [first, second] = [keyed(), keyed()];
    const ask = (userName: string, key: Record<string, string>) =>
      platform.anonymous().post('/api/scim/v2/Users', { userName }, { ...headers, ...key });
    expect(seen(await ask('ana@acme.example', first))).toMatchObject({ status: 201, isReplay: false });
    expect(seen(await ask('ana@acme.example', first))).toMatchObject({ status: 201, isReplay: true });
    await sql(`update directory.credentials set revoked_at = now() where tenant_id = $1 and kind = 'scim_token'`);
    for (const answer of [
      await ask('ana@acme.example', first),
      await ask('bo@acme.example', second),
      await ask('bo@acme.example', {}),
    ])
      expect(answer).toMatchObject({ status: 401, body: { status: '401' } });
  });

  it('leaves no claim that would block its successor', async () => {
    const dealId = String((await made(tenant.api, DEALS, { name: 'There' }))['id']);
    const old = await platform.key(tenant, ['*']);
    const next = await platform.key(tenant, ['*']);
    await sql(
      `update directory.credentials set lineage_id = (select lineage_id from directory.credentials where key_id = $2)
       where tenant_id = $1 and key_id = $3`,
      keyIdOf(old),
      keyIdOf(next),
    );
    const key = keyed();
    const change = (api: Client) => api.patch(`${DEALS}/${dealId}`, { nextStep: 'Call' }, key);
    expect((await old.get(DEALS)).status).toBe(200);
    await sql(`update directory.credentials set revoked_at = now() where tenant_id = $1 and key_id = $2`, keyIdOf(old));
    expect(seen(await change(old))).toEqual(ENDED);
    expect(seen(await change(next))).toEqual({ status: 200, code: undefined, isReplay: false });
  });
});

describe('a stored answer', () => {
  /** A repeated request, and the change that removes the right in between. */
  type Loss = [
    what: string,
    prepare: () => Promise<{ ask: (key: Record<string, string>) => Promise<Answer>; lose: () => Promise<unknown> }>,
  ];
  const customRole = async (...permissions: string[]): Promise<string> => {
    const id = uuidv7();
    await sql(
      `insert into data.roles (tenant_id, id, key, name, permissions, created_at, updated_at)
       values ($1, $2::uuid, 'r' || replace($2::uuid::text, '-', ''), $2::uuid::text, $3, now(), now())`,
      id,
      permissions,
    );
    return id;
  };
  const deny = (dealId: string, memberId: string) =>
    sql(
      `insert into data.resource_grants (tenant_id, id, object, object_id, principal_type, principal_id, level, effect,
         granted_by, created_at, updated_at)
       values ($1, gen_random_uuid(), 'sales.deal', $2, 'membership', $3, 'view', 'deny', '{}', now(), now())`,
      dealId,
      memberId,
    );
  const deal = async (more: object = {}) => String((await made(tenant.api, DEALS, { name: 'There', ...more }))['id']);
  const workspace = async (): Promise<string> => {
    const id = uuidv7();
    await sql(
      `insert into data.workspaces (tenant_id, id, name, created_at) values ($1, $2::uuid, $2::text, now())`,
      id,
    );
    return id;
  };

  const losses: Loss[] = [
    [
      'of a create, when the key may no longer create',
      async () => {
        const { api } = await member();
        return { ask: (key) => api.post(DEALS, { name: 'New' }, key), lose: () => narrow(api, ['deals:read']) };
      },
    ],
    [
      'of a change, when the role was narrowed',
      async () => {
        const role = await customRole('deals:*');
        const { api } = await member({ roles: [role] });
        const id = await deal();
        return {
          ask: (key) => api.patch(`${DEALS}/${id}`, { nextStep: 'Call' }, key),
          lose: () => sql(`update data.roles set permissions = '{deals:*@own}' where tenant_id = $1 and id = $2`, role),
        };
      },
    ],
    [
      'of a change, when the write reach no longer includes the record',
      async () => {
        const role = await customRole('deals:*');
        const { api } = await member({ roles: [role] });
        const id = await deal();
        return {
          ask: (key) => api.patch(`${DEALS}/${id}`, { nextStep: 'Call' }, key),
          lose: () =>
            sql(
              `update data.roles set permissions = '{deals:read,deals:write@own}' where tenant_id = $1 and id = $2`,
              role,
            ),
        };
      },
    ],
    [
      'of a patch of the state, when the action is no longer allowed',
      async () => {
        const { api } = await member();
        const id = await deal();
        return {
          ask: (key) => api.patch(`${DEALS}/${id}`, { status: 'lost', lostReason: 'price' }, key),
          lose: () => narrow(api, ['deals:read', 'deals:write']),
        };
      },
    ],
    [
      'of an action, when the record is denied',
      async () => {
        const { id: memberId, api } = await member();
        const id = await deal();
        return { ask: (key) => api.post(`${DEALS}/${id}/archive`, {}, key), lose: () => deny(id, memberId) };
      },
    ],
    [
      'of a create, when the new record is denied',
      async () => {
        const { id: memberId, api } = await member();
        let id = '';
        const ask = async (key: Record<string, string>) => {
          const answer = await api.post(DEALS, { name: 'New' }, key);
          if (answer.status === 201) id = String(answer.body['id']);
          return answer;
        };
        return { ask, lose: () => deny(id, memberId) };
      },
    ],
    [
      'of a batch, when one of the records has moved to another workspace',
      async () => {
        const [here, there] = [await workspace(), await workspace()];
        const role = await customRole('deals:*@workspace');
        const { api } = await member({ roles: [role], workspaces: { [here]: 'member' } });
        const ids = [await deal({ workspaceId: here }), await deal({ workspaceId: here })];
        return {
          ask: (key) => api.patch(DEALS, { items: ids.map((id) => ({ id, nextStep: 'Call' })) }, key),
          lose: () => tenant.api.patch(`${DEALS}/${ids[1]!}`, { workspaceId: there }),
        };
      },
    ],
    [
      'of a comment, when its record is denied',
      async () => {
        const { id: memberId, api } = await member();
        const id = await deal();
        return {
          ask: (key) => api.post(`${DEALS}/${id}/comments`, { body: 'Secret' }, key),
          lose: () => deny(id, memberId),
        };
      },
    ],
    [
      'that refuses, when its record is denied',
      async () => {
        const { id: memberId, api } = await member();
        const id = await deal();
        return { ask: (key) => api.post(`${DEALS}/${id}/unarchive`, {}, key), lose: () => deny(id, memberId) };
      },
    ],
    [
      'with restricted fields that the caller may no longer see',
      async () => {
        const { api } = await member();
        return {
          ask: (key) => api.post(EMPLOYEES, { name: 'Mia Moser', jobTitle: 'CFO' }, key),
          lose: () => narrow(api, ['employees:read', 'employees:write', 'employees:manage']),
        };
      },
    ],
    [
      'with sensitive plain values that the caller may no longer read',
      async () => {
        const { api } = await member();
        const { id } = await made(tenant.api, EMPLOYEES, {
          name: 'Mia Moser',
          nationalId: '756.9217.0769.85',
        });
        return {
          ask: (key) =>
            api.post(`${EMPLOYEES}/${String(id)}/reveal`, { fields: ['nationalId'], reason: 'Payroll' }, key),
          lose: () => narrow(api, ['employees:*']),
        };
      },
    ],
    [
      'about a candidate, when it has become private',
      async () => {
        const { api } = await member();
        const { id } = await made(tenant.api, CANDIDATES, { name: 'Mia Moser' });
        return {
          ask: (key) => api.patch(`${CANDIDATES}/${String(id)}`, { headline: 'Engineer' }, key),
          lose: () =>
            sql(`update data.talent_candidates set is_private = true where tenant_id = $1 and id = $2`, String(id)),
        };
      },
    ],
    [
      'about a workspace that the caller no longer leads',
      async () => {
        const place = await workspace();
        const role = await customRole('workspaces:read@workspace');
        const { id, api } = await member({ roles: [role], workspaces: { [place]: 'lead' } });
        return {
          ask: (key) => api.patch(`/api/admin/workspaces/${place}`, { description: 'Ours' }, key),
          lose: () =>
            sql(
              `update data.workspace_members set workspace_role = 'member' where tenant_id = $1 and membership_id = $2`,
              id,
            ),
        };
      },
    ],
  ];

  it.each(losses)('%s: 403', async (_what, prepare) => {
    const { ask, lose } = await prepare();
    const key = keyed();
    const first = await ask(key);
    expect({ text: first.text, ...seen(first) }).toMatchObject({ isReplay: false });
    expect(first.status === 409 || first.status < 300 ? 'decided' : first.text).toBe('decided');
    const again = await ask(key);
    expect({ ...seen(again), text: again.text }).toEqual({ ...seen(first), isReplay: true, text: first.text });
    await lose();
    const refused = await ask(key);
    expect(seen(refused)).toEqual(FORBIDDEN);
    const entries = await sql(
      `select outcome from data.audit_log where tenant_id = $1 and request_id = $2`,
      refused.headers.get('x-request-id'),
    );
    expect(entries).toEqual([{ outcome: 'denied' }]);
  });

  it('that a record was unknown is repeated, without revealing the present record', async () => {
    const { id: memberId, api } = await member();
    const id = await deal();
    await deny(id, memberId);
    const key = keyed();
    const ask = () => api.patch(`${DEALS}/${id}`, { nextStep: 'Call' }, key);
    const first = await ask();
    expect(seen(first)).toMatchObject({ status: 404 });
    expect(seen(await ask())).toEqual({ status: 404, code: 'not_found', isReplay: true });
  });

  it('is repeated to a caller who lost unrelated rights', async () => {
    const { api } = await member();
    const key = keyed();
    const ask = () => api.post(DEALS, { name: 'New' }, key);
    const first = await ask();
    await narrow(api, ['deals:read', 'deals:write']);
    const again = await ask();
    expect({ ...seen(again), text: again.text }).toEqual({ ...seen(first), isReplay: true, text: first.text });
    await tenant.api.delete(`${DEALS}/${String(first.body['id'])}`);
    expect(seen(await ask())).toEqual({ ...seen(first), isReplay: true });
  });
});

describe('audited responses', () => {
  it('include a repeated secret with its object, but not a refused one', async () => {
    const api = await platform.key(tenant, ['webhooks:*']);
    const target = { url: 'http://127.0.0.1:9/in', eventTypes: ['*'] };
    const [first, second] = [keyed(), keyed()];
    const create = () => api.post('/api/webhooks/endpoints', target, first);
    const created = await create();
    expect(created.status).toBe(201);
    const { id, secret } = created.body;
    const rotate = () => api.post(`/api/webhooks/endpoints/${String(id)}/rotate-secret`, {}, second);
    const rotated = await rotate();
    const again = () =>
      sql(
        `select target_type as type, target_id as id, actor_type as actor, risk_level as risk from data.audit_log
         where tenant_id = $1 and action = 'core.secret.shown_again'`,
      );
    expect(await again()).toEqual([]);
    expect((await create()).body['secret']).toBe(secret);
    expect((await rotate()).body['secret']).toBe(rotated.body['secret']);
    const entry = { type: 'webhook.endpoint', id, actor: 'api_key', risk: 'high' };
    expect(await again()).toEqual([entry, entry]);
    await narrow(api, ['webhooks:read']);
    for (const refused of [await create(), await rotate()]) expect(seen(refused)).toEqual(FORBIDDEN);
    expect(await again()).toHaveLength(2);
  });

  it('are audited each time they are shown, and not when refused', async () => {
    const { id } = await made(tenant.api, EMPLOYEES, {
      name: 'Mia Moser',
      nationalId: '756.9217.0769.85',
    });
    const key = keyed();
    const api = await platform.key(tenant, ['*']);
    const reveal = () =>
      api.post(`${EMPLOYEES}/${String(id)}/reveal`, { fields: ['nationalId'], reason: 'Payroll of May' }, key);
    const reads = () =>
      sql(
        `select details::jsonb->>'reason' as reason, target_id as target, request_id as request from data.audit_log
         where tenant_id = $1 and action = 'people.employee.sensitive_read' order by occurred_at, id`,
      );
    const answers = [await reveal(), await reveal(), await reveal()];
    expect(answers.map((answer) => seen(answer).isReplay)).toEqual([false, true, true]);
    const requests = answers.map(({ headers }) => headers.get('x-request-id'));
    const expected = requests.map((request) => ({ reason: 'Payroll of May', target: id, request }));
    expect(await reads()).toEqual(expected);
    await narrow(api, ['employees:*']);
    expect(seen(await reveal())).toEqual(FORBIDDEN);
    expect(await reads()).toEqual(expected);
  });
});
