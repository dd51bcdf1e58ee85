import { Database } from '#libs/database/database.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { DEALS, makeDeal } from '../sales/deal-calls.js';
import { ACCOUNTS, CONTACTS, makeAccount, makeContact, makeLead, makeProduct, PRODUCTS } from '../sales/sales-calls.js';

/** References held and released by the trash. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const refs = [{ system: 'crm', id: '7', url: null }];
const restore = (path: string, id: string) => tenant.api.post<{ field?: string }>(`${path}/${id}/restore`);
const inTrash = (field: string) => ({ status: 409, body: { code: 'reference_in_trash', field } });

describe('an external id', () => {
  it.each([
    [DEALS, makeDeal],
    [ACCOUNTS, makeAccount],
    [CONTACTS, makeContact],
    ['/api/v1/sales/leads', makeLead],
  ])('of a record of %s is free while the record is in the trash', async (path, make) => {
    const old = await make(tenant.api, { externalRefs: refs });
    await tenant.api.delete(`${path}/${old.id}`);
    const fresh = await make(tenant.api, { externalRefs: refs });
    expect(await restore(path, old.id)).toMatchObject({
      status: 409,
      body: { code: 'duplicate', field: 'externalRefs' },
    });
    const ids = async (more: string) =>
      (await tenant.api.get<{ data: { id: string }[] }>(`${path}?externalRef=crm:7${more}`)).body.data.map(
        ({ id }) => id,
      );
    expect(await ids('')).toEqual([fresh.id]);
    expect(await ids('&includeDeleted=true&sort=createdAt')).toEqual([old.id, fresh.id]);
    await tenant.api.patch(`${path}/${fresh.id}`, { externalRefs: [] });
    expect(await restore(path, old.id)).toMatchObject({ status: 200, body: { externalRefs: refs } });
  });

  it('stays with an archived record', async () => {
    const { id } = await makeProduct(tenant.api, { externalRefs: refs });
    await tenant.api.post(`${PRODUCTS}/${id}/archive`);
    expect((await tenant.api.post(PRODUCTS, { name: 'a', externalRefs: refs })).status).toBe(409);
  });
});

describe('a record can be restored', () => {
  it('if its references exist', async () => {
    const account = await makeAccount(tenant.api);
    const contact = await makeContact(tenant.api, { accountId: account.id });
    await tenant.api.delete(`${CONTACTS}/${contact.id}`);
    await tenant.api.delete(`${ACCOUNTS}/${account.id}`);
    expect(await restore(CONTACTS, contact.id)).toMatchObject(inTrash('accountId'));
    expect((await restore(ACCOUNTS, account.id)).status).toBe(200);
    expect((await restore(CONTACTS, contact.id)).status).toBe(200);
  });

  it('if all references in its lists exist', async () => {
    const [one, two] = [await makeContact(tenant.api), await makeContact(tenant.api)];
    const deal = await makeDeal(tenant.api, { contactIds: [one.id, two.id] });
    await tenant.api.delete(`${DEALS}/${deal.id}`);
    await tenant.api.delete(`${CONTACTS}/${two.id}`);
    expect(await restore(DEALS, deal.id)).toMatchObject(inTrash('contactIds'));
  });

  it('if its project exists', async () => {
    const made = async (path: string, body: object) => (await tenant.api.post<{ id: string }>(path, body)).body.id;
    const projectId = await made('/api/v1/work/projects', { name: 'a project' });
    const parts = [
      ['/api/v1/work/tasks', await made('/api/v1/work/tasks', { name: 'a task', projectId })],
      ['/api/v1/work/milestones', await made('/api/v1/work/milestones', { name: 'a milestone', projectId })],
    ] as const;
    for (const [path, id] of parts) expect((await tenant.api.delete(`${path}/${id}`)).status).toBe(200);
    expect((await tenant.api.delete(`/api/v1/work/projects/${projectId}`)).status).toBe(200);
    for (const [path, id] of parts) expect((await restore(path, id)).status).toBe(404); // only visible with its project
    expect((await restore('/api/v1/work/projects', projectId)).status).toBe(200);
    for (const [path, id] of parts) expect((await restore(path, id)).status).toBe(200);
  });
});

/** A version that others name has been sent and superseded, and such ones cannot be deleted. */
const NEVER_IN_TRASH = ['proposals.proposal rootId', 'proposals.proposal supersededById'];

it('is checked for every reference to a type with a trash', async () => {
  const { source } = platform.app.get(Database);
  const types = platform.app
    .get(ResourceRegistry)
    .all()
    .filter(({ lifecycle }) => 'restore' in lifecycle.transitions);
  const tableOf = new Map(types.map((each) => [source.getMetadata(each.entity).tablePath, each]));
  const rows = await asAdmin<{ table: string; target: string; columns: string[] }>(
    platform.database,
    `
    select k.conrelid::regclass::text as table, k.confrelid::regclass::text as target,
      array(select attname::text from unnest(k.conkey) with ordinality c(n, place)
        join pg_attribute on attrelid = k.conrelid and attnum = n order by place) as columns
    from pg_constraint k where contype = 'f'`,
  );
  const forgotten: string[] = [];
  let seen = 0;
  for (const { table, target, columns } of rows) {
    const definition = tableOf.get(table);
    if (!definition || !tableOf.has(target)) continue;
    const column = columns.filter((each) => each.endsWith('_id') && each !== 'tenant_id').at(-1)!;
    const field = source.getMetadata(definition.entity).columns.find(({ databaseName }) => databaseName === column)!;
    const { references, named } = definition;
    seen++;
    if ({ ...references, ...named }[field.propertyName]?.table !== target)
      forgotten.push(`${definition.type} ${field.propertyName}`);
  }
  expect(forgotten.sort()).toEqual(NEVER_IN_TRASH);
  expect(seen).toBeGreaterThan(15);
});
