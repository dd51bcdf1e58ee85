import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { makePipeline, PIPELINES } from '../sales/deal-calls.js';
import { eventsOf } from '../../harness/written.js';
import { added, dealPath, idOf, type Page } from './timeline-calls.js';

const NOWHERE = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';

interface Link {
  id: string;
  relation: string;
  target: { object: string; id: string; reference: string; name: string; url: string };
}

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const to = (path: string, relation: string, object = 'sales.deal') => ({
  relation,
  target: { object, id: idOf(path) },
});

async function linksOf(path: string, api = tenant.api): Promise<Link[]> {
  return (await api.get<Page<Link>>(`${path}/links`)).body.data;
}

describe('a link', () => {
  it.each([
    ['relates_to', 'relates_to'],
    ['blocks', 'blocked_by'],
    ['duplicates', 'duplicated_by'],
    ['caused_by', 'causes'],
    ['derived_from', 'source_of'],
  ])('%s appears on the other record as %s', async (relation, inverse) => {
    const [a, b] = [await dealPath(tenant.api, 'first'), await dealPath(tenant.api, 'second')];
    const made = await added<Link>(tenant.api, `${a}/links`, to(b, relation));
    expect(made).toMatchObject({ relation, target: { object: 'sales.deal', id: idOf(b), name: 'second', url: b } });
    expect(await linksOf(a)).toMatchObject([{ id: made.id, relation, target: { name: 'second' } }]);
    expect(await linksOf(b)).toMatchObject([{ id: made.id, relation: inverse, target: { name: 'first', url: a } }]);
    expect((await eventsOf(platform, tenant, made.id)).map(({ type }) => type)).toEqual(['core.link.created']);
  });

  it('can point to records of other types', async () => {
    const deal = await dealPath(tenant.api);
    const pipeline = await makePipeline(tenant.api, { name: 'Enterprise' });
    await added(tenant.api, `${deal}/links`, to(pipeline.id, 'relates_to', 'sales.pipeline'));
    expect(await linksOf(`${PIPELINES}/${pipeline.id}`)).toMatchObject([{ target: { url: deal } }]);
  });

  it('is removed from both records, on whichever it is deleted', async () => {
    const [a, b] = [await dealPath(tenant.api), await dealPath(tenant.api)];
    const { id } = await added<Link>(tenant.api, `${a}/links`, to(b, 'blocks'));
    expect((await tenant.api.delete(`${b}/links/${id}`)).status).toBe(200);
    expect([await linksOf(a), await linksOf(b)]).toEqual([[], []]);
    expect((await tenant.api.delete(`${a}/links/${id}`)).status).toBe(404);
    expect((await eventsOf(platform, tenant, id)).map(({ type }) => type)).toEqual([
      'core.link.created',
      'core.link.deleted',
    ]);
  });

  it('is removed once when deleted on both records concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await dealPath(tenant.api), await dealPath(tenant.api)];
      const { id } = await added<Link>(tenant.api, `${a}/links`, to(b, 'blocks'));
      const answers = await Promise.all([a, b, a, b].map((path) => tenant.api.delete(`${path}/links/${id}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    }
  });

  it('cannot be removed from an unrelated record', async () => {
    const [a, b, c] = [await dealPath(tenant.api), await dealPath(tenant.api), await dealPath(tenant.api)];
    const { id } = await added<Link>(tenant.api, `${a}/links`, to(b, 'blocks'));
    expect((await tenant.api.delete(`${c}/links/${id}`)).status).toBe(404);
    expect(await linksOf(a)).toHaveLength(1);
  });
});

describe('never, for links', () => {
  it('two of one relation between two records, even concurrently', async () => {
    const [a, b] = [await dealPath(tenant.api), await dealPath(tenant.api)];
    const both = [
      ...Array.from({ length: 4 }, () => tenant.api.post(`${a}/links`, to(b, 'relates_to'))),
      ...Array.from({ length: 4 }, () => tenant.api.post(`${b}/links`, to(a, 'relates_to'))),
    ];
    const statuses = (await Promise.all(both)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    expect([(await linksOf(a)).length, (await linksOf(b)).length]).toEqual([1, 1]);
    expect((await tenant.api.post(`${a}/links`, to(b, 'blocks'))).status).toBe(201);
    expect(await tenant.api.post(`${a}/links`, to(b, 'blocks'))).toMatchObject({ body: { code: 'duplicate' } });
  });

  it('one to the record itself', async () => {
    const a = await dealPath(tenant.api);
    expect(await tenant.api.post(`${a}/links`, to(a, 'relates_to'))).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/target/id' }] },
    });
  });

  it('one to a record invisible to the caller: unknown, deleted, of another tenant or of an unknown type', async () => {
    const a = await dealPath(tenant.api);
    const deleted = await dealPath(tenant.api);
    await tenant.api.delete(deleted);
    const foreign = await dealPath((await platform.tenant()).api);
    for (const [target, pointer] of [
      [{ object: 'sales.deal', id: NOWHERE }, '/target/id'],
      [{ object: 'sales.deal', id: idOf(deleted) }, '/target/id'],
      [{ object: 'sales.deal', id: idOf(foreign) }, '/target/id'],
      [{ object: 'sales.nothing', id: idOf(a) }, '/target/object'],
    ] as const)
      expect(await tenant.api.post(`${a}/links`, { relation: 'blocks', target })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer, code: 'unknown_reference' }] },
      });
  });

  it('a change of them on an archived record', async () => {
    const [a, b] = [await dealPath(tenant.api), await dealPath(tenant.api)];
    const { id } = await added<Link>(tenant.api, `${a}/links`, to(b, 'blocks'));
    await tenant.api.post(`${a}/archive`);
    for (const answer of [
      await tenant.api.post(`${a}/links`, to(b, 'relates_to')),
      await tenant.api.delete(`${a}/links/${id}`),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'record_locked' } });
    expect(await linksOf(a)).toHaveLength(1);
  });

  it('one that reveals a record the caller cannot read', async () => {
    const a = await dealPath(tenant.api);
    const pipeline = await makePipeline(tenant.api);
    await added(tenant.api, `${a}/links`, to(pipeline.id, 'relates_to', 'sales.pipeline'));
    const gone = await dealPath(tenant.api);
    await added(tenant.api, `${a}/links`, to(gone, 'relates_to'));
    await tenant.api.delete(gone);
    expect(await linksOf(a)).toMatchObject([{ target: { object: 'sales.pipeline' } }]);
    const reader = await platform.key(tenant, ['deals:read', 'links:write']);
    expect(await linksOf(a, reader)).toEqual([]);
    expect((await reader.post(`${a}/links`, to(pipeline.id, 'blocks', 'sales.pipeline'))).status).toBe(403);
  });
});
