import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { exhaust } from '../../worker/automation-stage.js';
import { Stage } from '../../worker/stage.js';
import { change, makeWorkspace, type Page, person, WORKSPACES } from './people-calls.js';

const DEALS = '/api/v1/sales/deals';
const JOBS = '/api/operations/jobs';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

interface Deal {
  id: string;
  ownerId: string;
  version: number;
}

it('transfers all open records of a member to another, each with audit entry and event', async () => {
  const { platform } = stage;
  const tenant = await platform.tenant();
  const worker = await stage.idleWorker();
  const [from, to] = [await person(platform, tenant, 'member'), await person(platform, tenant, 'member')];
  const made: string[] = [];
  for (let i = 0; i < 130; i++)
    made.push((await tenant.api.post<Deal>(DEALS, { name: `Deal ${i}`, ownerId: from.id })).body.id);
  const [won, archived] = made as [string, string];
  await tenant.api.post(`${DEALS}/${won}/win`);
  await tenant.api.post(`${DEALS}/${archived}/archive`);
  const others = [];
  for (const path of ['/api/v1/sales/leads', '/api/v1/work/projects', '/api/v1/people/employees'])
    others.push(`${path}/${(await tenant.api.post<Deal>(path, { name: 'Theirs', ownerId: from.id })).body.id}`);
  const answer = await change(tenant.api, from.id, { status: 'deactivated', transferOwnedTo: to.id });
  const jobId = answer.body.effects.find(({ type }) => type === 'ownership_transfer')!.jobId!;
  expect(answer.body.effects).toContainEqual({ type: 'ownership_transfer', count: 131, jobId });
  const begun = await tenant.api.get(`${JOBS}/${jobId}`);
  expect(begun).toMatchObject({
    status: 200,
    body: {
      id: jobId,
      kind: 'core.membership.transfer',
      status: 'queued',
      progress: { done: 0, total: 131, phase: 'transferring' },
      requestedBy: { type: 'api_key' },
      finishedAt: null,
    },
  });
  await exhaust(worker);
  const ended = await tenant.api.get(`${JOBS}/${jobId}`);
  expect(ended.body).toMatchObject({
    status: 'succeeded',
    progress: { done: 131, total: 131, phase: null },
    result: { from: from.id, to: to.id, workspaceId: null, moved: 131 },
    finishedAt: expect.stringMatching(/Z$/) as string,
  });
  const owned = async (id: string) =>
    (await tenant.api.get<Page<Deal>>(`${DEALS}?ownerId=${id}&limit=200&includeArchived=true`)).body.data;
  expect((await owned(from.id)).map(({ id }) => id).sort()).toEqual([won, archived].sort());
  const moved = await owned(to.id);
  expect(moved).toHaveLength(128);
  expect(new Set(moved.map(({ version }) => version))).toEqual(new Set([2]));
  for (const path of others) expect(await tenant.api.get(path)).toMatchObject({ body: { ownerId: to.id } });
  const events = await stage.sql<{ count: number }>(
    `select count(*)::integer as count from data.events where tenant_id = $1 and type = 'sales.deal.updated'
       and envelope::jsonb->'actor'->>'type' = 'automation'`,
    [tenant.id],
  );
  expect(events).toEqual([{ count: 128 }]);
  await exhaust(worker);
  expect((await owned(to.id)).every(({ version }) => version === 2)).toBe(true);
});

it('pauses the agents of a suspended member', async () => {
  const { platform } = stage;
  const tenant = await platform.tenant();
  const worker = await stage.idleWorker();
  const [gone, stays] = [await person(platform, tenant, 'member'), await person(platform, tenant, 'member')];
  const agents = [];
  for (const { id: ownerId } of [gone, stays]) {
    const answer = await tenant.api.post<{ id: string }>('/api/v1/intelligence/agents', {
      name: 'Agent',
      ownerId,
      instructions: 'Sort',
      provider: 'local',
      model: 'small',
    });
    const path = `/api/v1/intelligence/agents/${answer.body.id}`;
    expect(await tenant.api.post(`${path}/activate`)).toMatchObject({ status: 200, body: { status: 'active' } });
    agents.push(path);
  }
  await change(tenant.api, gone.id, { status: 'suspended' });
  await worker.get(EventRelay).pass();
  await exhaust(worker);
  expect(await tenant.api.get(agents[0]!)).toMatchObject({ body: { status: 'paused' } });
  expect(await tenant.api.get(agents[1]!)).toMatchObject({ body: { status: 'active' } });
});

it('transfers only records of the workspace for a removed workspace member', async () => {
  const { platform } = stage;
  const tenant = await platform.tenant();
  const worker = await stage.idleWorker();
  const [from, to] = [await person(platform, tenant, 'member'), await person(platform, tenant, 'member')];
  const id = await makeWorkspace(tenant.api, 'EMEA');
  await tenant.api.post(`${WORKSPACES}/${id}/members`, {
    members: [to, from].map((each) => ({ membershipId: each.id })),
  });
  const deal = async (body: object) =>
    (await tenant.api.post<Deal>(DEALS, { name: 'Deal', ownerId: from.id, ...body })).body.id;
  const [inside, outside] = [await deal({ workspaceId: id }), await deal({})];
  const path = `${WORKSPACES}/${id}/members?membershipId=${from.id}`;
  const stranger = await person(platform, await platform.tenant(), 'member');
  expect(await tenant.api.delete(`${path}&reassignTo=${stranger.id}`)).toMatchObject({
    status: 400,
    body: { errors: [{ parameter: 'reassignTo', code: 'unknown_reference' }] },
  });
  expect(await tenant.api.delete(`${path}&reassignTo=${from.id}`)).toMatchObject({
    status: 400,
    body: { errors: [{ parameter: 'reassignTo', code: 'same_member' }] },
  });
  const { body } = await tenant.api.delete<{ jobIds: string[] }>(`${path}&reassignTo=${to.id}`);
  expect(body).toMatchObject({ removed: 1, reassigned: 1, jobIds: [expect.any(String) as string] });
  await exhaust(worker);
  expect(await tenant.api.get(`${JOBS}/${body.jobIds[0]!}`)).toMatchObject({
    body: { status: 'succeeded', progress: { done: 1, total: 1 }, result: { workspaceId: id, moved: 1 } },
  });
  expect(await tenant.api.get(`${DEALS}/${inside}`)).toMatchObject({ body: { ownerId: to.id } });
  expect(await tenant.api.get(`${DEALS}/${outside}`)).toMatchObject({ body: { ownerId: from.id } });
});

it('shows its progress to the requester and to callers who may read all members', async () => {
  const { platform } = stage;
  const tenant = await platform.tenant();
  const [from, to] = [await person(platform, tenant, 'member'), await person(platform, tenant, 'member')];
  const { body } = await change(tenant.api, from.id, { transferOwnedTo: to.id });
  const { jobId } = body.effects[0]!;
  const path = `${JOBS}/${jobId!}`;
  expect((await tenant.api.get(path)).status).toBe(200);
  expect((await (await platform.key(tenant, ['members:read'])).get(path)).status).toBe(200);
  for (const stranger of [await platform.key(tenant, ['deals:read']), (await platform.tenant()).api])
    expect(await stranger.get(path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
