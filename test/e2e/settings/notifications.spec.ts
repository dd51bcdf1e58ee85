import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { auditOf } from '../sales/deal-calls.js';

const NOTIFICATIONS = '/api/settings/notifications';
const ALL = { endpoint: { email: 'instant' }, security: { email: 'instant' } };

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

it('are sent unless a member has turned off that kind', async () => {
  expect(await ada.api.get(NOTIFICATIONS)).toMatchObject({ status: 200, body: { kinds: ALL, version: 1 } });
  const none = { kinds: { security: { email: 'none' } } };
  const changed = await ada.api.patch(NOTIFICATIONS, none, { 'if-match': '"1"' });
  expect(changed).toMatchObject({ status: 200, body: { kinds: { ...ALL, ...none.kinds }, version: 2 } });
  expect(await ada.api.patch(NOTIFICATIONS, none, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
  expect(await ada.api.patch(NOTIFICATIONS, none)).toMatchObject({ body: { version: 2 } });
  expect(await ada.api.patch(NOTIFICATIONS, {})).toMatchObject({ body: { version: 2 } });
  const back = await ada.api.patch(NOTIFICATIONS, { kinds: { security: { email: 'instant' } } });
  expect(back).toMatchObject({ body: { kinds: ALL, version: 3 } });
  const audit = await auditOf(platform, tenant, ada.id);
  expect(audit.map(({ action }) => action)).toEqual(['core.membership.updated', 'core.membership.updated']);
  expect(JSON.stringify(audit)).toContain('mutedMails');
});

it('are configured by each person', async () => {
  const refusal = { status: 403, body: { code: 'permission_denied' } };
  expect(await tenant.api.get(NOTIFICATIONS)).toMatchObject(refusal);
  expect(await tenant.api.patch(NOTIFICATIONS, {})).toMatchObject(refusal);
  expect(await platform.anonymous().get(NOTIFICATIONS)).toMatchObject({ status: 401 });
  const bob = await platform.member(tenant, 'Bob');
  await ada.api.patch(NOTIFICATIONS, { kinds: { endpoint: { email: 'none' } } });
  expect((await bob.api.get(NOTIFICATIONS)).body).toMatchObject({ kinds: ALL });
});

it('reject unknown kinds and choices', async () => {
  for (const [body, pointer, code] of [
    [{ kinds: { mention: { email: 'none' } } }, '/kinds/mention', 'unknown_field'],
    [{ kinds: { security: { email: 'daily' } } }, '/kinds/security/email', 'invalid_value'],
    [{ kinds: { security: { inApp: true, email: 'none' } } }, '/kinds/security/inApp', 'unknown_field'],
    [{ kinds: { security: null } }, '/kinds/security', 'not_nullable'],
    [{ digestAt: '07:00' }, '/digestAt', 'unknown_field'],
  ] as const)
    expect(await ada.api.patch(NOTIFICATIONS, body)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer, code }] },
    });
});
