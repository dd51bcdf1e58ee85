import type { ApprovalView } from '#libs/resource/gates/approval.js';
import type { AiModelView } from '#src/areas/ai/models/model.js';
import type { Client } from '../../harness/client.js';
import { connectModel, type ModelServer, startModelServer } from '../../harness/model-server.js';
import { replaceGates } from '../../harness/gates.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const MODELS = '/api/ai/models';
const PRICE = { inputMicrosPer1k: 100, outputMicrosPer1k: 200 };

/** A pending price: the request, and the model without it. */
interface Waiting {
  approval: ApprovalView;
  record: AiModelView;
}

let platform: TestPlatform;
let server: ModelServer;
let tenant: TestTenant;
let ada: { id: string; api: Client };
let bob: { id: string; api: Client };
let path: string;
beforeAll(async () => {
  platform = await startPlatform();
  server = await startModelServer();
});
afterAll(async () => {
  await server.close();
  await platform.close();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  [ada, bob] = [await platform.member(tenant, 'Ada'), await platform.member(tenant, 'Bob')];
  path = `${MODELS}/${(await connectModel(tenant.api, server, { prices: [PRICE] })).modelId}`;
  await setGate({ effect: 'require_approval' });
});

const setGate = (gate: object) => replaceGates(tenant.api, [{ key: 'ai.price.change', ...gate }]);
const decide = (api: Client, { approval: { id } }: Waiting, action = 'approve', body?: object) =>
  api.post<ApprovalView>(`/api/home/approvals/${id}/${action}`, body);
const outputPrices = async (at = path) => {
  const { prices, price, version } = (await tenant.api.get<AiModelView>(at)).body;
  return { all: prices.map(({ outputMicrosPer1k }) => outputMicrosPer1k), now: price?.outputMicrosPer1k, version };
};
/** Requests a new price of the model, with further members of the patch. */
async function ask(patch: object = { prices: [{ ...PRICE, outputMicrosPer1k: 900 }] }): Promise<Waiting> {
  const answer = await ada.api.patch<Waiting>(path, patch);
  expect(answer).toMatchObject({
    status: 202,
    body: { record: { version: 1 }, approval: { gate: 'ai.price.change' } },
  });
  return answer.body;
}

it('a price waits for another person and is valid once approved', async () => {
  const waiting = await ask();
  expect(await outputPrices()).toEqual({ all: [200], now: 200, version: 1 });
  expect(await decide(ada.api, waiting)).toMatchObject({ status: 403, body: { code: 'not_an_approver' } });
  expect(await ada.api.patch(path, { prices: [PRICE] })).toMatchObject({
    status: 409,
    body: { code: 'approval_pending', approvalId: waiting.approval.id },
  });
  platform.clock.advance(60_000);
  const asked = platform.clock.now().toISOString();
  expect(await decide(bob.api, waiting)).toMatchObject({ status: 200, body: { status: 'executed', failure: null } });
  expect(await outputPrices()).toEqual({ all: [200, 900], now: 900, version: 2 });
  const { prices } = (await tenant.api.get<AiModelView>(path)).body;
  expect(prices[1]!.from >= asked).toBe(true);
  const { body } = await tenant.api.get<{ data: object[] }>(`/api/admin/audit-logs?targetId=${path.slice(-36)}`);
  const { type, id, name } = waiting.approval.requestedBy;
  expect(body.data[0]).toMatchObject({ action: 'ai.model.updated', actor: { type, id, name } });
});

it('a price that is rejected, or whose model has changed, does not apply', async () => {
  const refused = await ask();
  expect((await decide(bob.api, refused, 'reject', { reason: 'Too dear' })).status).toBe(200);
  const stale = await ask();
  expect((await ada.api.patch(path, { name: 'Renamed' })).status).toBe(200);
  expect(await decide(bob.api, stale)).toMatchObject({ body: { status: 'failed', failure: { code: 'stale_target' } } });
  expect(await outputPrices()).toEqual({ all: [200], now: 200, version: 2 });
});

it('a price that would start in the past when approved does not apply', async () => {
  const from = new Date(platform.clock.nowMs() + 60_000).toISOString();
  const waiting = await ask({ prices: [{ ...PRICE, from }] });
  platform.clock.advance(120_000);
  const failed = { status: 'failed', failure: { code: 'validation_failed' } };
  expect(await decide(bob.api, waiting)).toMatchObject({ status: 200, body: failed });
});

it('an invalid price is refused before approval', async () => {
  const past = new Date(platform.clock.nowMs() - 60_000).toISOString();
  const wrong = { status: 400, body: { errors: [{ pointer: '/prices/0/from', code: 'out_of_range' }] } };
  expect(await ada.api.patch(path, { prices: [{ ...PRICE, from: past }] })).toMatchObject(wrong);
  expect((await ada.api.patch(path, { name: 'Other name', prices: [] })).status).toBe(200);
  expect((await ada.api.get<{ data: object[] }>('/api/home/approvals')).body.data).toEqual([]);
});

it('a new model does not bypass it: it is created without prices and unusable until they are approved', async () => {
  const model = { provider: 'test-openai', key: 'other', contextTokens: 8_000, maxOutputTokens: 1_000 };
  const made = await ada.api.post<Waiting>(MODELS, { ...model, prices: [PRICE], isDefault: true });
  expect(made).toMatchObject({ status: 202, body: { record: { key: 'other', prices: [], isDefault: false } } });
  const other = `${MODELS}/${made.body.record.id}`;
  const job = { kind: 'text.generate', prompt: 'Hello.', provider: 'test-openai', model: 'other' };
  expect(await ada.api.post('/api/ai/jobs', job)).toMatchObject({ status: 409, body: { code: 'model_not_priced' } });
  expect((await decide(bob.api, made.body)).body).toMatchObject({ status: 'executed' });
  expect(await tenant.api.get(other)).toMatchObject({ body: { isDefault: true, price: { outputMicrosPer1k: 200 } } });
  expect((await ada.api.post('/api/ai/jobs', job)).status).toBe(201);
  expect((await ada.api.post(MODELS, { ...model, key: 'free' })).status).toBe(201);
});

it('can deny and evaluates conditions', async () => {
  const conditions = [{ field: 'provider', op: 'eq', value: 'test-openai' }];
  await setGate({ effect: 'deny', conditions });
  const denied = { status: 403, body: { code: 'gate_denied' } };
  expect(await ada.api.patch(path, { prices: [PRICE] })).toMatchObject(denied);
  const model = { provider: 'test-openai', key: 'third', contextTokens: 8_000, maxOutputTokens: 1_000 };
  expect(await ada.api.post(MODELS, { ...model, prices: [PRICE] })).toMatchObject(denied);
  await setGate({ effect: 'deny', conditions: [{ ...conditions[0], value: 'another' }] });
  expect((await ada.api.patch(path, { prices: [PRICE] })).status).toBe(200);
});

it('approval fails if the requester may no longer change prices', async () => {
  const waiting = await ask();
  expect((await tenant.api.patch(`/api/admin/memberships/${ada.id}`, { status: 'suspended' })).status).toBe(200);
  expect((await decide(bob.api, waiting)).body).toMatchObject({ failure: { code: 'unauthenticated' } });
  expect(await outputPrices()).toMatchObject({ all: [200] });
});
