import { jest } from '@jest/globals';
import { uuidv7 } from '#libs/kernel/id.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { RecordLink } from '#src/areas/home/record-link.js';
import { RecentRecords } from '#src/areas/home/start/recent-records.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { DEALS, makeDeal } from '../sales/deal-calls.js';
import { eventsOf } from '../../harness/written.js';
import { changed, created, HOME, idsOf, makeWorkspace, readHome } from './home-calls.js';

const FAVOURITES = `${HOME}/favourites`;
const LAYOUT = `${HOME}/layout`;

let platform: TestPlatform;
let tenant: TestTenant;
let ada: { id: string; api: Client };
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ada = await platform.member(tenant, 'Ada', ['*'], { roles: ['member'] });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => platform.close());

interface Refusal {
  errors: { pointer: string; code: string }[];
}
const set = (items: object[], api = ada.api) => api.send<Favourites & Refusal>('PUT', FAVOURITES, { items });
const named = (object: string, { id }: { id: string }) => ({ object, id });
interface Favourites {
  items: RecordLink[];
}
const shown = async (api = ada.api) => idsOf((await api.get<Favourites>(FAVOURITES)).body.items);
const faultsOf = ({ status, body }: { status: number; body: Refusal }) => [
  status,
  ...body.errors.map(({ pointer, code }) => `${pointer} ${code}`),
];

describe('the favourites', () => {
  it('are records of any types in the order of the person', async () => {
    const deal = await makeDeal(ada.api, { name: 'Renewal' });
    const account = await created(ada.api, '/api/v1/sales/accounts', { name: 'Acme' });
    const answer = await set([named('sales.deal', deal), named('sales.account', account)]);
    expect(answer.body.items).toEqual([
      {
        object: 'sales.deal',
        id: deal.id,
        reference: deal.reference,
        name: 'Renewal',
        url: `${DEALS}/${deal.id}`,
      },
      expect.objectContaining({ object: 'sales.account', id: account.id, name: 'Acme' }),
    ]);
    expect(await shown()).toEqual([deal.id, account.id]);
    expect(idsOf((await readHome(ada.api)).favourites!.data)).toEqual([deal.id, account.id]);
    expect(await shown((await platform.member(tenant, 'Bob')).api)).toEqual([]);
    await set([named('sales.account', account)]);
    expect(await shown()).toEqual([account.id]);
    await set([named('sales.account', account)]); // changes nothing
    expect((await eventsOf(platform, tenant, ada.id)).map(({ type }) => type)).toEqual([
      'home.page.favourites_changed',
      'home.page.favourites_changed',
    ]);
  });

  it('are shown while the person can see them', async () => {
    const [mine, theirs] = [await makeDeal(ada.api), await makeDeal(ada.api)];
    await set([named('sales.deal', mine), named('sales.deal', theirs)]);
    const workspaceId = await makeWorkspace(tenant.api, 'NORTH');
    await changed(tenant.api, 'PATCH', `${DEALS}/${theirs.id}`, { workspaceId, ownerId: null });
    expect(await shown()).toEqual([mine.id]);
    expect(faultsOf(await set([named('sales.deal', mine), named('sales.deal', theirs)]))).toEqual([
      400,
      '/items/1/id unknown_reference',
    ]);
    await changed(tenant.api, 'DELETE', `${DEALS}/${mine.id}`);
    expect(await shown()).toEqual([]);
    await changed(tenant.api, 'POST', `${DEALS}/${mine.id}/restore`);
    expect(await shown()).toEqual([mine.id]);
  });

  it('stay in their places if the key that replaces the others cannot see them', async () => {
    const account = await created(ada.api, '/api/v1/sales/accounts', { name: 'Acme' });
    const [one, two, gone] = [await makeDeal(ada.api), await makeDeal(ada.api), await makeDeal(ada.api)];
    await set([named('sales.account', account), ...[one, two, gone].map((deal) => named('sales.deal', deal))]);
    const narrow = await platform.key(tenant, ['deals:read'], { memberId: ada.id });
    await changed(tenant.api, 'DELETE', `${DEALS}/${gone.id}`);
    const answer = await set([named('sales.deal', two), named('sales.deal', one)], narrow);
    expect(idsOf(answer.body.items)).toEqual([two.id, one.id]);
    expect(await shown()).toEqual([account.id, two.id, one.id]);
    await set([], narrow);
    expect([await shown(narrow), await shown()]).toEqual([[], [account.id]]);
    const deals = await Promise.all(Array.from({ length: 50 }, () => makeDeal(ada.api)));
    const many = deals.map((deal) => named('sales.deal', deal));
    expect(faultsOf(await set(many, narrow))).toEqual([400, '/items too_many']);
    expect((await set(many.slice(1), narrow)).status).toBe(200);
    await changed(tenant.api, 'POST', `${DEALS}/${gone.id}/restore`);
    expect(await shown()).toEqual([account.id, ...idsOf(deals.slice(1))]);
    await set([]);
    expect(await shown()).toEqual([]);
  });

  it('refuse unknown, foreign and repeated records', async () => {
    const deal = await makeDeal(ada.api);
    const foreign = await makeDeal((await platform.tenant()).api);
    const items = [
      named('sales.deal', deal),
      named('sales.deal', foreign),
      named('sales.account', deal),
      named('sales.unicorn', { id: uuidv7() }),
    ];
    const [first, ...others] = items as [object, ...object[]];
    expect(faultsOf(await set(others))).toEqual([
      400,
      '/items/0/id unknown_reference',
      '/items/1/id unknown_reference',
      '/items/2/object unknown_reference',
    ]);
    expect(faultsOf(await set([first, first]))).toEqual([400, '/items/1/id not_unique']);
    const many = Array.from({ length: 51 }, () => named('sales.deal', { id: uuidv7() }));
    expect(faultsOf(await set(many))).toEqual([400, '/items too_many']);
    const types = platform.app.get(ResourceRegistry).all();
    const ofAllTypes = await set(types.map(({ type }) => named(type, { id: uuidv7() })));
    expect(faultsOf(ofAllTypes)).toEqual([400, ...types.map((_, i) => `/items/${i}/id unknown_reference`)]);
    expect(await shown()).toEqual([]);
  });
});

describe('the layout', () => {
  const arrange = (blocks: object[]) =>
    ada.api.send<{ blocks: { key: string }[] } & Refusal>('PUT', LAYOUT, { blocks });

  it('orders the blocks, and hidden ones are not read', async () => {
    const recent = jest.spyOn(platform.app.get(RecentRecords), 'read');
    const usual = (await readHome(ada.api)).order;
    expect(usual[0]).toBe('announcements');
    expect(recent).toHaveBeenCalledTimes(1);
    const answer = await arrange([
      { key: 'recent', hidden: true, position: 0 },
      { key: 'scorecards', position: 5 },
      { key: 'deals', position: 4 },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body.blocks.slice(0, 4)).toEqual([
      { key: 'recent', hidden: true, position: 0 },
      { key: 'deals', hidden: false, position: 1 },
      { key: 'scorecards', hidden: false, position: 2 },
      { key: 'announcements', hidden: false, position: 3 },
    ]);
    expect((await ada.api.get<object>(LAYOUT)).body).toEqual(answer.body);
    const page = await readHome(ada.api);
    const others = usual.filter((key) => !['recent', 'deals', 'scorecards'].includes(key));
    expect(page.order).toEqual(['deals', 'scorecards', ...others]);
    expect(page).not.toHaveProperty('recent');
    expect(recent).toHaveBeenCalledTimes(1);
  });

  it('refuses unknown and repeated blocks', async () => {
    expect(faultsOf(await arrange([{ key: 'weather' }]))).toEqual([400, '/blocks/0/key invalid_value']);
    expect(faultsOf(await arrange([{ key: 'deals' }, { key: 'deals' }]))).toEqual([400, '/blocks/1/key not_unique']);
  });
});

it.each([FAVOURITES, LAYOUT])('%s requires a person', async (path) => {
  const refused = { status: 403, body: { code: 'permission_denied' } };
  expect(await tenant.api.get(path)).toMatchObject(refused);
  const body = path === LAYOUT ? { blocks: [] } : { items: [] };
  expect(await tenant.api.send('PUT', path, body)).toMatchObject(refused);
});
