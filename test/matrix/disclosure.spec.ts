import { Database } from '#libs/database/database.js';
import { coveredBy } from '#libs/auth/permissions.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { operationPrefix, pathOf } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Answer, Client } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import { readTenantTables } from '../tenancy/tenant-tables.js';
import { BEHIND_PLACES, UNSHOWN } from './disclosing-tables.js';
import type { Scene } from './fixture-parts.js';
import { callOf, FIXTURES } from './fixtures.js';
import { makeAccessToken, makeGrant, makeKey } from './keys.js';
import { everyOperationOf } from './operations.js';
import { subjectsOf } from './reach-subjects.js';
import { fromSomewhere, type Running, send, startRunning, urlOf } from './running.js';
import { fingerprintOf } from './tenant-fingerprint.js';

/**
 * Places that show rows about records, with one row about a record of each type, read by credentials that may use the
 * place but not read the type. A credential with all rights sees the rows, so the rows are there.
 */
const platform: Running = await startRunning();
afterAll(() => platform.close());

/** What the places require. */
const SCOPES = [
  'ai-jobs:read-all',
  'approvals:read',
  'audit:export',
  'audit:read',
  'products:read',
  'reports:read',
  'resource-permissions:read',
  'settings:manage',
  'webhooks:read',
];
const MINE = SCOPES.map((scope) =>
  scope === 'audit:read' || scope === 'resource-permissions:read' ? `${scope}@workspace` : scope,
);
const SECRET = 'zanzibar';
/** Part of the names of everything that the calls of partners are about. */
const OTHER = 'timbuktu';
const TYPES = subjectsOf(platform).filter(({ permissions }) => !coveredBy(SCOPES).includes(permissions.read as never));
const DAY_MS = 86_400_000;
const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * DAY_MS).toISOString());

let tenant: TestTenant;
let me: { id: string; api: Client };
let product: string;
/** Types by the id of their record. */
const records = new Map<string, string>();

const client = (headers: Record<string, string>) => platform.anonymous().as({ ...fromSomewhere(), ...headers });
const token = async (scopes: readonly string[]) => {
  const terms = { membershipId: me.id, name: 'Partner', scopes };
  const grant = await makeGrant(platform.admin, tenant.id, terms);
  const expiresAt = new Date(Date.now() + DAY_MS);
  return client({ authorization: `Bearer ${await makeAccessToken(platform.admin, tenant.id, grant, expiresAt)}` });
};
const serviceKey = async (scopes: readonly string[]) =>
  client({ 'x-api-key': (await makeKey(platform.admin, tenant.id, { scopes })).text });

async function change(role: readonly string[]): Promise<void> {
  const id = uuidv7();
  await platform.admin.query(
    `insert into data.roles (tenant_id, id, key, name, permissions, created_at, updated_at)
     values ($1, $2, $3, $3, $4, now(), now())`,
    [tenant.id, id, `places${id.slice(-12)}`, role],
  );
  await platform.admin.query(
    `update data.role_assignments set role_id = $3 where tenant_id = $1 and membership_id = $2`,
    [tenant.id, me.id, id],
  );
}

/** Copies a row of a table with other values. */
async function copy(table: string, id: string, values: object): Promise<void> {
  const { rows } = await platform.admin.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  const { columns } = rows[0]!;
  await platform.admin.query(
    `insert into ${table} (${columns}) select ${columns} from (
       select (jsonb_populate_record(null::${table}, to_jsonb(t) || $2::jsonb)).* from ${table} t where t.id = $1) copied`,
    [id, JSON.stringify(values)],
  );
}

async function idOf(operation: string, scene: Scene): Promise<string> {
  return (await FIXTURES[operation]!.call(scene)).path!['id']!;
}

/** A row about the record in each place. */
async function mention(type: string, id: string, path: string, approval: string, job: string): Promise<void> {
  const { admin } = platform;
  await admin.query(
    `insert into data.notifications (tenant_id, id, member_id, kind, subject_type, subject_id, title, body, url, count,
       in_app, email, created_at, updated_at)
     values ($1, $2, $3, 'mention', $4, $5, $6, $6, $7, 1, true, 'none', now(), now())`,
    [tenant.id, uuidv7(), me.id, type, id, SECRET, `${path}/${id}`],
  );
  await admin.query(
    `insert into data.resource_grants (tenant_id, id, object, object_id, principal_type, principal_id, level, effect,
       reason, granted_by, created_at, updated_at)
     values ($1, $2, $3, $4, 'membership', $5, 'view', 'allow', $6, '{"type": "system", "id": null, "name": "test"}', now(), now())`,
    [tenant.id, uuidv7(), type, id, uuidv7(), SECRET],
  );
  await admin.query(
    `insert into data.jobs (tenant_id, id, kind, status, subject, input, error, requested_by, created_at, finished_at, expires_at)
     values ($1, $2, 'test.given_up', 'failed', jsonb_build_object('object', $3::text, 'id', $4::text), '{}',
       jsonb_build_object('code', 'blocked', 'message', $5::text), '{"type": "automation", "id": null, "name": "test"}',
       now(), now(), now() + interval '1 day')`,
    [tenant.id, uuidv7(), type, id, SECRET],
  );
  await me.api.post(`${path}/${id}/comments`, { body: `${SECRET} ${id}` });
  await me.api.post(`/api/v1/sales/products/${product}/links`, {
    relation: 'relates_to',
    target: { object: type, id },
  });
  const asked = { requester_person: me.id, reference: `X-${id}` };
  await copy('data.home_approvals', approval, {
    ...{ ...asked, id: uuidv7(), target_object: type, target_id: id, target_name: SECRET, name: SECRET },
    requester: {
      type: 'member',
      id: me.id,
      name: 'Me',
      membershipId: me.id,
      keyId: 'none',
      permission: 'members:manage',
    },
    input: { name: SECRET },
  });
  const jobId = uuidv7();
  await copy('data.ai_jobs', job, { ...asked, id: jobId, name: `${SECRET} ${id}` });
  await admin.query(`insert into data.ai_job_targets (tenant_id, job_id, object, record_id) values ($1, $2, $3, $4)`, [
    tenant.id,
    jobId,
    type,
    id,
  ]);
}

beforeAll(async () => {
  const { admin } = platform;
  tenant = await platform.tenant();
  me = await platform.member(tenant, 'Me');
  const scene = { tenantId: tenant.id, admin, label: SECRET, api: me.api };
  product = await idOf('sales.products.get', { ...scene, label: 'open' });
  const others = { ...scene, api: tenant.api, label: 'open' };
  const [approval, job] = [await idOf('home.approvals.get', others), await idOf('ai.jobs.get', others)];
  for (const definition of TYPES) {
    // The person makes the records, so they are their own acts; other than scorecards, which are for interviewers.
    const maker = definition.type === 'talent.scorecard' ? { ...others, label: SECRET } : scene;
    const id = await idOf(`${operationPrefix(definition)}.get`, maker);
    if (maker !== scene)
      await admin.query('update data.talent_scorecards set interviewer_id = $2 where id = $1', [id, me.id]);
    records.set(id, definition.type);
    await mention(definition.type, id, pathOf(definition), approval, job);
  }
  const favourites = [...records].map(([id, object]) => ({ object, id }));
  await admin.query(
    `insert into data.home_pages (tenant_id, id, version, favourites, layout, created_at, updated_at)
     values ($1, $2, 1, $3, '[]', now(), now())`,
    [tenant.id, me.id, JSON.stringify(favourites)],
  );
  await admin.query(
    `insert into data.event_numbers (tenant_id, sequence, event_id, numbered_at)
     select tenant_id, row_number() over (order by id), id, now() from data.events where tenant_id = $1`,
    [tenant.id],
  );
  await admin.query(
    `insert into data.event_sequences (tenant_id, last) select tenant_id, count(*) from data.events where tenant_id = $1
     group by tenant_id on conflict (tenant_id) do update set last = excluded.last`,
    [tenant.id],
  );
});

/** The places, by path. Those for people are not for service keys; the export requires a protected key. */
const PLACES = {
  'audit log': '/api/admin/audit-logs?limit=200',
  'audit export': `/api/admin/audit-logs/export?from=${from}&to=${to}`,
  events: '/api/webhooks/events?after=0&limit=100',
  notifications: '/api/home/notifications?limit=200',
  'home page': '/api/home',
  favourites: '/api/home/favourites',
  approvals: '/api/home/approvals?limit=200',
  'exceptions to roles': '/api/admin/resource-permissions?limit=200',
  'AI jobs': '/api/ai/jobs?limit=200',
  jobs: '/api/operations/jobs?limit=200',
  links: '/api/v1/sales/products/{product}/links?limit=200',
};
type PlaceName = keyof typeof PLACES;
const NAMES = Object.keys(PLACES) as PlaceName[];

/** Everything that a place shows a credential, over all pages; empty if it is closed to it. */
async function shownIn(place: PlaceName, api: Client): Promise<string> {
  const path = PLACES[place].replace('{product}', product);
  let text = '';
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer: Answer<{ page?: { nextCursor: string | null } }> = await api.get(
      cursor === '' ? path : `${path.replace('after=0&', '')}&cursor=${encodeURIComponent(cursor)}`,
    );
    if (answer.status === 403 || answer.status === 404) return text;
    expect(answer.status).toBe(200);
    text += answer.text;
    cursor = answer.body.page?.nextCursor ?? null;
  }
  return text;
}

/** The types with a record that a text names. */
const typesIn = (text: string) => [...records].filter(([id]) => text.includes(id)).map(([, type]) => type);
const nothing = { types: [], hasNames: false };
const seen = async (place: PlaceName, api: Client) => {
  const text = await shownIn(place, api);
  return { types: typesIn(text), hasNames: text.includes(SECRET) };
};

/** The tables that show rows, other than those of types with permissions of their own. */
async function sharedTables(): Promise<string[]> {
  const registry = platform.app.get(ResourceRegistry);
  const { source } = platform.app.get(Database);
  const own = new Set([
    ...registry.everything().map(({ service }) => service.table),
    ...registry.allObjects().map(({ entity }) => source.getMetadata(entity).tablePath),
  ]);
  const tables = await readTenantTables(platform.admin);
  return tables.map(({ name }) => name).filter((name) => !own.has(`data.${name}`) || isPlace(name));
}
const isPlace = (table: string) => Object.values(BEHIND_PLACES).some((tables) => tables.test(table));

test('each table is behind a place, or has a reason not to be', async () => {
  const tables = await sharedTables();
  const reasons = [...Object.values(BEHIND_PLACES), ...Object.values(UNSHOWN).flat()];
  expect(tables.filter((name) => !reasons.some((each) => each.test(name)))).toEqual([]);
  expect(reasons.filter((each) => !tables.some((name) => each.test(name)))).toEqual([]);
  expect(Object.keys(PLACES)).toEqual(expect.arrayContaining(Object.keys(BEHIND_PLACES)));
});

describe.each(NAMES)('%s', (place) => {
  it('shows rows about all types to a credential with all rights', async () => {
    const found = typesIn(await shownIn(place, place === 'audit export' ? tenant.api : me.api));
    if (place === 'home page') expect(found.length).toBeGreaterThan(TYPES.length / 2);
    else expect(found).toEqual([...records.values()]);
  });

  it('shows none to a key without their scopes', async () => {
    expect(await seen(place, await platform.key(tenant, SCOPES, { memberId: me.id }))).toEqual(nothing);
    expect(await seen(place, await serviceKey(SCOPES))).toEqual(nothing);
  });

  it('shows none to a partner without their scopes', async () => {
    expect(await seen(place, await token(SCOPES))).toEqual(nothing);
  });

  it('shows none to a key that is confined to other workspaces', async () => {
    const { body } = await tenant.api.post<{ id: string }>('/api/admin/workspaces', { name: `Empty ${place}` });
    await tenant.api.post(`/api/admin/workspaces/${body.id}/members`, { membershipId: me.id });
    const key = await me.api.post<{ apiKey: string }>('/api/settings/developer/api-keys', {
      name: 'Confined',
      kind: 'personal',
      scopes: ['*'],
      workspaceIds: [body.id],
    });
    expect(key.status).toBe(201);
    expect(await seen(place, client({ 'x-api-key': key.body.apiKey }))).toEqual(nothing);
  });
});

describe('partners', () => {
  const open = everyOperationOf(platform.document).filter(
    ({ open: isPublic, scim, alias, scopes }) => !isPublic && !scim && !alias && scopes.length === 0,
  );

  it.each(open)(
    '$name shows a partner nothing that their scopes do not include, and changes nothing',
    async (operation) => {
      const api = await token(['products:read']);
      const scene = { tenantId: tenant.id, admin: platform.admin, label: OTHER, api: tenant.api };
      const call = FIXTURES[operation.id] ? await callOf(operation, scene) : {};
      const before = await fingerprintOf(platform.admin, tenant.id);
      const { status, text, body } = await send(api, operation, call);
      expect(status).toBeLessThan(500);
      // Refusals are audited, and memberships keep the time of the last use; changes of them would emit events.
      const { 'data.audit_log': _b, 'data.memberships': _d, ...rest } = before;
      const now = await fingerprintOf(platform.admin, tenant.id);
      const { 'data.audit_log': _a, 'data.memberships': _c, ...after } = now;
      expect(after).toEqual(rest);
      const own = JSON.stringify(body['instance'] ?? '') + urlOf(operation, call); // what the caller has sent
      expect(typesIn(text.replaceAll(own, ''))).toEqual([]);
      expect(text.replaceAll(own, '')).not.toMatch(new RegExp(`${SECRET}|${OTHER}`));
    },
  );
});

describe('a role that has lost the types', () => {
  it.each([
    ['the whole tenant', SCOPES],
    ['workspaces', MINE],
  ])('shows none of its rows to a person who reads places of %s', async (_where, role) => {
    await change(role);
    for (const place of NAMES) expect({ place, ...(await seen(place, me.api)) }).toEqual({ place, ...nothing });
  });
});
