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

it('a due date leaves room for payment terms and time zones, or is rejected', async () => {
  const refused = await tenant.api.post(INVOICES, { ...ISSUABLE, dueDate: '9999-12-31' });
  expect([refused.status, ...faultsOf(refused)]).toEqual([400, '/dueDate out_of_range']);
  for (const zone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    await inZone(zone);
    expect(await issued(tenant.api, { ...ISSUABLE, dueDate: '8999-12-31' })).toMatchObject({ status: 'issued' });
  }
});

it('an issue date may be the first of the books, and one of a draft may be the last valid one', async () => {
  for (const zone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    await inZone(zone);
    expect(await issued(tenant.api, { ...ISSUABLE, issueDate: '2000-01-01' })).toMatchObject({ status: 'overdue' });
    const { id } = await draft(tenant.api, { ...ISSUABLE, issueDate: '8999-12-31' });
    expect(faultsOf(await act(tenant.api, id, 'issue'))).toEqual(['/issueDate in_future']);
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
