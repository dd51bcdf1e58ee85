import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { auditOf } from '../../harness/written.js';

const NOTIFICATIONS = '/api/settings/notifications';
const INSTANT = { inApp: true, email: 'instant' };
const DAILY = { inApp: true, email: 'daily' };
const USUAL = {
  mention: INSTANT,
  assignment: DAILY,
  approval_requested: INSTANT,
  approval_decided: DAILY,
  due_soon: DAILY,
  overdue: DAILY,
  watch: DAILY,
  review: DAILY,
  endpoint: DAILY,
  report: INSTANT,
  export: DAILY,
  import: DAILY,
  security: INSTANT,
};

let platform: TestPlatform;
let tenant: TestTenant;
let ada: { id: string; api: Client };
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ada = await platform.member(tenant, 'Ada');
});
afterAll(() => platform.close());

it('have defaults, and are changed by a merge patch', async () => {
  const usual = { kinds: USUAL, digestAt: '07:00', version: 1 };
  expect((await ada.api.get(NOTIFICATIONS)).body).toEqual(usual);
  const patch = { kinds: { mention: { email: 'daily' }, watch: { inApp: false, email: 'none' } }, digestAt: '18:30' };
  const changed = await ada.api.patch(NOTIFICATIONS, patch, { 'if-match': '"1"' });
  const kinds = { ...USUAL, mention: DAILY, watch: { inApp: false, email: 'none' } };
  expect(changed).toMatchObject({ status: 200, body: { kinds, digestAt: '18:30', version: 2 } });
  expect(await ada.api.patch(NOTIFICATIONS, patch, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
  expect(await ada.api.patch(NOTIFICATIONS, patch)).toMatchObject({ body: { version: 2 } });
  const back = { kinds: { mention: INSTANT, watch: DAILY }, digestAt: '07:00' };
  expect((await ada.api.patch(NOTIFICATIONS, back)).body).toEqual({ ...usual, version: 3 });
  const audit = await auditOf(platform, tenant, ada.id);
  expect(audit.map(({ action }) => action)).toEqual(['core.membership.updated', 'core.membership.updated']);
  expect(JSON.stringify(audit)).toContain('notifications');
});

it('are configured by each person', async () => {
  const refusal = { status: 403, body: { code: 'permission_denied' } };
  expect(await tenant.api.get(NOTIFICATIONS)).toMatchObject(refusal);
  expect(await tenant.api.patch(NOTIFICATIONS, {})).toMatchObject(refusal);
  expect(await platform.anonymous().get(NOTIFICATIONS)).toMatchObject({ status: 401 });
  const bob = await platform.member(tenant, 'Bob');
  await ada.api.patch(NOTIFICATIONS, { kinds: { endpoint: { email: 'none' } } });
  expect((await bob.api.get(NOTIFICATIONS)).body).toMatchObject({ kinds: USUAL });
});

it('reject unknown kinds and choices', async () => {
  for (const [body, pointer, code] of [
    [{ kinds: { gossip: { email: 'none' } } }, '/kinds/gossip', 'unknown_field'],
    [{ kinds: { security: { email: 'weekly' } } }, '/kinds/security/email', 'invalid_value'],
    [{ kinds: { security: { inApp: 'yes' } } }, '/kinds/security/inApp', 'invalid_type'],
    [{ kinds: { security: null } }, '/kinds/security', 'not_nullable'],
    [{ digestAt: '24:00' }, '/digestAt', 'invalid_format'],
  ] as const)
    expect(await ada.api.patch(NOTIFICATIONS, body)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer, code }] },
    });
});
