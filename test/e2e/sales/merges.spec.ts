import type { ShownAccount } from '#src/areas/sales/accounts/account.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act as actOnDeal, DEALS, makeDeal } from './deal-calls.js';
import { eventsOf } from '../../harness/written.js';
import { ACCOUNTS, CONTACTS, faultsOf, LEADS, makeAccount, makeContact, makeLead, statusesOf } from './sales-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const merge = (path: string, id: string, intoId: string) => tenant.api.post(`${path}/${id}/merge`, { intoId });
const read = async <T = Record<string, unknown>>(path: string, id: string) =>
  (await tenant.api.get<T>(`${path}/${id}`)).body;

describe('identifiers of a merged record', () => {
  const refs = (n: number, from = 1) =>
    Array.from({ length: n }, (_, i) => ({ system: 'crm', id: String(from + i), url: null }));
  const ids = (externalRefs: { id: string }[]) => externalRefs.map(({ id }) => id);
  const convert = async (leadId: string, body: object = {}) =>
    (await tenant.api.post<{ accountId: string; contactId: string }>(`${LEADS}/${leadId}/convert`, body)).body;

  it('move to the remaining contact, which is found by them', async () => {
    const [ours, theirs] = [refs(1), refs(1, 2)];
    const phones = ['+49 30 1', '+49 30 2'];
    const a = await makeContact(tenant.api, { emails: ['a@x.example'], phones: [phones[0]], externalRefs: ours });
    const emails = ['b@x.example', 'A@x.example'];
    const b = await makeContact(tenant.api, { emails, phones, externalRefs: theirs });
    expect((await merge(CONTACTS, b.id, a.id)).status).toBe(200);
    expect(await read(CONTACTS, a.id)).toMatchObject({
      emails: ['a@x.example', 'b@x.example'],
      phones,
      externalRefs: [...ours, ...theirs],
      version: 2,
    });
    expect(await read(CONTACTS, b.id)).toMatchObject({ externalRefs: [], emails });
    const listed = await tenant.api.get<{ data: { id: string }[] }>(`${CONTACTS}?externalRef=crm:2`);
    expect(listed.body.data.map(({ id }) => id)).toEqual([a.id]);
    const lead = await makeLead(tenant.api, { email: 'B@x.example' });
    expect(await convert(lead.id)).toMatchObject({ contactId: a.id });
    expect((await eventsOf(platform, tenant, a.id)).map(({ type }) => type)).toEqual([
      'sales.contact.created',
      'sales.contact.updated',
    ]);
  });

  it('resolve across several merges, even if the remaining contact has reached its limit', async () => {
    const emails = Array.from({ length: 20 }, (_, i) => `a${i}@x.example`);
    const a = await makeContact(tenant.api, { emails, externalRefs: refs(19) });
    const b = await makeContact(tenant.api, { emails: ['b@x.example'], externalRefs: refs(2, 20) });
    const c = await makeContact(tenant.api, { emails: ['c@x.example'] });
    await merge(CONTACTS, c.id, b.id);
    await merge(CONTACTS, b.id, a.id);
    const { externalRefs } = await read<{ externalRefs: { id: string }[] }>(CONTACTS, a.id);
    expect(ids(externalRefs)).toHaveLength(20);
    expect(ids((await read<{ externalRefs: { id: string }[] }>(CONTACTS, b.id)).externalRefs)).toEqual(['21']);
    for (const email of ['b@x.example', 'c@x.example'])
      expect(await convert((await makeLead(tenant.api, { email })).id)).toMatchObject({ contactId: a.id });
    expect(await convert((await makeLead(tenant.api)).id, { contactId: c.id })).toMatchObject({ contactId: a.id });
  });

  it('move to the remaining account, and resolve to it', async () => {
    const a = await makeAccount(tenant.api, { name: 'Acme', domain: 'acme.example' });
    const theirs = { domain: 'globex.example', taxId: 'DE1', externalRefs: refs(1) };
    const b = await makeAccount(tenant.api, { name: 'Globex', ...theirs });
    expect((await merge(ACCOUNTS, b.id, a.id)).status).toBe(200);
    expect(await read(ACCOUNTS, a.id)).toMatchObject({ domain: 'acme.example', taxId: 'DE1', externalRefs: refs(1) });
    for (const body of [{ email: 'x@globex.example' }, { company: 'Globex' }])
      expect(await convert((await makeLead(tenant.api, body)).id)).toMatchObject({ accountId: a.id });
    expect(await convert((await makeLead(tenant.api)).id, { accountId: b.id })).toMatchObject({ accountId: a.id });
  });

  it('become available once the remaining record drops them', async () => {
    const [a, b] = [await makeContact(tenant.api), await makeContact(tenant.api, { externalRefs: refs(1) })];
    await merge(CONTACTS, b.id, a.id);
    await tenant.api.patch(`${CONTACTS}/${a.id}`, { externalRefs: [] });
    expect((await tenant.api.post(CONTACTS, { name: 'c', externalRefs: refs(1) })).status).toBe(201);
  });
});

describe('merging an account', () => {
  it('moves all references, each as a separate change, and archives it permanently', async () => {
    const [from, into] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
    const contact = await makeContact(tenant.api, { accountId: from.id, isPrimary: true });
    const deal = await makeDeal(tenant.api, { accountId: from.id, primaryContactId: contact.id });
    const child = await makeAccount(tenant.api, { parentAccountId: from.id });
    const lead = await makeLead(tenant.api);
    await tenant.api.post(`${LEADS}/${lead.id}/convert`, { accountId: from.id });

    expect(await merge(ACCOUNTS, from.id, into.id)).toMatchObject({
      status: 200,
      body: { id: from.id, mergedIntoId: into.id, archivedAt: expect.any(String), version: 2 },
    });
    expect(await read(CONTACTS, contact.id)).toMatchObject({ accountId: into.id, version: 2 });
    expect(await read(DEALS, deal.id)).toMatchObject({ accountId: into.id, primaryContactId: contact.id, version: 2 });
    expect(await read(ACCOUNTS, child.id)).toMatchObject({ parentAccountId: into.id });
    expect(await read(LEADS, lead.id)).toMatchObject({ accountId: into.id });
    expect((await eventsOf(platform, tenant, deal.id)).at(-1)).toMatchObject({
      type: 'sales.deal.updated',
      changes: { accountId: { from: from.id, to: into.id } },
    });
    expect((await eventsOf(platform, tenant, from.id)).at(-1)).toMatchObject({ type: 'sales.account.merged' });
    expect(await tenant.api.post(`${ACCOUNTS}/${from.id}/unarchive`)).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
  });

  it('also moves deleted records, which can be restored later', async () => {
    const [from, into] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
    const contact = await makeContact(tenant.api, { accountId: from.id });
    const deal = await makeDeal(tenant.api, { accountId: from.id, contactIds: [contact.id] });
    await tenant.api.delete(`${DEALS}/${deal.id}`);
    expect((await merge(ACCOUNTS, from.id, into.id)).status).toBe(200);
    expect(await actOnDeal(tenant.api, deal.id, 'restore')).toMatchObject({
      accountId: into.id,
      contactIds: [contact.id],
    });
  });

  it('keeps the primary contact of the remaining account', async () => {
    const [from, into] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
    const ours = await makeContact(tenant.api, { accountId: from.id, isPrimary: true });
    const theirs = await makeContact(tenant.api, { accountId: into.id, isPrimary: true });
    expect((await merge(ACCOUNTS, from.id, into.id)).status).toBe(200);
    expect(await read(CONTACTS, ours.id)).toMatchObject({ accountId: into.id, isPrimary: false });
    expect(await read(CONTACTS, theirs.id)).toMatchObject({ isPrimary: true });
  });

  it('works between ancestors and descendants', async () => {
    const top = await makeAccount(tenant.api);
    const middle = await makeAccount(tenant.api, { parentAccountId: top.id });
    const bottom = await makeAccount(tenant.api, { parentAccountId: middle.id });
    expect((await merge(ACCOUNTS, top.id, bottom.id)).status).toBe(200);
    expect(await read(ACCOUNTS, bottom.id)).toMatchObject({ parentAccountId: null });
    expect(await read(ACCOUNTS, middle.id)).toMatchObject({ parentAccountId: bottom.id });
  });

  it('is rejected into itself, into a merged, archived or deleted account, and twice', async () => {
    const [a, b, c, d] = await Promise.all([1, 2, 3, 4].map(() => makeAccount(tenant.api)));
    const at = (code: string) => ({ status: 400, faults: [['/intoId', code]] });
    expect(faultsOf(await merge(ACCOUNTS, a!.id, a!.id))).toEqual(at('invalid_value'));
    await merge(ACCOUNTS, a!.id, b!.id);
    const locked = { status: 409, body: { code: 'record_locked' } };
    expect(await merge(ACCOUNTS, a!.id, c!.id)).toMatchObject(locked);
    expect(await merge(ACCOUNTS, c!.id, a!.id)).toMatchObject(locked);
    await tenant.api.post(`${ACCOUNTS}/${c!.id}/archive`);
    expect(await merge(ACCOUNTS, b!.id, c!.id)).toMatchObject(locked);
    await tenant.api.delete(`${ACCOUNTS}/${d!.id}`);
    expect(faultsOf(await merge(ACCOUNTS, b!.id, d!.id))).toEqual(at('unknown_reference'));
    expect((await merge(ACCOUNTS, d!.id, b!.id)).status).toBe(404);
    const foreign = await makeAccount((await platform.tenant()).api);
    expect(faultsOf(await merge(ACCOUNTS, b!.id, foreign.id))).toEqual(at('unknown_reference'));
    expect((await merge(ACCOUNTS, foreign.id, b!.id)).status).toBe(404);
  });

  it('happens in one direction when both are concurrent, and once when repeated', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
      const calls = [merge(ACCOUNTS, a.id, b.id), merge(ACCOUNTS, b.id, a.id), merge(ACCOUNTS, a.id, b.id)];
      expect(statusesOf(await Promise.all(calls))).toEqual([200, 409, 409]);
      const merged = [await read<ShownAccount>(ACCOUNTS, a.id), await read<ShownAccount>(ACCOUNTS, b.id)];
      expect(merged.filter(({ mergedIntoId }) => mergedIntoId !== null)).toHaveLength(1);
    }
  });

  it('also moves deals, contacts and accounts created concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const [from, into] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
      const body = { name: 'made meanwhile', accountId: from.id };
      const answers = await Promise.all([
        ...Array.from({ length: 6 }, () => tenant.api.post(DEALS, body)),
        ...Array.from({ length: 3 }, () => tenant.api.post(CONTACTS, body)),
        merge(ACCOUNTS, from.id, into.id),
        ...Array.from({ length: 6 }, () => tenant.api.post(DEALS, body)),
        tenant.api.post(ACCOUNTS, { name: 'a child', parentAccountId: from.id }),
      ]);
      for (const { status } of answers) expect([200, 201, 400]).toContain(status);
      const [left] = await asAdmin<{ count: number }>(
        platform.database,
        `select (select count(*) from data.sales_deals where account_id = $1)
           + (select count(*) from data.sales_contacts where account_id = $1)
           + (select count(*) from data.sales_accounts where parent_account_id = $1) as count`,
        [from.id],
      );
      expect(Number(left!.count)).toBe(0);
    }
  });
});

describe('of two restrictions the stricter one stays:', () => {
  it.each([
    ['unsubscribed', 'subscribed'],
    ['unsubscribed', 'unknown'],
    ['subscribed', 'unsubscribed'],
  ])('a contact %s merged into one %s is unsubscribed', async (a, b) => {
    const [from, into] = await Promise.all(
      [a, b].map((email) => makeContact(tenant.api, { consent: { email, source: `form of ${email}` } })),
    );
    expect((await merge(CONTACTS, from!.id, into!.id)).status).toBe(200);
    const consent = { email: 'unsubscribed', source: 'form of unsubscribed', at: expect.any(String) as string };
    expect(await read(CONTACTS, into!.id)).toMatchObject({ consent });
  });

  it('the block, the lower credit limit and the role customer of an account', async () => {
    const from = await makeAccount(tenant.api, { roles: ['customer'], creditLimitMinor: 500 });
    expect((await tenant.api.post(`${ACCOUNTS}/${from.id}/block`, { reason: 'Unpaid' })).status).toBe(200);
    const into = await makeAccount(tenant.api, { roles: ['prospect'], creditLimitMinor: 700 });
    expect((await merge(ACCOUNTS, from.id, into.id)).status).toBe(200);
    const left = { lifecycle: 'blocked', roles: ['customer'], creditLimitMinor: 500 };
    expect(await read(ACCOUNTS, into.id)).toMatchObject(left);
    expect((await eventsOf(platform, tenant, into.id)).map(({ type }) => type)).toContain('sales.account.blocked');
    const last = await makeAccount(tenant.api, { creditLimitMinor: 100 });
    await merge(ACCOUNTS, into.id, last.id);
    expect(await read(ACCOUNTS, last.id)).toMatchObject({ lifecycle: 'blocked', creditLimitMinor: 100 });
  });

  it('a credit limit in another currency is resolved first', async () => {
    const from = await makeAccount(tenant.api, { currency: 'JPY', creditLimitMinor: 500 });
    const into = await makeAccount(tenant.api, { currency: 'EUR', creditLimitMinor: 500 });
    const refused = { status: 409, body: { code: 'currency_mismatch' } };
    expect(await merge(ACCOUNTS, from.id, into.id)).toMatchObject(refused);
    expect(await read(ACCOUNTS, from.id)).toMatchObject({ mergedIntoId: null, version: 1 });
    await tenant.api.patch(`${ACCOUNTS}/${from.id}`, { creditLimitMinor: null });
    expect((await merge(ACCOUNTS, from.id, into.id)).status).toBe(200);
    expect(await read(ACCOUNTS, into.id)).toMatchObject({ creditLimitMinor: 500 });
  });

  it('a denial and the lower level of a resource permission, and a legal hold', async () => {
    const [from, into] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
    const denied = await platform.member(tenant, 'Ana');
    const allowed = await platform.member(tenant, 'Ben', ['*'], { roles: ['viewer'] });
    const allow = (objectId: string, id: string, level: string, effect = 'allow') =>
      tenant.api.post('/api/admin/resource-permissions', {
        ...{ object: 'sales.account', objectId, principal: { type: 'membership', id } },
        ...{ level, effect, reason: 'Project' },
      });
    for (const answer of [
      await allow(from.id, denied.id, 'view', 'deny'),
      await allow(into.id, denied.id, 'edit'),
      await allow(from.id, allowed.id, 'view'),
      await allow(into.id, allowed.id, 'edit'),
    ])
      expect(answer.status).toBe(200);
    const hold = { action: 'place_hold', name: 'Dispute', reason: 'Lawsuit', scope: { objectIds: [from.id] } };
    expect((await tenant.api.post('/api/admin/retention', hold)).status).toBe(200);
    expect((await merge(ACCOUNTS, from.id, into.id)).status).toBe(200);
    expect((await denied.api.get(`${ACCOUNTS}/${into.id}`)).status).toBe(404);
    expect((await allowed.api.get(`${ACCOUNTS}/${into.id}`)).status).toBe(200);
    const edit = await allowed.api.patch(`${ACCOUNTS}/${into.id}`, { industry: 'Tools' });
    expect(edit.status).toBe(403);
    const gone = await tenant.api.delete(`${ACCOUNTS}/${into.id}`);
    expect(gone).toMatchObject({ status: 423, body: { code: 'legal_hold' } });
  });
});

describe('merging a contact', () => {
  it('replaces it with the other one on deals and leads, without duplicates', async () => {
    const [from, into] = [await makeContact(tenant.api), await makeContact(tenant.api)];
    const first = await makeDeal(tenant.api, { primaryContactId: from.id, contactIds: [from.id, into.id] });
    const second = await makeDeal(tenant.api, { contactIds: [from.id] });
    const trashed = await makeDeal(tenant.api, { primaryContactId: from.id, contactIds: [from.id, into.id] });
    await tenant.api.delete(`${DEALS}/${trashed.id}`);
    expect(await merge(CONTACTS, from.id, into.id)).toMatchObject({ status: 200, body: { mergedIntoId: into.id } });
    const both = { primaryContactId: into.id, contactIds: [into.id] };
    expect(await read(DEALS, first.id)).toMatchObject(both);
    expect(await read(DEALS, second.id)).toMatchObject({ contactIds: [into.id] });
    expect(await actOnDeal(tenant.api, trashed.id, 'restore')).toMatchObject(both);
    expect(faultsOf(await tenant.api.post(DEALS, { name: 'x', primaryContactId: from.id })).faults).toEqual([
      ['/primaryContactId', 'unknown_reference'],
    ]);
  });

  it('is rejected when a deal would get a contact of another account', async () => {
    const [one, two] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
    const from = await makeContact(tenant.api, { accountId: one.id });
    const into = await makeContact(tenant.api, { accountId: two.id });
    const deal = await makeDeal(tenant.api, { accountId: one.id, primaryContactId: from.id });
    expect(await merge(CONTACTS, from.id, into.id)).toMatchObject({ status: 409, body: { code: 'in_use' } });
    expect(await read(DEALS, deal.id)).toMatchObject({ primaryContactId: from.id, version: 1 });
    expect(await read(CONTACTS, from.id)).toMatchObject({ archivedAt: null, mergedIntoId: null, version: 1 });
  });

  it('also replaces it on deals created concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const [from, into] = [await makeContact(tenant.api), await makeContact(tenant.api)];
      const make = () => tenant.api.post(DEALS, { name: 'made meanwhile', contactIds: [from.id] });
      const answers = await Promise.all([make(), make(), merge(CONTACTS, from.id, into.id), make(), make()]);
      for (const { status } of answers) expect([200, 201, 400]).toContain(status);
      const left = await asAdmin(platform.database, 'select from data.sales_deal_contacts where contact_id = $1', [
        from.id,
      ]);
      expect(left).toHaveLength(0);
    }
  });
});
