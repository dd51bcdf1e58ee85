import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const STREAMS = '/api/admin/audit-logs/streams';
const SECRETS = '/api/admin/secrets';
const SIGNING_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const S3_KEYS = JSON.stringify({ accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'example' });
const URL = 'http://127.0.0.1:9/audit';

interface Shown {
  id: string;
  version: number;
  status: string;
  cursor: { seq: number };
}

interface Refusal {
  code: string;
  errors: { pointer: string; code: string }[];
}

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

let made = 0;
async function secret(value = SIGNING_SECRET): Promise<string> {
  const { body } = await tenant.api.post<{ id: string }>(SECRETS, { name: `STREAM_${++made}`, value });
  return body.id;
}

const body = async (more: object = {}) => ({
  name: 'SIEM',
  kind: 'https',
  url: URL,
  credentialSecretId: await secret(),
  ...more,
});
const create = async (more: object = {}) => tenant.api.post<Shown>(STREAMS, await body(more));

describe('a stream of the audit log', () => {
  it('is created, read, listed, changed and deleted', async () => {
    const { status, body: own } = await create();
    expect(status).toBe(200);
    expect(own).toMatchObject({ kind: 'https', status: 'active', version: 1, lastError: null, lastDeliveredAt: null });
    expect((await tenant.api.get<Shown>(`${STREAMS}/${own.id}`)).body).toMatchObject({ id: own.id, version: 1 });
    expect((await tenant.api.get<{ data: Shown[] }>(STREAMS)).body.data.map(({ id }) => id)).toEqual([own.id]);
    const paused = await tenant.api.patch<Shown>(`${STREAMS}/${own.id}`, { status: 'paused', name: 'Archive' });
    expect(paused.body).toMatchObject({ status: 'paused', name: 'Archive', version: 2 });
    expect((await tenant.api.patch<Shown>(`${STREAMS}/${own.id}`, { status: 'paused' })).body.version).toBe(2);
    expect((await tenant.api.delete(`${STREAMS}/${own.id}`)).body).toEqual({ id: own.id, deleted: true });
    expect((await tenant.api.get(`${STREAMS}/${own.id}`)).status).toBe(404);
  });

  it.each(['file:///etc/passwd', 'ftp://example.com/'])(
    'to %s is refused, naming the scheme that is required',
    async (url) => {
      const { status, body: refusal } = await tenant.api.post<Refusal>(STREAMS, await body({ url }));
      expect(status).toBe(400);
      expect(refusal.errors).toContainEqual({
        pointer: '/url',
        code: 'scheme_not_allowed',
        detail: 'The URL must begin with https://.',
      });
    },
  );

  it('starts at the beginning if asked', async () => {
    const { body: entries } = await tenant.api.get<{ data: { id: string }[] }>('/api/admin/audit-logs?limit=1');
    await tenant.api.get(`/api/admin/audit-logs/${entries.data[0]?.id}?include=proof`); // seals the log
    expect((await create({ from: 'beginning' })).body.cursor).toEqual({ seq: 0 });
  });

  it.each([
    ['a URL that may not be called', { url: 'http://10.1.2.3/' }, '/url'],
    ['a bucket of another kind', { bucket: 'audit-bucket' }, '/bucket'],
    ['an unknown secret', { credentialSecretId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1d05' }, '/credentialSecretId'],
    ['a status that only the platform sets', { status: 'failing' }, '/status'],
  ])('is refused with %s', async (_, more, pointer) => {
    const { status, body: refusal } = await tenant.api.post<Refusal>(STREAMS, await body(more));
    expect(status).toBe(400);
    expect(refusal.errors.map((each) => each.pointer)).toContain(pointer);
  });

  it.each([
    ['https', 'not a signing secret'],
    ['splunk_hec', 'two\nlines'],
    ['s3', 'AKIAEXAMPLE'],
  ])('to %s is refused with a secret of another form', async (kind, value) => {
    const bucket = kind === 's3' ? { bucket: 'audit-bucket', region: 'eu-central-1' } : {};
    const { status, body: refusal } = await tenant.api.post<Refusal>(
      STREAMS,
      await body({ kind, ...bucket, credentialSecretId: await secret(value) }),
    );
    expect(status).toBe(400);
    expect(refusal.errors).toMatchObject([{ pointer: '/credentialSecretId', code: 'invalid_value' }]);
    expect(JSON.stringify(refusal)).not.toContain(value);
  });

  it('to s3 requires a bucket and a region', async () => {
    const { body: refusal } = await tenant.api.post<Refusal>(
      STREAMS,
      await body({ kind: 's3', credentialSecretId: await secret(S3_KEYS) }),
    );
    expect(refusal.errors).toMatchObject([
      { pointer: '/bucket', code: 'required' },
      { pointer: '/region', code: 'required' },
    ]);
  });

  it('exists at most fifty times per tenant', async () => {
    const credentialSecretId = await secret();
    for (let n = 0; n < 50; n++) expect((await create({ credentialSecretId })).status).toBe(200);
    expect(await create({ credentialSecretId })).toMatchObject({ status: 409, body: { code: 'limit_reached' } });
  });

  it('keeps its secret from being deleted', async () => {
    const credentialSecretId = await secret();
    const { body: own } = await create({ credentialSecretId });
    expect((await tenant.api.delete(`${SECRETS}/${credentialSecretId}`)).body).toMatchObject({ code: 'in_use' });
    await tenant.api.delete(`${STREAMS}/${own.id}`);
    expect((await tenant.api.delete(`${SECRETS}/${credentialSecretId}`)).status).toBe(200);
  });

  it('gets an address or a credential only from callers who may store secrets', async () => {
    const api = await platform.key(tenant, ['audit:export', 'audit:read']);
    await asAdmin(
      platform.database,
      `update directory.credentials set allow_protected = true where tenant_id = $1 and name = 'test key'`,
      [tenant.id],
    );
    const refused = { status: 403, body: { code: 'permission_denied' } };
    expect(await api.post(STREAMS, await body())).toMatchObject(refused);
    const { body: own } = await create();
    expect(await api.patch(`${STREAMS}/${own.id}`, { url: 'http://127.0.0.1:10/' })).toMatchObject(refused);
    expect(await api.patch(`${STREAMS}/${own.id}`, { status: 'paused' })).toMatchObject({ status: 200 });
  });

  it('reports why a test failed, and records it', async () => {
    const { body: own } = await create();
    const { status, body: outcome } = await tenant.api.post(`${STREAMS}/${own.id}/test`);
    expect(status).toBe(200);
    expect(outcome).toMatchObject({ delivered: false, httpStatus: null, error: 'connect_refused' });
    const { body: log } = await tenant.api.get<{ data: object[] }>('/api/admin/audit-logs?action=audit.stream.tested');
    expect(log.data).toMatchObject([{ outcome: 'failed', reason: 'connect_refused', target: { id: own.id } }]);
  });
});
