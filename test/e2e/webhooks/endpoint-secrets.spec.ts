import { keyId } from '#libs/webhooks/sending/signature.js';
import { Stage } from '../../worker/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

async function rotated() {
  const tenant = await stage.platform.tenant();
  const receiver = await stage.receiver();
  const endpoint = await stage.endpoint(tenant, receiver.url);
  const { body } = await tenant.api.post<{ secret: string }>(`${endpoint.path}/rotate-secret`);
  return {
    tenant,
    receiver,
    endpoint,
    secret: body.secret,
    revoke: () => tenant.api.delete(`${endpoint.path}/previous-secret`),
  };
}

describe('revoking the previous secret', () => {
  it('ends its use immediately', async () => {
    const { tenant, receiver, endpoint, secret, revoke } = await rotated();
    const test = () => tenant.api.post(`${endpoint.path}/test`);
    await test();
    const answer = await revoke();
    expect(answer.body).toMatchObject({ id: endpoint.id, version: 3 });
    expect(Date.parse(String(answer.body['previousSecretExpiresAt']))).toBeLessThanOrEqual(
      stage.platform.clock.nowMs(),
    );
    await test();
    const [before, after] = receiver.received.map(({ headers }) => headers);
    expect(before).toHaveProperty('x-service-signature-previous');
    expect(after).not.toHaveProperty('x-service-signature-previous');
    expect(after!['x-service-key-id']).toBe(keyId(secret));
    expect(String(after!['webhook-signature']).split(' ')).toHaveLength(1);
    const { body } = await tenant.api.get<{ data: object[] }>(`${endpoint.path}/attempts`);
    expect(body.data).toMatchObject([{ keyIds: [keyId(secret)] }, { keyIds: [keyId(secret), keyId(endpoint.secret)] }]);
    const rows = await stage.sql('select previous_secret_sealed as sealed from data.webhook_endpoints where id = $1', [
      endpoint.id,
    ]);
    expect(rows).toEqual([{ sealed: null }]);
  });

  it('is audited with high risk, emits an event, and allows another rotation', async () => {
    const { tenant, endpoint, revoke } = await rotated();
    expect((await tenant.api.post(`${endpoint.path}/rotate-secret`)).status).toBe(409);
    await revoke();
    const log = await tenant.api.get<{ data: object[] }>(
      '/api/admin/audit-logs?action=webhook.endpoint.secret_revoked',
    );
    expect(log.body.data).toMatchObject([{ riskLevel: 'high', outcome: 'success', target: { id: endpoint.id } }]);
    expect(
      await stage.sql(`select 1 from data.events where subject_id = $1 and type = 'webhook.endpoint.secret_revoked'`, [
        endpoint.id,
      ]),
    ).toHaveLength(1);
    expect((await tenant.api.post(`${endpoint.path}/rotate-secret`)).status).toBe(200);
  });

  it('returns an error when no previous secret is valid', async () => {
    const { tenant, endpoint, revoke } = await rotated();
    await revoke();
    expect(await revoke()).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await tenant.api.post(`${endpoint.path}/rotate-secret`, { graceSeconds: 0 });
    expect((await revoke()).status).toBe(404);
    expect((await tenant.api.get(endpoint.path)).body).toMatchObject({ version: 4 });
  });

  it('respects If-Match', async () => {
    const { tenant, endpoint } = await rotated();
    const path = `${endpoint.path}/previous-secret`;
    expect((await tenant.api.delete(path, { 'if-match': '"1"' })).status).toBe(412);
    expect((await tenant.api.delete(path, { 'if-match': '"2"' })).status).toBe(200);
  });
});
