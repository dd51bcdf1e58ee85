import { HOUR_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { changed, created, HOME, idsOf, makeWorkspace, readHome } from './home-calls.js';

const NEWS = `${HOME}/announcements`;

let platform: TestPlatform;
let tenant: TestTenant;
let north: string;
let boss: Client;
let ada: Client;
let bob: Client;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  north = await makeWorkspace(tenant.api, 'NORTH');
  const member = async (name: string, role: string, workspaces: Record<string, 'member'>) =>
    (await platform.member(tenant, name, ['*'], { roles: [role], workspaces })).api;
  boss = await member('Mia', 'manager', {});
  ada = await member('Ada', 'member', { [north]: 'member' });
  bob = await member('Bob', 'viewer', {});
});
afterAll(() => platform.close());

const announce = async (more: object = {}) => (await created(boss, NEWS, { title: 'News', body: 'Text', ...more })).id;
const inHours = (hours: number) => new Date(platform.clock.nowMs() + hours * HOUR_MS).toISOString();
const listed = async (api: Client, query = '') =>
  idsOf((await api.get<{ data: { id: string }[] }>(NEWS + query)).body.data);
const onHome = async (api: Client) => idsOf((await readHome(api)).announcements!.data);

it('is shown to the members of its workspace, or to all', async () => {
  const forAll = await announce({ title: 'Closed on Friday' });
  platform.clock.advance(1_000);
  const forNorth = await announce({ workspaceId: north });
  for (const seen of [onHome, listed]) {
    expect(await seen(ada)).toEqual([forNorth, forAll]);
    expect(await seen(bob)).toEqual([forAll]);
  }
  // Those who can delete announcements find all of them.
  expect([await onHome(boss), await listed(boss)]).toEqual([[forAll], [forNorth, forAll]]);
  expect(await listed(ada, `?workspaceId=${north}`)).toEqual([forNorth]);
  expect((await readHome(ada)).announcements!.data![1]).toMatchObject({
    title: 'Closed on Friday',
    createdBy: { name: 'test key' },
    isOver: false,
  });
  expect(await listed(await platform.key(tenant, ['*:read']))).toEqual([]);
});

it('leaves home pages when it is over or deleted', async () => {
  const [short, long] = [await announce({ until: inHours(1) }), await announce({ until: inHours(3) })];
  expect((await onHome(bob)).sort()).toEqual([short, long].sort());
  platform.clock.advance(2 * HOUR_MS);
  expect(await onHome(bob)).toEqual([long]);
  expect(await listed(bob, '?isOver=true')).toEqual([short]);
  await changed(boss, 'DELETE', `${NEWS}/${long}`);
  expect(await onHome(bob)).toEqual([]);
  expect(await listed(boss)).toEqual([short]);
  expect(await boss.delete(`${NEWS}/${long}`)).toMatchObject({ status: 404 });
});

it('is made by managers, for an open workspace and a time to come', async () => {
  expect(await ada.post(NEWS, { title: 'News', body: 'Text' })).toMatchObject({ status: 403 });
  expect(await ada.delete(`${NEWS}/${await announce()}`)).toMatchObject({ status: 403 });
  for (const [more, pointer, code] of [
    [{ workspaceId: uuidv7() }, '/workspaceId', 'unknown_reference'],
    [{ until: inHours(-1) }, '/until', 'out_of_range'],
    [{ body: ' \n' }, '/body', 'invalid_format'],
  ] as const)
    expect(await boss.post(NEWS, { title: 'News', body: 'Text', ...more })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer, code }] },
    });
});
