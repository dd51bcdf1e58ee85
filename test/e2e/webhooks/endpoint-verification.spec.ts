import type { Received, Reply } from '../../worker/receiver.js';
import { Stage, type TestEndpoint } from '../../worker/stage.js';
import type { TestTenant } from '../../harness/platform.js';

let stage: Stage;
let strict: Stage;
beforeAll(async () => {
  stage = await Stage.open();
  strict = await Stage.open({ WEBHOOK_REQUIRE_VERIFICATION: 'true' });
});
afterAll(async () => {
  await stage.close();
  await strict.close();
});

const challengeOf = ({ event }: Received): string => String(event.data['challenge']);
const asText = (received: Received): Reply => ({ status: 200, body: `${challengeOf(received)}\n` });

async function stageOne(on: Stage) {
  const tenant = await on.platform.tenant();
  const receiver = await on.receiver();
  receiver.answer = asText;
  const endpoint = await on.endpoint(tenant, receiver.url);
  return { tenant, receiver, endpoint, verify: () => tenant.api.post(`${endpoint.path}/verify`) };
}

const read = async (tenant: TestTenant, { path }: TestEndpoint) => (await tenant.api.get(path)).body;
const eventsOf = (on: Stage, { id }: TestEndpoint) =>
  on.sql<{ type: string }>(`select type from data.events where subject_id = $1 order by id`, [id]);

describe('verifying an endpoint', () => {
  it('sends a signed challenge, which the endpoint returns', async () => {
    const { tenant, receiver, endpoint, verify } = await stageOne(stage);
    const answer = await verify();
    expect(answer.body).toMatchObject({ verified: true, httpStatus: 200, error: null });
    const [first] = receiver.received;
    expect(first!.event).toMatchObject({
      id: answer.body['eventId'],
      type: 'webhook.verification',
      subject: { type: 'webhook.endpoint', id: endpoint.id },
      data: { endpointId: endpoint.id },
    });
    expect(first!.headers).toMatchObject({ 'x-service-event': 'webhook.verification' });
    expect(challengeOf(first!)).toMatch(/^[\w-]{43}$/);
    const { verifiedAt, version, status } = await read(tenant, endpoint);
    expect({ verifiedAt, version, status }).toEqual({ verifiedAt: expect.any(String), version: 2, status: 'enabled' });
    expect((await eventsOf(stage, endpoint)).at(-1)).toEqual({ type: 'webhook.endpoint.verified' });
    await verify();
    expect(challengeOf(receiver.received[1]!)).not.toBe(challengeOf(first!));
  });

  it('accepts the challenge as text or as a member', async () => {
    const { receiver, verify } = await stageOne(stage);
    receiver.answer = (received) => ({ status: 201, body: JSON.stringify({ challenge: challengeOf(received) }) });
    expect((await verify()).body).toMatchObject({ verified: true });
    receiver.answer = (received) => ({ status: 200, body: challengeOf(received) });
    expect((await verify()).body).toMatchObject({ verified: true });
  });

  it.each<[string, (received: Received) => Reply, string]>([
    ['another text', () => ({ status: 200, body: 'thanks' }), 'challenge_mismatch'],
    ['nothing', () => ({ status: 204 }), 'challenge_mismatch'],
    ['what it got', ({ body }) => ({ status: 200, body }), 'challenge_mismatch'],
    ['null', () => ({ status: 200, body: 'null' }), 'challenge_mismatch'],
    ['the challenge with 500', (received) => ({ ...asText(received), status: 500 }), 'http_status'],
    ['the challenge with a redirect', (received) => ({ ...asText(received), status: 302 }), 'redirect'],
  ])('fails on %s', async (_case, answer, error) => {
    const { tenant, receiver, endpoint, verify } = await stageOne(stage);
    receiver.answer = answer;
    expect((await verify()).body).toMatchObject({ verified: false, error });
    expect(await read(tenant, endpoint)).toMatchObject({ verifiedAt: null, version: 1, status: 'enabled' });
    expect(await eventsOf(stage, endpoint)).toEqual([{ type: 'webhook.endpoint.created' }]);
    const log = await tenant.api.get<{ data: object[] }>(
      `/api/admin/audit-logs?action=webhook.endpoint.verification_failed`,
    );
    expect(log.body.data).toMatchObject([{ outcome: 'failed', reason: error, target: { id: endpoint.id } }]);
    const attempts = await tenant.api.get<{ data: object[] }>(`${endpoint.path}/attempts`);
    expect(attempts.body.data).toMatchObject([{ cause: 'test', error }]);
  });

  it('applies only to the tested URL', async () => {
    const { tenant, receiver, endpoint, verify } = await stageOne(stage);
    const other = await stage.receiver();
    let moved: Promise<unknown> = Promise.resolve();
    receiver.answer = (received, response) => {
      moved = tenant.api.patch(endpoint.path, { url: other.url }).then(() => {
        response.writeHead(200).end(challengeOf(received));
      });
      return 'open';
    };
    expect((await verify()).body).toMatchObject({ verified: false, error: 'url_changed' });
    await moved;
    expect(await read(tenant, endpoint)).toMatchObject({ verifiedAt: null, url: other.url });
  });

  it('is reset when the host changes, not when the path does', async () => {
    const { tenant, receiver, endpoint, verify } = await stageOne(stage);
    await verify();
    const { body } = await tenant.api.patch(endpoint.path, { url: `${receiver.url}/more` });
    expect(body['verifiedAt']).not.toBeNull();
    const other = await stage.receiver();
    expect((await tenant.api.patch(endpoint.path, { url: other.url })).body).toMatchObject({
      verifiedAt: null,
      status: 'enabled',
    });
  });

  it('respects If-Match and permissions, and runs once per idempotency key', async () => {
    const { tenant, receiver, endpoint } = await stageOne(stage);
    const path = `${endpoint.path}/verify`;
    expect((await tenant.api.post(path, undefined, { 'if-match': '"7"' })).status).toBe(412);
    const reader = await stage.platform.key(tenant, ['webhooks:read']);
    expect((await reader.post(path)).status).toBe(403);
    expect(receiver.received).toHaveLength(0);
    const once = () => tenant.api.post(path, undefined, { 'idempotency-key': 'v' });
    expect((await once()).text).toBe((await once()).text);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('where the operator requires verification', () => {
  const UNVERIFIED = { status: 'disabled', disabledReason: 'unverified', verifiedAt: null };

  it('an endpoint is enabled by verification only', async () => {
    const { tenant, receiver, endpoint, verify } = await stageOne(strict);
    expect(await read(tenant, endpoint)).toMatchObject(UNVERIFIED);
    const enabled = await tenant.api.post(`${endpoint.path}/enable`);
    expect([enabled.status, enabled.body['code']]).toEqual([409, 'blocked']);
    receiver.answer = { status: 200, body: 'no' };
    await verify();
    expect(await read(tenant, endpoint)).toMatchObject(UNVERIFIED);
    receiver.answer = asText;
    expect((await verify()).body).toMatchObject({ verified: true });
    expect(await read(tenant, endpoint)).toMatchObject({ status: 'enabled', disabledReason: null });
    await tenant.api.post(`${endpoint.path}/disable`);
    await verify();
    expect(await read(tenant, endpoint)).toMatchObject({ status: 'disabled', disabledReason: 'requested' });
    expect((await tenant.api.post(`${endpoint.path}/enable`)).status).toBe(200);
  });

  it('a new host has to be verified again', async () => {
    const { tenant, endpoint, verify } = await stageOne(strict);
    await verify();
    const other = await strict.receiver();
    expect((await tenant.api.patch(endpoint.path, { url: other.url })).body).toMatchObject(UNVERIFIED);
    expect((await tenant.api.post(`${endpoint.path}/enable`)).body).toMatchObject({ code: 'blocked' });
    other.answer = asText;
    await verify();
    expect(await read(tenant, endpoint)).toMatchObject({ status: 'enabled', url: other.url });
  });

  it('earlier events are held, not lost', async () => {
    await strict.worker();
    const { tenant, receiver, endpoint, verify } = await stageOne(strict);
    await strict.deal(tenant);
    await strict.statuses(endpoint, ['held']);
    expect(receiver.received).toHaveLength(0);
    await verify();
    await strict.statuses(endpoint, ['delivered']);
    expect(receiver.ofType('sales.deal.created')).toHaveLength(1);
  });
});
