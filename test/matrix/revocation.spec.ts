import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { AUDITED } from '../harness/audit.js';
import type { Answer, Client } from '../harness/client.js';
import { adminPool } from '../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../harness/platform.js';
import { createMember, type MemberPlace } from '../harness/tenants.js';
import { fromSomewhere } from './running.js';

/** A revoked right of a member is refused for the next request on every instance. */
const ROUNDS = 5;
const DEALS = '/api/v1/sales/deals';
const first = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
const second = await startPlatform({ shared: first.database });
const admin = adminPool(first.database.adminUrl, 2);
afterAll(async () => {
  await admin.end();
  await second.close();
  await first.close();
});

let tenant: TestTenant;
let workspace: string;
beforeAll(async () => {
  tenant = await first.tenant();
  workspace = uuidv7();
  await admin.query(`insert into data.workspaces (tenant_id, id, name, created_at) values ($1, $2, 'There', now())`, [
    tenant.id,
    workspace,
  ]);
});

/** A member with a visible deal, and the change that hides it. */
interface Case {
  name: string;
  place: () => MemberPlace | Promise<MemberPlace>;
  /** Location of the deal. */
  deal?: () => object;
  /** Further grants that make it visible. */
  prepare?: (memberId: string, dealId: string) => Promise<unknown>;
  take: (memberId: string, dealId: string) => Promise<unknown>;
  /** The expected next responses. */
  read: [status: number, code: string];
  write: [status: number, code: string];
}

const FORBIDDEN: [number, string] = [403, 'permission_denied'];
const GONE: [number, string] = [404, 'not_found'];
const OUT: [number, string] = [401, 'unauthenticated'];
const sql = (text: string, ...values: unknown[]) => admin.query(text, [tenant.id, ...values]);

async function customRole(...permissions: string[]): Promise<string> {
  const id = uuidv7();
  await sql(
    `insert into data.roles (tenant_id, id, key, name, permissions, created_at, updated_at)
     values ($1, $2::uuid, 'r' || replace($2::uuid::text, '-', ''), $2::uuid::text, $3, now(), now())`,
    id,
    permissions,
  );
  return id;
}

const except = (effect: string, level: string) => (memberId: string, dealId: string) =>
  sql(
    `insert into data.resource_grants (tenant_id, id, object, object_id, principal_type, principal_id, level, effect,
       granted_by, created_at, updated_at)
     values ($1, gen_random_uuid(), 'sales.deal', $2, 'membership', $3, $4, $5, '{}', now(), now())`,
    dealId,
    memberId,
    level,
    effect,
  );

const CASES: Case[] = [
  {
    name: 'a revoked role',
    place: () => ({ roles: ['manager'] }),
    take: (id) => sql(`delete from data.role_assignments where tenant_id = $1 and membership_id = $2`, id),
    read: FORBIDDEN,
    write: FORBIDDEN,
  },
  {
    name: 'a narrowed role',
    place: async () => ({ roles: [await customRole('deals:*')] }),
    take: (id) =>
      sql(
        `update data.roles set permissions = '{deals:read@own}' where tenant_id = $1 and id in (
             select role_id from data.role_assignments where tenant_id = $1 and membership_id = $2)`,
        id,
      ),
    read: GONE,
    write: FORBIDDEN,
  },
  {
    name: 'a replaced role',
    place: () => ({ roles: ['manager'] }),
    take: (id) =>
      admin.query(
        `with gone as (delete from data.role_assignments where tenant_id = $1 and membership_id = $2)
         insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at) values ($1, $2, $3, now())`,
        [tenant.id, id, SYSTEM_ROLE_IDS.viewer],
      ),
    deal: () => ({ workspaceId: workspace }),
    read: GONE,
    write: FORBIDDEN,
  },
  {
    name: 'a removed workspace membership',
    place: async () => ({
      roles: [await customRole('deals:read@workspace', 'deals:write@workspace')],
      workspaces: { [workspace]: 'member' },
    }),
    deal: () => ({ workspaceId: workspace }),
    take: (id) => sql(`delete from data.workspace_members where tenant_id = $1 and membership_id = $2`, id),
    read: GONE,
    write: GONE,
  },
  {
    name: 'a workspace member who became a guest',
    place: async () => ({
      roles: [await customRole('deals:read@workspace', 'deals:write@workspace')],
      workspaces: { [workspace]: 'member' },
    }),
    deal: () => ({ workspaceId: workspace }),
    take: (id) =>
      sql(`update data.workspace_members set workspace_role = 'guest' where tenant_id = $1 and membership_id = $2`, id),
    read: GONE,
    write: GONE,
  },
  {
    name: 'a suspended membership',
    place: () => ({ roles: ['owner'] }),
    take: (id) =>
      sql(
        `update data.memberships set status = 'suspended', version = version + 1 where tenant_id = $1 and id = $2`,
        id,
      ),
    read: OUT,
    write: OUT,
  },
  {
    name: 'a deleted membership',
    place: () => ({ roles: ['owner'] }),
    take: (id) =>
      sql(`update data.memberships set deleted_at = now(), version = version + 1 where tenant_id = $1 and id = $2`, id),
    read: OUT,
    write: OUT,
  },
  {
    name: 'a revoked exception',
    place: () => ({ roles: ['billing'] }),
    prepare: except('allow', 'edit'),
    take: (id) => sql(`delete from data.resource_grants where tenant_id = $1 and principal_id = $2`, id),
    read: FORBIDDEN,
    write: FORBIDDEN,
  },
  {
    name: 'an added denial',
    place: () => ({ roles: ['owner'] }),
    take: except('deny', 'view'),
    read: GONE,
    write: GONE,
  },
];

const answersOf = ([read, list, write]: Answer[]) => ({
  read: [read!.status, read!.body['code']],
  listed: list!.status === 200 ? (list!.body['data'] as unknown[]).length : list!.body['code'],
  write: [write!.status, write!.body['code']],
});

async function ask(instance: TestPlatform, api: Client, dealId: string, round: number): Promise<Answer[]> {
  const send = (method: string, path: string, body?: object) =>
    instance.anonymous().send(method, path, body, { ...api.headers, ...fromSomewhere() });
  // Each of the three requests is the first on its instance in one of the rounds.
  const requests = [
    () => send('GET', `${DEALS}/${dealId}`),
    () => send('GET', `${DEALS}?ids=${dealId}`),
    () => send('PATCH', `${DEALS}/${dealId}`, { nextStep: `Round ${round}` }),
  ];
  const answers: Answer[] = [];
  for (let i = 0; i < requests.length; i++) {
    const at = (i + round) % requests.length;
    answers[at] = await requests[at]!();
  }
  return answers;
}

describe.each(CASES)('$name', ({ place, deal = () => ({}), prepare, take, read, write }) => {
  it(`takes effect with the next request on every instance, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const id = await createMember(admin, tenant.id, 'Somebody', await place());
      const api = await first.key(tenant, ['*'], { memberId: id });
      const dealId = String((await tenant.api.post(DEALS, { name: 'Deal', ...deal() })).body['id']);
      await prepare?.(id, dealId);
      for (const instance of [first, second])
        expect(answersOf(await ask(instance, api, dealId, round))).toMatchObject({ read: [200, undefined], listed: 1 });
      await take(id, dealId);
      const versionOf = async () => (await tenant.api.get(`${DEALS}/${dealId}`)).body['version'];
      const before = await versionOf();
      for (const answers of await Promise.all([first, second].map((instance) => ask(instance, api, dealId, round)))) {
        const listed = read === GONE ? 0 : read[1];
        expect(answersOf(answers)).toEqual({ read, listed, write });
      }
      expect(await versionOf()).toBe(before);
    }
  });
});

it('is audited when access is tried again', async () => {
  const id = await createMember(admin, tenant.id, 'Somebody');
  const api = await first.key(tenant, ['*'], { memberId: id });
  expect((await api.get(DEALS)).status).toBe(200);
  await sql(
    `update data.memberships set status = 'suspended', version = version + 1 where tenant_id = $1 and id = $2`,
    id,
  );
  const { headers } = await api.get(DEALS, fromSomewhere());
  const { rows } = await sql(
    `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and request_id = $2`,
    headers.get('x-request-id'),
  );
  expect(rows.map(({ entry }: { entry: string }) => JSON.parse(entry) as object)).toMatchObject([
    { action: 'auth.credential.refused', outcome: 'denied', reason: 'membership_suspended' },
  ]);
});
