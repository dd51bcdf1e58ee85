import type { ShownDeal } from '#src/areas/sales/deals/deal.js';
import type { ShownLead } from '#src/areas/sales/leads/lead.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { DEALS } from './deal-calls.js';
import { eventsOf } from '../../harness/written.js';
import {
  ACCOUNTS,
  CONTACTS,
  faultsOf,
  LEADS,
  makeAccount,
  makeContact,
  makeLead,
  namesOf,
  statusesOf,
} from './sales-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const convert = (id: string, body?: object) => tenant.api.post<ShownLead>(`${LEADS}/${id}/convert`, body);
const read = async <T = Record<string, unknown>>(path: string, id: string | null) =>
  (await tenant.api.get<T>(`${path}/${id}`)).body;

/** Number of records of each type in the tenant. */
async function counts(): Promise<Record<string, number>> {
  const [row] = await asAdmin<Record<string, string>>(
    platform.database,
    `select (select count(*) from data.sales_accounts where tenant_id = $1) as accounts,
       (select count(*) from data.sales_contacts where tenant_id = $1) as contacts,
       (select count(*) from data.sales_deals where tenant_id = $1) as deals,
       (select count(*) from data.events where tenant_id = $1 and type like 'sales.%' and type not like '%pipeline%') as events`,
    [tenant.id],
  );
  return Object.fromEntries(Object.entries(row!).map(([kind, count]) => [kind, Number(count)]));
}

describe('a lead', () => {
  it('can be worked on, disqualified with a reason and reopened', async () => {
    const { id, status, source } = await makeLead(tenant.api);
    expect({ status, source }).toEqual({ status: 'new', source: 'other' });
    const act = (action: string, body?: object) => tenant.api.post(`${LEADS}/${id}/${action}`, body);
    expect(await act('start')).toMatchObject({ status: 200, body: { status: 'working' } });
    expect(faultsOf(await act('disqualify', {})).faults).toEqual([['/reason', 'required']]);
    expect(await act('disqualify', { reason: 'No budget' })).toMatchObject({
      status: 200,
      body: { status: 'disqualified', disqualifiedReason: 'No budget', disqualifiedAt: expect.any(String) },
    });
    expect(await convert(id)).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    expect(await act('reopen', { reason: 'They wrote again' })).toMatchObject({
      status: 200,
      body: { status: 'working', disqualifiedReason: null, disqualifiedAt: null },
    });
  });

  it('can be filtered by e-mail address in any case, score and status', async () => {
    await makeLead(tenant.api, { name: 'Ada', email: 'Ada@Acme.Example', score: 70 });
    await makeLead(tenant.api, { name: 'Bob' });
    expect(await namesOf(tenant.api, `${LEADS}?email=ada@acme.EXAMPLE`)).toEqual(['Ada']);
    expect(await namesOf(tenant.api, `${LEADS}?score[gte]=50`)).toEqual(['Ada']);
    expect(await namesOf(tenant.api, `${LEADS}?status=new&sort=-score`)).toEqual(['Ada', 'Bob']);
  });
});

describe('converting a lead', () => {
  it('creates account, contact and deal, and refers to them', async () => {
    const owner = await platform.member(tenant, 'Olive');
    const lead = await makeLead(tenant.api, {
      name: 'Ada Lovelace',
      email: 'ada@acme.example',
      company: 'Acme Inc.',
      source: 'demo_request',
      ownerId: owner.id,
    });
    const { status, body } = await convert(lead.id, { dealName: 'Acme demo', value: 25000 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'qualified', convertedAt: body.updatedAt, version: 2 });
    expect(await read(ACCOUNTS, body.accountId)).toMatchObject({ name: 'Acme Inc.', ownerId: owner.id });
    expect(await read(CONTACTS, body.contactId)).toMatchObject({
      name: 'Ada Lovelace',
      emails: ['ada@acme.example'],
      accountId: body.accountId,
    });
    expect(await read<ShownDeal>(DEALS, body.dealId)).toMatchObject({
      name: 'Acme demo',
      valueMinor: 2500000,
      accountId: body.accountId,
      primaryContactId: body.contactId,
      source: 'demo_request',
      ownerId: owner.id,
      status: 'open',
    });
    expect((await eventsOf(platform, tenant, lead.id)).map(({ type }) => type)).toEqual([
      'sales.lead.created',
      'sales.lead.converted',
    ]);
  });

  it('finds the contact by e-mail address and uses its account', async () => {
    const account = await makeAccount(tenant.api, { currency: 'EUR' });
    const contact = await makeContact(tenant.api, { accountId: account.id, emails: ['ADA@acme.example'] });
    const lead = await makeLead(tenant.api, { email: 'ada@Acme.example', company: 'Quite another' });
    const { body } = await convert(lead.id);
    expect(body).toMatchObject({ accountId: account.id, contactId: contact.id });
    expect(await read(DEALS, body.dealId)).toMatchObject({ name: 'Quite another', currency: 'EUR' });
  });

  it('finds the account by domain, then by name', async () => {
    const ofDomain = await makeAccount(tenant.api, { domain: 'acme.example' });
    const ofName = await makeAccount(tenant.api, { name: 'Globex' });
    const one = await makeLead(tenant.api, { email: 'ada@acme.example', company: 'Globex' });
    const two = await makeLead(tenant.api, { email: 'bob@elsewhere.example', company: 'Globex' });
    expect((await convert(one.id)).body.accountId).toBe(ofDomain.id);
    expect((await convert(two.id)).body.accountId).toBe(ofName.id);
  });

  it('uses the given account and contact if they belong together', async () => {
    const [account, other] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
    const contact = await makeContact(tenant.api, { accountId: account.id });
    const lead = await makeLead(tenant.api);
    const told = { accountId: other.id, contactId: contact.id };
    expect(faultsOf((await convert(lead.id, told)) as never).faults).toEqual([
      ['/contactId', 'contact_of_other_account'],
    ]);
    expect((await convert(lead.id, { ...told, accountId: account.id })).body).toMatchObject({
      accountId: account.id,
      contactId: contact.id,
    });
  });

  it('rejects an unknown account or contact', async () => {
    for (let n = 0; n < 4; n++) await convert((await makeLead(tenant.api)).id); // number blocks are allocated by then
    const { id } = await makeLead(tenant.api);
    for (const field of ['accountId', 'contactId'])
      expect(faultsOf((await convert(id, { [field]: id })) as never)).toEqual({
        status: 400,
        faults: [[`/${field}`, 'unknown_reference']],
      });
  });

  it('also works by a PATCH of the status', async () => {
    const { id } = await makeLead(tenant.api);
    expect(await tenant.api.patch(`${LEADS}/${id}`, { status: 'qualified' })).toMatchObject({
      status: 200,
      body: { status: 'qualified', dealId: expect.any(String) },
    });
  });

  it('works in a batch of a tenant that has no pipeline yet', async () => {
    const { id } = await makeLead(tenant.api);
    const { status, body } = await tenant.api.patch(LEADS, { items: [{ id, status: 'qualified' }] });
    expect({ status, body }).toMatchObject({ status: 200, body: { results: [{ ok: true }] } });
  });

  it('happens once under concurrent requests', async () => {
    const { id } = await makeLead(tenant.api, { email: 'ada@acme.example', company: 'Acme' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => convert(id)));
    expect(statusesOf(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect(await counts()).toEqual({ accounts: 1, contacts: 1, deals: 1, events: 5 });
    expect(await convert(id)).toMatchObject({ status: 409, body: { code: 'invalid_transition', state: 'qualified' } });
  });

  it('creates one account and one contact from concurrent leads of one person', async () => {
    const person = { email: 'ada@acme.example', company: 'Acme' };
    const leads = await Promise.all([1, 2, 3, 4].map(() => makeLead(tenant.api, person)));
    const answers = await Promise.all(leads.map(({ id }) => convert(id)));
    expect(statusesOf(answers)).toEqual([200, 200, 200, 200]);
    expect(await counts()).toMatchObject({ accounts: 1, contacts: 1, deals: 4 });
  });

  it('is atomic', async () => {
    const { id } = await makeLead(tenant.api, { email: 'ada@acme.example' });
    const before = await counts();
    const stage = await convert(id, { stage: 'nowhere' });
    expect(faultsOf(stage as never).faults).toEqual([['/stage', 'unknown_stage']]);
    expect(await convert(id, { value: 1, valueMinor: 7 })).toMatchObject({
      status: 400,
      body: { code: 'amount_mismatch' },
    });
    expect(await counts()).toEqual(before);
    expect(await read(LEADS, id)).toMatchObject({ status: 'new', version: 1 });
  });
});
