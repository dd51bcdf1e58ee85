import { uuidv7 } from '#libs/kernel/id.js';
import { permissionNames } from '#libs/auth/permissions.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { PRIVILEGED_GATE } from '#libs/members/role-door.js';
import { CHECK_KEYS } from '#src/areas/assurance/security/posture/checks/all.js';
import { PERSONAL_TABLES } from '#src/areas/assurance/security/posture/checks/personal-tables.js';
import { adminPool, asAdmin } from '../../../harness/database.js';
import { replaceGates } from '../../../harness/gates.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../../harness/platform.js';
import { makeSession } from '../../../matrix/keys.js';
import { command, crewOf, decide, itemsOf, REVIEWS, startReview } from '../review-calls.js';

type Json = Record<string, unknown>;

const POSTURE = '/api/admin/security/posture';
const MFA = '/api/admin/security/mfa';
const SETTINGS = '/api/admin/settings';
const KEYS = '/api/settings/developer/api-keys';
const SECRETS = '/api/admin/secrets';
const ENDPOINTS = '/api/webhooks/endpoints';
const POLICY = '/api/ai/policy';
const AGENTS = '/api/v1/intelligence/agents';
const SIGNING_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const NOBODY = '{"type": "system", "id": null, "name": "test"}';

let platform: TestPlatform;
let tenant: TestTenant;
let pool: ReturnType<typeof adminPool>;
beforeAll(async () => {
  platform = await startPlatform();
  pool = adminPool(platform.database.adminUrl, 2);
});
afterAll(async () => {
  await pool.end();
  await platform.close();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});

interface Check {
  key: string;
  status: string;
  credit: number;
  measured: string;
}

const sql = (text: string, values: unknown[] = []) => asAdmin(platform.database, text, values);
/** A statement on the rows of the tenant. */
const own = (text: string) => () => sql(text, [tenant.id]);
const send = async (method: 'post' | 'patch', path: string, body?: object): Promise<Json> => {
  const answer = await tenant.api[method]<Json>(path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
};
const thresholds = (checkKey: string, values: object) => send('patch', POSTURE, { checkKey, thresholds: values });
const member = async (role: string) => (await platform.member(tenant, role, ['*'], { roles: [role] })).id;
const checkOf = async (key: string): Promise<Check> => {
  const { body } = await tenant.api.get<{ checks: Check[] }>(POSTURE);
  return body.checks.find((check) => check.key === key)!;
};
const key = async () =>
  String((await send('post', KEYS, { name: 'K', kind: 'service', scopes: ['deals:read'] }))['id']);
const aged = (id: string) =>
  sql(`update directory.credentials set created_at = now() - interval '400 days' where lineage_id = $1`, [id]);
const endpoint = async (url = 'https://127.0.0.1:9999/in') =>
  String((await send('post', ENDPOINTS, { url, eventTypes: ['sales.*'] }))['id']);
const secret = (more: object = {}) => send('post', SECRETS, { name: 'AI/KEY', value: 'one', ...more });
const inDays = (days: number) => new Date(platform.clock.nowMs() + days * 86_400_000).toISOString();
const seal = async () => {
  const { body } = await tenant.api.get<{ data: { id: string }[] }>('/api/admin/audit-logs');
  await tenant.api.get(`/api/admin/audit-logs/${body.data[0]!.id}?include=proof`);
};
/** Changes the audit log of the tenant although it is append-only. */
const tamper = async (text: string) => {
  await sql('alter table data.audit_log disable trigger append_only');
  await sql(text, [tenant.id]);
  await sql('alter table data.audit_log enable trigger append_only');
};
const exportLog = async () => {
  const { status } = await tenant.api.get(`/api/admin/audit-logs/export?from=${inDays(-1)}&to=${inDays(1)}`);
  expect(status).toBe(200);
};

/** A member who joined long ago. */
const longtimeMember = async (role: string) => {
  const id = await member(role);
  await sql(
    `update data.memberships set joined_at = now() - interval '200 days', created_at = now() - interval '200 days',
       version = version + 1 where id = $1`,
    [id],
  );
};
/** A review of all members, whose items are decided alike. */
const decided = async (decision: string) => {
  const { owner, deputy } = await crewOf(platform, tenant);
  const membershipIds = [owner.id, deputy.id];
  const review = await startReview(
    platform,
    owner.api,
    { memberships: true },
    { reviewers: { strategy: 'named', membershipIds } },
  );
  const items = [...(await itemsOf(owner.api, review.id)).values()];
  const own = items.filter(({ subject }) => subject.id === owner.id);
  await decide(deputy.api, review.id, own, 'keep');
  await decide(owner.api, review.id, items.filter((item) => !own.includes(item)), decision); // prettier-ignore
  return { owner, review };
};
const reviewAll = async () => {
  const { owner, review } = await decided('keep');
  const { body } = await command(owner.api, { action: 'complete', campaignId: review.id });
  expect(body).toMatchObject({ status: 'completed' });
};

interface Case {
  key: string;
  /** Makes the check fail; the result is passed to `fix`. */
  breakIt: () => Promise<unknown>;
  fix: (made: never) => Promise<unknown>;
  /** Status after the fix; `pass` by default. */
  then?: string;
}

const CASES: Case[] = [
  {
    key: 'members.owners',
    breakIt: () => member('owner'),
    fix: () => member('owner'),
  },
  {
    key: 'members.mfa_coverage',
    breakIt: () => member('admin'),
    fix: (memberId: string) => makeSession(pool, tenant.id, { memberId }),
  },
  {
    key: 'members.inactive_privileged',
    breakIt: async () => {
      await member('owner');
      const id = await member('admin');
      await sql(`update data.memberships set last_active_at = now() - interval '100 days' where id = $1`, [id]);
      return id;
    },
    fix: (id: string) => send('patch', `/api/admin/memberships/${id}`, { status: 'suspended' }),
  },
  {
    key: 'members.terminated_access',
    breakIt: async () => {
      const membershipId = await member('member');
      const { id } = await send('post', '/api/v1/people/employees', { firstName: 'Ada', lastName: 'Okafor' });
      const left = `update data.people_employees set status = 'terminated', membership_id = $2,
        termination_date = '2026-01-31', termination_type = 'voluntary' where id = $1`;
      await sql(left, [id, membershipId]);
      return membershipId;
    },
    fix: (id: string) => send('patch', `/api/admin/memberships/${id}`, { status: 'deactivated' }),
  },
  {
    key: 'members.privileged_share',
    breakIt: async () => {
      await thresholds('members.privileged_share', { minMembers: 2 });
      await member('owner');
      return member('admin');
    },
    fix: async (id: string) => {
      await thresholds('members.privileged_share', { maxPercent: 50 });
      await send('patch', `/api/admin/memberships/${id}`, { roleIds: ['00000000-0000-7000-8000-000000000005'] });
    },
  },
  {
    key: 'members.unused_roles',
    breakIt: async () => {
      const { id } = await send('post', '/api/admin/roles', { name: 'Sales', permissions: ['deals:read'] });
      await sql(`update data.roles set created_at = now() - interval '40 days' where id = $1`, [id]);
      return id;
    },
    fix: (id: string) => platform.member(tenant, 'Mia', ['*'], { roles: [id] }),
  },
  {
    key: 'members.access_review',
    breakIt: () => longtimeMember('member'),
    fix: reviewAll,
  },
  {
    key: 'members.privileged_review',
    breakIt: () => longtimeMember('admin'),
    fix: reviewAll,
  },
  {
    key: 'members.review_overdue',
    breakIt: async () => {
      const { review } = await decided('revoke');
      await sql(`update data.access_reviews set decided_at = now() - interval '8 days' where id = $1`, [review.id]);
      return review.id;
    },
    fix: (campaignId: string) => send('post', REVIEWS, { action: 'complete', campaignId }),
    then: 'not_applicable',
  },
  {
    key: 'sign_in.mfa_policy',
    breakIt: () => Promise.resolve(),
    fix: () => send('patch', MFA, { policy: 'admins' }),
  },
  {
    key: 'sign_in.session_lifetime',
    breakIt: () => send('patch', SETTINGS, { security: { sessionHours: 100, idleMinutes: 1_000 } }),
    fix: () => send('patch', SETTINGS, { security: { sessionHours: 12, idleMinutes: 60 } }),
  },
  {
    key: 'sign_in.email_domains',
    breakIt: () => Promise.resolve(),
    fix: () => send('patch', SETTINGS, { security: { allowedEmailDomains: ['acme.example'] } }),
  },
  {
    key: 'sign_in.privileged_gate',
    breakIt: () => Promise.resolve(),
    fix: () => replaceGates(tenant.api, [{ key: PRIVILEGED_GATE, effect: 'require_approval' }]),
  },
  {
    key: 'sign_in.denied_spike',
    breakIt: async () => {
      await thresholds('sign_in.denied_spike', { minAttempts: 1 });
      const weak = await platform.key(tenant, ['deals:read']);
      for (let times = 0; times < 3; times++) expect((await weak.get(SECRETS)).status).toBe(403);
    },
    fix: () => thresholds('sign_in.denied_spike', { minAttempts: null }),
  },
  {
    key: 'credentials.key_age',
    breakIt: async () => {
      const id = await key();
      await aged(id);
      return id;
    },
    fix: (id: string) => send('post', `${KEYS}/${id}/rotate`, {}),
  },
  {
    key: 'credentials.key_unused',
    breakIt: async () => {
      const id = await key();
      await aged(id);
      return id;
    },
    fix: (id: string) => send('post', `${KEYS}/${id}/revoke`),
  },
  {
    key: 'credentials.key_expiry',
    breakIt: () => Promise.resolve(),
    fix: own(`update directory.credentials set expires_at = now() + interval '30 days' where tenant_id = $1`),
  },
  {
    key: 'credentials.key_wildcard',
    breakIt: () => Promise.resolve(),
    fix: () =>
      sql(`update directory.credentials set scopes = $2 where tenant_id = $1`, [tenant.id, [...permissionNames()]]),
  },
  {
    key: 'credentials.key_owner',
    breakIt: async () => {
      const id = await member('member');
      await sql(`update data.memberships set status = 'suspended', version = version + 1 where id = $1`, [id]);
      return id;
    },
    fix: (id: string) => sql(`update directory.credentials set revoked_at = now() where member_id = $1`, [id]),
  },
  {
    key: 'credentials.secret_expired',
    breakIt: async () => {
      await secret({ expiresAt: inDays(30) });
      await own(`update data.secrets set expires_at = now() - interval '1 day' where tenant_id = $1`)();
    },
    fix: () => secret({ expiresAt: inDays(30) }),
  },
  {
    key: 'credentials.secret_age',
    breakIt: async () => {
      await secret();
      await own(`update data.secrets set created_at = now() - interval '400 days' where tenant_id = $1`)();
    },
    fix: () => secret(),
  },
  {
    key: 'credentials.scim_token',
    breakIt: async () => {
      const { id } = await send('post', '/api/admin/scim', { name: 'Entra ID' });
      const ended = `update directory.credentials set expires_at = now() - interval '1 day' where lineage_id = $1`;
      await sql(ended, [id]);
      return id;
    },
    fix: (id: string) => send('post', '/api/admin/scim', { action: 'rotate_token', id }),
  },
  {
    key: 'credentials.outside_scim',
    breakIt: async () => {
      await send('post', '/api/admin/scim', { name: 'Entra ID' });
      await thresholds('credentials.outside_scim', { maxMembers: 0 });
      return member('member');
    },
    fix: (id: string) => send('patch', `/api/admin/memberships/${id}`, { status: 'suspended' }),
  },
  {
    key: 'credentials.grant_unused',
    breakIt: async () => {
      const [id, clientId, membershipId] = [uuidv7(), uuidv7(), await member('member')];
      await sql(
        `insert into directory.oauth_clients (id, name, redirect_uris, allowed_scopes, created_at)
         values ($1, 'Partner', '{https://partner.example/callback}', '{deals:read}', now())`,
        [clientId],
      );
      await sql(`insert into directory.oauth_grants (id, tenant_id, client_id, methods) values ($1, $2, $3, '{}')`, [
        ...[id, tenant.id, clientId],
      ]);
      await sql(
        `insert into directory.oauth_tokens (id, grant_id, kind, token_hash, expires_at)
         values ($1::uuid, $1::uuid, 'refresh', sha256($2::text::bytea), now() + interval '1 day')`,
        [id, id],
      );
      await sql(
        `insert into data.oauth_grants (tenant_id, id, client_id, client_name, membership_id, scopes, created_at, updated_at)
         values ($1, $2, $3, 'Partner', $4, '{deals:read}', now() - interval '100 days', now())`,
        [tenant.id, id, clientId, membershipId],
      );
      return id;
    },
    fix: async (id: string) => {
      const { status } = await tenant.api.delete(`/api/settings/developer/oauth-grants/${id}`);
      expect(status).toBe(200);
    },
    then: 'not_applicable',
  },
  {
    key: 'delivery.https',
    breakIt: () => endpoint('http://127.0.0.1:9999/in'),
    fix: (id: string) => send('patch', `${ENDPOINTS}/${id}`, { url: 'https://127.0.0.1:9999/in' }),
  },
  {
    key: 'delivery.verified',
    breakIt: () => endpoint(),
    fix: (id: string) => sql(`update data.webhook_endpoints set verified_at = now() where id = $1`, [id]),
  },
  {
    key: 'delivery.success',
    breakIt: async () => {
      const id = await endpoint();
      await sql(
        `update data.webhook_lanes set failing_since = now() - interval '2 days', last_success_at = now() - interval '2 days'
         where endpoint_id = $1`,
        [id],
      );
      return id;
    },
    fix: (id: string) => send('post', `${ENDPOINTS}/${id}/disable`),
    then: 'not_applicable',
  },
  {
    key: 'delivery.secret_age',
    breakIt: async () => {
      const id = await endpoint();
      await sql(`update data.webhook_endpoints set created_at = now() - interval '400 days' where id = $1`, [id]);
      return id;
    },
    fix: (id: string) => send('post', `${ENDPOINTS}/${id}/rotate-secret`, {}),
  },
  {
    key: 'delivery.audit_streams',
    breakIt: async () => {
      const credentialSecretId = String((await secret({ value: SIGNING_SECRET }))['id']);
      const { id } = await send('post', '/api/admin/audit-logs/streams', {
        ...{ name: 'SIEM', kind: 'https', url: 'https://127.0.0.1:9/in', credentialSecretId, from: 'beginning' },
      });
      await seal();
      platform.clock.advance(16 * 60_000);
      return id;
    },
    fix: (id: string) => sql('update data.audit_stream_cursors set seq = 1000000 where stream_id = $1', [id]),
  },
  {
    key: 'data.audit_intact',
    breakIt: async () => {
      await key();
      await seal();
      await tamper(`update data.audit_log set entry = replace(entry, 'success', 'failure') where tenant_id = $1`);
    },
    fix: () => tamper(`update data.audit_log set entry = replace(entry, 'failure', 'success') where tenant_id = $1`),
  },
  {
    key: 'data.audit_sealing',
    breakIt: async () => {
      await key();
      platform.clock.advance(11 * 60_000);
    },
    fix: seal,
  },
  {
    key: 'data.row_security',
    breakIt: () => sql('alter table data.tags disable row level security'),
    fix: () => sql('alter table data.tags enable row level security'),
  },
  {
    key: 'data.public_links',
    breakIt: async () => {
      const id = uuidv7();
      await sql(
        `insert into data.public_links (tenant_id, id, purpose, target_object, target_id, expires_at, uses, created_by, version,
           created_at, updated_at)
         values ($1, $2, 'invoice', 'finance.invoice', $2, now() + interval '300 days', 0, $3, 1, now(), now())`,
        [tenant.id, id, NOBODY],
      );
      return id;
    },
    fix: (id: string) => sql(`update data.public_links set revoked_at = now() where id = $1`, [id]),
    then: 'not_applicable',
  },
  {
    key: 'data.export_volume',
    breakIt: async () => {
      await thresholds('data.export_volume', { maxExports: 1 });
      for (let times = 0; times < 3; times++) await exportLog();
    },
    fix: () => thresholds('data.export_volume', { maxExports: 3 }),
  },
  {
    key: 'data.signing_key',
    breakIt: () => sql(`update directory.signing_keys set not_before = now() - interval '800 days'`),
    fix: () => sql(`update directory.signing_keys set not_before = now()`),
  },
  {
    key: 'data.data_key',
    breakIt: own(`update data.data_keys set created_at = now() - interval '400 days' where tenant_id = $1`),
    fix: own(`update data.data_keys set created_at = now() where tenant_id = $1`),
  },
  {
    key: 'data.retention',
    breakIt: () => send('post', '/api/v1/sales/contacts', { firstName: 'Ada', lastName: 'Okafor' }),
    fix: () => send('post', '/api/admin/retention', { object: 'sales.contact', retainDays: 730 }),
  },
  {
    key: 'ai.personal_data',
    breakIt: () => send('patch', POLICY, { personalData: 'allow' }),
    fix: () => send('patch', POLICY, { personalData: 'mask' }),
  },
  {
    key: 'ai.budget',
    breakIt: () => Promise.resolve(),
    fix: () => send('post', '/api/ai/budgets', { scope: { type: 'tenant' }, period: 'month', limitMicros: 50_000_000 }),
  },
  {
    key: 'ai.agents',
    breakIt: async () => {
      const { id } = await send('post', AGENTS, { name: 'Helper', instructions: 'Help', autonomy: 'auto' });
      await send('post', `${AGENTS}/${String(id)}/activate`);
      return id;
    },
    fix: async (id: string) => {
      await send('post', `${AGENTS}/${id}/pause`);
      const other = await send('post', AGENTS, { name: 'Other', instructions: 'Help', autonomy: 'suggest' });
      await send('post', `${AGENTS}/${String(other['id'])}/activate`);
    },
  },
];

it('covers every check', () => {
  expect(CASES.map((each) => each.key).sort()).toEqual([...CHECK_KEYS].sort());
});

it.each(CASES)('$key fails, and passes once it is fixed', async ({ key: checkKey, breakIt, fix, then = 'pass' }) => {
  const made = await breakIt();
  expect(await checkOf(checkKey)).toMatchObject({ status: 'fail', credit: 0 });
  await fix(made as never);
  expect(await checkOf(checkKey)).toMatchObject({ status: then });
});

it('fails for a checkpoint that does not match the tree, or that we have not signed', async () => {
  await key();
  await seal();
  const intact = () => checkOf('data.audit_intact');
  expect(await intact()).toMatchObject({ status: 'pass' });
  for (const forged of [`root_hash = sha256('forged')`, `note = replace(note, 'operating', 'operated')`]) {
    await sql(`update data.audit_checkpoints set ${forged} where tenant_id = $1`, [tenant.id]);
    expect(await intact()).toMatchObject({ status: 'fail', measured: 'The checkpoint does not match' });
    await key();
    await seal();
  }
  await tamper(`delete from data.audit_log where id = (select id from data.audit_log where tenant_id = $1 limit 1)`);
  expect(await intact()).toMatchObject({ status: 'fail', measured: '1 changed or missing entries' });
});

it.each(['details', 'user_agent'])('fails for changed %s beside the text of an audit entry', async (column) => {
  await key();
  await seal();
  const intact = () => checkOf('data.audit_intact');
  expect(await intact()).toMatchObject({ status: 'pass' });
  await tamper(
    `update data.audit_log set ${column} = coalesce(${column}, '') || ' ' where id =
      (select entry_id from data.audit_tree where tenant_id = $1 order by seq desc limit 1)`,
  );
  expect(await intact()).toMatchObject({ status: 'fail', measured: '1 changed or missing entries' });
});

it('knows the tables of all record types with personal data', () => {
  const personal = platform.app
    .get(ResourceRegistry)
    .everything()
    .filter(({ definition }) => Object.keys(definition.data.privacy).length > 0)
    .map(({ definition, service }) => [definition.type, service.table] as const);
  expect(PERSONAL_TABLES).toEqual(Object.fromEntries(personal));
});

it('does not apply to what a tenant does not use', async () => {
  for (const unused of ['members.mfa_coverage', 'delivery.https', 'ai.agents', 'credentials.scim_token'])
    expect(await checkOf(unused)).toMatchObject({ status: 'not_applicable', credit: 0 });
  await send('patch', POLICY, { enabled: false });
  expect(await checkOf('ai.personal_data')).toMatchObject({ status: 'not_applicable' });
});

it('gives partial credit for a small share', async () => {
  for (let made = 0; made < 9; made++) await key();
  await sql(
    `update directory.credentials set created_at = now() - interval '400 days' where id = (
    select id from directory.credentials where tenant_id = $1 limit 1)`,
    [tenant.id],
  );
  expect(await checkOf('credentials.key_age')).toMatchObject({ status: 'warning', credit: 0.9 });
});

it('is unknown if its query fails, which gives no credit', async () => {
  await sql('alter table data.public_links rename to public_links_away');
  const broken = await checkOf('data.public_links');
  await sql('alter table data.public_links_away rename to public_links');
  expect(broken).toMatchObject({ status: 'unknown', credit: 0 });
  expect(await checkOf('data.public_links')).toMatchObject({ status: 'not_applicable' });
});

it('reads only the data of the tenant', async () => {
  const other = await platform.tenant();
  await send('patch', POLICY, { personalData: 'allow' });
  await endpoint('http://127.0.0.1:9999/in');
  const { body } = await other.api.get<{ checks: Check[] }>(POSTURE);
  const statuses = Object.fromEntries(body.checks.map(({ key: name, status }) => [name, status]));
  expect(statuses).toMatchObject({ 'ai.personal_data': 'pass', 'delivery.https': 'not_applicable' });
});
