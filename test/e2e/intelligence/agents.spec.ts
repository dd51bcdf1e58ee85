import type { ShownAgent } from '#src/areas/ai/agents/agent.js';
import type { AgentVersionView } from '#src/areas/ai/agents/agent-version.js';
import { permissionNames } from '#libs/auth/permissions.js';
import { TOOLS } from '#src/areas/ai/agents/agent.tools.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const AGENTS = '/api/v1/intelligence/agents';

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  ({ api } = tenant);
});
afterAll(() => platform.close());

async function makeAgent(body: object = {}, as: Client = api): Promise<ShownAgent> {
  const answer = await as.post<ShownAgent>(AGENTS, { name: 'an agent', ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

const change = (id: string, patch: object, as: Client = api) => as.patch<ShownAgent>(`${AGENTS}/${id}`, patch);
const act = (id: string, action: string) => api.post<ShownAgent>(`${AGENTS}/${id}/${action}`);

async function versionsOf(id: string): Promise<AgentVersionView[]> {
  const { body } = await api.get<{ data: AgentVersionView[] }>(`${AGENTS}/${id}/versions?sort=agentVersion`);
  return body.data;
}

describe('an agent', () => {
  it('needs only a name, and starts as a draft without permissions', async () => {
    expect(await makeAgent({ name: 'Scout' })).toMatchObject({
      object: 'intelligence.agent',
      reference: expect.stringMatching(/^AGT-\d{6}$/) as string,
      status: 'draft',
      provider: null,
      model: null,
      parameters: { temperature: null, maxOutputTokens: null },
      tools: [],
      grants: [],
      dataScope: { areas: [], workspaceIds: [], includePersonal: false },
      autonomy: 'approve_each',
      limits: { maxSteps: null, timeoutSeconds: null },
      agentVersion: 1,
      allowedActions: ['activate', 'retire', 'archive', 'delete'],
    });
  });

  it('accepts any provider and model, and always the local one', async () => {
    expect(await makeAgent({ provider: 'local', model: 'small' })).toMatchObject({ provider: 'local', model: 'small' });
    expect(await makeAgent({ provider: 'openai-compatible' })).toMatchObject({ model: null });
    expect((await api.post(AGENTS, { name: 'x', provider: '' })).status).toBe(400);
  });

  it('keeps nested members that a PATCH omits', async () => {
    const { id } = await makeAgent({ parameters: { temperature: 1.5 }, limits: { maxSteps: 25, timeoutSeconds: 5 } });
    await change(id, { parameters: { maxOutputTokens: 64 }, limits: { maxSteps: null } });
    const { body } = await change(id, { dataScope: { includePersonal: true } });
    expect(body).toMatchObject({
      parameters: { temperature: 1.5, maxOutputTokens: 64 },
      limits: { maxSteps: null, timeoutSeconds: 5 },
      dataScope: { areas: [], includePersonal: true },
    });
  });

  it.each([
    [{ parameters: { temperature: 2.01 } }, '/parameters/temperature'],
    [{ parameters: { temperature: -0.1 } }, '/parameters/temperature'],
    [{ limits: { maxSteps: 26 } }, '/limits/maxSteps'],
    [{ limits: { maxSteps: 0 } }, '/limits/maxSteps'],
    [{ limits: { timeoutSeconds: 4 } }, '/limits/timeoutSeconds'],
    [{ limits: { timeoutSeconds: 601 } }, '/limits/timeoutSeconds'],
    [{ limits: { maxCostMicrosPerJob: 0 } }, '/limits/maxCostMicrosPerJob'],
    [{ instructions: 'x'.repeat(20_001) }, '/instructions'],
    [{ tools: ['deals.explode'] }, '/tools/0'],
    [{ tools: ['sales.deals.list'] }, '/tools/0'],
    [{ grants: ['deals:explode'] }, '/grants/0'],
    [{ dataScope: { areas: ['moon'] } }, '/dataScope/areas/0'],
    [{ autonomy: 'full' }, '/autonomy'],
    [{ agentVersion: 7 }, '/agentVersion'],
    [{ schedule: { cron: '* * * * *' } }, '/schedule'],
  ])('rejects values out of range: %j', async (body, pointer) => {
    const { id } = await makeAgent();
    for (const answer of [await api.post(AGENTS, { name: 'x', ...body }), await change(id, body)])
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });

  it('accepts only existing workspaces', async () => {
    const dataScope = { workspaceIds: ['01890000-0000-7000-8000-000000000000'] };
    const { id } = await makeAgent();
    for (const answer of [await api.post(AGENTS, { name: 'x', dataScope }), await change(id, { dataScope })])
      expect(answer).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'unknown_reference', pointer: '/dataScope/workspaceIds' }] },
      });
  });

  it('supports every documented filter, sort order and search term', async () => {
    const name = 'Zebra finder';
    const own = { name, provider: 'p1', model: 'm1', autonomy: 'suggest', tags: ['Stripes'] };
    const { id } = await makeAgent(own);
    await act(id, 'activate');
    for (const query of ['status=active&provider=p1', 'model=m1', 'autonomy=suggest', 'tag=stripes', 'q=zeb find']) {
      const { body } = await api.get<{ data: ShownAgent[] }>(`${AGENTS}?${query}`);
      expect({ query, ids: body.data.map((each) => each.id) }).toEqual({ query, ids: [id] });
    }
    for (const sort of ['name', '-createdAt', 'updatedAt', '-status'])
      expect((await api.get(`${AGENTS}?sort=${sort}`)).status).toBe(200);
  });
});

describe('an editor who may not activate agents', () => {
  const SETTLED = { autonomy: 'auto', grants: ['deals:read'] };
  const SCOPES = ['agents:read', 'agents:write', 'deals:read'];
  const REFUSED = { code: 'permission_denied' };
  let editor: Client;
  let id: string;
  beforeEach(async () => {
    editor = await platform.key(tenant, SCOPES);
    ({ id } = await makeAgent());
    await act(id, 'activate');
  });
  const shown = async () => (await api.get<ShownAgent>(`${AGENTS}/${id}`)).body;

  it.each([
    { autonomy: 'auto' },
    { grants: ['deals:read'] },
    { tools: ['deals.search'] },
    { dataScope: { includePersonal: true } },
    { name: 'Renamed', ...SETTLED },
  ])('does not change %j of an active agent', async (patch) => {
    const before = await shown();
    expect(await change(id, patch, editor)).toMatchObject({ status: 403, body: REFUSED });
    expect(await shown()).toEqual(before);
  });

  it('does not do so in a batch or on the collection either', async () => {
    const one = await editor.patch(AGENTS, { id, ...SETTLED });
    expect(one).toMatchObject({ status: 403, body: REFUSED });
    const { body } = await editor.patch<{ results: object[] }>(AGENTS, {
      items: [
        { id, ...SETTLED },
        { id, name: 'Renamed' },
      ],
    });
    expect(body.results).toMatchObject([{ ok: false, problem: REFUSED }, { ok: true }]);
    expect(await shown()).toMatchObject({ name: 'Renamed', autonomy: 'approve_each', grants: [] });
  });

  it('changes the rest, repeats what is so already, and changes all of an agent that is not active', async () => {
    const { autonomy, grants, tools } = await shown();
    expect(await change(id, { autonomy, grants, tools, description: 'New' }, editor)).toMatchObject({ status: 200 });
    const draft = await makeAgent();
    expect(await change(draft.id, SETTLED, editor)).toMatchObject({ status: 200, body: SETTLED });
    const activating = await platform.key(tenant, [...SCOPES, 'agents:activate']);
    expect(await change(id, SETTLED, activating)).toMatchObject({ status: 200, body: SETTLED });
  });
});

describe('the catalogue of tools', () => {
  it('lists operations of the API with their required permissions', () => {
    const operations = Object.values(platform.document.paths).flatMap((item) =>
      Object.values(item as Record<string, { operationId: string; 'x-required-scopes': string[] }>),
    );
    for (const { operation, permission } of TOOLS.values()) {
      expect(permissionNames()).toContain(permission);
      const found = operations.find(({ operationId }) => operationId === operation);
      expect({ operation, scopes: found?.['x-required-scopes'] }).toEqual({ operation, scopes: [permission] });
    }
  });
});

describe('versions', () => {
  it('are created by every change of instructions and permissions, and by nothing else', async () => {
    const { id } = await makeAgent({ instructions: 'One' });
    const changes = [
      { instructions: 'Two' },
      { provider: 'local' },
      { model: 'small' },
      { parameters: { temperature: 0.5 } },
      { tools: ['deals.search'] },
      { grants: ['deals:read'] },
    ];
    for (const [index, patch] of changes.entries())
      expect((await change(id, patch)).body).toMatchObject({ agentVersion: index + 2, ...patch });
    const others = { name: 'Renamed', description: 'New', autonomy: 'suggest', limits: { maxSteps: 3 }, tags: ['a'] };
    await change(id, others);
    await change(id, { instructions: 'Two' });
    await act(id, 'activate');
    await act(id, 'pause');
    const versions = await versionsOf(id);
    expect(versions.map(({ agentVersion }) => agentVersion)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(versions.map(({ instructions }) => instructions)).toEqual(['One', ...Array<string>(6).fill('Two')]);
    expect(versions[6]).toMatchObject({ agentId: id, model: 'small', tools: ['deals.search'], grants: ['deals:read'] });
    expect(versions[4]).toMatchObject({ parameters: { temperature: 0.5 }, tools: [], grants: [] });
  });

  it('can be read one by one and as a paginated list', async () => {
    const { id } = await makeAgent({ instructions: 'One' });
    await change(id, { instructions: 'Two' });
    expect((await api.get(`${AGENTS}/${id}/versions/1`)).body).toMatchObject({ agentVersion: 1, instructions: 'One' });
    expect((await api.get(`${AGENTS}/${id}/versions/3`)).status).toBe(404);
    for (const unknown of ['0', '01', 'one', '99999999999999999999'])
      expect((await api.get(`${AGENTS}/${id}/versions/${unknown}`)).status).toBe(404);
    const first = await api.get<{ page: { nextCursor: string } }>(`${AGENTS}/${id}/versions?limit=1`);
    const { nextCursor } = first.body.page;
    const rest = await api.get(`${AGENTS}/${id}/versions?limit=1&cursor=${nextCursor}`);
    expect(rest.body).toMatchObject({ data: [{ agentVersion: 1 }], page: { hasMore: false } });
  });

  it('are created one per change under concurrent changes', async () => {
    const { id } = await makeAgent();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => change(id, { instructions: `Say ${i}` })));
    const numbers = answers.map(({ body }) => body.agentVersion).sort((a, b) => a - b);
    expect(numbers).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await versionsOf(id)).map(({ agentVersion }) => agentVersion)).toEqual([1, ...numbers]);
  });
});

describe('grants', () => {
  const editing = ['agents:read', 'agents:write'];

  it('cannot exceed the permissions of the member who saves them', async () => {
    const editor = await platform.key(tenant, [...editing, 'deals:read']);
    expect(await makeAgent({ grants: ['deals:read'] }, editor)).toMatchObject({ grants: ['deals:read'] });
    const refused = await editor.post(AGENTS, { name: 'x', grants: ['deals:read', 'deals:*', 'invoices:issue'] });
    expect(refused).toMatchObject({
      status: 403,
      body: {
        code: 'grant_exceeds_rights',
        missingPermissions: ['deals:close', 'deals:delete', 'deals:write', 'invoices:issue'],
      },
    });
  });

  it('cannot be exploited by an editor who lacks them and changes the instructions', async () => {
    const { id } = await makeAgent({ grants: ['deals:close'] });
    const editor = await platform.key(tenant, editing);
    for (const patch of [
      { instructions: 'Win everything' },
      { tools: ['deals.update'] },
      { autonomy: 'auto' },
      { limits: { maxSteps: 25 } },
      { dataScope: { includePersonal: true } },
      { grants: ['deals:close', 'deals:read'] },
    ])
      expect(await change(id, patch, editor)).toMatchObject({ status: 403, body: { code: 'grant_exceeds_rights' } });
    expect((await change(id, { name: 'Another name' }, editor)).status).toBe(200);
    expect((await change(id, { grants: [], instructions: 'Do nothing' }, editor)).status).toBe(200);
  });

  it.each([
    '*',
    '*:read',
    '*:manage',
    'agents:read',
    'agents:*',
    'approvals:decide',
    'settings:manage',
    'webhooks:write',
  ])('never include agents, roles, secrets, policies and budgets: %s', async (grant) => {
    const { id } = await makeAgent();
    for (const answer of [
      await api.post(AGENTS, { name: 'x', grants: [grant] }),
      await change(id, { grants: [grant] }),
    ])
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 'grant_not_allowed' }] } });
  });
});

describe('the life cycle', () => {
  it('goes from draft through active and paused to retired, also by PATCH', async () => {
    const { id } = await makeAgent();
    expect((await change(id, { status: 'active' })).body).toMatchObject({ status: 'active' });
    expect((await change(id, { status: 'paused' })).body).toMatchObject({ status: 'paused' });
    expect((await act(id, 'activate')).body).toMatchObject({ status: 'active' });
    expect((await change(id, { status: 'retired' })).body).toMatchObject({ status: 'retired' });
  });

  it('ends with retired, which is final', async () => {
    const { id } = await makeAgent();
    await act(id, 'retire');
    for (const action of ['activate', 'pause', 'retire'])
      expect(await act(id, action)).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    expect(await change(id, { status: 'active' })).toMatchObject({ status: 409 });
    expect(await change(id, { instructions: 'Wake up' })).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
  });

  it('has one outcome when activation and retirement are concurrent', async () => {
    for (let i = 0; i < 5; i++) {
      const { id } = await makeAgent();
      const answers = await Promise.all([act(id, 'activate'), act(id, 'retire'), act(id, 'activate')]);
      expect(answers[1].status).toBe(200);
      expect((await api.get(`${AGENTS}/${id}`)).body).toMatchObject({ status: 'retired' });
    }
  });

  it('does not allow an active agent to be archived or deleted', async () => {
    const { id } = await makeAgent();
    await act(id, 'activate');
    expect(await api.delete(`${AGENTS}/${id}`)).toMatchObject({ status: 409, body: { code: 'record_locked' } });
    expect((await act(id, 'archive')).status).toBe(409);
  });

  it('passes the gate agent.activate if the agent can write or acts without confirmation', async () => {
    const own = await platform.tenant();
    const gates = [{ key: 'agent.activate', effect: 'deny' }];
    expect((await own.api.patch('/api/admin/settings', { gates })).status).toBe(200);
    const activate = async (body: object) => {
      const { id } = await makeAgent(body, own.api);
      return own.api.post(`${AGENTS}/${id}/activate`);
    };
    for (const body of [{ autonomy: 'auto' }, { grants: ['deals:read', 'deals:write'] }, { grants: ['deals:*'] }])
      expect(await activate(body)).toMatchObject({ status: 403, body: { code: 'gate_denied' } });
    expect(await activate({ grants: ['deals:read', 'leads:read'] })).toMatchObject({ status: 200 });
  });

  it('needs agents:activate, not only agents:write', async () => {
    const { id } = await makeAgent();
    const editor = await platform.key(tenant, ['agents:read', 'agents:write']);
    expect((await editor.post(`${AGENTS}/${id}/activate`)).status).toBe(403);
    expect((await change(id, { status: 'active' }, editor)).status).toBe(403);
  });
});
