import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { auditOf, eventsOf } from '../../harness/written.js';

const TAGS = '/api/settings/tags';
const DEALS = '/api/v1/sales/deals';
const TASKS = '/api/v1/work/tasks';

interface Tag {
  id: string;
  name: string;
  status: string;
  uses: { object: string; count: number }[];
}

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

async function make<T = Tag>(path: string, body: object, api: Client = tenant.api): Promise<T & { id: string }> {
  const answer = await api.post<T & { id: string }>(path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

const deal = (tags: string[], name = 'Acme') => make<{ id: string }>(DEALS, { name, tags });
const tagsOf = async (path: string) => (await tenant.api.get<{ tags: string[] }>(path)).body.tags;
const names = async (query = '') =>
  (await tenant.api.get<{ data: Tag[] }>(`${TAGS}${query}`)).body.data.map(({ name }) => name);

describe('managed tags', () => {
  it('are listed with their number of records by type', async () => {
    await make(TAGS, { name: 'VIP' });
    await make(TAGS, { name: 'Churn risk' });
    await deal(['vip', 'free']);
    await deal(['VIP']);
    const { id } = await deal(['Vip']);
    await tenant.api.delete(`${DEALS}/${id}`);
    const project = await make<{ id: string }>('/api/v1/work/projects', { name: 'Apollo' });
    await make(TASKS, { name: 'Call', projectId: project.id, tags: ['viP'] });
    const { body } = await tenant.api.get<{ data: Tag[] }>(TAGS);
    expect(body.data).toMatchObject([
      { name: 'Churn risk', uses: [] },
      {
        name: 'VIP',
        status: 'active',
        uses: [
          { object: 'sales.deal', count: 2 },
          { object: 'work.task', count: 1 },
        ],
      },
    ]);
    const limited = await platform.key(tenant, ['tasks:read']);
    const seen = await limited.get<{ data: Tag[] }>(`${TAGS}?name[contains]=vip`);
    expect(seen.body.data).toMatchObject([{ uses: [{ object: 'work.task', count: 1 }] }]);
  });

  it('are renamed on every record, each with its audit entry and event', async () => {
    const tag = await make(TAGS, { name: 'Key account' });
    const [one, two] = [await deal(['a', 'KEY ACCOUNT', 'b']), await deal(['key account', 'strategic'])];
    const other = await deal(['a']);
    const renamed = await tenant.api.patch<Tag>(`${TAGS}/${tag.id}`, { name: 'Strategic' });
    expect(renamed).toMatchObject({
      status: 200,
      body: { name: 'Strategic', version: 2, uses: [{ object: 'sales.deal', count: 2 }] },
    });
    expect(await tagsOf(`${DEALS}/${one.id}`)).toEqual(['a', 'Strategic', 'b']);
    expect(await tagsOf(`${DEALS}/${two.id}`)).toEqual(['strategic']);
    expect((await tenant.api.get(`${DEALS}?tag=strategic`)).body['data']).toHaveLength(2);
    expect((await tenant.api.get(`${DEALS}?tag=key%20account`)).body['data']).toHaveLength(0);
    expect((await eventsOf(platform, tenant, one.id)).map(({ type }) => type)).toEqual([
      'sales.deal.created',
      'sales.deal.updated',
    ]);
    expect((await tenant.api.get(`${DEALS}/${other.id}`)).body).toMatchObject({ version: 1 });
    expect((await auditOf(platform, tenant, tag.id)).map(({ action }) => action)).toEqual([
      'core.tag.created',
      'core.tag.renamed',
    ]);
    await tenant.api.patch(`${TAGS}/${tag.id}`, { name: 'STRATEGIC' });
    expect(await tagsOf(`${DEALS}/${two.id}`)).toEqual(['STRATEGIC']);
  });

  it('reject a duplicate name in any case, and then change no record', async () => {
    const [first] = [await make(TAGS, { name: 'Gold' }), await make(TAGS, { name: 'Silver' })];
    const { id } = await deal(['Gold']);
    const duplicate = { status: 409, body: { code: 'duplicate', field: 'name' } };
    expect(await tenant.api.post(TAGS, { name: 'gOLD' })).toMatchObject(duplicate);
    expect(await tenant.api.patch(`${TAGS}/${first.id}`, { name: 'silver' })).toMatchObject(duplicate);
    expect(await tagsOf(`${DEALS}/${id}`)).toEqual(['Gold']);
  });

  it('are merged: their records get the other tag once', async () => {
    const [from, into] = [await make(TAGS, { name: 'Hot' }), await make(TAGS, { name: 'Warm' })];
    const [both, one] = [await deal(['hot', 'x', 'warm']), await deal(['HOT'])];
    expect(await tenant.api.post(`${TAGS}/${from.id}/merge`, { intoId: into.id })).toMatchObject({
      status: 200,
      body: { id: into.id, uses: [{ object: 'sales.deal', count: 2 }] },
    });
    expect(await tagsOf(`${DEALS}/${both.id}`)).toEqual(['x', 'warm']);
    expect(await tagsOf(`${DEALS}/${one.id}`)).toEqual(['Warm']);
    expect((await tenant.api.get(`${TAGS}/${from.id}`)).status).toBe(404);
    expect((await eventsOf(platform, tenant, from.id)).at(-1)).toMatchObject({ type: 'core.tag.merged' });
    const refused = async (id: string, intoId: string) =>
      ((await tenant.api.post(`${TAGS}/${id}/merge`, { intoId })).body['errors'] as { code: string }[])[0]!.code;
    expect(await refused(into.id, into.id)).toBe('unknown_reference');
    expect(await refused(into.id, from.id)).toBe('unknown_reference');
    const closed = await make(TAGS, { name: 'Cold' });
    await tenant.api.post(`${TAGS}/${closed.id}/archive`);
    expect(await refused(into.id, closed.id)).toBe('archived_tag');
  });

  it('stay on their records when archived, and cannot be added', async () => {
    const tag = await make(TAGS, { name: 'Legacy' });
    const { id } = await deal(['Legacy']);
    const other = await deal([]);
    expect(await tenant.api.post(`${TAGS}/${tag.id}/archive`)).toMatchObject({ body: { status: 'archived' } });
    expect([await names(), await names('?status=archived')]).toEqual([[], ['Legacy']]);
    const refusal = { status: 400, body: { errors: [{ pointer: '/tags', code: 'archived_tag' }] } };
    expect(await tenant.api.post(DEALS, { name: 'New', tags: ['x', 'LEGACY'] })).toMatchObject(refusal);
    expect(await tenant.api.patch(`${DEALS}/${other.id}`, { tags: ['legacy'] })).toMatchObject(refusal);
    expect(await tenant.api.patch(`${DEALS}/${id}`, { tags: ['legacy', 'x'] })).toMatchObject({ status: 200 });
    await tenant.api.post(`${TAGS}/${tag.id}/unarchive`);
    expect(await tenant.api.patch(`${DEALS}/${other.id}`, { tags: ['legacy'] })).toMatchObject({ status: 200 });
    expect(await tenant.api.post(`${TAGS}/${tag.id}/unarchive`)).toMatchObject({
      body: { code: 'invalid_transition' },
    });
  });

  it('require the permission and belong to one tenant', async () => {
    const tag = await make(TAGS, { name: 'Ours' });
    const member = await platform.member(tenant, 'Max', ['*'], { roles: ['member'] });
    expect(await member.api.post(TAGS, { name: 'Mine' })).toMatchObject({
      status: 403,
      body: { requiredPermission: 'tags:manage' },
    });
    expect((await member.api.get(`${TAGS}/${tag.id}`)).status).toBe(200);
    const other = await platform.tenant();
    expect((await other.api.get(`${TAGS}/${tag.id}`)).status).toBe(404);
    await make(TAGS, { name: 'Ours' }, other.api);
    expect(await other.api.post(DEALS, { name: 'Theirs', tags: ['Ours'] })).toMatchObject({ status: 201 });
  });

  it('with too many records are neither renamed nor merged', async () => {
    const tag = await make(TAGS, { name: 'Many' });
    const { id } = await deal(['Many']);
    const [columns] = await asAdmin<{ names: string }>(
      platform.database,
      `select string_agg(column_name, ', ') as names from information_schema.columns
       where table_schema = 'data' and table_name = 'sales_deals' and is_generated = 'NEVER'`,
    );
    await asAdmin(
      platform.database,
      `insert into data.sales_deals (${columns!.names}) select ${columns!.names} from (
         select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'reference', 'X-' || n))).*
         from data.sales_deals d, generate_series(1, 500) n where d.tenant_id = $1 and d.id = $2) as copies`,
      [tenant.id, id],
    );
    expect(await tenant.api.patch(`${TAGS}/${tag.id}`, { name: 'Too many' })).toMatchObject({
      status: 409,
      body: { code: 'limit_reached' },
    });
    expect(await tagsOf(`${DEALS}/${id}`)).toEqual(['Many']);
    expect((await tenant.api.get(`${TAGS}/${tag.id}`)).body).toMatchObject({ name: 'Many', version: 1 });
    await tenant.api.delete(`${DEALS}/${id}`);
    expect(await tenant.api.patch(`${TAGS}/${tag.id}`, { name: 'Just right' })).toMatchObject({
      status: 200,
      body: { uses: [{ object: 'sales.deal', count: 500 }] },
    });
  });
});
