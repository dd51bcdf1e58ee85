import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { Answer, Client } from '../../harness/client.js';
import { replaceGates } from '../../harness/gates.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { change as changeHandoff, changed, handoff } from '../admin/handoff-calls.js';
import { change as changeMember, makeRole, makeWorkspace, person, WORKSPACES } from '../admin/people-calls.js';
import { JOBS, parkJob, setPolicy } from '../ai/job-calls.js';
import { type Review, REVIEWS, startReview } from '../admin/review-calls.js';
import { KEYS, makeKey } from '../settings/key-calls.js';
import { APPROVALS, DEALS, decide, makeDeal, win } from './approval-calls.js';

/**
 * Where a second person is required, a key counts as the person who made it. Each refusal is tried with three keys of
 * the maker: a service key, a key made with that key, and a rotated key.
 */
type Json = Record<string, unknown>;
interface Person {
  id: string;
  api: Client;
}
interface Setting {
  tenant: TestTenant;
  maker: Person;
}
/** Prepares something about the maker, and returns the attempt that only somebody else may make. */
type Case = (setting: Setting) => Promise<(api: Client) => Promise<Answer<Json>>>;

const GRANTS = '/api/admin/resource-permissions';
const EMPLOYEES = '/api/v1/people/employees';

const make = async (api: Client, path: string, body: object = {}): Promise<Json & { id: string }> => {
  const answer = await api.post<Json & { id: string }>(path, body);
  if (answer.status > 202) throw new Error(answer.text);
  return answer.body;
};
const employeeOf = ({ tenant, maker }: Setting) =>
  make(tenant.api, EMPLOYEES, { name: 'Ann', startDate: '2020-01-01', membershipId: maker.id });
const keysOf = async ({ maker }: Setting) =>
  (await maker.api.get<{ data: Json[] }>(`${KEYS}?limit=100`)).body.data.map(({ id }) => id as string);

/** By place of the refusal in the sources; each is one `new Problem` there. */
const CASES: Record<string, Record<string, Case>> = {
  'src/areas/home/approvals/approvers.ts: The requester cannot decide on their own request.': {
    'approves the request of the maker': async ({ tenant, maker }) => {
      await replaceGates(tenant.api, [{ key: 'deal.win', effect: 'require_approval' }]);
      const { approval } = (await win(maker.api, (await makeDeal(maker.api)).id)).body;
      return (api) => decide(api, { approval }, 'approve');
    },
    'approves a privileged role that the maker grants': async ({ tenant, maker }) => {
      await replaceGates(tenant.api, [{ key: 'role.grant_privileged', effect: 'require_approval' }]);
      const viewer = await platform.member(tenant, 'Viewer', ['*'], { roles: ['viewer'] });
      const { roleIds } = (await maker.api.get<{ roleIds: string[] }>(`/api/admin/memberships/${maker.id}`)).body;
      const { pendingApproval } = (await changeMember(maker.api, viewer.id, { roleIds })).body;
      return (api) => api.post(`${APPROVALS}/${pendingApproval!.id}/approve`);
    },
    'approves an AI job of the maker': async ({ tenant, maker }) => {
      await setPolicy(tenant, {});
      const job = await parkJob(maker.api);
      return (api) => api.post(`${JOBS}/${job.id}/approve`, {});
    },
  },
  'src/areas/work/time-entries/time-entries.service.ts: You cannot approve your own time entries.': {
    'approves the time of the maker': async ({ maker }) => {
      const { id } = await make(maker.api, '/api/v1/work/time-entries', { minutes: 30 });
      await make(maker.api, `/api/v1/work/time-entries/${id}/submit`);
      return (api) => api.post(`/api/v1/work/time-entries/${id}/approve`);
    },
  },
  'src/areas/people/time-off/time-off.service.ts: Nobody decides about their own time off; ask somebody else.': {
    'approves the time off of the maker': async (setting) => {
      const { id: employeeId } = await employeeOf(setting);
      const days = { employeeId, type: 'unpaid', startDate: '2027-03-01', endDate: '2027-03-05' };
      const { id } = await make(setting.tenant.api, '/api/v1/people/time-off', days);
      return (api) => api.post(`/api/v1/people/time-off/${id}/approve`);
    },
  },
  'src/areas/people/employees/employee.rules.ts: Nobody changes their own employment, status or manager; ask somebody else.':
    {
      'changes the employment of the maker': async (setting) => {
        const { id } = await employeeOf(setting);
        return (api) => api.patch(`${EMPLOYEES}/${id}`, { startDate: '2019-01-01' });
      },
    },
  'src/areas/handover/sales-handoff/handoff.lifecycle.ts: Nobody may accept a handoff that they have submitted.': {
    'accepts the handoff of the maker': async ({ maker }) => {
      const { id } = await handoff(maker.api);
      await changed(maker.api, id, { action: 'submit' });
      return (api) => changeHandoff(api, id, { action: 'accept' });
    },
  },
  'libs/members/member-guards.ts: Nobody can give themselves a role or a workspace.': {
    'gives the maker a role': async ({ tenant, maker }) => {
      const role = await makeRole(tenant, 'More', ['deals:read']);
      const { roleIds } = (await maker.api.get<{ roleIds: string[] }>(`/api/admin/memberships/${maker.id}`)).body;
      return (api) => changeMember(api, maker.id, { roleIds: [...roleIds, role] });
    },
  },
  'src/areas/access/workspaces/workspace-access.ts: Somebody else must add you, because the workspace would give you more rights.':
    {
      'adds the maker to a workspace with roles': async ({ tenant, maker }) => {
        const role = await makeRole(tenant, 'Gift', ['deals:read']);
        const id = await makeWorkspace(tenant.api, 'Giving', { defaultRoleIds: [role] });
        return (api) => api.post(`${WORKSPACES}/${id}/members`, { membershipId: maker.id });
      },
    },
  'src/areas/access/resource-permissions/grant-rules.ts: You cannot grant rights to yourself; ask somebody else.': {
    'grants rights to the maker': async ({ tenant, maker }) => {
      const { id: objectId } = await makeDeal(tenant.api);
      const grant = { object: 'sales.deal', objectId, principal: { type: 'membership', id: maker.id } };
      return (api) => api.post(GRANTS, grant);
    },
    'grants rights to a key of the maker': async (setting) => {
      const { id: objectId } = await makeDeal(setting.tenant.api);
      const [id] = await keysOf(setting);
      const grant = { object: 'sales.deal', objectId, principal: { type: 'api_key', id } };
      return (api) => api.post(GRANTS, grant);
    },
  },
  'src/areas/access/resource-permissions/grant-rules.ts: This denial applies to you; ask somebody else to change it.': {
    'lifts a denial of the maker': async ({ tenant, maker }) => {
      const { id: objectId } = await makeDeal(tenant.api);
      const principal = { type: 'membership', id: maker.id };
      const denial = { object: 'sales.deal', objectId, principal, effect: 'deny', level: 'view' };
      const { body } = await tenant.api.post<{ data: { grant: { id: string } }[] }>(GRANTS, denial);
      return (api) => api.delete(`${GRANTS}?id=${body.data[0]!.grant.id}`);
    },
  },
  'src/areas/access/access-reviews/review-decisions.service.ts: Nobody can decide on their own access; ask another reviewer.':
    {
      'keeps the access of the maker': async (setting) => {
        const review = await reviewed(setting, { memberships: true }, setting.maker.id);
        return (api) => keep(api, review);
      },
      'keeps a service key of the maker': async (setting) => {
        const [key] = await keysOf(setting);
        const review = await reviewed(setting, { apiKeys: true }, key!);
        return (api) => keep(api, review);
      },
    },
};

/** Administrators, not owners, who may lift any denial. */
const OF_ADMINS = ['lifts a denial of the maker'];
const SCOPES_OF_ADMINS = ['resource-permissions:*', 'deals:*', 'api-keys:*'];

/** Refusals about the approvers that a gate names, and about a single key: they need no rule about persons. */
const NAMED = [
  // Protected, and allowed to a sole approver: `test/worker/data-exports` tries the requester and a key that they made.
  'src/areas/data-export/requests/export-gate.ts: Somebody else must decide about an export that you requested.',
  'src/areas/data-export/requests/export-gate.ts: You are not among the approvers that the gate names.',
  'src/areas/data-export/requests/export-gate.ts: `This decision requires the scope ${permission}.`',
  'src/areas/home/approvals/approvers.ts: You are not among the approvers that the gate names.',
  'src/areas/home/approvals/approvers.ts: `This decision requires the scope ${permission}.`',
  'src/areas/access/api-keys/api-key-rules.ts: A key cannot change its own limits.',
];

type Reviewed = Record<'campaignId' | 'itemId', string>;

/** The item about a subject, in a new review with other reviewers. */
async function reviewed({ tenant }: Setting, scope: object, subjectId: string): Promise<Reviewed> {
  const others = [await person(platform, tenant, 'admin'), await person(platform, tenant, 'owner')];
  const reviewers = { strategy: 'named', membershipIds: others.map(({ id }) => id) };
  const { id: campaignId } = await startReview(platform, tenant.api, scope, { reviewers });
  const { body } = await tenant.api.get<Review>(`${REVIEWS}?campaignId=${campaignId}&limit=200`);
  return { campaignId, itemId: body.items.data.find(({ subject }) => subject.id === subjectId)!.id };
}

async function keep(api: Client, { campaignId, itemId }: Reviewed): Promise<Answer<Json>> {
  const decisions = [{ itemId, decision: 'keep', reason: 'Checked' }];
  const { body, ...rest } = await api.post<Json>(REVIEWS, { action: 'decide', campaignId, decisions });
  const [result] = (body['results'] ?? []) as { ok: boolean; error: Json | null }[];
  return { ...rest, status: result?.ok ? 200 : 403, body: result?.error ?? body };
}

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

/** A member with a service key, a key made with that key, and a rotated key. */
async function keysOfMaker(tenant: TestTenant, role = 'owner'): Promise<Setting & { keys: Record<string, Client> }> {
  const maker = await person(platform, tenant, role);
  const client = ({ apiKey }: { apiKey: string }) => platform.anonymous().as({ 'x-api-key': apiKey });
  const isOwner = role === 'owner';
  const wanted = { scopes: isOwner ? ['*'] : SCOPES_OF_ADMINS, allowProtected: isOwner };
  const service = await makeKey(maker.api, wanted);
  const ofKey = await makeKey(client(service), { scopes: wanted.scopes });
  const old = await makeKey(maker.api, wanted);
  const rotated = await maker.api.post<{ apiKey: string }>(`${KEYS}/${old.id}/rotate`, {});
  return {
    tenant,
    maker,
    keys: { 'a service key': client(service), 'a key of a key': client(ofKey), 'a rotated key': client(rotated.body) },
  };
}

const all = Object.entries(CASES).flatMap(([place, cases]) =>
  Object.entries(cases).map(([name, prepare]) => ({ place, name, prepare })),
);

it.each(all)('nobody $name with a key of one’s own', async ({ name: attempted, prepare }) => {
  const role = OF_ADMINS.includes(attempted) ? 'admin' : 'owner';
  const { tenant, maker, keys } = await keysOfMaker(await platform.tenant(), role);
  const attempt = await prepare({ tenant, maker });
  const outcomes = Object.fromEntries(
    await Promise.all(
      Object.entries({ 'the maker': maker.api, ...keys }).map(async ([name, api]) => {
        const { status, body } = await attempt(api);
        return [name, [status, body['code']]] as const;
      }),
    ),
  );
  const refusal: unknown = expect.stringMatching(/^not_(by_oneself|an_approver)$/);
  const refused = Object.fromEntries(['the maker', ...Object.keys(keys)].map((name) => [name, [403, refusal]]));
  expect(outcomes).toEqual(refused);
});

it('the list of refusals is complete', () => {
  const found = ['libs', 'src'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => {
        const path = join(folder, file);
        const text = readFileSync(path, 'utf8');
        const refusals = text.matchAll(/new Problem\(\s*'not_(?:by_oneself|an_approver)',\s*(?:'([^']+)'|(`[^`]+`))/g);
        const declared = text.matchAll(/\bperson: '\w+',\s*detail: '([^']+)'/g); // of actions that take a second person
        return Array.from([...refusals, ...declared], ([, detail, template]) => `${path}: ${detail ?? template!}`);
      }),
  );
  expect(found.sort()).toEqual([...Object.keys(CASES), ...NAMED].sort());
});

describe('votes', () => {
  it('of one person count once, whichever keys they use', async () => {
    const tenant = await platform.tenant();
    await replaceGates(tenant.api, [{ key: 'deal.win', effect: 'require_approval', quorum: 2 }]);
    const { maker, keys } = await keysOfMaker(tenant);
    const other = await person(platform, tenant, 'owner');
    const { approval } = (await win(tenant.api, (await makeDeal(tenant.api)).id)).body;
    const [first, ...more] = Object.values(keys);
    expect(await decide(first!, { approval }, 'approve')).toMatchObject({ body: { status: 'pending' } });
    for (const api of [...more, maker.api])
      expect(await decide(api, { approval }, 'approve')).toMatchObject({
        status: 409,
        body: { code: 'already_decided' },
      });
    const waiting = (api: Client) => api.get<{ data: object[] }>(`${APPROVALS}?mine=to_decide`);
    expect((await waiting(maker.api)).body.data).toEqual([]);
    expect((await waiting(other.api)).body.data).toHaveLength(1);
    expect(await decide(other.api, { approval }, 'approve')).toMatchObject({ body: { status: 'executed' } });
  });

  it('of the maker do not count for a request of their key, and of another person do', async () => {
    const tenant = await platform.tenant();
    await replaceGates(tenant.api, [{ key: 'deal.win', effect: 'require_approval' }]);
    const { maker, keys } = await keysOfMaker(tenant);
    const [key, another] = Object.values(keys);
    const { approval, record } = (await win(key!, (await makeDeal(key!)).id)).body;
    for (const api of [maker.api, another!])
      expect(await decide(api, { approval }, 'approve')).toMatchObject({
        status: 403,
        body: { code: 'not_an_approver' },
      });
    const other = await person(platform, tenant, 'owner');
    expect(await decide(other.api, { approval }, 'approve')).toMatchObject({ body: { status: 'executed' } });
    expect((await tenant.api.get(`${DEALS}/${record.id}`)).body).toMatchObject({ status: 'won' });
  });
});

it('a key that somebody else rotates is theirs from then on, and its old secret is not', async () => {
  const tenant = await platform.tenant();
  await replaceGates(tenant.api, [{ key: 'deal.win', effect: 'require_approval' }]);
  const [ann, bob] = [await person(platform, tenant, 'owner'), await person(platform, tenant, 'owner')];
  const old = await makeKey(ann.api, {
    scopes: ['*'],
    expiresAt: new Date(platform.clock.nowMs() + DAY_MS).toISOString(),
  });
  const { body: next } = await bob.api.post<{ apiKey: string }>(`${KEYS}/${old.id}/rotate`, {});
  const { approval } = (await win(bob.api, (await makeDeal(bob.api)).id)).body;
  const client = ({ apiKey }: { apiKey: string }) => platform.anonymous().as({ 'x-api-key': apiKey });
  expect(await decide(client(next), { approval }, 'approve')).toMatchObject({ status: 403 });
  expect(await decide(client(old), { approval }, 'approve')).toMatchObject({ body: { status: 'executed' } });
});
