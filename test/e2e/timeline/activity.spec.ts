import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { added, dealPath, type Page, walk } from './timeline-calls.js';

interface Entry {
  id: string;
  kind: string;
  occurredAt: string;
  action: string | null;
  actor: { name: string };
  from: { state: string; stage: string | null } | null;
  to: { state: string; stage: string | null } | null;
  changes: Record<string, { from: unknown; to: unknown }> | null;
  comment: { body: string } | null;
  reason: string | null;
}

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

/** Creates a deal with a history and returns its path. */
async function story(): Promise<string> {
  const path = await dealPath(tenant.api);
  await tenant.api.patch(path, { nextStep: 'Call' });
  await added(tenant.api, `${path}/comments`, { body: 'They like it' });
  await tenant.api.post(`${path}/move`, { stage: 'proposal' });
  await tenant.api.post(`${path}/lose`, { lostReason: 'price' });
  await tenant.api.post(`${path}/reopen`, { reason: 'They came back' });
  const deleted = await added(tenant.api, `${path}/comments`, { body: 'A mistake' });
  await tenant.api.delete(`${path}/comments/${String(deleted['id'])}`);
  return path;
}

const lines = (entries: Entry[]) => entries.map(({ kind, action, comment }) => [kind, action ?? comment!.body]);
const STORY = [
  ['transition', 'reopen'],
  ['transition', 'lose'],
  ['transition', 'move'],
  ['comment', 'They like it'],
  ['change', 'sales.deal.updated'],
  ['change', 'sales.deal.created'],
];

describe('the activity of a record', () => {
  it('lists each change once, newest first', async () => {
    const path = await story();
    await story();
    const { body } = await tenant.api.get<Page<Entry>>(`${path}/activity`);
    expect(lines(body.data)).toEqual(STORY);
    const [reopened, lost, moved, comment, changed] = body.data;
    expect(reopened).toMatchObject({ from: { state: 'lost' }, to: { state: 'open' }, reason: 'They came back' });
    expect(lost).toMatchObject({ from: { state: 'open', stage: 'proposal' }, to: { state: 'lost' }, changes: null });
    expect(moved).toMatchObject({ to: { state: 'open', stage: 'proposal' }, actor: { name: 'test' } });
    expect(comment).toMatchObject({ comment: { body: 'They like it', visibility: 'internal', parentId: null } });
    expect(changed).toMatchObject({ changes: { nextStep: { from: null, to: 'Call' } } });
  });

  it('is paginated without gaps or duplicates, in both directions', async () => {
    const path = await story();
    for (const limit of [1, 2, 4]) {
      expect(lines(await walk<Entry>(tenant.api, `${path}/activity`, limit))).toEqual(STORY);
      const first = await tenant.api.get<Page<Entry>>(`${path}/activity?sort=occurredAt&limit=${limit}`);
      const next = `${path}/activity?sort=occurredAt&limit=50&cursor=${first.body.page.nextCursor!}`;
      const rest = await tenant.api.get<Page<Entry>>(next);
      expect(lines([...first.body.data, ...rest.body.data])).toEqual(STORY.toReversed());
    }
  });

  it('separates changes within one millisecond', async () => {
    const path = await dealPath(tenant.api);
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => added(tenant.api, `${path}/comments`, { body: `comment ${i}` })),
    );
    const found = await walk<Entry>(tenant.api, `${path}/activity`, 3);
    expect(new Set(found.map(({ id }) => id)).size).toBe(13);
    expect(found).toHaveLength(13);
  });

  it('can be filtered by a time range', async () => {
    const path = await story();
    const { body } = await tenant.api.get<Page<Entry>>(`${path}/activity`);
    const [from, to] = [body.data[3]!.occurredAt, body.data[1]!.occurredAt];
    const within = await tenant.api.get<Page<Entry>>(`${path}/activity?from=${from}&to=${to}`);
    expect(lines(within.body.data)).toEqual(STORY.slice(2, 4));
  });

  it('omits rejected requests', async () => {
    const path = await dealPath(tenant.api);
    const reader = await platform.key(tenant, ['deals:read']);
    expect((await reader.patch(path, { name: 'x' })).status).toBe(403);
    expect(lines(await walk<Entry>(reader, `${path}/activity`, 10))).toEqual([['change', 'sales.deal.created']]);
  });
});
