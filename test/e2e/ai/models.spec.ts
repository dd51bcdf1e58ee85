import { runAsSystem } from '#libs/tenancy/scope.js';
import type { ModelCall } from '#libs/ai/provider.js';
import { Models } from '#src/areas/ai/models/models.service.js';
import { Providers } from '#src/areas/ai/models/providers.service.js';
import { connectModel, type ModelServer, PROVIDER_KEY, startModelServer } from '../../harness/model-server.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

let platform: TestPlatform;
let server: ModelServer;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform({ env: { AI_LOCAL_PRICE_MICROS_PER_1K: '7' } });
  server = await startModelServer();
});
afterAll(async () => {
  await server.close();
  await platform.close();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  server.calls.length = 0;
});

const MODELS = '/api/ai/models';
const PROVIDERS = '/api/ai/providers';
const PRICE = { inputMicrosPer1k: 100, outputMicrosPer1k: 200 };

type Json = Record<string, unknown>;

/** Runs a call like a job of the tenant. */
function inJob<T>(work: (models: Models, providers: Providers) => Promise<T>): Promise<T> {
  const facts = { id: tenant.id, slug: tenant.slug, plan: 'enterprise', currency: 'EUR', epoch: '1' };
  const { app } = platform;
  return runAsSystem(facts, 'test', 'req_test', () =>
    work(app.get(Models, { strict: false }), app.get(Providers, { strict: false })),
  );
}

const CALL: ModelCall = {
  model: 'test-model',
  system: null,
  messages: [{ role: 'user', text: 'Hello' }],
  tools: [],
  outputSchema: null,
  maxOutputTokens: 64,
  temperature: null,
  idempotencyKey: 'k',
  timeoutMs: 5_000,
  task: { kind: 'text.generate', input: {}, records: [] },
};

it('offers the built-in model everywhere and lists the kinds of jobs', async () => {
  const { body } = await tenant.api.get<{ data: Json[]; kinds: Json[] }>(MODELS);
  expect(body.data).toMatchObject([
    {
      provider: 'local',
      key: 'local-1',
      isBuiltIn: true,
      isDefault: true,
      enabled: true,
      price: { inputMicrosPer1k: 7 },
    },
  ]);
  expect(body.kinds.map(({ key }) => key).sort()).toEqual([
    'agent.run',
    'candidate.screen',
    'document.draft',
    'invoice.reminder_draft',
    'record.next_step',
    'record.summarize',
    'report.narrate',
    'text.classify',
    'text.extract',
    'text.generate',
    'text.summarize',
    'ticket.reply_draft',
    'ticket.triage',
  ]);
  for (const kind of body.kinds)
    expect(kind).toMatchObject({
      inputSchema: { type: 'object' },
      outputSchema: { type: expect.any(String) as string },
    });
  expect(await inJob((models) => models.find(null, null))).toMatchObject({
    provider: 'local',
    model: 'local-1',
    api: 'local',
  });
});

it('connects a provider with its secret and can call its models', async () => {
  for (const api of ['openai', 'anthropic'] as const) {
    const { provider, model } = await connectModel(tenant.api, server, { api, region: 'eu' });
    expect(await inJob((models) => models.find(provider, model))).toEqual({
      provider,
      model,
      api,
      regions: ['eu'],
      contextTokens: 100_000,
      maxOutputTokens: 4_096,
      capabilities: ['tools', 'json'],
      price: {
        from: expect.any(String) as string,
        inputMicrosPer1k: 1_000,
        outputMicrosPer1k: 2_000,
        cachedMicrosPer1k: 1_000,
      },
    });
    const answer = await inJob(async (_models, providers) =>
      (await providers.open(provider)).complete(CALL, new AbortController().signal),
    );
    expect(answer).toMatchObject({ text: 'Done.', finish: 'stop' });
    expect(server.calls.at(-1)).toMatchObject({ api, headers: { authorization: `Bearer ${PROVIDER_KEY}` } });
  }
  const { body, text } = await tenant.api.get<{ data: Json[] }>(PROVIDERS);
  expect(body.data.map(({ key }) => key)).toEqual(['local', 'test-anthropic', 'test-openai']);
  expect(text).not.toContain(PROVIDER_KEY);
  const { body: secrets } = await tenant.api.get<{ data: Json[] }>('/api/admin/secrets');
  expect(secrets.data.map(({ usedBy }) => usedBy)).toEqual([
    [{ object: 'ai.provider', id: expect.any(String) as string }],
    [{ object: 'ai.provider', id: expect.any(String) as string }],
  ]);
  for (const { lastUsedAt } of secrets.data) expect(lastUsedAt).not.toBeNull();
});

it('uses the previous key during its grace period if the new one is refused', async () => {
  const { provider } = await connectModel(tenant.api, server);
  const rotate = (graceMinutes: number) =>
    tenant.api.post('/api/admin/secrets', { name: 'AI/TEST-OPENAI', value: 'newer', graceMinutes });
  await rotate(10);
  server.script({ status: 401 });
  const call = () =>
    inJob(async (_models, providers) => (await providers.open(provider)).complete(CALL, new AbortController().signal));
  expect((await call()).text).toBe('Done.');
  expect(server.calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer newer', `Bearer ${PROVIDER_KEY}`]);
  await rotate(0);
  server.script({ status: 401 });
  await expect(call()).rejects.toMatchObject({ fault: 'provider_credentials_refused' });
});

it('refuses to delete a secret used by a provider unless forced', async () => {
  const { provider } = await connectModel(tenant.api, server);
  const { body } = await tenant.api.get<{ data: { id: string }[] }>('/api/admin/secrets');
  const path = `/api/admin/secrets/${body.data[0]!.id}`;
  expect(await tenant.api.delete(path)).toMatchObject({ status: 409, body: { code: 'in_use' } });
  expect((await tenant.api.delete(`${path}?force=true`)).status).toBe(200);
  const opened = inJob((_models, providers) => providers.open(provider));
  await expect(opened).rejects.toMatchObject({ fault: 'provider_credentials_refused', mayHaveRun: false });
});

it('adds prices but never changes existing ones', async () => {
  const { modelId } = await connectModel(tenant.api, server, { prices: [] });
  const path = `${MODELS}/${modelId}`;
  expect((await tenant.api.get(path)).body['price']).toBeNull();
  const later = new Date(platform.clock.nowMs() + 86_400_000).toISOString();
  const priced = await tenant.api.patch(path, { prices: [PRICE, { ...PRICE, outputMicrosPer1k: 900, from: later }] });
  expect(priced.body).toMatchObject({ version: 2, price: { outputMicrosPer1k: 200 }, prices: [{}, { from: later }] });
  const past = new Date(platform.clock.nowMs() - 1_000).toISOString();
  expect((await tenant.api.patch(path, { prices: [{ ...PRICE, from: past }] })).body).toMatchObject({
    errors: [{ pointer: '/prices/0/from', code: 'out_of_range' }],
  });
  expect((await tenant.api.patch(path, { prices: [{ ...PRICE, from: later }] })).body).toMatchObject({
    errors: [{ code: 'not_unique' }],
  });
  expect((await tenant.api.patch(path, { prices: [{ ...PRICE, inputMicrosPer1k: -1 }] })).status).toBe(400);
  platform.clock.advance(2 * 86_400_000);
  expect((await tenant.api.get(path)).body).toMatchObject({ price: { outputMicrosPer1k: 900 } });
});

it('has one default model', async () => {
  const first = await connectModel(tenant.api, server, { provider: 'one', isDefault: true });
  const second = await connectModel(tenant.api, server, { provider: 'two', isDefault: true });
  const defaults = async () => {
    const { body } = await tenant.api.get<{ data: { provider: string; isDefault: boolean }[] }>(MODELS);
    return body.data.filter(({ isDefault }) => isDefault).map(({ provider }) => provider);
  };
  expect(await defaults()).toEqual(['two']);
  expect(await inJob((models) => models.find(null, null))).toMatchObject({ provider: 'two' });
  expect(await inJob((models) => models.find('one', null))).toMatchObject({ provider: 'one' });
  // Two providers have a model with this key.
  expect(await inJob((models) => models.find(null, 'test-model'))).toBeNull();
  await tenant.api.patch(`${MODELS}/${second.modelId}`, { enabled: false });
  expect(await defaults()).toEqual(['local']);
  expect(await inJob((models) => models.find('two', 'test-model'))).toBeNull();
  await tenant.api.patch(`${PROVIDERS}/${first.providerId}`, { enabled: false });
  expect(await inJob((models) => models.find('one', 'test-model'))).toBeNull();
});

it('deletes unused models and providers', async () => {
  const { providerId, modelId } = await connectModel(tenant.api, server, { provider: 'gone' });
  expect((await tenant.api.delete(`${PROVIDERS}/${providerId}`)).body).toMatchObject({ code: 'in_use' });
  const agent = await tenant.api.post<{ id: string }>('/api/v1/intelligence/agents', {
    name: 'A',
    provider: 'gone',
    model: 'test-model',
  });
  expect((await tenant.api.delete(`${MODELS}/${modelId}`)).body).toMatchObject({ code: 'in_use' });
  await tenant.api.delete(`/api/v1/intelligence/agents/${agent.body.id}`);
  expect((await tenant.api.delete(`${MODELS}/${modelId}`)).body).toEqual({ id: modelId, deleted: true });
  expect((await tenant.api.delete(`${PROVIDERS}/${providerId}`)).body).toEqual({ id: providerId, deleted: true });
  expect((await tenant.api.get(`${PROVIDERS}/${providerId}`)).status).toBe(404);
  await connectModel(tenant.api, server, { provider: 'gone' }); // the key is free again
  const policy = { allowedProviders: ['local', 'gone'], allowedModels: ['test-model'] };
  expect((await tenant.api.patch('/api/ai/policy', policy)).status).toBe(200);
  const { body } = await tenant.api.get<{ data: { id: string; provider: string }[] }>(MODELS);
  const { id } = body.data.find(({ provider }) => provider === 'gone')!;
  expect((await tenant.api.delete(`${MODELS}/${id}`)).body).toMatchObject({ code: 'in_use' });
});

it('does not change the built-in ones', async () => {
  const { body } = await tenant.api.get<{ data: { id: string }[] }>(MODELS);
  const path = `${MODELS}/${body.data[0]!.id}`;
  expect((await tenant.api.patch(path, { enabled: false })).body).toMatchObject({ code: 'record_locked' });
  expect((await tenant.api.delete(path)).body).toMatchObject({ code: 'record_locked' });
  const provider = { key: 'local', api: 'openai', baseUrl: server.url };
  expect((await tenant.api.post(PROVIDERS, provider)).body).toMatchObject({ errors: [{ pointer: '/key' }] });
});

it('calls no internal addresses', async () => {
  const refused = async (baseUrl: string) =>
    (
      await tenant.api.post<{ errors: { pointer: string; code: string }[] }>(PROVIDERS, {
        key: 'x',
        api: 'openai',
        baseUrl,
      })
    ).body.errors;
  expect(await refused('https://10.0.0.1/v1')).toMatchObject([{ pointer: '/baseUrl', code: 'address_not_allowed' }]);
  expect(await refused('http://provider.example/v1')).toEqual(
    expect.arrayContaining([expect.objectContaining({ code: 'scheme_not_allowed' })]),
  );
  expect(await refused('https://user:pass@provider.example')).toEqual(
    expect.arrayContaining([expect.objectContaining({ code: 'userinfo_not_allowed' })]),
  );
  expect(await refused(`${server.url}/v1?key=1`)).toMatchObject([{ pointer: '/baseUrl', code: 'invalid_url' }]);
});

it('requires secrets:manage to send a key to another address', async () => {
  const { providerId } = await connectModel(tenant.api, server);
  const editor = await platform.key(tenant, ['ai-policy:manage', 'ai-jobs:read']);
  const path = `${PROVIDERS}/${providerId}`;
  expect((await editor.patch(path, { baseUrl: `${server.url}/mine` })).body).toMatchObject({
    code: 'permission_denied',
  });
  expect((await editor.patch(path, { secretName: null, baseUrl: `${server.url}/mine` })).status).toBe(200);
  expect((await editor.patch(path, { secretName: 'AI/TEST-OPENAI' })).body).toMatchObject({
    code: 'permission_denied',
  });
  const input = { key: 'mine', api: 'openai', baseUrl: server.url, secretName: 'AI/TEST-OPENAI' };
  expect((await editor.post(PROVIDERS, input)).body).toMatchObject({ code: 'permission_denied' });
  expect((await editor.patch(path, { enabled: false })).status).toBe(200);
});

it('requires the same rights to choose the address of a key as to store one', async () => {
  const { providerId } = await connectModel(tenant.api, server);
  const path = `${PROVIDERS}/${providerId}`;
  const manager = await platform.key(tenant, ['ai-policy:manage', 'ai-jobs:read', 'secrets:manage']); // not for protected operations
  const refused = { status: 403, body: { code: 'step_up_required' } };
  expect(await manager.patch(path, { baseUrl: `${server.url}/mine` })).toMatchObject(refused);
  expect(await manager.patch(path, { secretName: 'AI/OTHER' })).toMatchObject(refused);
  const input = { key: 'mine', api: 'openai', baseUrl: server.url, secretName: 'AI/TEST-OPENAI' };
  expect(await manager.post(PROVIDERS, input)).toMatchObject(refused);
  expect((await manager.post(PROVIDERS, { ...input, secretName: null })).status).toBe(201);
  expect((await manager.patch(path, { name: 'Renamed', secretName: 'AI/TEST-OPENAI' })).status).toBe(200);
  expect((await tenant.api.patch(path, { baseUrl: `${server.url}/mine` })).status).toBe(200);
});

it('reports invalid input', async () => {
  const provider = await tenant.api.post(PROVIDERS, {
    key: 'p',
    api: 'openai',
    baseUrl: server.url,
    secretName: 'NO/SUCH',
  });
  expect(provider.body).toMatchObject({ errors: [{ pointer: '/secretName', code: 'unknown_reference' }] });
  const { modelId } = await connectModel(tenant.api, server);
  const model = { provider: 'nobody', key: 'm', contextTokens: 2_000, maxOutputTokens: 100 };
  expect((await tenant.api.post(MODELS, model)).body).toMatchObject({
    errors: [{ pointer: '/provider', code: 'unknown_reference' }],
  });
  expect((await tenant.api.post(MODELS, { ...model, provider: 'test-openai', key: 'test-model' })).body).toMatchObject({
    code: 'duplicate',
  });
  expect((await tenant.api.patch(`${MODELS}/${modelId}`, { maxOutputTokens: 200_000 })).body).toMatchObject({
    errors: [{ pointer: '/maxOutputTokens' }],
  });
  expect((await tenant.api.patch(`${MODELS}/${modelId}`, { key: 'other' })).body).toMatchObject({
    errors: [{ code: 'unknown_field' }],
  });
});
