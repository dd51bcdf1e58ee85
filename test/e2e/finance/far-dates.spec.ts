import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, draft, faultsOf, INVOICES, ISSUABLE, issued } from './invoice-calls.js';

/** Dates used in date arithmetic, at the end of the valid range and beyond. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const inZone = (timezone: string) => tenant.api.patch('/api/admin/settings', { general: { timezone } });

it.each(['issueDate', 'dueDate'])('%s leaves room for payment terms and time zones, or is rejected', async (field) => {
  const refused = await tenant.api.post(INVOICES, { ...ISSUABLE, [field]: '9999-12-31' });
  expect([refused.status, ...faultsOf(refused)]).toEqual([400, `/${field} out_of_range`]);
  for (const zone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    await inZone(zone);
    const dates = { dueDate: '8999-12-31', [field]: '8999-12-31' };
    expect(await issued(tenant.api, { ...ISSUABLE, ...dates })).toMatchObject({ status: 'issued' });
  }
});

it.each(['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
  'a draft that is due on the last valid date can be issued in %s',
  async (zone) => {
    await inZone(zone);
    const { id } = await draft(tenant.api);
    await asAdmin(platform.database, `update data.finance_invoices set due_date = '9999-12-31' where id = $1`, [id]);
    expect(await act(tenant.api, id, 'issue')).toMatchObject({ status: 200, body: { dueDate: '9999-12-31' } });
  },
);
