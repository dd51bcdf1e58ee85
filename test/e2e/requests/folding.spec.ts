import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { makeEmployee } from '../people/people-calls.js';
import {
  ACCOUNTS,
  CONTACTS,
  LEADS,
  makeAccount,
  makeContact,
  makeLead,
  makeProduct,
  namesOf,
  PRODUCTS,
} from '../sales/sales-calls.js';
import { CANDIDATES, makeCandidate } from '../talent/talent-calls.js';

/** Case-insensitive comparison handles all spellings of a letter. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const SPELLINGS = [
  ['İzmir', 'İzmir'],
  ['İzmir', 'I\u0307ZMIR'],
  ['İzmir', 'izmir'],
  ['Café', 'CAFE\u0301'],
  ['Cafe\u0301', 'café'],
  ['ΟΔΟΣ', 'Οδος'],
  ['Äpfel', 'äPFEL'],
] as const;
const found = (path: string, name: string, value: string) =>
  namesOf(tenant.api, `${path}?${name}=${encodeURIComponent(value)}`);

describe.each(SPELLINGS)('%s is found as %s', (stored, asked) => {
  it('among tags', async () => {
    await makeAccount(tenant.api, { name: 'it', tags: [stored] });
    expect(await found(ACCOUNTS, 'tag', asked)).toEqual(['it']);
    expect(await found(ACCOUNTS, 'tag[ne]', asked)).toEqual([]);
    expect(await tenant.api.post(ACCOUNTS, { name: 'twice', tags: [stored, asked] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/tags', code: 'not_unique' }] },
    });
  });

  it('among skills', async () => {
    await makeCandidate(tenant.api, { name: 'it', skills: [stored] });
    await makeEmployee(tenant.api, { name: 'it', skills: [{ name: stored, level: 3 }] });
    expect(await found(CANDIDATES, 'skill', asked)).toEqual(['it']);
    expect(await found('/api/v1/people/employees', 'skill', asked)).toEqual(['it']);
  });

  it('in e-mail addresses', async () => {
    const [mine, theirs] = [`${stored}@acme.example`, `${asked}@ACME.example`];
    await makeContact(tenant.api, { name: 'it', emails: [mine] });
    const lead = await makeLead(tenant.api, { name: 'it', email: mine });
    expect(await found(CONTACTS, 'email', theirs)).toEqual(['it']);
    expect(await found(LEADS, 'email', theirs)).toEqual(['it']);
    await tenant.api.patch(`${LEADS}/${lead.id}`, { email: theirs });
    await tenant.api.post(`${LEADS}/${lead.id}/convert`, {});
    expect(await namesOf(tenant.api, CONTACTS)).toEqual(['it']);
    await tenant.api.post('/api/admin/invitations', { email: mine });
    const invited = await tenant.api.get<{ data: { email: string }[] }>(
      `/api/admin/invitations?email=${encodeURIComponent(theirs)}`,
    );
    expect(invited.body.data.map(({ email }) => email)).toEqual([mine]);
  });

  it('in names and in words', async () => {
    await makeAccount(tenant.api, { name: `a ${stored}hof` });
    expect(await found(ACCOUNTS, 'name[contains]', asked)).toHaveLength(1);
    expect(await found(ACCOUNTS, 'q', asked)).toHaveLength(1);
    await tenant.api.post('/api/admin/roles', { name: `a ${stored}hof`, permissions: ['deals:read'] });
    expect(await found('/api/admin/roles', 'q', asked)).toHaveLength(1);
    expect(await found('/api/admin/roles', 'name[contains]', asked)).toHaveLength(1);
  });

  it('by what must be unique', async () => {
    const duplicate = { status: 409, body: { code: 'duplicate' } };
    await makeProduct(tenant.api, { sku: stored });
    expect(await tenant.api.post(PRODUCTS, { name: 'other', sku: asked })).toMatchObject(duplicate);
    const { id } = await makeCandidate(tenant.api, { email: `${stored}@acme.example` });
    expect(await tenant.api.post(CANDIDATES, { name: 'other', email: `${asked}@acme.example` })).toMatchObject({
      status: 409,
      body: { code: 'duplicate', existingId: id },
    });
    await makeEmployee(tenant.api, { workEmail: `${stored}@acme.example` });
    expect(
      await tenant.api.post('/api/v1/people/employees', { name: 'other', workEmail: `${asked}@acme.example` }),
    ).toMatchObject({ status: 409 });
    await tenant.api.post('/api/admin/roles', { name: stored, permissions: ['deals:read'] });
    const again = await tenant.api.post('/api/admin/roles', { name: asked, permissions: ['deals:read'] });
    expect(again.status).toBe(409);
  });
});
