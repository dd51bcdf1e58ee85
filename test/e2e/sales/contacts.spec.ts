import type { ShownContact } from '#src/areas/sales/contacts/contact.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { DEALS, makeDeal } from './deal-calls.js';
import { CONTACTS, faultsOf, makeAccount, makeContact, namesOf } from './sales-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const patch = (id: string, body: object) => tenant.api.patch<ShownContact>(`${CONTACTS}/${id}`, body);
const read = async (id: string) => (await tenant.api.get<ShownContact>(`${CONTACTS}/${id}`)).body;
const primaries = async (accountId: string) =>
  namesOf(tenant.api, `${CONTACTS}?accountId=${accountId}&isPrimary=true&includeArchived=true`);

describe('the name of a contact', () => {
  it('is composed of first and last name, and follows them until it is set', async () => {
    const { id, name } = await makeContact(tenant.api, { name: undefined, firstName: 'Ada', lastName: 'Byron' });
    expect(name).toBe('Ada Byron');
    expect((await patch(id, { lastName: 'Lovelace' })).body.name).toBe('Ada Lovelace');
    expect((await patch(id, { name: 'Countess of Lovelace' })).body.name).toBe('Countess of Lovelace');
    expect((await patch(id, { firstName: null })).body.name).toBe('Countess of Lovelace');
  });

  it('is truncated when it is too long, never within a character', async () => {
    const [firstName, lastName] = ['x'.repeat(100), `${'y'.repeat(98)}😀`];
    const { id, name } = await makeContact(tenant.api, { name: undefined, firstName, lastName });
    expect(name).toBe(`${firstName} ${'y'.repeat(98)}😀`);
    expect(await tenant.api.post(`${CONTACTS}/${id}/comments`, { body: 'Hi' })).toMatchObject({ status: 201 });
    const made = await makeContact(tenant.api, { name: `${'z'.repeat(188)}😀` });
    expect(await tenant.api.post(`${CONTACTS}/${made.id}/comments`, { body: 'Hi' })).toMatchObject({ status: 201 });
    expect(await tenant.api.get('/api/admin/audit-logs?targetType=core.comment')).toMatchObject({ status: 200 });
  });

  it('is required when it cannot be composed', async () => {
    expect(faultsOf(await tenant.api.post(CONTACTS, { emails: ['a@b.example'] }))).toEqual({
      status: 400,
      faults: [['/name', 'required']],
    });
  });
});

it('can be found by any of its e-mail addresses in any case', async () => {
  await makeContact(tenant.api, { name: 'Ada', emails: ['Ada@Acme.Example', 'lovelace@home.example'] });
  await makeContact(tenant.api, { name: 'Bob', emails: ['bob@acme.example'] });
  expect(await namesOf(tenant.api, `${CONTACTS}?email=LOVELACE@home.example`)).toEqual(['Ada']);
  expect(await namesOf(tenant.api, `${CONTACTS}?email=ada@acme.example`)).toEqual(['Ada']);
  expect(await namesOf(tenant.api, `${CONTACTS}?email[ne]=ada@acme.example`)).toEqual(['Bob']);
  expect(await namesOf(tenant.api, `${CONTACTS}?q=acme`)).toEqual(['Bob', 'Ada']);
});

it('shows when the person gave or withdrew consent to mail', async () => {
  const { id, consent } = await makeContact(tenant.api);
  expect(consent).toEqual({ email: 'unknown', at: null, source: null });
  const subscribed = await patch(id, { consent: { email: 'subscribed', source: 'Form' } });
  expect(subscribed.body.consent).toEqual({ email: 'subscribed', at: subscribed.body.updatedAt, source: 'Form' });
  const sourced = await patch(id, { consent: { source: 'Fair' } });
  expect(sourced.body.consent).toEqual({ ...subscribed.body.consent, source: 'Fair' });
  const left = await patch(id, { consent: { email: 'unsubscribed', at: '2026-01-02T03:04:05Z' } });
  expect(left.body.consent).toMatchObject({ email: 'unsubscribed', at: '2026-01-02T03:04:05.000Z' });
});

describe('the primary contact of an account', () => {
  it('is replaced by the next one', async () => {
    const { id: accountId } = await makeAccount(tenant.api);
    const one = await makeContact(tenant.api, { name: 'one', accountId, isPrimary: true });
    await makeContact(tenant.api, { name: 'two', accountId, isPrimary: true });
    expect(await read(one.id)).toMatchObject({ isPrimary: false, version: 2 });
    const three = await makeContact(tenant.api, { name: 'three', accountId });
    expect((await patch(three.id, { isPrimary: true })).status).toBe(200);
    expect(await primaries(accountId)).toEqual(['three']);
  });

  it('is unique under concurrent requests', async () => {
    const { id: accountId } = await makeAccount(tenant.api);
    const contacts = await Promise.all([1, 2, 3].map(() => makeContact(tenant.api, { accountId })));
    await Promise.all([
      ...contacts.map(({ id }) => patch(id, { isPrimary: true })),
      tenant.api.post(CONTACTS, { name: 'new', accountId, isPrimary: true }),
    ]);
    expect(await primaries(accountId)).toHaveLength(1);
  });

  it('is no longer primary when restored or unarchived if another one is', async () => {
    const { id: accountId } = await makeAccount(tenant.api);
    const archived = await makeContact(tenant.api, { accountId, isPrimary: true });
    await tenant.api.post(`${CONTACTS}/${archived.id}/archive`);
    const deleted = await makeContact(tenant.api, { accountId, isPrimary: true });
    await tenant.api.delete(`${CONTACTS}/${deleted.id}`);
    await makeContact(tenant.api, { name: 'now', accountId, isPrimary: true });
    expect(await tenant.api.post(`${CONTACTS}/${archived.id}/unarchive`)).toMatchObject({
      status: 200,
      body: { isPrimary: false, archivedAt: null },
    });
    expect(await tenant.api.post(`${CONTACTS}/${deleted.id}/restore`)).toMatchObject({
      status: 200,
      body: { isPrimary: false, deletedAt: null },
    });
    expect(await primaries(accountId)).toEqual(['now']);
  });

  it('needs an account, and is not primary after moving to another account', async () => {
    expect(faultsOf(await tenant.api.post(CONTACTS, { name: 'x', isPrimary: true })).faults).toEqual([
      ['/isPrimary', 'invalid_value'],
    ]);
    const [one, two] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
    const { id } = await makeContact(tenant.api, { accountId: one.id, isPrimary: true });
    expect((await patch(id, { accountId: two.id })).body).toMatchObject({ accountId: two.id, isPrimary: false });
  });
});

describe('a deal never has a contact of another account', () => {
  let accountId: string;
  let otherId: string;
  beforeEach(async () => {
    accountId = (await makeAccount(tenant.api)).id;
    otherId = (await makeAccount(tenant.api)).id;
  });
  const refused = { status: 400, faults: [['/contactIds', 'contact_of_other_account']] };

  it('when it is created or changed', async () => {
    const other = await makeContact(tenant.api, { accountId: otherId });
    const free = await makeContact(tenant.api);
    const own = await makeContact(tenant.api, { accountId });
    for (const contacts of [{ primaryContactId: other.id }, { contactIds: [own.id, other.id] }]) {
      expect(faultsOf(await tenant.api.post(DEALS, { name: 'x', accountId, ...contacts }))).toEqual(refused);
      expect(faultsOf(await tenant.api.post(DEALS, { name: 'x', ...contacts }))).toEqual(refused);
    }
    const deal = await makeDeal(tenant.api, { accountId, primaryContactId: own.id, contactIds: [free.id] });
    const change = async (body: object) => faultsOf(await tenant.api.patch(`${DEALS}/${deal.id}`, body));
    expect(await change({ contactIds: [other.id] })).toEqual(refused);
    expect(await change({ accountId: otherId })).toEqual(refused);
    expect(await change({ accountId: null })).toEqual(refused);
    expect((await change({ accountId: otherId, primaryContactId: other.id })).status).toBe(200);
  });

  it('when the contact moves to another account', async () => {
    const contact = await makeContact(tenant.api);
    const deal = await makeDeal(tenant.api, { accountId, contactIds: [contact.id] });
    expect(await patch(contact.id, { accountId: otherId })).toMatchObject({ status: 409, body: { code: 'in_use' } });
    expect((await patch(contact.id, { accountId })).status).toBe(200);
    expect((await patch(contact.id, { accountId: null })).status).toBe(200);
    await tenant.api.patch(`${DEALS}/${deal.id}`, { contactIds: [] });
    expect((await patch(contact.id, { accountId: otherId })).status).toBe(200);
  });

  it('when both change concurrently', async () => {
    for (let round = 0; round < 20; round++) {
      const contact = await makeContact(tenant.api);
      const deal = await makeDeal(tenant.api, { accountId });
      const [moved, added] = await Promise.all([
        patch(contact.id, { accountId: otherId }),
        tenant.api.patch(`${DEALS}/${deal.id}`, { contactIds: [contact.id] }),
      ]);
      expect([
        [200, 400],
        [409, 200],
      ]).toContainEqual([moved.status, added.status]);
    }
  });

  it('nor a deleted one: a contact cannot be deleted while a deal refers to it', async () => {
    const contact = await makeContact(tenant.api);
    const deal = await makeDeal(tenant.api, { primaryContactId: contact.id });
    expect(await tenant.api.delete(`${CONTACTS}/${contact.id}`)).toMatchObject({
      status: 409,
      body: { code: 'in_use' },
    });
    await tenant.api.patch(`${DEALS}/${deal.id}`, { primaryContactId: null });
    expect((await tenant.api.delete(`${CONTACTS}/${contact.id}`)).status).toBe(200);
    const answer = await tenant.api.patch(`${DEALS}/${deal.id}`, { contactIds: [contact.id] });
    expect(faultsOf(answer)).toEqual({ status: 400, faults: [['/contactIds', 'unknown_reference']] });
  });
});
