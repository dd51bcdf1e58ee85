import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { tracesOf } from './traces.js';

const DEALS = '/api/v1/sales/deals';
const FULL = {
  name: 'Acme renewal',
  valueMinor: 2_500_000,
  currency: 'EUR',
  expectedCloseDate: '2026-12-18',
  dealType: 'renewal',
  source: 'partner',
  recurring: { intervalMonths: 12, amountMinor: 100, termMonths: 24, startDate: '2027-01-01' },
  nextStep: 'Call',
  nextStepDate: '2026-12-01',
};
/** Clearable fields, with their value when empty. */
const NULLABLE = ['valueMinor', 'expectedCloseDate', 'recurring', 'nextStep', 'nextStepDate', 'renewalOfDealId'];

let platform: TestPlatform;
let tenant: TestTenant;
let path: string;
let original: Record<string, unknown>;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  original = (await tenant.api.post(DEALS, FULL)).body;
  path = `${DEALS}/${String(original['id'])}`;
});
afterAll(() => platform.close());

const BOOKKEEPING = { version: 0, updatedAt: '', updatedBy: {} };

describe('a merge patch', () => {
  it.each<[string, unknown]>([
    ['name', 'Other'],
    ['valueMinor', 1],
    ['expectedCloseDate', '2027-02-28'],
    ['dealType', 'expansion'],
    ['source', 'event'],
    ['probability', 33],
    ['forecastCategory', 'omitted'],
    ['recurring', { intervalMonths: 1, amountMinor: 5, termMonths: 6, startDate: '2027-02-01' }],
    ['nextStep', 'Mail'],
    ['nextStepDate', '2026-12-02'],
  ])('of %s changes only that field', async (field, value) => {
    const { body, status } = await tenant.api.patch(path, { [field]: value });
    expect(status).toBe(200);
    const derived =
      field === 'valueMinor'
        ? { value: 0.01, weightedValueMinor: 0 }
        : field === 'probability'
          ? { weightedValueMinor: 825_000 }
          : {};
    expect({ ...body, ...BOOKKEEPING }).toEqual({ ...original, [field]: value, ...derived, ...BOOKKEEPING });
    expect(body).toMatchObject({ version: 2 });
    expect((await tenant.api.get(path)).text).toBe((await tenant.api.get(path)).text);
    expect((await tenant.api.get(path)).body).toEqual(body);
  });

  it('of null clears a field', async () => {
    for (const field of NULLABLE) {
      const { body, status } = await tenant.api.patch(path, { [field]: null });
      expect([field, status, body[field]]).toEqual([field, 200, null]);
    }
    expect((await tenant.api.get(path)).body).toMatchObject({ value: null, weightedValueMinor: null });
  });

  it('of null is 400 for a field that cannot be empty', async () => {
    const before = await tracesOf(platform, tenant);
    for (const field of [
      'name',
      'currency',
      'dealType',
      'source',
      'probability',
      'forecastCategory',
      'stage',
      'pipelineId',
      'status',
    ]) {
      const { status, body } = await tenant.api.patch(path, { [field]: null });
      expect(status).toBe(400);
      expect(body).toMatchObject({
        code: 'validation_failed',
        errors: [{ pointer: `/${field}`, code: 'not_nullable' }],
      });
    }
    expect(await tracesOf(platform, tenant)).toEqual(before);
  });

  it('replaces and validates a value object as a whole', async () => {
    const { status, body } = await tenant.api.patch(path, { recurring: { intervalMonths: 1 } });
    expect(status).toBe(400);
    expect((body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer).sort()).toEqual([
      '/recurring/amountMinor',
      '/recurring/startDate',
      '/recurring/termMonths',
    ]);
  });

  it('without changes leaves version, audit log and events unchanged', async () => {
    const before = await tracesOf(platform, tenant);
    for (const patch of [{}, { name: FULL.name }, FULL, { recurring: { ...FULL.recurring } }, { value: 25_000 }]) {
      const { status, body } = await tenant.api.patch(path, patch);
      expect(status).toBe(200);
      expect(body).toEqual(original);
    }
    expect(await tracesOf(platform, tenant)).toEqual(before);
  });

  it('is atomic', async () => {
    const { status } = await tenant.api.patch(path, { name: 'Changed', currency: 'nope' });
    expect(status).toBe(400);
    expect((await tenant.api.get(path)).body).toEqual(original);
  });

  it('needs a body', async () => {
    const { status, body } = await tenant.api.patch(path);
    expect([status, body['errors']]).toMatchObject([400, [{ pointer: '', code: 'required' }]]);
  });

  it('may be sent as application/merge-patch+json', async () => {
    const { status } = await tenant.api.send('PATCH', path, '{"name":"M"}', {
      'content-type': 'application/merge-patch+json',
    });
    expect(status).toBe(200);
  });

  it('records old and new values in audit log and event', async () => {
    await tenant.api.patch(path, { name: 'Other', nextStep: null }, { 'x-request-id': 'patch-0001' });
    const log = await tenant.api.get<{ data: object[] }>('/api/admin/audit-logs?requestId=patch-0001');
    const changes = { name: { from: FULL.name, to: 'Other' }, nextStep: { from: 'Call', to: null } };
    expect(log.body.data).toMatchObject([{ action: 'sales.deal.updated', outcome: 'success', changes }]);
    expect(Object.keys((log.body.data[0] as { changes: object }).changes).sort()).toEqual(['name', 'nextStep']);
  });
});
